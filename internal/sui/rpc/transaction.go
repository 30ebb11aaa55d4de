package rpc

import (
	"bytes"
	"context"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// readBudget is the gas budget in MIST for a simulation without one: the chain's maximum.
const readBudget = 50_000_000_000

// effectPaths are the fields requested of an executed or simulated transaction.
var effectPaths = []string{
	"digest", "effects.status", "effects.epoch", "effects.gas_used", "effects.transaction_digest",
	"effects.changed_objects", "balance_changes",
}

func paths(prefix string, more ...string) []string {
	out := make([]string, 0, len(effectPaths)+len(more))
	for _, p := range effectPaths {
		out = append(out, prefix+p)
	}
	return append(out, more...)
}

// Simulate returns the expected result of tx. With checks, the node validates tx as for execution.
// Without checks, tx may lack gas coins and have any sender, and the return values of its calls are
// included. A gas price or budget of 0 then means the node's reference price and the maximum budget. A
// transaction that would fail is a result, not an error.
func (c *Client) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	if !checks && (tx.Gas.Price == 0 || tx.Gas.Budget == 0) {
		filled := *tx
		if tx.Gas.Price == 0 {
			price, err := c.gasPrice(ctx)
			if err != nil {
				return sui.Simulation{}, err
			}
			filled.Gas.Price = price
		}
		if tx.Gas.Budget == 0 {
			filled.Gas.Budget = readBudget
		}
		tx = &filled
	}
	b, err := tx.Encode()
	if err != nil {
		return sui.Simulation{}, err
	}
	return c.simulate(ctx, tx, b, checks)
}

// SimulateBytes is like Simulate, for the exact bytes of a transaction.
func (c *Client) SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error) {
	tx, err := sui.DecodeTransaction(b)
	if err != nil {
		return sui.Simulation{}, err
	}
	return c.simulate(ctx, tx, b, checks)
}

// bounded reports whether a transaction limits its epochs, as one that pays gas from the address
// balance must. Nodes do not add a gas coin to such a transaction.
func bounded(tx *sui.Transaction) bool {
	_, ok := tx.Expiration.(sui.ValidDuring)
	return ok
}

func (c *Client) simulate(ctx context.Context, tx *sui.Transaction, b []byte, checks bool) (sui.Simulation, error) {
	q := &pb.SimulateTransactionRequest{
		Transaction: &pb.Transaction{Bcs: &pb.Bcs{Name: ptr("TransactionData"), Value: b}},
		ReadMask: mask(paths("transaction.", "command_outputs", "transaction.events.events",
			"transaction.effects.events_digest")...),
		Checks: pb.SimulateTransactionRequest_ENABLED.Enum(),
	}
	if !checks {
		q.Checks = pb.SimulateTransactionRequest_DISABLED.Enum()
	}
	answer, err := call(ctx, c, c.execution.SimulateTransaction, q)
	if err != nil {
		return sui.Simulation{}, err
	}
	at := c.now()
	effects, err := effectsOf(answer.GetTransaction())
	if err != nil {
		return sui.Simulation{}, err
	}
	// A node that adds a gas coin simulates different bytes.
	if made := len(tx.Gas.Payment) == 0 && !bounded(tx); checks && !made && effects.Digest != sui.TransactionDigest(b) {
		return sui.Simulation{}, mismatch("it simulated a different transaction")
	}
	// Without its events a simulation is incomplete.
	reported := answer.GetTransaction().GetEvents().GetEvents()
	//mutant:never ./internal/sui/rpc TestSimulationWithoutItsEvents
	if answer.GetTransaction().GetEffects().GetEventsDigest() != "" && len(reported) == 0 {
		return sui.Simulation{}, mismatch("it omits the simulation's events, so its outcome is unknown")
	}
	effects.Sender = tx.Sender
	s := sui.Simulation{Effects: effects, At: at, Events: eventsReported(reported)}
	if n := len(answer.GetCommandOutputs()); n > len(tx.Commands) || (effects.Status.OK && n < len(tx.Commands)) {
		return sui.Simulation{}, mismatch("it returns values for a different number of commands")
	}
	for _, o := range answer.GetCommandOutputs() {
		values := make([]sui.ReturnValue, 0, len(o.GetReturnValues()))
		for _, v := range o.GetReturnValues() {
			values = append(values, sui.ReturnValue{BCS: v.GetValue().GetValue()})
		}
		s.Returns = append(s.Returns, values)
	}
	return s, nil
}

