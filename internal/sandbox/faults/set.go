package faults

import (
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Set holds injected faults that are not used up.
type Set struct {
	mu   sync.Mutex
	list []*Fault
}

// add stores a fault until it is used up. Faults of one kind and method apply in the order of
// injection.
func (f *Set) add(one Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, &one)
}

// clear removes all faults.
func (f *Set) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
}

// Take returns the first fault of the given kinds for the method, and counts its use.
func (f *Set) Take(method string, kinds ...Kind) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.list {
		if !slices.Contains(kinds, one.Kind) || (one.Method != "" && method != "" && one.Method != method) {
			continue
		}
		if one.Times > 0 {
			if one.Times--; one.Times == 0 {
				f.list = slices.Delete(f.list, i, i+1)
			}
		}
		c := *one
		return &c
	}
	return nil
}

// Inject stores a fault, or applies it to the chain if it happens immediately. It rejects unknown
// kinds, pools and objects.
func (f *Set) Inject(one Fault, chain *ledger.Ledger) error {
	if one.Times < 0 || one.Milliseconds < 0 || one.Milliseconds > int(time.Hour/time.Millisecond) {
		return ledger.Refuse("times or milliseconds is out of range")
	}
	switch one.Kind {
	case Slow, Fail, Refuse, Miss, OmitBalanceChanges, AlterBalances, OtherRecipient, OtherDigest, OtherSender,
		RepeatBalances, StuckBalances, LackEvents, ForeignEvent, StuckEvents, Drop,
		RepeatPage, ReversePage, HugeAnswer, PartialError, NullDetails, Prune,
		NoCertificate, WeakCertificate, OtherEpoch, OtherCommittee, NewerContents, PruneEpochEnds, OtherEffects,
		OtherStatusBytes:
		f.add(one)
		return nil
	case Clear:
		f.clear()
		chain.AdmitAll()
		return nil
	case AdvanceEpoch:
		chain.AdvanceEpoch()
		return nil
	case DisableVersion, EnableVersion:
		return chain.Admit(one.Pool, one.Version, one.Kind == EnableVersion)
	case ShiftPrice:
		return chain.ShiftPrice(one.Pool, one.BasisPoints)
	case ConsumeCoin:
		id, err := sui.ParseAddress(one.Object)
		if err != nil {
			return ledger.Refuse("invalid object: %v", err)
		}
		return chain.Consume(id)
	case LotSize:
		if one.Number == 0 {
			return ledger.Refuse("the lot must not be zero")
		}
	case ThinBook, LeastSize, TakerFee, MakerFee, DeepPoints:
	default:
		return ledger.Refuse("unknown fault %q", one.Kind)
	}
	return chain.EditPool(one.Pool, func(p *clob.Pool, nowMs uint64) { edit(p, one, nowMs) })
}

// edit changes a pool as its administrator or makers could.
func edit(p *clob.Pool, f Fault, nowMs uint64) {
	switch f.Kind {
	case ThinBook:
		p.Bids, p.Asks = bestLive(p.Bids, f.Number, nowMs), bestLive(p.Asks, f.Number, nowMs)
	case LeastSize:
		p.Min = f.Number
	case LotSize:
		p.Lot = f.Number
	case TakerFee:
		p.TakerFee = f.Number
	case MakerFee:
		p.MakerFee = f.Number
	case DeepPoints:
		if p.DeepPrice = nil; f.Number > 0 {
			p.DeepPrice = &clob.DeepPrice{PerAsset: f.Number}
		}
	}
}

// bestLive returns the first n live orders of a side, which must be sorted best first.
func bestLive(side []clob.Order, n, nowMs uint64) []clob.Order {
	kept := []clob.Order{}
	for _, o := range side {
		if o.Live(nowMs) && uint64(len(kept)) < n {
			kept = append(kept, o)
		}
	}
	return kept
}
