package plan

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var (
	fraction   = regexp.MustCompile(`^([1-9][0-9]{0,5})/([1-9][0-9]{0,5})$`)
	percentage = regexp.MustCompile(`^([0-9]{1,3})(?:\.([0-9]{1,4}))?%$`)
)

// ShareForm describes how to write a share.
const ShareForm = `A share is "all", a fraction such as "1/2", or a percentage such as "25%", above nothing and at most the whole.`

// ReadShare parses a share. It returns false if text is not a share, or is zero or more than one.
func ReadShare(text string) (*big.Rat, bool) {
	part := big.NewRat(1, 1)
	if text != shareAll {
		if m := percentage.FindStringSubmatch(text); m != nil {
			part, _ = new(big.Rat).SetString(m[1] + "." + m[2] + "0")
			part.Quo(part, big.NewRat(100, 1))
		} else if fraction.MatchString(text) {
			part, _ = new(big.Rat).SetString(text)
		} else {
			return nil, false
		}
	}
	return part, part != nil && part.Sign() > 0 && part.Cmp(big.NewRat(1, 1)) <= 0
}

const shareAll = "all"

// share returns the share of a result, or "" for all of it.
func (s IntentSource) share() string {
	if s.Share == shareAll {
		return ""
	}
	return s.Share
}

// part returns the share as a number, or nil if it is invalid.
func (s IntentSource) part() *big.Rat {
	if s.Share == "" {
		return big.NewRat(1, 1)
	}
	part, ok := ReadShare(s.Share)
	if !ok {
		return nil
	}
	return part
}

// Feeds lists the steps that take a step's result, in order; steps count from 1. Each takes a part.
// If the shares add up to all of it, the last one takes what the others leave.
func (i Intent) Feeds(step int) (feeds []Fed) {
	sum := new(big.Rat)
	for n, s := range i.Steps {
		if s.From.ResultOf != step {
			continue
		}
		if p := s.From.part(); p != nil {
			sum.Add(sum, p)
		}
		feeds = append(feeds, Fed{Step: step, Part: len(feeds) + 1, Taker: n + 1, Share: s.From.share()})
	}
	if n := len(feeds); n > 0 && sum.Cmp(big.NewRat(1, 1)) == 0 {
		feeds[n-1].Part, feeds[n-1].Rest = 0, n > 1
	}
	return feeds
}

// passesOn reports whether what the parts leave also goes to a step.
func passesOn(feeds []Fed) bool {
	return slices.ContainsFunc(feeds, func(f Fed) bool { return f.Part == 0 })
}

// partsOf lists the fixed amounts. An amount that is not known yet is nil.
func partsOf(feeds []Fed) (parts []*big.Int) {
	for _, f := range feeds {
		switch {
		case f.Part == 0:
		case f.Least.Raw == 0:
			parts = append(parts, nil)
		default:
			parts = append(parts, BigInt(f.Least.Raw))
		}
	}
	return parts
}

// Divide sets how much of the step's result each later step takes: a share of the minimum, rounded
// down, or what the others leave.
func (s *Step) Divide(feeds []Fed) ([]Fed, error) {
	whole, exact, ok := s.Result()
	if !ok {
		return nil, fault.New(fault.InputInvalid, "Step %d has no result that a later step can take.", feeds[0].Step)
	}
	feeds, left := slices.Clone(feeds), whole.Raw
	for i, f := range feeds {
		if f.Part == 0 {
			feeds[i].Least, feeds[i].Exact = whole.Of(left), exact
			continue
		}
		n, ok := ShareOf(whole, f.Share)
		if !ok {
			return nil, fault.New(fault.InputInvalid,
				"Step %d takes %s of %s, the least that step %d results in: that is nothing. Take more.",
				f.Taker, f.Share, whole, f.Step)
		}
		feeds[i].Least, feeds[i].Exact = n, true
		left -= n.Raw
	}
	return feeds, nil
}

// ShareOf returns a share of an amount, rounded down; false if that is nothing.
func ShareOf(whole Amount, share string) (Amount, bool) {
	part, ok := ReadShare(share)
	if !ok {
		return Amount{}, false
	}
	n := new(big.Int).Mul(BigInt(whole.Raw), part.Num())
	n.Quo(n, part.Denom())
	return whole.Of(rawOf(n)), n.Sign() > 0
}

// Wholes returns a step's complete results, wherever their parts go.
func (p Promise) Wholes() []Amount {
	if len(p.Of(RolePart)) > 0 {
		return []Amount{p.Whole()}
	}
	return p.Amounts(RoleOutput)
}

// Whole returns the first of Wholes, or the zero Amount if there is none.
func (p Promise) Whole() Amount {
	whole := p.Amount(RoleOutput)
	for _, b := range p.Of(RolePart) {
		whole = whole.Of(whole.Raw + b.Amount().Raw)
	}
	return whole
}

