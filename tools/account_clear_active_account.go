package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type clearAccountIn struct{}

type clearAccountOut struct {
	Status     string       `json:"status" description:"cleared: no account is active now"`
	Network    string       `json:"network" description:"network of this server"`
	WasSet     bool         `json:"wasSet" description:"whether there was an active account to clear"`
	Account    *sui.Address `json:"clearedAccount,omitempty" description:"account that was active until now"`
	WalletName string       `json:"walletName,omitempty" description:"the wallet's name for itself"`
	Bound      *int         `json:"boundReviews,omitempty" description:"unfinished reviews of that account; they stay bound to it"`
	Boundary   string       `json:"boundary" description:"what clearing does not do"`
}

// Status and boundary of an answer.
const (
	accountCleared = "cleared"
	clearsContext  = "clears_read_context_only_wallet_permissions_remembered_accounts_and_reviews_stay"
)

// accountClearActiveAccount clears the active account without disconnecting its wallet. No tool
// sets the active account, because only the user may choose it.
func accountClearActiveAccount(accounts accounts, past past, network string) tool.Tool {
	return tool.Declare(tool.Spec[clearAccountIn, clearAccountOut]{
		Name:      "account.clear_active_account",
		Title:     "Clear active account",
		Summary:   "Deactivates the active wallet account for reads and reviews. Its unfinished reviews stay bound to it.",
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.ClearsLocal,
		Cases: []tool.Case[clearAccountOut]{
			{
				Name: "reviews stay bound",
				When: func(o clearAccountOut) bool { return o.Bound != nil && *o.Bound > 0 },
				Use: evidence.Use{
					Can:    evidence.Claims{evidence.NoActiveAccount, evidence.PendingWork},
					Cannot: clearedCannot().And(notDone()),
					Answer: []string{"status", "clearedAccount", "boundReviews"},
					Rules:  []string{"boundary"},
					Next: evidence.Ask("session.get_interaction_status", "It lists unfinished reviews.").
						Reading("pendingReviewSessions.items"),
				},
			},
			{
				Name: "cleared",
				When: func(o clearAccountOut) bool { return o.WasSet },
				Use: evidence.Use{
					Can: evidence.Claims{evidence.NoActiveAccount}, Cannot: clearedCannot(),
					Answer: []string{"status", "clearedAccount"}, Rules: []string{"boundary"},
					Next: evidence.Ask(toolIdentity, "Reviews need a connected wallet account.").Reading("walletUrl",
						"walletSessionId"),
				},
			},
			{
				Name: "there was none",
				Use: evidence.Use{
					Can: evidence.Claims{evidence.NoActiveAccount}, Cannot: clearedCannot(),
					Answer: []string{"status", "wasSet"}, Rules: []string{"boundary"},
				},
			},
		},
		Examples: []tool.Example{
			{Name: "an account", Given: givenProven, In: `{}`, Case: "cleared"},
			{Name: "an account with reviews", Given: givenSeveral, In: `{}`, Case: "reviews stay bound"},
			{Name: "nothing to clear", Given: givenNothing, In: `{}`, Case: "there was none"},
		},
		Run: func(c tool.Call, _ clearAccountIn) (clearAccountOut, error) {
			return clearAccount(c, accounts, past, network)
		},
	})
}

// clearAccount clears the active account. It counts the account's unfinished reviews before that,
// so that a failed count clears nothing.
func clearAccount(c tool.Call, accounts accounts, past past, network string) (clearAccountOut, error) {
	out := clearAccountOut{Status: accountCleared, Network: network, Boundary: clearsContext}
	active, ok, err := accounts.Active(c.Context())
	if err != nil {
		return clearAccountOut{}, err
	}
	bound := 0
	if ok {
		if bound, err = unfinished(c.Context(), past, active.Account); err != nil {
			return clearAccountOut{}, err
		}
	}
	was, set, err := accounts.Clear(c.Context())
	if err != nil {
		return clearAccountOut{}, err
	}
	if set {
		out.WasSet, out.Account, out.WalletName = true, &was.Account, screen.Name(was.WalletName).Text
	}
	if set && was.Account == active.Account {
		out.Bound = &bound // omitted if another account was connected after the count
	}
	return out, nil
}

// unfinished counts an account's reviews that have not ended.
func unfinished(ctx context.Context, past past, account sui.Address) (int, error) {
	funnel, err := past.ReviewFunnel(ctx, history.Scope{Account: account})
	n := 0
	for status, count := range funnel.Present {
		if !status.Terminal() {
			n += count
		}
	}
	return n, err
}

func clearedCannot() evidence.Claims {
	return evidence.NotLogin().And(evidence.Claims{evidence.ActiveAccount, evidence.ConnectedAccount,
		evidence.AccountBalance})
}
