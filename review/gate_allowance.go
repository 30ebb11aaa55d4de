package review

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// allow is the gate of what the person allows on this machine. It judges the
// facts decoded from the bytes; the law of the handoff judges them again.
func (r *run) allow(ctx context.Context) error {
	if r.c.Allowed == nil {
		return nil
	}
	allowed, err := r.c.Allowed(ctx)
	var handed []Handed
	if err == nil && len(allowed.PerDay) > 0 {
		handed, err = r.c.Store.Handed(ctx, r.now().Add(-AllowanceDay))
	}
	if err != nil {
		return unreadable(err)
	}
	if stop := allowed.judge(taking{r.session.ID, r.session.Account, r.meta.Slug, *r.facts}, handed, r.now()); stop != nil {
		return stop
	}
	if allowed.bounds() {
		r.check(Pass(SourceAdapter, "allowance", "Your own limits",
			"It keeps within the limits and lists that you set on the settings page. Gas is not counted towards them."))
	}
	return nil
}

// allowed gives what the person allows, for a release.
func (s *Service) allowed(ctx context.Context) (Allowance, error) {
	if s.c.Allowed == nil {
		return Allowance{}, nil
	}
	allowed, err := s.c.Allowed(ctx)
	if err != nil {
		return Allowance{}, unreadable(err)
	}
	return allowed, nil
}

// bounds reports whether anything is limited.
func (a Allowance) bounds() bool {
	return len(a.PerTransaction)+len(a.PerDay)+len(a.Protocols)+len(a.Recipients) > 0
}

// taking is what one transaction does, as far as an allowance asks.
type taking struct {
	review  ID
	account sui.Address
	slug    string
	facts   Facts
}

// takes gives what facts say may leave of a coin at most, or be traded away by
// an order: a limit that holds for coins in the wallet holds for those in a
// balance manager. Gas is left out: it is bounded by rules of its own, and what
// of its budget is used is known only afterwards.
func takes(f Facts, coin sui.CoinType) (raw uint64, asset Asset) {
	for _, b := range f.Promise().Bounds() {
		if b.Coin.CoinType != coin || !b.Party.IsAccount() && b.Role != RoleOffer {
			continue
		}
		if lost := b.Loses(); lost == nil || !lost.IsUint64() {
			raw, asset = math.MaxUint64, b.Coin
		} else if lost.Sign() > 0 {
			raw, asset = plus(raw, lost.Uint64()), b.Coin
		}
	}
	return raw, asset
}

// goes says what becomes of what a transaction takes.
func (f Facts) goes() string {
	if len(f.Promise().Of(RoleOffer)) > 0 {
		return " would be offered by the order"
	}
	return " would leave"
}

// judge gives the stop of a transaction that is not allowed, nil for one that
// is. handed is what was handed out before, of the present review too.
func (a Allowance) judge(t taking, handed []Handed, now time.Time) *Stop {
	//mutant:never ./review TestAllowance/protocol
	if len(a.Protocols) > 0 && !slices.Contains(a.Protocols, t.slug) {
		return beyond("protocol", "Protocol", "The protocol "+t.slug+" is not among those you allow: "+strings.Join(a.Protocols, ", ")+".")
	}
	//mutant:never ./review TestAllowanceOfARecipient
	if to := t.facts.Recipient(); to != t.account && len(a.Recipients) > 0 && !slices.Contains(a.Recipients, to) {
		return beyond("recipient", "Recipient", "The recipient "+to.String()+" is not among those you allow.")
	}
	for _, limit := range a.PerTransaction {
		//mutant:never ./review TestAllowance/limit of one transaction: one unit under it blocks
		if raw, asset := takes(t.facts, limit.CoinType); raw > uint64(limit.Most) {
			return beyond("per_transaction", "Limit of one transaction", "Up to "+asset.Of(sui.Raw(raw)).String()+
				t.facts.goes()+". Your limit of one transaction is "+asset.Of(limit.Most).String()+".")
		}
	}
	for _, limit := range a.PerDay {
		raw, asset := takes(t.facts, limit.CoinType)
		before, own := handedOut(handed, limit.CoinType, t, now)
		//mutant:always ./review TestAllowanceOfADayAcrossProcesses
		if raw == 0 || plus(before, max(own, raw)) <= uint64(limit.Most) {
			continue
		}
		return beyond("per_day", "Limit of a day", "Up to "+asset.Of(sui.Raw(raw)).String()+t.facts.goes()+", and transactions handed to a "+
			"wallet in the last 24 hours may take "+asset.Of(sui.Raw(before)).String()+". Your limit of 24 hours is "+
			asset.Of(limit.Most).String()+".")
	}
	return nil
}

