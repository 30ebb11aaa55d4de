package gate

import (
	"context"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// lags returns the stop for two nodes that may both be right, at different times.
func lags(what string) *plan.Stop {
	return &plan.Stop{Reason: plan.ProviderUnavailable,
		Check: plan.Fail(plan.SourceNetwork, "second_provider_lags", "Second node",
			"The second node "+what+". One of the two lags behind the other, or the chain moved between the two readings.",
			"Check again in a moment. If the problem persists, find out which node is behind and replace "+
				"it.").Under("C20")}
}

// otherEpoch compares epoch and gas price. Two nodes may reach a new epoch at different times.
func (r *funded) otherEpoch(e sui.Epoch) *plan.Stop {
	switch own := r.epoch; {
	case e == own:
		return nil
	case e.Number == own.Number:
		return disagreement(plan.ObjectResolutionFailed, "reports a different gas price")
	case e.Number+1 == own.Number || e.Number == own.Number+1:
		return lags("reports the epoch before or after the first node's")
	}
	return disagreement(plan.ObjectResolutionFailed, "reports a different epoch")
}

// otherObjects compares the objects of the transaction: type, owner, version and contents. moved
// reports that a shared object has another version on the second node.
func (r *owned) otherObjects(reported []sui.Object) (moved bool, stop *plan.Stop) {
	if len(reported) != len(r.objects) {
		return false, disagreement(plan.ObjectResolutionFailed, "does not know all objects")
	}
	for i, o := range reported {
		own := r.objects[i]
		id := own.Ref.ID.String()
		switch {
		case o.Ref.ID != own.Ref.ID || o.Type != own.Type || own.Owner.Kind == sui.OwnerShared && o.Owner != own.Owner:
			return false, disagreement(plan.ObjectResolutionFailed, "reports another kind or owner of the object "+id)
		case o.Ref.Version != own.Ref.Version && own.Owner.Kind == sui.OwnerShared:
			moved = true
		case o.Ref.Version != own.Ref.Version:
			return false, lags("reports another version of the object " + id)
		case o.Owner != own.Owner:
			return false, disagreement(plan.ObjectResolutionFailed, "reports another kind or owner of the object "+id)
		//mutant:never ./review/gate TestSecondNodeDisagrees
		case o.Ref.Digest != own.Ref.Digest || !sameBalance(o.Balance, own.Balance) || !slices.Equal(o.Contents,
			own.Contents):
			return false, disagreement(plan.ObjectResolutionFailed, "reports other contents of the object "+id)
		}
	}
	return moved, nil
}

func sameBalance(a, b *sui.Raw) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// otherKeysOf compares the other keys that may sign for the account. A node that omits a key would
// hide that others control the account.
func (r *funded) otherKeysOf(reported []sui.Address) *plan.Stop {
	for _, key := range reported {
		//mutant:never ./review/gate TestOtherKeysOfTheSecondNode
		if !slices.Contains(r.keys, key) {
			return disagreement(plan.ObjectResolutionFailed, "reports another key that may sign for your account, "+
				key.String())
		}
	}
	for _, key := range r.keys {
		//mutant:never ./review/gate TestOtherKeysOfTheSecondNode
		if !slices.Contains(reported, key) {
			return disagreement(plan.ObjectResolutionFailed, "does not report the key "+key.String()+
				", which according to the first may sign for your account")
		}
	}
	return nil
}

// otherReadings compares what both nodes reported about the venue and, if there are two, the
// quotes.
func otherReadings(first, second *plan.Step, moved bool) *plan.Stop {
	own, reported := first.Readings(), second.Readings()
	if len(own) != len(reported) {
		return disagreement(plan.ObjectResolutionFailed, "reports different data for the same object")
	}
	for i, theirs := range reported {
		switch {
		case own[i] == theirs:
		case own[i].Moves && moved:
			return lags("reports another " + own[i].Name)
		default:
			return disagreement(plan.ObjectResolutionFailed,
				"reports another "+own[i].Name+" ("+theirs.Value+" instead of "+own[i].Value+")")
		}
	}
	a, b := first.Quote, second.Quote
	switch {
	case a == nil || b == nil:
	case a.Route != b.Route || a.FeeMode != b.FeeMode || a.Direction != b.Direction:
		return lags("quotes over another pool, or with another fee")
	case far(plan.BigInt(a.Expected.Raw), plan.BigInt(b.Expected.Raw)),
		apart(a.Unspent.Raw, b.Unspent.Raw, a.Input.Raw), apart(a.Fee.Raw, b.Fee.Raw, a.Fee.Raw):
		return disagreement(plan.EffectsMismatch,
			"quotes otherwise: it expects "+b.Expected.String()+" with a fee of "+b.Fee.String()+" and "+
				b.Unspent.String()+" returned")
	case !moved && (a.Expected != b.Expected || a.Unspent != b.Unspent || a.Fee != b.Fee):
		return lags("quotes slightly otherwise")
	}
	return nil
}

// otherOutlook compares what both nodes reported about a step: the best prices, what an order would
// trade, and an object's balances.
func otherOutlook(own, theirs plan.Outlook, moved bool) *plan.Stop {
	if a, b := own.Market, theirs.Market; a != nil && b != nil {
		for _, side := range [][2]sui.Decimal{{a.Middle, b.Middle}, {a.Bid, b.Bid}, {a.Ask, b.Ask}} {
			switch ours, one := plan.Rational(side[0]); {
			case side[0] == side[1] || moved && (side[0] == "" || side[1] == ""):
			default:
				other, both := plan.Rational(side[1])
				//mutant:never ./review/gate TestSecondNodeOfAnOrder
				if !one || !both || !withinHundredth(ours, other) {
					return disagreement(plan.EffectsMismatch,
						"reports other prices of the market ("+string(side[1])+" instead of "+string(side[0])+")")
				}
				if !moved {
					return lags("reports slightly different prices of the market")
				}
			}
		}
	}
	a, b := own.Order, theirs.Order
	//mutant:never ./review/gate TestSecondNodeOfAnOrder
	if !moved && a != nil && b != nil && (a.Fills != b.Fills || a.FillsFor != b.FillsFor || a.Rests != b.Rests) {
		return disagreement(plan.EffectsMismatch, "reports another book: the order would trade "+b.Fills.String()+
			" at once instead of "+a.Fills.String())
	}
	held := func(o plan.Outlook) (list []plan.Amount) {
		for _, h := range o.Holder {
			list = append(list, h.Of(h.Before))
		}
		return append(list, o.Frees...)
	}
	//mutant:never ./review/gate TestSecondNodeOfAnOrder
	if !slices.Equal(held(own), held(theirs)) {
		const what = "reports different coins for the object that holds them"
		if moved {
			return lags(what)
		}
		return disagreement(plan.ObjectResolutionFailed, what)
	}
	return nil
}

// otherMiddle compares the market's mid price, which the page shows, with that of the second node.
// It allows a difference of one percent, because the market may move between the two queries.
func otherMiddle(own, second string) *plan.Stop {
	a, ok := new(big.Rat).SetString(own)
	b, both := new(big.Rat).SetString(second)
	if own == "" || ok && both && withinHundredth(a, b) {
		return nil
	}
	return disagreement(plan.EffectsMismatch, "reports a different mid price, "+second+" instead of "+own)
}

func withinHundredth(a, b *big.Rat) bool {
	off := new(big.Rat).Sub(a, b)
	return off.Abs(off).Mul(off, big.NewRat(100, 1)).Cmp(a) <= 0
}

// mostRounding is the difference in smallest units that two amounts may always have, because every
// order that a trade fills is rounded separately.
const mostRounding = 200

// apart reports whether two amounts differ by more than one percent of whole.
func apart(a, b, whole sui.Raw) bool {
	off := new(big.Int).Sub(plan.BigInt(a), plan.BigInt(b))
	off.Abs(off)
	return off.Cmp(big.NewInt(mostRounding)) > 0 && off.Mul(off, big.NewInt(100)).Cmp(plan.BigInt(whole)) > 0
}

// otherHoldings compares the balances that the page shows. If they differ, it queries both nodes
// once more, because coins may have moved in the meantime.
func (r *funded) otherHoldings(ctx context.Context, second *Second) error {
	for _, h := range r.holdings {
		theirs, err := second.Chain.Balance(ctx, r.session.Account, h.CoinType)
		if err != nil {
			return err
		}
		if theirs.Total == h.Before {
			continue
		}
		var again sui.Balance
		if err := r.c.Together(
			func() (err error) { again, err = r.c.Chain.Balance(ctx, r.session.Account, h.CoinType); return err },
			func() (err error) { theirs, err = second.Chain.Balance(ctx, r.session.Account, h.CoinType); return err },
		); err != nil {
			return err
		}
		if again == theirs && again.Total == h.Before {
			continue
		}
		if again == theirs {
			return lags("reported a different balance of " + h.Named() + " a moment ago")
		}
		return disagreement(plan.ObjectResolutionFailed,
			"reports a different balance of "+h.Named()+": "+h.Of(theirs.Total).String()+" instead of "+h.Of(h.Before).String())
	}
	return nil
}
