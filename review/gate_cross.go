package review

import (
	"context"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// crossBytes compares what the bytes say with what was agreed. The two were
// made by different code: builders made the bytes, Read decoded them.
func (r *run) crossBytes(context.Context) error {
	f, account := r.facts, r.session.Account
	for i, s := range r.steps {
		if stop := r.crossStep(s, f.Steps[i]); stop != nil {
			return stop
		}
	}
	gas := f.Gas
	switch {
	//mutant:never ./review TestCrossBytes/sender
	case f.Sender != account:
		return mismatch(WalletMismatch, "C08", "it is not sent by your account")
	//mutant:never ./review TestCrossBytes/gas owner
	case gas.Owner != account:
		return mismatch(WalletMismatch, "C08", "somebody else pays for gas")
	case !r.sharedAsRead():
		return mismatch(AllowlistViolation, "C07", "it names the pool at another version than the one at which it was shared")
	//mutant:never ./review TestCrossBytes/gas coin
	case len(gas.Payment) != 1 || gas.Payment[0] != r.chosen.gas.Ref:
		return mismatch(AllowlistViolation, "C09", "gas is paid with another coin")
	//mutant:never `uint64(gas.Budget) != r.chosen.budget` ./review TestCrossBytes/a smaller gas budget
	case uint64(gas.Price) != r.epoch.GasPrice || uint64(gas.Budget) != r.chosen.budget ||
		uint64(gas.Budget) > r.c.Limits.MostGasBudget:
		return mismatch(AllowlistViolation, "C10", "gas is priced or bounded in another way")
	//mutant:never ./review TestCrossBytes/a later expiration
	case f.LastEpoch != r.epoch.Number+1:
		return mismatch(AllowlistViolation, "C12", "it does not expire when it should")
	//mutant:never ./review TestCrossBytes/a coin that was not chosen
	case !r.onlyChosenCoins():
		return mismatch(AllowlistViolation, "", "it uses a coin that was not chosen")
	}
	r.check(Pass(SourceAdapter, checkBytes, "Built bytes",
		"The built bytes say what the review says: amounts, terms, recipient, what is called, gas and expiry."))
	return nil
}

// crossStep compares what the bytes say of one step.
func (r *run) crossStep(s *Step, f StepFacts) *Stop {
	t := s.Target
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
	//mutant:never ./review TestCrossBytes/package
	case f.Package != t.Package:
		return mismatch(AllowlistViolation, "C05", "it calls another package")
	//mutant:never `f.RouteID != t.RouteID` ./review TestCrossBytes/pool
	case f.Function != t.Function || f.RouteID != t.RouteID:
		return mismatch(AllowlistViolation, "C07", "it calls another function or pool")
	//mutant:never ./review TestCrossBytes/type arguments
	case !slices.Equal(f.TypeArgs, tags):
		return mismatch(AssetMismatch, "C02", "it is about other coins")
	//mutant:never ./review TestCrossBytes/amount
	case !slices.EqualFunc(f.Promise.Of(RoleInput, RoleFee), s.Promise.Of(RoleInput, RoleFee), Bound.Equal):
		return mismatch(AmountMismatch, "", "another amount leaves")
	case !slices.EqualFunc(f.Promise.Of(RoleOutput), s.Promise.Of(RoleOutput), func(a, b Bound) bool { return a.Coin == b.Coin }):
		return mismatch(AssetMismatch, "C02", "another coin is guaranteed")
	//mutant:never ./review TestCrossBytes/minimum
	case !slices.EqualFunc(f.Promise.Of(RoleOutput), s.Promise.Of(RoleOutput), Bound.Equal):
		return mismatch(AmountMismatch, "C03", "another minimum is guaranteed")
	case !slices.Equal(f.Terms, s.Terms):
		return mismatch(AmountMismatch, "C07", "its terms are others")
	//mutant:never ./review TestCrossBytes/a payment that stays with the account
	case !f.Sends.IsZero() && f.Sends != to:
		return mismatch(WalletMismatch, "C01", "it does not go where it was asked to go")
	case !f.Promise.Equal(s.Promise):
		return mismatch(AmountMismatch, "C07", "it promises something else")
	}
	return nil
}