// handedOut sums what transactions handed out in the last 24 hours may take of
// a coin. It errs on the side of counting: what was stated counts whole, and one
// whose outcome is unknown counts, for a wallet may have signed it. Left out is
// only what cannot take anything any more: what is proved dead, what failed on
// chain, and what needed the gas coin that the executed one used up. Of several
// transactions of one review with one gas coin, the largest counts: the chain
// executes at most one of them. own is that of the group of t itself.
func handedOut(handed []Handed, coin sui.CoinType, t taking, now time.Time) (others, own uint64) {
	type group struct {
		review ID
		gas    sui.ObjectRef
	}
	used := map[group]bool{} // executed, whatever became of it
	for _, h := range handed {
		if h.Settled == h.Release.Digest.String() {
			used[group{h.Review, h.Release.GasCoin}] = true
		}
	}
	most := map[group]uint64{}
	for _, h := range handed {
		g := group{h.Review, h.Release.GasCoin}
		executed := h.Settled == h.Release.Digest.String()
		switch {
		case h.Release.Dead, executed && !h.Moved, used[g] && !executed:
			continue
		case !h.Release.At.After(now.Add(-AllowanceDay)) && !h.Release.SignedAt.After(now.Add(-AllowanceDay)):
			continue
		}
		raw, _ := takes(h.Release.Facts, coin)
		most[g] = max(most[g], raw)
	}
	for g, raw := range most {
		if g.review == t.review && len(t.facts.Gas.Payment) == 1 && g.gas == t.facts.Gas.Payment[0] {
			own = raw
			continue
		}
		others = plus(others, raw)
	}
	return others, own
}

// beyond is the stop of what the person does not allow.
func beyond(what, label, message string) *Stop {
	return &Stop{AllowlistViolation, Fail(SourceAdapter, "allowance_"+what, label, message,
		"Only you can change this, on the settings page of this program; no AI client can. Then refresh, or prepare a smaller review.")}
}

// unreadable is the stop of limits that cannot be read: what is not known is not
// allowed, and no fault of the transaction either.
func unreadable(err error) *Stop {
	return &Stop{ProviderUnavailable, Fail(SourceAdapter, "allowance_unreadable", "Your own limits",
		"Your limits could not be read, so nothing can be allowed: "+fault.As(err).Text, "Refresh in a moment.")}
}

// refused tells a page why a release was refused because of the allowance, and
// takes the build back, so that every page and answer shows the reason. Any
// other error passes.
func (s *Service) refused(ctx context.Context, id ID, commitment string, err error) error {
	var stop *Stop
	if !errors.As(err, &stop) {
		return err
	}
	_, err = s.c.Store.Change(ctx, id, "not allowed", func(r *Row) error {
		if r.Session.Status != Ready || r.Session.Commitment != commitment || r.Session.Current() != nil {
			return nil
		}
		return r.stop(stop.Reason, stop.Check, s.now())
	})
	if err != nil {
		return err
	}
	return fault.Wrap(stop, fault.HandoffUnavailable, "%s Nothing was handed out. %s", stop.Check.Message, stop.Check.Do).
		With("reason", string(stop.Reason))
}