// divided sends fixed parts of what arrives in the account to later steps. If the coin is too
// small, the whole transaction fails, so outcomes with a smaller coin are dropped.
func (p Promise) divided(step int, parts []*big.Int) Promise {
	if len(parts) == 0 {
		return p
	}
	out := Promise{}
	for _, o := range p.Outcomes {
		rows, happens := []Bound{}, true
		for _, b := range o.Bounds {
			if b.Role != RoleOutput || !b.Party.IsAccount() {
				rows = append(rows, b)
				continue
			}
			for n, part := range parts {
				rows = append(rows, Bound{RolePart, ResultParty(step, n+1), b.Coin, part, part})
			}
			rest, fits := b.without(parts)
			rows, happens = append(rows, rest), fits
		}
		//mutant:always ./internal/plan TestParts
		if happens {
			out.Outcomes = append(out.Outcomes, Outcome{Name: o.Name, Bounds: rows, Why: o.Why, Do: o.Do})
		}
	}
	return out
}

// without returns the bound of an amount minus its parts; false if the parts exceed it. If parts
// are unknown, so is the rest.
func (b Bound) without(parts []*big.Int) (Bound, bool) {
	sum := new(big.Int)
	for _, part := range parts {
		if part == nil {
			b.Least, b.Most = nil, nil
			return b, true
		}
		sum.Add(sum, part)
	}
	fits := b.Most == nil || b.Most.Cmp(sum) >= 0
	if b.Least != nil {
		b.Least = new(big.Int).Sub(b.Least, sum)
		if b.Least.Sign() < 0 {
			b.Least.SetInt64(0)
		}
	}
	if b.Most != nil {
		b.Most = new(big.Int).Sub(b.Most, sum)
	}
	return b, fits
}

// Wire connects results in plans to the steps that take them. It returns fault.InputInvalid if a
// step does not result in exactly the coin that the later step pays.
func Wire(in Intent, plans []Plan) error {
	if err := makes(in, plans); err != nil {
		return err
	}
	for n := range plans {
		feeds := in.Feeds(n + 1)
		for _, f := range feeds {
			var pays Asset
			for _, b := range plans[f.Taker-1].Promise.Of(RoleInput) {
				pays = b.Coin
			}
			gets := plans[n].Promise.Of(RoleOutput)
			//mutant:never `gets[0].Coin.CoinType != pays.CoinType` ./review/gate TestFedSteps
			if len(gets) != 1 || gets[0].Coin.CoinType != pays.CoinType {
				return fault.New(fault.InputInvalid, "Step %d does not result in the coin that step %d takes%s.", n+1, f.Taker,
					resultsIn(gets)).
					With("field", "intent.from.resultOf")
			}
			plans[f.Taker-1].Promise = plans[f.Taker-1].Promise.from(f.Party())
		}
		plans[n].Promise = plans[n].Promise.divided(n+1, partsOf(feeds))
		if passesOn(feeds) {
			plans[n].Promise = plans[n].Promise.gives(n + 1)
		}
	}
	return nil
}

// resultsIn describes what a step results in, for an error message.
func resultsIn(gets []Bound) string {
	if len(gets) != 1 || gets[0].Coin == EveryCoin {
		return ": it results in no single coin"
	}
	return ": it results in " + gets[0].Coin.Symbol
}

// from sets which part of a result a plan takes.
func (p Promise) from(party Party) Promise {
	for _, o := range p.Outcomes {
		for i, b := range o.Bounds {
			if b.Party.IsResult() && b.Role == RoleInput {
				o.Bounds[i].Party = party
			}
		}
	}
	return p
}

// fed validates the results that steps take.
func (i Intent) fed() error {
	bad := func(field, format string, args ...any) error {
		return fault.New(fault.InputInvalid, format, args...).With("field", "intent.from."+field)
	}
	taken := map[int]*big.Rat{}
	for n, s := range i.Each() {
		from, share := s.From.ResultOf, s.From.part()
		switch {
		case from == 0:
			continue
		case from < 0 || from > n:
			return bad("resultOf", "A step takes the result of a step before it.")
		case s.From.Amount != "" || s.From.Raw:
			return bad("resultOf", "A step that takes a result takes all of it, or a share. Omit the amount.")
		case share == nil:
			return bad("share", "%s", ShareForm)
		}
		if taken[from] == nil {
			taken[from] = new(big.Rat)
		}
		//mutant:never ./review/gate TestFedSteps
		if taken[from].Add(taken[from], share).Cmp(big.NewRat(1, 1)) > 0 {
			return bad("share", "Steps take more than all of the result of step %d. Shares of one result are all of it at most.",
				from)
		}
	}
	return nil
}

// handed adds to a guarantee which part of the amount goes to other steps, if not all of it
// arrives.
func (s *Step) handed(text string) string {
	if len(s.Promise.Of(RolePart)) == 0 {
		if s.Passes {
			text = strings.Replace(text, " arrives", " goes on to a later step", 1)
		}
		return text
	}
	text = "At least " + s.Quote.Minimum.String() + " comes out, or the transaction fails and only gas is spent."
	for _, f := range s.Feeds {
		if f.Part > 0 {
			text += " Exactly " + f.Least.String() + " of it goes on to step " + strconv.Itoa(f.Taker) + "."
		} else {
			text += " All that is left of it goes on to step " + strconv.Itoa(f.Taker) + "."
		}
	}
	if !s.Passes {
		text += " All that is left of it arrives."
	}
	return text
}

func rawOf(n *big.Int) sui.Raw { return sui.Raw(n.Uint64()) }
