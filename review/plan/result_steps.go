package plan

import (
	"fmt"
	"slices"
	"strings"
)

// StepResults says of every step of an executed transaction what it did, where the
// transaction did what was asked for. An amount is the one that was observed where no
// other step changed the same coin of the same holder; otherwise it is the promised one.
func (f Facts) StepResults(happened Compared) (out []string) {
	p := f.Promise()
	whole := len(f.Steps) > 1 && len(p.Outcomes) > 0 && happened.Outcome.Name == p.Outcomes[0].Name
	if !whole || slices.ContainsFunc(happened.Lines, func(l Line) bool { return !l.Within }) {
		return nil
	}
	for i, s := range f.Steps {
		var did []string
		for _, b := range s.Promise.Bounds() {
			if text := f.did(i+1, b, happened); text != "" {
				did = append(did, text)
			}
		}
		if len(did) == 0 {
			did = []string{"carried out"}
		}
		out = append(out, fmt.Sprintf("Step %d: %s.", i+1, strings.Join(did, "; ")))
	}
	return out
}

// did words one row of a step that was carried out.
func (f Facts) did(step int, b Bound, happened Compared) string {
	amount := f.observed(b, happened)
	switch {
	case b.Party.IsResult() && b.Role == RoleInput:
		return fmt.Sprintf("took all that step %d resulted in, %s", b.Party.Step(), amount)
	case b.Party.IsResult():
		return fmt.Sprintf("%s went on to step %d", amount, f.taker(step))
	case b.Role == RoleInput:
		return amount + " left your account"
	case b.Role == RoleOutput:
		return amount + " arrived in your account"
	case b.Role == RolePayment:
		return amount + " went to " + b.Party.ID.String()
	case b.Role == RoleHolding && b.Least != nil && b.Least.Sign() > 0:
		return amount + " went into " + f.HolderName()
	}
	return ""
}

// taker is the number of the step that takes the result of a step, 0 for none.
func (f Facts) taker(step int) int {
	return 1 + slices.IndexFunc(f.Steps, func(s StepFacts) bool { return s.ResultOf == step })
}

// observed is the amount of a row: as observed where the row is the only one of its coin
// and holder, else as promised.
func (f Facts) observed(b Bound, happened Compared) string {
	if b.Party.IsResult() {
		// What moves on as a whole arrives where its taker says.
		taker := f.taker(b.Party.Step())
		for _, t := range f.Steps[taker-1].Promise.Bounds() {
			moved := t.Role == RolePayment || t.Role == RoleHolding
			if moved && t.Coin.CoinType == b.Coin.CoinType {
				return f.observed(t, happened)
			}
		}
		return promised(b)
	}
	rows := 0
	for _, s := range f.Steps {
		for _, o := range s.Promise.Bounds() {
			if o.Party == b.Party && o.Coin.CoinType == b.Coin.CoinType {
				rows++
			}
		}
	}
	i := slices.IndexFunc(happened.Lines, func(l Line) bool { return l.Party == b.Party && l.Coin.CoinType == b.Coin.CoinType })
	if rows != 1 || i < 0 || !happened.Lines[i].Observed {
		return promised(b)
	}
	return amountText(happened.Lines[i].Change, b.Coin)
}

// promised is the amount of a row as it was promised.
func promised(b Bound) string {
	switch {
	case b.Exact():
		return b.Amount().String()
	case b.Party.IsAccount() && b.Least != nil && b.Least.Sign() < 0:
		return "at most " + b.Amount().String()
	}
	return "at least " + b.Amount().String()
}

// Promised is the amount of a row as the page says it: exactly, at most or at least.
func (b Bound) Promised() string {
	if b.Exact() {
		return "exactly " + promised(b)
	}
	return promised(b)
}

// TakerOf is the number of the step that takes the result of a step, both counted from 1.
func (f Facts) TakerOf(step int) int { return f.taker(step) }
