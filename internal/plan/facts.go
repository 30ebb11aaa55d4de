package plan

import (
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Facts describe a transaction. They are decoded from the exact bytes that would be released,
// except a step's expected amount, which a provider reported.
type Facts struct {
	Sender    sui.Address `json:"sender"`
	Steps     []StepFacts `json:"steps"`
	Gas       GasFacts    `json:"gas"`
	LastEpoch uint64      `json:"lastEpoch,string"`
	Withdraws []Amount    `json:"withdraws,omitempty"` // withdrawn from the address balance

	// Earlier reports that an older version, which supported only one step, stored these facts.
	// Some of its texts differ.
	Earlier bool `json:"earlier,omitempty"`
}

// StepFacts describes the bytes of one step.
type StepFacts struct {
	Promise  Promise     `json:"promise"`
	Sends    sui.Address `json:"sends,omitzero"`     // recipient of the result; zero if there is none
	ResultOf int         `json:"resultOf,omitempty"` // the step whose result it takes, counted from 1; 0 for none
	// Part is the part of that result, counted from 1; 0 means all of it, or all that the parts
	// leave.
	Part int `json:"part,omitempty"`
	// Passes reports that its result, or all that the parts leave of it, goes to a later step.
	Passes   bool         `json:"passes,omitempty"`
	Expected Amount       `json:"expected,omitzero"` // amount received, as reported by a provider
	Headline *Headline    `json:"headline,omitempty"`
	Holder   *Holder      `json:"holder,omitempty"`
	Terms    []Term       `json:"terms,omitempty"`
	Package  sui.ObjectID `json:"package"`
	Function string       `json:"function"` // module::name
	TypeArgs []string     `json:"typeArgs"`
	Route    string       `json:"route,omitempty"` // pool key of the registry
	RouteID  sui.ObjectID `json:"routeId,omitzero"`
	Commands []string     `json:"commands"` // one plain sentence per command
	Floors   []Floor      `json:"floors,omitempty"`
}

// Floor is a minimum that a command of the transaction enforces: the transaction fails at that
// command if less came out.
type Floor struct {
	Command int    `json:"command"`
	Least   Amount `json:"least"`
}

// Headline describes a step that does more than move the account's coins, such as an order: "Sell
// SUI for USDC", "10 SUI", "at 3.5 USDC per SUI or better". Its texts come from terms, and Terms
// names those.
type Headline struct {
	Label  string   `json:"label"`
	What   string   `json:"what"`
	Price  string   `json:"price,omitempty"`
	Amount bool     `json:"amount,omitempty"` // What is an amount
	Terms  []string `json:"terms"`            // names of terms that need not be shown again
}

// Holder is an object that holds coins for the account and takes part in the step. Part describes
// its role, as in "into your own balance manager". Term names the term that also contains it.
type Holder struct {
	ID   sui.ObjectID `json:"id"`
	Part string       `json:"part"`
	Term string       `json:"term"`
}

// GasFacts describes gas according to the bytes, in MIST.
type GasFacts struct {
	Budget  sui.Raw         `json:"budget"`
	Price   sui.Raw         `json:"price"`
	Owner   sui.Address     `json:"owner"`
	Payment []sui.ObjectRef `json:"payment"`
}

// Promise returns the promise of the whole transaction.
func (f Facts) Promise() Promise {
	if len(f.Steps) == 1 {
		return f.Steps[0].Promise
	}
	var parts []Promise
	for _, s := range f.Steps {
		parts = append(parts, s.Promise)
	}
	// Transactions with too many outcomes were refused when they were built.
	p, _ := Sum(parts...)
	return p
}

// Terms returns the agreed conditions of all steps other than amounts.
func (f Facts) Terms() (terms []Term) {
	for _, s := range f.Steps {
		terms = append(terms, s.Terms...)
	}
	return terms
}

// Commands describes every command in a plain sentence.
func (f Facts) Commands() (all []string) {
	for _, s := range f.Steps {
		all = append(all, s.Commands...)
	}
	return all
}

// Recipient returns the first address other than the account that receives a step's result, or the
// account if there is none.
func (f Facts) Recipient() sui.Address {
	for _, s := range f.Steps {
		if s.Sends != f.Sender && !s.Sends.IsZero() {
			return s.Sends
		}
	}
	return f.Sender
}

// Holder returns the object that the transaction is about, or zero if there is none or more than
// one.
func (f Facts) Holder() (id sui.ObjectID) {
	for _, s := range f.Steps {
		if s.Holder != nil && !id.IsZero() && s.Holder.ID != id {
			return sui.ObjectID{}
		}
		if s.Holder != nil {
			id = s.Holder.ID
		}
	}
	return id
}

// ReadFacts decodes a transaction step by step. Each adapter reads its own commands; any command
// left over is an error. ReadFacts itself reads the sender, gas and expiration.
func ReadFacts(tx *sui.Transaction, adapters []Adapter) (Facts, error) {
	r := readback.New(tx)
	f := Facts{Sender: tx.Sender, Gas: GasOf(tx)}
	f.LastEpoch = LastEpoch(tx)
	var err error
	if f.Steps, err = readSteps(r, adapters); err != nil {
		return Facts{}, err
	}
	if len(f.Steps) == 0 {
		return Facts{}, fault.New(fault.InputInvalid, "It has no step.")
	}
	shares, err := r.Shares()
	if err != nil {
		return Facts{}, err
	}
	last := &f.Steps[len(f.Steps)-1]
	last.Commands = append(last.Commands, shares...)
	f.withdrawn(tx)
	return f, r.End()
}

// readSteps reads the first steps, one by each adapter.
func readSteps(r *readback.Reader, adapters []Adapter) (steps []StepFacts, err error) {
	for i, a := range adapters {
		if i > 0 {
			r.NextStep()
		}
		step, err := a.Read(r)
		if err != nil {
			return nil, err
		}
		if err := step.wire(r); err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// mostUnknownSteps is the maximum number of steps of a transaction without a known request.
const mostUnknownSteps = 8

// FindFacts reads a transaction without a known request as steps of any adapters that together
// account for all of it. It also returns the adapter of each step.
func FindFacts(tx *sui.Transaction, adapters []Adapter) (Facts, []Adapter, error) {
	var try func(before []Adapter) (Facts, []Adapter, bool)
	try = func(before []Adapter) (Facts, []Adapter, bool) {
		var begun [][]Adapter
		for _, a := range adapters {
			steps := append(before[:len(before):len(before)], a)
			if f, err := ReadFacts(tx, steps); err == nil {
				return f, steps, true
			}
			if _, err := readSteps(readback.New(tx), steps); err == nil {
				begun = append(begun, steps)
			}
		}
		for _, steps := range begun {
			if len(steps) == mostUnknownSteps {
				break
			}
			if f, found, ok := try(steps); ok {
				return f, found, true
			}
		}
		return Facts{}, nil, false
	}
	f, found, ok := try(nil)
	if !ok {
		return Facts{}, nil, fault.New(fault.UnsupportedAction, "It does something that this version does not understand.")
	}
	return f, found, nil
}

// withdrawn sets the transaction's withdrawals, in the units of the coins that its steps use.
func (f *Facts) withdrawn(tx *sui.Transaction) {
	for _, in := range tx.Inputs {
		w, ok := in.(sui.WithdrawalInput)
		if !ok {
			continue
		}
		of := UnreadCoin(sui.CoinType(w.Coin.String()))
		for _, b := range f.Promise().Bounds() {
			if b.Coin.CoinType == of.CoinType {
				of = b.Coin
			}
		}
		f.Withdraws = append(f.Withdraws, of.Of(w.MaxAmount))
	}
}

// wire reads what the step takes from an earlier one and leaves for a later one.
func (s *StepFacts) wire(r *readback.Reader) error {
	if t, ok := r.Taken(); ok {
		pays := s.Promise.Amount(RoleInput)
		//mutant:never ./internal/plan TestReadFactsOfResults
		if pays.CoinType != t.Coin || pays.Raw != t.Least {
			return readback.Unlike("It pays with something else than the result that it takes.")
		}
		f := Fed{Step: t.Step, Part: t.Part, Least: pays, Exact: t.Exact}
		s.ResultOf, s.Part, s.Promise, s.Terms = f.Step, f.Part, s.Promise.takes(f), f.terms(s.Terms)
	}
	if err := s.divide(r.Parts()); err != nil {
		return err
	}
	if k, ok := r.Kept(); ok {
		got := s.Promise.Of(RoleOutput)
		if len(got) != 1 || got[0].Coin.CoinType != k.Coin || got[0].Amount().Raw != k.Least || got[0].Exact() != k.Exact {
			return readback.Unlike("It keeps something else than its result.")
		}
		s.Passes, s.Promise = true, s.Promise.gives(k.Step)
	}
	return nil
}

// divide reads which parts of its result the step split off for later ones.
func (s *StepFacts) divide(parts []readback.Result) error {
	if len(parts) == 0 {
		return nil
	}
	got := s.Promise.Of(RoleOutput)
	var amounts []*big.Int
	for _, p := range parts {
		//mutant:never ./internal/plan TestReadFactsOfParts
		if len(got) != 1 || got[0].Coin.CoinType != p.Coin {
			return readback.Unlike("It splits something else than its result.")
		}
		amounts = append(amounts, BigInt(p.Least))
		// The last sentence says what happens to the rest, so insert before it.
		s.Commands = slices.Insert(s.Commands, len(s.Commands)-1, "Split "+got[0].Coin.Of(p.Least).String()+
			" off what comes out, for a later step.")
	}
	s.Promise = s.Promise.divided(parts[0].Step, amounts)
	return nil
}

// Short returns the minimum that failed the transaction because too little came out. It returns
// false for any other failure.
func (f Facts) Short(s sui.ExecutionStatus) (Floor, bool) {
	if s.OK || s.Kind != sui.InsufficientCoin || s.Command == nil {
		return Floor{}, false
	}
	for _, step := range f.Steps {
		for _, floor := range step.Floors {
			//mutant:always ./internal/plan TestShort
			if floor.Command == *s.Command {
				return floor, true
			}
		}
	}
	return Floor{}, false
}

// GasOf returns a transaction's gas facts.
func GasOf(tx *sui.Transaction) GasFacts {
	return GasFacts{Budget: sui.Raw(tx.Gas.Budget), Price: sui.Raw(tx.Gas.Price), Owner: tx.Gas.Owner,
		Payment: tx.Gas.Payment}
}

// Coin returns the single gas coin, or the zero value if gas comes from the address balance.
func (g GasFacts) Coin() (coin sui.ObjectRef) {
	if len(g.Payment) == 1 {
		coin = g.Payment[0]
	}
	return coin
}

// Free reports whether the transaction pays no gas at all.
func (g GasFacts) Free() bool { return g.Budget == 0 && g.Price == 0 }

// LastEpoch returns the last epoch in which a transaction can execute, or 0 if its expiration is
// not one of the two forms that this program builds.
func LastEpoch(tx *sui.Transaction) uint64 {
	switch e := tx.Expiration.(type) {
	case sui.EpochExpiration:
		return e.Epoch
	case sui.ValidDuring:
		if e.MinEpoch != nil && e.MaxEpoch != nil && *e.MinEpoch == *e.MaxEpoch && e.MinTimestamp == nil &&
			e.MaxTimestamp == nil {
			return *e.MaxEpoch
		}
	}
	return 0
}