// Execute submits signed bytes once and never retries. After any fault except fault.ProviderRefused,
// the transaction may or may not have executed. Even a refusal is only this node's claim. To find out
// whether it executed, call Transaction with the digest.
func (c *Client) Execute(ctx context.Context, b, signature []byte) (sui.Executed, error) {
	tx, err := sui.DecodeTransaction(b)
	if err != nil {
		return sui.Executed{}, err
	}
	if len(signature) == 0 {
		return sui.Executed{}, fault.New(fault.InputInvalid, "A transaction without a signature cannot be executed.")
	}
	answer, err := call(ctx, c, c.execution.ExecuteTransaction, &pb.ExecuteTransactionRequest{
		Transaction: &pb.Transaction{Bcs: &pb.Bcs{Name: ptr("TransactionData"), Value: b}},
		Signatures:  []*pb.UserSignature{{Bcs: &pb.Bcs{Name: ptr("UserSignatureBytes"), Value: signature}}},
		ReadMask:    mask(paths("", "checkpoint", "timestamp")...),
	})
	if err != nil {
		return sui.Executed{}, err
	}
	return executedOf(answer.GetTransaction(), sui.TransactionDigest(b), tx.Sender)
}

// Transaction returns an executed transaction by its digest. It returns false if this node does not
// know it. The transaction's own bytes are checked against the digest.
func (c *Client) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	answer, err := call(ctx, c, c.ledger.GetTransaction, &pb.GetTransactionRequest{
		Digest:   ptr(d.String()),
		ReadMask: mask(paths("", "transaction.bcs", "transaction.sender", "checkpoint", "timestamp", "events.events")...),
	})
	if err != nil {
		if fault.As(err).Detail.Get("code") == "NotFound" {
			return sui.Executed{}, false, nil
		}
		return sui.Executed{}, false, err
	}
	sender, err := senderOf(answer.GetTransaction().GetTransaction(), d)
	if err != nil {
		return sui.Executed{}, false, err
	}
	e, err := executedOf(answer.GetTransaction(), d, sender)
	if err != nil {
		return sui.Executed{}, false, err
	}
	e.Events = eventsReported(answer.GetTransaction().GetEvents().GetEvents())
	return e, true, nil
}

// eventsReported reads the events of a transaction. It omits malformed and large events, and all events
// after the first maxEvents. Callers that rely on events must reject a transaction if any event is
// missing.
func eventsReported(reported []*pb.Event) []sui.Event {
	var out []sui.Event
	for i, e := range reported[:min(len(reported), maxEvents)] {
		pkg, err := sui.ParseAddress(e.GetPackageId())
		sender, bad := sui.ParseAddress(e.GetSender())
		kind, untyped := typeText(e.GetEventType())
		if err != nil || bad != nil || untyped != nil || len(e.GetContents().GetValue()) > maxContents ||
			!sui.ValidIdentifier(e.GetModule()) {
			continue
		}
		out = append(out, sui.Event{Package: pkg, Module: e.GetModule(), Sender: sender, Type: kind,
			Contents: bytes.Clone(e.GetContents().GetValue()), Index: uint32(i)})
	}
	return out
}

// senderOf returns the sender from the transaction's own bytes. For a transaction that is not
// programmable, such as a system transaction, it trusts the node.
func senderOf(t *pb.Transaction, d sui.Digest) (sui.Address, error) {
	b := t.GetBcs().GetValue()
	if sui.TransactionDigest(b) != d {
		return sui.Address{}, mismatch("the transaction's bytes do not match the requested digest")
	}
	if tx, err := sui.DecodeTransaction(bytes.Clone(b)); err == nil {
		return tx.Sender, nil
	}
	sender, err := sui.ParseAddress(t.GetSender())
	if err != nil {
		return sui.Address{}, mismatch("the transaction has no sender")
	}
	return sender, nil
}

// Plausible years of execution.
const firstYear, lastYear = 2020, 2200

func executedOf(t *pb.ExecutedTransaction, d sui.Digest, sender sui.Address) (sui.Executed, error) {
	effects, err := effectsOf(t)
	if err != nil {
		return sui.Executed{}, err
	}
	if effects.Digest != d || (t.Digest != nil && t.GetDigest() != d.String()) {
		return sui.Executed{}, mismatch("the effects are of another transaction")
	}
	// Every transaction with a gas cost changes the balance that pays for it.
	if len(effects.Balances) == 0 && effects.Gas.Net().Amount != 0 {
		return sui.Executed{}, mismatch("it reports no balance changes, although gas was paid")
	}
	effects.Sender = sender
	e := sui.Executed{Effects: effects}
	if t.GetCheckpoint() > maxVersion {
		return sui.Executed{}, mismatch("the checkpoint of the transaction is impossible")
	}
	if t.Checkpoint != nil {
		e.Checkpoint = ptr(t.GetCheckpoint())
	}
	if at := t.GetTimestamp(); at != nil {
		if year := at.AsTime().Year(); at.CheckValid() != nil || year < firstYear || year > lastYear {
			return sui.Executed{}, mismatch("the time of the transaction is not a time")
		}
		e.Timestamp = at.AsTime()
	}
	return e, nil
}
