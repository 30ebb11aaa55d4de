// Package material reads transactions that somebody else built. It takes their meaning alone: a
// payment, or a swap that one of our own decoders reads whole. What is signed is built again from
// that meaning, by a review like any other; the bytes given here are handed to no wallet, stored
// nowhere and repeated in no answer.
package material

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// MostBytes bounds one transaction.
const MostBytes = 128 << 10

// The words of what is refused.
const (
	Malformed    = "malformed_material"
	TooLarge     = "material_too_large"
	WrongNetwork = "network_mismatch"
	Unsupported  = "unsupported_action"
	Unreadable   = "unsupported_payload"
	WrongSender  = "wallet_mismatch"
	Sponsored    = "sponsored_not_supported"
	GasTooHigh   = "gas_budget_too_high"
	NotAllowed   = "allowlist_violation"
	BadInputs    = "object_resolution_failed"
	Fails        = "simulation_failed"
	Effects      = "effects_mismatch"
	OtherDetails = "details_mismatch"
	NoNode       = "provider_unavailable"
)

// Refused is why material is not taken: a word for programs, and a text that says what to
// do.
type Refused struct{ Word, Text string }

// Error returns the text.
func (r *Refused) Error() string { return r.Text }

func refuse(word, text string) error { return &Refused{word, text} }

// Details are what the caller says of a transaction. Nothing is signed by them; they have
// to agree with what was read.
type Details struct{ From, To, Value, Symbol, Amount string }

// Given is one transaction: Hex, or Payload. Kind says that Hex has no sender and no gas.
type Given struct {
	Hex, ChainID string
	Kind         bool
	Payload      string
	Details      Details
}

// Chain is what is asked of a node.
type Chain interface {
	ChainIdentifier(ctx context.Context) (sui.Digest, error)
	Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error)
	Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error)
	SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error)
}

// Config is what a Reader needs. All of it is required.
type Config struct {
	Chain Chain
	// Adapters are those whose swaps and payments are understood.
	Adapters []plan.Adapter
	// Called reports whether a package may be called at all.
	Called  func(sui.ObjectID) bool
	Network string // as in answers, such as sui:mainnet
	MostGas uint64 // MIST
}

// Reader reads material. It is safe for concurrent use.
type Reader struct{ c Config }

// New returns a Reader.
func New(c Config) *Reader { return &Reader{c} }

// Meaning returns what a transaction does, as an intent of the account. What is not taken
// is a Refused, by the first of the checks that fails, in their order.
func (r *Reader) Meaning(ctx context.Context, account sui.Address, g Given) (plan.Intent, error) {
	if g.Payload != "" {
		return r.payload(account, g)
	}
	tx, raw, err := decode(account, g)
	if err != nil {
		return plan.Intent{}, err
	}
	if err := r.network(ctx, g.ChainID); err != nil {
		return plan.Intent{}, err
	}
	for _, check := range []func() error{
		func() error { return commands(tx) },
		func() error { return sender(tx, account, g.Details) },
		func() error { return r.gas(tx, account, g.Kind) },
		func() error { return r.packages(tx) },
	} {
		if err := check(); err != nil {
			return plan.Intent{}, err
		}
	}
	held, err := r.inputs(ctx, tx, account, g.Kind)
	if err != nil {
		return plan.Intent{}, err
	}
	sim, err := r.simulate(ctx, tx, raw, g.Kind)
	if err != nil {
		return plan.Intent{}, err
	}
	read, err := r.read(tx, held)
	if err != nil {
		return plan.Intent{}, err
	}
	in, err := read.intent(account, sim)
	if err != nil {
		return plan.Intent{}, err
	}
	return in, read.agrees(account, g.Details)
}

// decode reads the bytes strictly: all of them, and only in the one form that they have.
func decode(account sui.Address, g Given) (*sui.Transaction, []byte, error) {
	text := strings.TrimPrefix(g.Hex, "0x")
	//mutant:never ./internal/material TestChecksInTheirOrder
	if len(text) > 2*MostBytes {
		return nil, nil, refuse(TooLarge, "The transaction is larger than 128 KiB.")
	}
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) == 0 {
		return nil, nil, refuse(Malformed, "unsigned_tx_hex is not valid hexadecimal.")
	}
	if g.Kind {
		k, err := sui.DecodeKind(raw)
		if err != nil {
			return nil, nil, refuse(Malformed,
				"unsigned_tx_hex is no transaction kind of Sui that is understood here: "+fault.As(err).Text)
		}
		return &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Sender: account, Gas: sui.Gas{Owner: account},
			Expiration: sui.NoExpiration{}}, raw, nil
	}
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		return nil, nil, refuse(Malformed,
			"unsigned_tx_hex is no transaction of Sui that is understood here: "+fault.As(err).Text)
	}
	again, err := tx.Encode()
	if err != nil || string(again) != string(raw) {
		return nil, nil, refuse(Malformed, "The transaction does not read back to the same bytes.")
	}
	return tx, raw, nil
}

// network compares the chain that the caller names with the one of this program.
func (r *Reader) network(ctx context.Context, named string) error {
	if named == r.c.Network {
		return nil
	}
	id, err := r.c.Chain.ChainIdentifier(ctx)
	if err != nil {
		return unanswered(err)
	}
	//mutant:never ./internal/material TestChecksInTheirOrder
	if short := hex.EncodeToString(id[:4]); named != id.String() && strings.TrimPrefix(named, "0x") != short {
		return refuse(WrongNetwork,
			"chain_context.chain_id names another chain than "+r.c.Network+". Nothing was read of the transaction.")
	}
	return nil
}