// sharedAsRead reports whether the bytes name the targets' objects at the
// versions that were read or pinned for them.
func (r *run) sharedAsRead() bool {
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
func (r *run) shares() (all []SharedObject) {
	for _, s := range r.steps {
		all = append(all, s.Target.shares()...)
	}
	return all
}

// onlyChosenCoins reports whether the bytes name exactly the coins that were
// chosen, each at its version, in their order.
func (r *run) onlyChosenCoins() bool {
	var named []sui.ObjectRef
	for _, input := range r.tx.Inputs {
		if in, ok := input.(sui.OwnedInput); ok {
			named = append(named, in.Ref)
		}
	}
	return slices.Equal(named, r.chosen.coins())
}

// crossEffects compares simulated changes with what the bytes promise: the
// simulated outcome must be the one that was asked for. The protocol's own events
// must report the terms that were agreed.
func (r *run) crossEffects(context.Context) error {
	const doubt = "Do not sign. Refresh; if it stays, use another node or prepare a new review."
	fail := func(reason Reason, message, do string) error {
		return &Stop{reason, Fail(SourceSimulation, checkEffects, "Simulated effects", message, do).under("C19")}
	}
	changes, wrong := r.reported(r.simulated.Events)
	seen := Observe(r.session.Account, r.simulated.Effects, changes...)
	p := r.facts.Promise()
	asked := p.Outcomes[0].Compare(seen)
	//mutant:never ./review TestLyingNode/tells no balance changes
	if !seen.told {
		return fail(EffectsMismatch, "The node told no balance changes of your account, although gas always changes one.", doubt)
	}
	//mutant:never ./review TestLyingNode/somebody else gains besides
	if asked.Others {
		return fail(EffectsMismatch, "In the simulation somebody else gains something that the review does not name.", doubt)
	}
	//mutant:never ./review TestLyingNode/more leaves
	if reason, message, do := p.unlike(asked); message != "" {
		if do == "" {
			do = doubt
		}
		return fail(reason, "In the simulation "+message, do)
	}
	switch {
	//mutant:never ./review TestLyingNode/another coin leaves
	case asked.Lost != "":
		return fail(EffectsMismatch, "In the simulation your account also loses "+string(asked.Lost)+".", doubt)
	case asked.Gained != "":
		return fail(EffectsMismatch, "In the simulation your account also gains "+string(asked.Gained)+", which nothing explains.", doubt)
	//mutant:never ./review TestLyingNode/gas above its budget
	case seen.gas.Cmp(number(r.facts.Gas.Budget)) > 0:
		return fail(EffectsMismatch, "In the simulation gas costs more than its budget.", doubt)
	case wrong != "":
		return fail(EffectsMismatch, "In the simulation "+r.meta.Protocol+" itself tells something else than was agreed. "+wrong, doubt)
	}
	if of := r.hold(); of != "" {
		return fail(EffectsMismatch, "By the simulation your account would hold an impossible amount of "+of+" afterwards.", doubt)
	}
	r.deviation(asked)
	r.check(Pass(SourceSimulation, checkEffects, "Simulated effects", r.said(p)))
	return nil
}

// unlike says in which way what was observed is not what was asked for, with the
// reason and what to do where that is known; "" where it is.
func (p Promise) unlike(asked Compared) (reason Reason, message, do string) {
	for _, l := range asked.broken() {
		switch {
		case l.Role == RolePayment:
			return EffectsMismatch, "the recipient does not gain exactly what was stated.", ""
		case l.Role == RoleOutput && l.exact():
			return EffectsMismatch, "not exactly what was stated leaves or arrives.", ""
		case l.Role == RoleOutput && l.Change.Sign() <= 0:
			for _, o := range p.Outcomes[1:] {
				//mutant:never ./review TestLyingNode/nothing arrives
				if o.Why != "" {
					return AmountMismatch, o.Name + ": " + o.Why, o.Do
				}
			}
			return EffectsMismatch, "less than the guaranteed minimum arrives.", ""
		case l.Role == RoleOutput:
			return EffectsMismatch, "less than the guaranteed minimum arrives.", ""
		}
	}
	for _, l := range asked.broken() {
		message = "more leaves your account than was stated."
		switch {
		case l.exact() && (l.Role != RoleInput || l.Change.Cmp(l.Least) > 0):
			message = "not exactly what was stated leaves or arrives."
		case l.Role == RoleFee && l.Change.Sign() < 0:
			message = "more " + l.Coin.Symbol + " leaves for the fee than was stated."
		}
		return EffectsMismatch, message, ""
	}
	return "", "", ""
}

// said sums up in a sentence what the simulation showed.
func (r *run) said(p Promise) string {
	said := "In the simulation your account loses at most what is stated, and no other address gains anything."
	switch {
	case len(p.Of(RolePayment)) > 0:
		said = "In the simulation your account loses what is stated, the recipient gains exactly that, and nobody else gains anything."
	case len(p.Of(RoleOutput)) > 0:
		said = "In the simulation your account loses at most what is stated, gains at least the minimum, and nobody else gains anything."
	}
	for _, s := range r.steps {
		if len(s.meta.reported(s.Terms)) > 0 {
			return said + " " + s.meta.Protocol + "’s own events tell what was agreed."
		}
	}
	return said
}

// deviation warns when simulation and quote disagree by more than a hundredth:
// one of the two is not true, or the market moved between them. Of several steps
// that give one coin the sum is not compared.
func (r *run) deviation(asked Compared) {
	for _, l := range asked.Lines {
		var quotes []*QuoteEvidence
		for _, s := range r.steps {
			if s.Quote != nil && l.Role == RoleOutput && s.Quote.Expected.CoinType == l.Coin.CoinType {
				quotes = append(quotes, s.Quote)
			}
		}
		if len(quotes) != 1 || len(r.steps) > 1 {
			continue
		}
		quoted := number(quotes[0].Expected.Raw)
		far := new(big.Int).Sub(l.Change, quoted)
		if far.Abs(far).Mul(far, big.NewInt(100)).Cmp(quoted) <= 0 {
			continue
		}
		r.check(Warn(SourceSimulation, "cross_check_quote_and_simulation", "Quote and simulation",
			"The simulation brings "+shown(l.Change.String(), l.Coin)+", the quote said "+quotes[0].Expected.String()+
				": they disagree by more than one percent.", "Trust neither as a forecast; only the minimum is guaranteed. Refresh to ask again."))
	}
}

// hold fills in the balances after the simulated transaction, and names the coin
// of one that cannot be.
func (r *run) hold() (impossible string) {
	for i := range r.holdings {
		after := number(r.holdings[i].Before)
		for _, c := range r.simulated.Balances {
			if c.Owner == r.session.Account && c.Coin == r.holdings[i].CoinType {
				after.Add(after, c.Amount.Big())
			}
		}
		if !after.IsUint64() {
			return r.holdings[i].named()
		}
		r.holdings[i].After = sui.Raw(after.Uint64())
	}
	return ""
}

func number(r sui.Raw) *big.Int { return new(big.Int).SetUint64(uint64(r)) }
