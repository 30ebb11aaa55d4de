package gate

import (
	"context"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// crossBytes compares the bytes with the agreed steps. The two come from different code: builders
// wrote the bytes, and Read decoded them.
func crossBytes(_ context.Context, r *described) error {
	f, account := r.facts, r.session.Account
	for i, s := range r.steps {
		if stop := r.crossStep(s, f.Steps[i]); stop != nil {
			return stop
		}
	}
	gas := f.Gas
	switch {
	//mutant:never ./review/gate TestCrossBytes/sender
	case f.Sender != account:
		return mismatch(plan.WalletMismatch, "C08", "it is not sent by your account")
	//mutant:never ./review/gate TestCrossBytes/gas owner
	case gas.Owner != account:
		return mismatch(plan.WalletMismatch, "C08", "somebody else pays for gas")
	case !r.sharedAsRead():
		return mismatch(plan.AllowlistViolation, "C07",
			"it names the pool at another version than the one at which it was shared")
	//mutant:never ./review/gate TestCrossBytes/gas coin
	case !slices.Equal(gas.Payment, r.chosen.payment()):
		return mismatch(plan.AllowlistViolation, "C09", "gas is paid with another coin")
	//mutant:never `uint64(gas.Budget) != r.chosen.budget` ./review/gate TestCrossBytes/a smaller gas budget
	case uint64(gas.Price) != r.price() || uint64(gas.Budget) != r.chosen.budget ||
		uint64(gas.Budget) > r.c.Limits.MostGasBudget:
		return mismatch(plan.AllowlistViolation, "C10", "gas is priced or bounded in another way")
	//mutant:never ./review/gate TestCrossBytes/a later expiration
	case f.LastEpoch != r.lastEpoch() || !r.expires():
		return mismatch(plan.AllowlistViolation, "C12", "it does not expire when it should")
	//mutant:never ./review/gate TestCrossBytes/a coin that was not chosen
	case !r.onlyChosenCoins():
		return mismatch(plan.AllowlistViolation, "", "it uses a coin or an object that was not chosen")
	}
	r.check(plan.Pass(plan.SourceAdapter, checkBytes, "Built bytes",
		"The built bytes say what the review says: amounts, terms, recipient, what is called, gas and expiry."))
	return nil
}

// crossStep compares the decoded bytes of one step with its agreed promise, call and terms.
func (r *described) crossStep(s *plan.Step, f plan.StepFacts) *plan.Stop {
	t := r.target(s)
	tags := make([]string, len(t.TypeArgs))
	for i, tag := range t.TypeArgs {
		tags[i] = tag.String()
	}
	to := s.Promise.Payee()
	if to.IsZero() {
		to = r.session.Account
	}
	if !f.Sends.IsZero() {
		if stop := r.strange(f.Sends); stop != nil {
			return stop
		}
	}
	switch {
	//mutant:never ./review/gate TestCrossBytes/package
	case f.Package != t.Package:
		return mismatch(plan.AllowlistViolation, "C05", "it calls another package")
	//mutant:never `f.RouteID != t.RouteID` ./review/gate TestCrossBytes/pool
	case f.Function != t.Function || f.RouteID != t.RouteID:
		return mismatch(plan.AllowlistViolation, "C07", "it calls another function or pool")
	//mutant:never ./review/gate TestCrossBytes/type arguments
	case !slices.Equal(f.TypeArgs, tags):
		return mismatch(plan.AssetMismatch, "C02", "it is about other coins")
	//mutant:never ./review/gate TestCrossBytes/amount
	case !slices.EqualFunc(f.Promise.Of(plan.RoleInput, plan.RoleFee), s.Promise.Of(plan.RoleInput, plan.RoleFee),
		plan.Bound.Equal):
		return mismatch(plan.AmountMismatch, "", "another amount leaves")
	case !slices.EqualFunc(f.Promise.Of(plan.RoleOutput), s.Promise.Of(plan.RoleOutput),
		func(a, b plan.Bound) bool { return a.Coin == b.Coin }):
		return mismatch(plan.AssetMismatch, "C02", "another coin is guaranteed")
	//mutant:never ./review/gate TestCrossBytes/minimum
	case !slices.EqualFunc(f.Promise.Of(plan.RoleOutput), s.Promise.Of(plan.RoleOutput), plan.Bound.Equal):
		return mismatch(plan.AmountMismatch, "C03", "another minimum is guaranteed")
	case !slices.Equal(f.Terms, s.Terms):
		return mismatch(plan.AmountMismatch, "C07", "its terms are others")
	//mutant:never ./review/gate TestCrossBytes/a payment that stays with the account
	case !f.Sends.IsZero() && f.Sends != to:
		return mismatch(plan.WalletMismatch, "C01", "it does not go where it was asked to go")
	case !f.Promise.Equal(s.Promise):
		return mismatch(plan.AmountMismatch, "C07", "it promises something else")
	}
	return nil
}

// sharedAsRead reports whether the bytes name the targets' shared objects at the versions that were
// read or pinned for them.
func (r *decoded) sharedAsRead() bool {
	for _, input := range r.tx.Inputs {
		in, ok := input.(sui.SharedInput)
		if !ok {
			continue
		}
		for _, s := range r.shares() {
			if in.ID == s.ID && in.InitialVersion != s.Initial {
				return false
			}
		}
	}
	return true
}

// shares lists every shared object that a step may change.
func (r *planned) shares() (all []plan.SharedObject) {
	for _, s := range r.steps {
		all = append(all, s.Target.Shares()...)
	}
	return all
}

// onlyChosenCoins reports whether the bytes use exactly the chosen coins and the objects that the
// steps use up, at their versions and in order.
func (r *decoded) onlyChosenCoins() bool {
	var coins, objects, used []sui.ObjectRef
	for _, s := range r.steps {
		for _, o := range s.Objects {
			used = append(used, o.Ref)
		}
	}
	for _, input := range r.tx.Inputs {
		in, ok := input.(sui.OwnedInput)
		switch {
		case !ok:
		case slices.Contains(used, in.Ref):
			objects = append(objects, in.Ref)
		default:
			coins = append(coins, in.Ref)
		}
	}
	//mutant:always `slices.Equal(objects, used)` ./review/gate TestFrameworkCalls
	return slices.Equal(coins, r.chosen.coins()) && slices.Equal(objects, used)
}

// crossEffects compares the simulated changes with the promise in the bytes. The outcome must be
// the requested one, and the protocol's events must report the agreed terms.
func crossEffects(_ context.Context, r *simulated) error {
	const doubt = "Do not sign. Check again. If the problem persists, use another node or prepare a new review."
	fail := func(reason plan.Reason, message, do string) error {
		return &plan.Stop{Reason: reason,
			Check: plan.Fail(plan.SourceSimulation, checkEffects, "Simulated effects", message, do).Under("C19")}
	}
	changes, wrong := r.reported(r.sim.Events)
	seen := plan.Observe(r.session.Account, r.sim.Effects, changes...)
	p := r.facts.Promise()
	asked := p.Outcomes[0].Compare(seen)
	//mutant:never ./review TestLyingNode/reports no balance changes
	if !seen.Found {
		return fail(plan.EffectsMismatch,
			"The node reported no balance changes of your account, although gas always changes one.", doubt)
	}
	//mutant:never ./internal/testkit/lies TestLeftOut
	if wrong != "" && len(r.sim.Events) == 0 {
		return fail(plan.EffectsMismatch, "The node reported no events of the simulation, so what "+r.meta.Protocol+
			" would do is not known.", doubt)
	}
	//mutant:never ./review TestLyingNode/somebody else gains besides
	if asked.Others {
		return fail(plan.EffectsMismatch,
			"In the simulation, someone gains a coin that the review does not mention.", doubt)
	}
	//mutant:never ./review TestLyingNode/more leaves
	if reason, message, do := p.Unlike(asked); message != "" {
		if do == "" {
			do = doubt
		}
		return fail(reason, "In the simulation "+message, do)
	}
	switch {
	//mutant:never ./review TestLyingNode/another coin leaves
	case asked.Lost != "":
		return fail(plan.EffectsMismatch, "In the simulation, your account also loses "+string(asked.Lost)+".", doubt)
	case asked.Gained != "":
		return fail(plan.EffectsMismatch,
			"In the simulation, your account also gains "+string(asked.Gained)+", which nothing explains.", doubt)
	//mutant:never ./review TestLyingNode/gas above its budget
	case seen.Gas.Cmp(plan.BigInt(r.facts.Gas.Budget)) > 0:
		return fail(plan.EffectsMismatch, "In the simulation, gas costs more than its budget.", doubt)
	case wrong != "":
		return fail(plan.EffectsMismatch,
			"In the simulation "+r.meta.Protocol+" itself reports something other than what was agreed. "+wrong, doubt)
	}
	if !r.madeAndShared() {
		return fail(plan.EffectsMismatch, "In the simulation, the transaction creates or shares objects that you "+
			"did not agree to.", doubt)
	}
	if of := r.hold(); of != "" {
		return fail(plan.EffectsMismatch,
			"By the simulation your account would hold an impossible amount of "+of+" afterwards.", doubt)
	}
	r.deviation(asked)
	r.check(plan.Pass(plan.SourceSimulation, checkEffects, "Simulated effects", r.said(p)))
	return nil
}

// said summarizes the simulation in one sentence.
func (r *planned) said(p plan.Promise) string {
	said := "In the simulation, your account loses at most the stated amounts, and no other address gains anything."
	switch {
	case len(p.Of(plan.RolePayment)) > 0:
		said = "In the simulation your account loses what is stated, the recipient gains exactly that, and nobody " +
			"else gains anything."
	case len(p.Of(plan.RoleOutput)) > 0:
		said = "In the simulation your account loses at most what is stated, gains at least the minimum, and " +
			"nobody else gains anything."
	}
	for _, s := range r.steps {
		if len(s.Meta.ReportedTerms(s.Terms)) > 0 {
			return said + " " + s.Meta.Protocol + "’s own events report what was agreed."
		}
	}
	return said
}

// deviation warns if simulation and quote differ by more than one percent, because then one of them
// is wrong or the market moved. It skips transactions with several steps.
func (r *planned) deviation(asked plan.Compared) {
	for _, l := range asked.Lines {
		var quotes []*plan.QuoteEvidence
		for _, s := range r.steps {
			if s.Quote != nil && l.Role == plan.RoleOutput && s.Quote.Expected.CoinType == l.Coin.CoinType {
				quotes = append(quotes, s.Quote)
			}
		}
		if len(quotes) != 1 || len(r.steps) > 1 {
			continue
		}
		quoted := plan.BigInt(quotes[0].Expected.Raw)
		far := new(big.Int).Sub(l.Change, quoted)
		if far.Abs(far).Mul(far, big.NewInt(100)).Cmp(quoted) <= 0 {
			continue
		}
		r.check(plan.Warn(plan.SourceSimulation, "cross_check_quote_and_simulation", "Quote and simulation",
			"The simulation brings "+plan.SignedText(l.Change.String(), l.Coin)+", the quote said "+quotes[0].Expected.String()+
				": they disagree by more than one percent.",
			"Trust neither as a forecast; only the minimum is guaranteed. Update to ask again."))
	}
}

// hold computes the balances after the simulated transaction. It returns the name of a coin whose
// balance would be impossible, or "".
func (r *simulated) hold() (impossible string) {
	for i := range r.holdings {
		after := plan.BigInt(r.holdings[i].Before)
		for _, c := range r.sim.Balances {
			if c.Owner == r.session.Account && c.Coin == r.holdings[i].CoinType {
				after.Add(after, c.Amount.Big())
			}
		}
		if !after.IsUint64() {
			return r.holdings[i].Named()
		}
		r.holdings[i].After = sui.Raw(after.Uint64())
	}
	return ""
}

// reported compares the agreed terms with the events of a transaction and returns the changes of
// objects' balances that the events report. wrong is "" if they agree. This is an independent
// check: the same adapter builds and reads the bytes, but events come from the protocol's code.
func (r *planned) reported(events []sui.Event) (changes []plan.Change, wrong string) {
	terms := make([][]plan.Term, len(r.steps))
	for i, s := range r.steps {
		terms[i] = s.Terms
	}
	actions, err := plan.ActionsOf(r.adapters, terms, r.session.Account, events)
	if err != nil {
		return nil, fault.As(err).Text
	}
	for i, action := range actions {
		changes = append(changes, action.Changes...)
		if wrong := plan.Unlike(r.adapters[i].Meta().ReportedTerms(terms[i]), action.Terms); wrong != "" {
			return nil, wrong
		}
	}
	return changes, ""
}