// commands refuses what no review is about.
func commands(tx *sui.Transaction) error {
	for _, c := range tx.Commands {
		switch c.(type) {
		case sui.Publish, sui.Upgrade:
			return refuse(Unsupported, "It publishes or upgrades a package, which is never signed here.")
		}
	}
	return nil
}

// sender compares who sends it with the account in use, and with what the caller says.
func sender(tx *sui.Transaction, account sui.Address, d Details) error {
	//mutant:never ./internal/material TestChecksInTheirOrder
	if tx.Sender != account {
		return refuse(WrongSender,
			"It is sent by another address than the account in use. Build it for that account, or connect the other one.")
	}
	if from, err := sui.ParseAccount(d.From); d.From != "" && (err != nil || from != account) {
		return refuse(WrongSender, "tx_details.from is another address than the account in use.")
	}
	return nil
}

// gas refuses that somebody else pays, and more than one may pay at most.
func (r *Reader) gas(tx *sui.Transaction, account sui.Address, kind bool) error {
	switch {
	//mutant:never ./internal/material TestChecksInTheirOrder
	case tx.Gas.Owner != account:
		return refuse(Sponsored, "Somebody else pays for its gas. Sponsored transactions are not taken.")
	case !kind && tx.Gas.Budget > r.c.MostGas:
		return refuse(GasTooHigh, "Its gas budget is above what is ever spent here.")
	}
	return nil
}

// packages refuses calls of packages that are not pinned here.
func (r *Reader) packages(tx *sui.Transaction) error {
	for _, c := range tx.Commands {
		//mutant:never ./internal/material TestChecksInTheirOrder
		if call, ok := c.(sui.MoveCall); ok && !r.c.Called(call.Package) {
			return refuse(NotAllowed, "It calls the package "+call.Package.String()+
				", which is not on the list of packages that are understood here. Nothing lifts that."+does(tx))
		}
	}
	return nil
}

// does says what a transaction does with a protocol, as a review says it; "" for what is not one
// use of a protocol that is described.
func does(tx *sui.Transaction) string {
	if d := floor.Describe(tx); len(d.Summary) > 0 {
		return " Its bytes say: " + d.Summary[0]
	}
	return ""
}

// inputs reads every object that it names: each is the account's own at that version, or
// shared as it says.
func (r *Reader) inputs(ctx context.Context, tx *sui.Transaction, account sui.Address,
	kind bool) (map[sui.ObjectID]sui.Object, error) {
	owned, shared := map[sui.ObjectID]sui.ObjectRef{}, map[sui.ObjectID]uint64{}
	var ids []sui.ObjectID
	add := func(ref sui.ObjectRef) { owned[ref.ID], ids = ref, append(ids, ref.ID) }
	if !kind {
		for _, ref := range tx.Gas.Payment {
			add(ref)
		}
	}
	for _, in := range tx.Inputs {
		switch in := in.(type) {
		case sui.OwnedInput:
			add(in.Ref)
		case sui.SharedInput:
			shared[in.ID], ids = in.InitialVersion, append(ids, in.ID)
		case sui.ReceivingInput:
			return nil, refuse(Unsupported,
				"It receives an object that was sent to another object, which is not understood here.")
		}
	}
	held := map[sui.ObjectID]sui.Object{}
	if len(ids) == 0 {
		return held, nil
	}
	objects, err := r.c.Chain.Objects(ctx, ids)
	if err != nil {
		if plan.ReasonOf(fault.As(err).Code) == plan.ProviderUnavailable {
			return nil, unanswered(err)
		}
		return nil, refuse(BadInputs, "An object that it uses cannot be read: "+fault.As(err).Text)
	}
	for _, o := range objects {
		ref, own := owned[o.Ref.ID]
		initial, is := shared[o.Ref.ID]
		switch {
		//mutant:never ./internal/material TestChecksInTheirOrder
		case own && (o.Ref != ref || o.Owner.Kind != sui.OwnerAddress || o.Owner.Address != account):
			return nil, refuse(BadInputs,
				"It uses the object "+ref.ID.String()+", which is not the account’s, or not at that version any more. "+
					"Build it again, or send tx_type transaction_kind: its gas is chosen here.")
		case is && (o.Owner.Kind != sui.OwnerShared || o.Owner.InitialVersion != initial):
			return nil, refuse(BadInputs,
				"It names the object "+o.Ref.ID.String()+" as shared at another version than it was.")
		}
		held[o.Ref.ID] = o
	}
	if len(held) != len(owned)+len(shared) {
		return nil, refuse(BadInputs, "An object that it uses cannot be read.")
	}
	return held, nil
}

// simulate runs it without executing it: with all checks where it has its own gas.
func (r *Reader) simulate(ctx context.Context, tx *sui.Transaction, raw []byte, kind bool) (sui.Simulation, error) {
	sim, err := sui.Simulation{}, error(nil)
	if kind {
		sim, err = r.c.Chain.Simulate(ctx, tx, false)
	} else {
		sim, err = r.c.Chain.SimulateBytes(ctx, raw, true)
	}
	switch {
	case err != nil && plan.ReasonOf(fault.As(err).Code) == plan.ProviderUnavailable:
		return sim, unanswered(err)
	case err != nil:
		return sim, refuse(Fails, "A node refuses to simulate it: "+fault.As(err).Text)
	case !sim.Status.OK:
		return sim, refuse(Fails, "It fails in a simulation, so nothing of it would happen.")
	}
	return sim, nil
}

func unanswered(err error) error {
	return refuse(NoNode,
		"The Sui node did not answer, so nothing could be checked. Send it again: "+fault.As(err).Text)
}
