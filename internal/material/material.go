// Package material decodes transactions built by other programs. It uses only their intent: a
// payment, or a swap that one of this program's decoders fully understands. A review rebuilds the
// transaction from that intent. The given bytes are never passed to a wallet, stored or repeated in
// an answer.
package material

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MostBytes is the maximum size of a transaction.
const MostBytes = 128 << 10

// Error codes.
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

// Refused is the reason why a transaction is rejected: a code for programs, and a text that says
// what to do.
type Refused struct{ Word, Text string }

// Error returns the text.
func (r *Refused) Error() string { return r.Text }

func refuse(word, text string) error { return &Refused{word, text} }

// Details are the caller's claims about a transaction. They are only compared with the decoded
// transaction.
type Details struct{ From, To, Value, Symbol, Amount string }

// Given is one transaction, in either Hex or Payload. If Kind is set, Hex has neither sender nor
// gas.
type Given struct {
	Hex, ChainID string
	Kind         bool
	Payload      string
	Details      Details
}

// Chain reads objects and simulates transactions.
type Chain interface {
	ChainIdentifier(ctx context.Context) (sui.Digest, error)
	Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error)
	Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error)
	SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error)
}

// Config configures a Reader. All fields are required.
type Config struct {
	Chain Chain
	// Adapters decode swaps and payments.
	Adapters []plan.Adapter
	// Called reports whether a transaction may call a package.
	Called  func(sui.ObjectID) bool
	Network string // such as sui:mainnet
	MostGas uint64 // maximum gas budget in MIST
}

// Reader decodes transactions. It is safe for concurrent use.
type Reader struct{ c Config }

// New returns a Reader.
func New(c Config) *Reader { return &Reader{c} }

// Meaning decodes a transaction into an intent of the account. If a check rejects the transaction,
// Meaning returns a Refused.
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

// decode strictly decodes the transaction. It requires the canonical encoding without trailing
// bytes.
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
				"unsigned_tx_hex is not a supported Sui transaction kind: "+fault.As(err).Text)
		}
		return &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Sender: account, Gas: sui.Gas{Owner: account},
			Expiration: sui.NoExpiration{}}, raw, nil
	}
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		return nil, nil, refuse(Malformed,
			"unsigned_tx_hex is not a supported Sui transaction: "+fault.As(err).Text)
	}
	again, err := tx.Encode()
	if err != nil || string(again) != string(raw) {
		return nil, nil, refuse(Malformed, "The transaction is not in canonical form.")
	}
	return tx, raw, nil
}

// network compares the network that the caller states with the one that this program uses.
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
			"chain_context.chain_id is for a different chain than "+r.c.Network+". The transaction was not read.")
	}
	return nil
}

// commands rejects commands that no review contains.
func commands(tx *sui.Transaction) error {
	for _, c := range tx.Commands {
		switch c.(type) {
		case sui.Publish, sui.Upgrade:
			return refuse(Unsupported, "It publishes or upgrades a package, which is never signed here.")
		}
	}
	return nil
}

// sender compares the sender with the active account, and the caller's details with both.
func sender(tx *sui.Transaction, account sui.Address, d Details) error {
	//mutant:never ./internal/material TestChecksInTheirOrder
	if tx.Sender != account {
		return refuse(WrongSender,
			"Its sender is not the active account. Build it for that account, or connect the other one.")
	}
	if from, err := sui.ParseAccount(d.From); d.From != "" && (err != nil || from != account) {
		return refuse(WrongSender, "tx_details.from is not the active account.")
	}
	return nil
}

// gas rejects sponsored transactions and gas budgets above the maximum.
func (r *Reader) gas(tx *sui.Transaction, account sui.Address, kind bool) error {
	switch {
	//mutant:never ./internal/material TestChecksInTheirOrder
	case tx.Gas.Owner != account:
		return refuse(Sponsored, "Someone else pays for its gas. Sponsored transactions are not accepted.")
	case !kind && tx.Gas.Budget > r.c.MostGas:
		return refuse(GasTooHigh, "Its gas budget exceeds the maximum.")
	}
	return nil
}

// packages rejects calls to unpinned packages.
func (r *Reader) packages(tx *sui.Transaction) error {
	for _, c := range tx.Commands {
		//mutant:never ./internal/material TestChecksInTheirOrder
		if call, ok := c.(sui.MoveCall); ok && !r.c.Called(call.Package) {
			return refuse(NotAllowed, "It calls the package "+call.Package.String()+
				", which is not on the list of supported packages. This cannot be overridden."+does(tx))
		}
	}
	return nil
}

// does describes a transaction with a single use of a known protocol, in the words of a review. It
// returns "" for any other transaction.
func does(tx *sui.Transaction) string {
	if d := floor.Describe(tx); len(d.Summary) > 0 {
		return " Its bytes say: " + d.Summary[0]
	}
	return ""
}

// inputs reads all input objects. Each must be owned by the account at the given version, or shared
// since the given version.
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
				"It receives an object that was sent to another object, which is not supported.")
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
				"It uses the object "+ref.ID.String()+", which is not the account’s, or no longer at that version. Build it "+
					"again, or send tx_type transaction_kind: its gas is chosen here.")
		case is && (o.Owner.Kind != sui.OwnerShared || o.Owner.InitialVersion != initial):
			return nil, refuse(BadInputs,
				"It names the object "+o.Ref.ID.String()+" as shared at a version other than its own.")
		}
		held[o.Ref.ID] = o
	}
	if len(held) != len(owned)+len(shared) {
		return nil, refuse(BadInputs, "An object that it uses cannot be read.")
	}
	return held, nil
}

// simulate runs a simulation. If the transaction has its own gas, the simulation includes all
// checks.
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
		return sim, refuse(Fails, "It fails in a simulation, so it would have no effect.")
	}
	return sim, nil
}

func unanswered(err error) error {
	return refuse(NoNode,
		"The Sui node did not respond, so nothing could be checked. Send it again: "+fault.As(err).Text)
}
