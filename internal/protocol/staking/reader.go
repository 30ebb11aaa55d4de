package staking

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MaxStakes is the maximum number of stakes of each type that are read for one account.
const MaxStakes = 100

// yieldEpochs is the number of epochs over which a yield is computed, if the pool is that old.
const yieldEpochs = 30

// Chain is the part of a node that this package uses.
type Chain interface {
	// Validators returns the current epoch and its validators.
	Validators(ctx context.Context) (uint64, []sui.ActiveValidator, error)
	// Owned lists at most most objects of one type that owner holds, with their contents.
	Owned(ctx context.Context, owner sui.Address, objectType string, token []byte, most int) ([]sui.Object, []byte,
		error)
	// PresentContents reads objects with their contents, and omits those that do not exist.
	PresentContents(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error)
}

// Reader reads stakes and validators. It is safe for concurrent use.
type Reader struct {
	chain Chain
	now   func() time.Time
}

// NewReader returns a Reader.
func NewReader(chain Chain, now func() time.Time) *Reader { return &Reader{chain, now} }

// Stakes holds the stakes of an account.
type Stakes struct {
	Epoch uint64 // the current epoch; zero without stakes
	List  []Stake
	More  bool // there are more stakes than were read
	At    time.Time
}

// Stakes reads the stakes of an account, and estimates what a withdrawal of each would pay now. The
// estimate of a stake is nil if a rate is missing.
func (r *Reader) Stakes(ctx context.Context, owner sui.Address) (Stakes, error) {
	var out Stakes
	for _, typ := range []string{StakedType, FungibleType} {
		objects, next, err := r.chain.Owned(ctx, owner, typ, nil, MaxStakes)
		if err != nil {
			return Stakes{}, err
		}
		out.More = out.More || next != nil
		for _, o := range objects {
			s, err := readStake(o)
			if err != nil {
				return Stakes{}, err
			}
			out.List = append(out.List, s)
		}
	}
	out.At = r.now()
	if len(out.List) == 0 {
		return out, nil
	}
	epoch, validators, err := r.chain.Validators(ctx)
	if err != nil {
		return Stakes{}, err
	}
	out.Epoch = epoch
	return out, r.estimate(ctx, &out, validators)
}

// rateKey identifies a pool's exchange rate at an epoch.
type rateKey struct {
	table sui.ObjectID
	epoch uint64
}

func keyOf(v sui.ActiveValidator, epoch uint64) rateKey { return rateKey{v.Pool.Rates, epoch} }

// estimate finds the validators of stakes, and estimates what the stakes would pay.
func (r *Reader) estimate(ctx context.Context, out *Stakes, validators []sui.ActiveValidator) error {
	var keys []rateKey
	for i := range out.List {
		s := &out.List[i]
		at := slices.IndexFunc(validators, func(v sui.ActiveValidator) bool { return v.Pool.ID == s.Pool })
		if at < 0 {
			continue
		}
		s.Validator = &validators[at]
		keys = append(keys, keyOf(*s.Validator, out.Epoch), keyOf(*s.Validator, s.Activation))
	}
	rates, err := r.rates(ctx, keys)
	if err != nil {
		return err
	}
	for i := range out.List {
		s := &out.List[i]
		switch {
		case s.Validator == nil:
			continue
		case s.Starts(out.Epoch):
			s.Pays = new(s.Principal)
			continue
		}
		now, ok := rates[keyOf(*s.Validator, out.Epoch)]
		then, had := rates[keyOf(*s.Validator, s.Activation)]
		if ok && (had || s.Tokens > 0) {
			s.Pays = pays(*s, then, now, s.Validator.Pool.Rewards)
		}
	}
	return nil
}

// rates reads exchange rates. It omits rates that the tables do not contain.
func (r *Reader) rates(ctx context.Context, keys []rateKey) (map[rateKey]Rate, error) {
	named := map[sui.ObjectID]rateKey{}
	var ids []sui.ObjectID
	for _, k := range keys {
		id, err := sui.DynamicFieldID(k.table, sui.TypeTag{Kind: sui.TypeU64},
			binary.LittleEndian.AppendUint64(nil, k.epoch))
		if err != nil {
			return nil, err
		}
		if _, asked := named[id]; !asked {
			named[id], ids = k, append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	objects, err := r.chain.PresentContents(ctx, ids)
	if err != nil {
		return nil, err
	}
	rates := map[rateKey]Rate{}
	for _, o := range objects {
		k, b := named[o.Ref.ID], o.Contents
		//mutant:never ./internal/protocol/staking TestStakesOfAnOddNode
		if len(b) != 56 || sui.ObjectID(b[:32]) != o.Ref.ID || binary.LittleEndian.Uint64(b[32:]) != k.epoch {
			return nil, fault.New(fault.ProviderMismatch,
				"The node reports a malformed exchange rate.")
		}
		rates[k] = Rate{binary.LittleEndian.Uint64(b[40:]), binary.LittleEndian.Uint64(b[48:])}
	}
	return rates, nil
}

// Validators is a page of the current validators, sorted by stake, largest first.
type Validators struct {
	Epoch uint64
	List  []Validator
	Count int // number of all validators
	At    time.Time
}

// Validator is a validator with its yield. Yield is nil if the pool's rates do not determine one.
type Validator struct {
	sui.ActiveValidator
	Yield *Yield
}

// Validators reads at most most validators, after skipping the first skip.
func (r *Reader) Validators(ctx context.Context, skip, most int) (Validators, error) {
	epoch, all, err := r.chain.Validators(ctx)
	if err != nil {
		return Validators{}, err
	}
	out := Validators{Epoch: epoch, Count: len(all), At: r.now()}
	slices.SortStableFunc(all, func(a, b sui.ActiveValidator) int { return cmp.Compare(b.Pool.Staked, a.Pool.Staked) })
	all = all[min(skip, len(all)):]
	all = all[:min(most, len(all))]
	var keys []rateKey
	from := func(v sui.ActiveValidator) uint64 { return max(v.Pool.Activation, epoch-min(epoch, yieldEpochs)) }
	for _, v := range all {
		keys = append(keys, keyOf(v, epoch), keyOf(v, from(v)))
	}
	rates, err := r.rates(ctx, keys)
	if err != nil {
		return Validators{}, err
	}
	for _, v := range all {
		one := Validator{ActiveValidator: v}
		if y, ok := yield(from(v), epoch, rates[keyOf(v, from(v))], rates[keyOf(v, epoch)]); ok {
			one.Yield = &y
		}
		out.List = append(out.List, one)
	}
	return out, nil
}
