package record

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// amountFacts maps the role of an amount to the fact that its claim must state.
var amountFacts = map[string]Fact{
	"input": FactInput, "fee_at_most": FactFeeAtMost, "expected_output": FactExpected, "minimum_output": FactMinimum,
	"fee": FactFee,
}

// amounts checks the raw quantities.
func (c *Contract) amounts() string {
	count := map[string]int{}
	for _, a := range c.Amounts {
		fact, ok := amountFacts[a.Role]
		if !ok {
			return "an amount has the unknown role " + a.Role
		}
		count[a.Role]++
		if wrong := c.claimed(a.AmountClaim, fact); wrong != "" {
			return wrong
		}
		if wrong := c.claimed(a.UnitClaim, FactUnit); wrong != "" {
			return wrong
		}
		if a.Symbol == "" || a.CoinType == "" || a.Display != a.Raw.Decimal(a.Decimals) {
			return "the amount " + a.Role + " is not written in its units"
		}
		if estimated := a.Role == "expected_output" || a.Role == "fee"; estimated != a.DisplayOnly {
			return "the amount " + a.Role + " is not marked for what it is"
		}
		if a.Raw == 0 && (a.Role == "input" || a.Role == "minimum_output") {
			return "the amount " + a.Role + " is zero"
		}
	}
	return c.rolesOf(count)
}

// rolesOf checks which amounts exist. A trade needs its input, its expected output and its minimum
// output. Other actions have no amounts that depend on a price.
func (c *Contract) rolesOf(count map[string]int) string {
	traded := c.MinOut.Status == MinimumRequired
	for _, role := range []string{"input", "expected_output", "minimum_output"} {
		if traded && count[role] == 0 {
			return "the amount " + role + " is missing"
		}
	}
	switch {
	case !traded && (count["expected_output"] > 0 || count["fee"] > 0 || count["fee_at_most"] > 0):
		return "there is an amount of a price although no price is involved"
	case c.Call.RecipientRole == RecipientNamed && count["input"] == 0:
		return "a payment does not say what leaves"
	}
	return ""
}

// numbers checks minimum, gas, expiry and the call.
func (c *Contract) numbers() string {
	type reference struct {
		id   string
		fact Fact
	}
	refs := []reference{
		{c.Gas.BudgetClaim, FactGasBudget}, {c.Gas.UsedClaim, FactGasUsed}, {c.Expiry.Claim, FactExpiry},
		{c.Call.Claim, FactCall}, {c.Call.RecipientClaim, FactRecipient}, {c.Ownership.Claim, FactOwnership},
		{c.Simulation.Claim, FactSimulation}, {c.HumanReview.Claim, FactReview},
	}
	if c.MinOut.Status == MinimumRequired {
		refs = append(refs, reference{c.MinOut.QuoteClaim, FactQuote}, reference{c.MinOut.BytesClaim, FactMinimum},
			reference{c.MinOut.PolicyClaim, FactSlippage})
	}
	if c.Call.RecipientRole == RecipientNamed {
		refs = append(refs, reference{c.Call.RequestClaim, FactPayee})
	}
	if len(c.Terms) > 0 {
		refs = append(refs, reference{c.TermsClaim, FactTerms})
	}
	if len(plan.Meta{Unreported: c.TermsUnreported}.ReportedTerms(c.Terms)) > 0 {
		refs = append(refs, reference{c.TermsReportedClaim, FactTermsReported})
	}
	for _, ref := range refs {
		if wrong := c.claimed(ref.id, ref.fact); wrong != "" {
			return wrong
		}
	}
	if wrong := c.minimum(); wrong != "" {
		return wrong
	}
	e := c.Expiry
	switch {
	case (c.Gas.Budget == 0) != (c.Gas.Price == 0) || c.Gas.Budget == 0 && len(c.Gas.Objects) > 0 ||
		len(c.Gas.Objects) > 1 || c.Gas.CheckedAt.IsZero():
		return "gas is not settled"
	case e.Status != "current" || e.LastEpoch == 0 || e.CheckedAt.IsZero() || !e.BuildExpiresAt.After(e.CheckedAt):
		return "the transaction is not current"
	case c.Call.Function == "" || c.Call.Package.IsZero():
		return "the called function is missing"
	}
	return ""
}

// minimum checks the guaranteed minimum against the amounts.
func (c *Contract) minimum() string {
	m := c.MinOut
	if m.Status == MinimumNone {
		if m != (ContractMinimum{Status: MinimumNone}) || !c.Expiry.QuoteExpiresAt.IsZero() {
			return "a price is reported although none is involved"
		}
		return ""
	}
	i := slices.IndexFunc(c.Amounts, func(a ContractAmount) bool {
		return a.Role == "minimum_output" &&
			a.AmountClaim == m.BytesClaim
	})
	switch {
	case m.Status != MinimumRequired || i < 0 || m.MinOutRaw != c.Amounts[i].Raw ||
		m.MaxSlippageBps < plan.LeastSlippageBps || m.MaxSlippageBps > plan.MostSlippageBps:
		return "the guaranteed minimum is not the one of the amounts"
	case !c.Expiry.QuoteExpiresAt.After(c.Expiry.CheckedAt):
		return "the transaction is not current"
	}
	return ""
}

// owned checks the objects, the payer and the recipient.
func (c *Contract) owned() string {
	o := c.Ownership
	named := c.Call.RecipientRole == RecipientNamed && !c.Call.Recipient.IsZero() && c.Call.Recipient != o.OwnerAccount
	account := c.Call.RecipientRole == RecipientAccount && c.Call.Recipient == o.OwnerAccount
	if o.OwnerAccount.IsZero() || c.Gas.Owner != o.OwnerAccount || !(named || account) {
		return "the account does not pay for gas or does not get what comes out"
	}
	seen := map[sui.ObjectID]bool{}
	gas, route := len(c.Gas.Objects) == 0, c.Call.RouteID.IsZero()
	for _, one := range o.Objects {
		shared := one.Role == "shared" && one.Ownership == "shared" && one.Version == 0
		own := (one.Role == "gas" || one.Role == "coin" || one.Role == "object") && one.Ownership == "owned_by_account" &&
			one.Version != 0
		if seen[one.ObjectID] || one.Type == "" || (!shared && !own) {
			return "an object of the transaction is not accounted for"
		}
		seen[one.ObjectID] = true
		gas = gas || (one.Role == "gas" && slices.Contains(c.Gas.Objects, one.ObjectID) && one.Type == sui.SUI.Object())
		route = route || (shared && one.ObjectID == c.Call.RouteID)
	}
	if !gas || !route {
		return "the coin that pays for gas or the place of the action is not among the objects"
	}
	return ""
}

// evidence checks the simulation and the human-readable review.
func (c *Contract) evidence() string {
	s, h := c.Simulation, c.HumanReview
	whole := func(e ContractEvidence) bool {
		return !e.At.IsZero() && e.Source != "" && len(e.Fields) > 0 && len(e.Missing) == 0 && !e.At.After(c.AssembledAt)
	}
	switch {
	case s.Status != "success" || !s.ChecksEnabled || !whole(s):
		return "the simulation is not complete"
	case h.Status != "complete" || !whole(h):
		return "the review in words is not complete"
	}
	return ""
}
