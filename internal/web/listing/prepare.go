package listing

import (
	"net/http"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/web"
)

// Wish is what a button of a page requests. It becomes a review, which the user checks and signs
// like the review of an AI client's request. The zero Wish requests nothing.
type Wish struct {
	Do         string `json:"do"` // "cancel", "withdraw" or "end"
	Account    string `json:"account,omitempty"`
	Manager    string `json:"manager,omitempty"`
	Pool       string `json:"pool,omitempty"`
	Order      string `json:"order,omitempty"`
	Permission string `json:"permission,omitempty"`
}

// intent returns the action that a wish requests. It returns false for a wish that no button sends.
func (w Wish) intent() (plan.Intent, bool) {
	switch w.Do {
	case "cancel":
		return plan.Intent{Type: "cancel-order", Manager: w.Manager, Own: plan.Own{"orderId": w.Order},
			Order: &plan.Order{Pool: w.Pool}}, true
	case "withdraw":
		return plan.Intent{Type: "manager-withdraw-all", Manager: w.Manager}, true
	case "end":
		return plan.Intent{Type: "permission_revoke", Manager: w.Manager, Permission: w.Permission}, true
	}
	return plan.Intent{}, false
}

// Prepare creates the review of a wish for its account, as the tool for AI clients does, and
// responds with its link.
func (l *Lists) Prepare(c *web.Call, in Wish) error {
	intent, ok := in.intent()
	if !ok {
		return web.Refuse(http.StatusBadRequest, "do", "Unknown button.")
	}
	used, err := c.Used()
	if err != nil {
		return err
	}
	//mutant:never ./review/web TestHoldingsPrepare
	if used.Address != in.Account {
		return web.Refuse(http.StatusConflict, "account",
			"This account is not in use. Use it first, then prepare this again.")
	}
	session, _, err := l.Reviews.PrepareLooking(c.Ctx(), intent)
	if err != nil {
		return err
	}
	return c.LeadTo(pagetoken.Review, string(session.ID))
}
