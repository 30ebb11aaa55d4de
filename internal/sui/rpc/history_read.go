package rpc

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// maxCheckpoint is the maximum checkpoint number. The service reports numbers below 2^53.
const maxCheckpoint = 1<<53 - 1

// pastOf decodes one transaction. It returns an error if the digest, sender or status is not readable.
// It omits unreadable items of a list and marks the list as incomplete, so that one malformed item
// does not hide everything else. It cuts lists at the limits, even if the service reports more.
func pastOf(g *graphTransaction, limits sui.PastLimits) (sui.PastTransaction, error) {
	if g == nil {
		return sui.PastTransaction{}, mismatch("a transaction of its list is missing")
	}
	digest, err := sui.ParseDigest(g.Digest)
	if err != nil || digest.IsZero() {
		return sui.PastTransaction{}, mismatch("a transaction has no digest")
	}
	t := sui.PastTransaction{Digest: digest, Status: sui.PastUnknown}
	if t.Sender, err = addressOf(g.Sender); err != nil {
		return sui.PastTransaction{}, mismatch("a transaction's sender is not an address")
	}
	if k := g.Kind; k != nil {
		t.Kind = printable(k.Typename, 64)
		if k.Typename == "ProgrammableTransaction" {
			t.Calls, t.Shared = callsOf(k.Commands, limits.Calls), sharedOf(k.Inputs, limits.Inputs)
		}
	}
	if g.GasInput != nil {
		if t.GasPayer, err = addressOf(g.GasInput.GasSponsor); err != nil {
			return sui.PastTransaction{}, mismatch("the payer of a transaction is not an address")
		}
	}
	if g.Effects == nil {
		return t, nil
	}
	err = pastEffects(&t, g.Effects, limits)
	check(&t)
	return t, err
}

// pastEffects reads the effects of a transaction.
func pastEffects(t *sui.PastTransaction, e *graphEffects, limits sui.PastLimits) error {
	if e.Status != nil {
		switch *e.Status {
		case "SUCCESS":
			t.Status = sui.PastSuccess
		case "FAILURE":
			t.Status = sui.PastFailed
		}
	}
	if e.ExecutionError != nil {
		if t.Status == sui.PastSuccess {
			return mismatch("a successful transaction has an error")
		}
		t.Failure = failureOf(e.ExecutionError)
	}
	if e.Checkpoint != nil && e.Checkpoint.SequenceNumber != nil {
		if *e.Checkpoint.SequenceNumber > maxCheckpoint {
			return mismatch("a checkpoint number is impossibly large")
		}
		t.Checkpoint = e.Checkpoint.SequenceNumber
	}
	if e.Epoch != nil && e.Epoch.EpochID != nil && *e.Epoch.EpochID > sui.MostEpoch {
		return mismatch("an epoch is impossibly large")
	}
	if e.Epoch != nil {
		t.Epoch = e.Epoch.EpochID
	}
	var err error
	if t.Timestamp, err = timeOf(e.Timestamp); err != nil {
		return err
	}
	if e.GasEffects != nil {
		if t.Gas, err = gasOf(e.GasEffects.GasSummary); err != nil {
			return err
		}
	}
	t.Balances = balancesOf(e.BalanceChanges, limits.Balances)
	t.Objects = objectsOf(e.ObjectChanges, limits.Objects)
	t.Events = eventsOf(e.Events, limits.Events)
	return nil
}

func addressOf(g *graphAddress) (*sui.Address, error) {
	if g == nil {
		return nil, nil
	}
	a, err := sui.ParseAddress(g.Address)
	return &a, err
}

// timeOf reads a DateTime. It returns the zero time for nil.
func timeOf(reported *string) (time.Time, error) {
	if reported == nil {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, *reported)
	if err != nil || t.Year() < firstYear || t.Year() > lastYear {
		return time.Time{}, mismatch("a time cannot be read")
	}
	return t.UTC(), nil
}

func gasOf(g *graphGas) (*sui.GasCost, error) {
	// If one part is not reported, the whole cost is unknown.
	if g == nil || g.ComputationCost == nil || g.StorageCost == nil || g.StorageRebate == nil ||
		g.NonRefundableStorageFee == nil {
		return nil, nil
	}
	cost := sui.GasCost{Computation: sui.Raw(*g.ComputationCost), Storage: sui.Raw(*g.StorageCost),
		Rebate:        sui.Raw(*g.StorageRebate),
		NonRefundable: sui.Raw(*g.NonRefundableStorageFee)}
	for _, part := range []sui.Raw{cost.Computation, cost.Storage, cost.Rebate, cost.NonRefundable} {
		if uint64(part) > maxGas {
			return nil, mismatch("the gas cost is impossibly large")
		}
	}
	return &cost, nil
}

// failureOf reads why a transaction failed. It keeps a Move abort only if its complete location is
// reported.
func failureOf(g *graphFailure) *sui.PastFailure {
	f := &sui.PastFailure{Message: printable(g.Message, 300)}
	if g.AbortCode == nil || g.Module == nil {
		return f
	}
	code, err := strconv.ParseUint(*g.AbortCode, 10, 64)
	pkg, module, ok := qualified(g.Module.FullyQualifiedName)
	if err != nil || !ok || !sui.ValidIdentifier(module) {
		return f
	}
	f.Abort = &sui.MoveAbort{Package: pkg, Module: module, Code: code, Command: -1}
	if g.Function != nil && sui.ValidIdentifier(g.Function.Name) {
		f.Abort.Function = g.Function.Name
	}
	return f
}

// qualified splits a qualified name into the package's address and the rest.
func qualified(name string) (pkg sui.ObjectID, rest string, ok bool) {
	address, rest, ok := strings.Cut(name, "::")
	if !ok {
		return pkg, "", false
	}
	pkg, err := sui.ParseAddress(address)
	return pkg, rest, err == nil
}

// itemsOf reads at most most items of a list. It omits nil items and those for which read returns ok
// false, and marks the list as incomplete. keep false means that an item does not belong to the list.
func itemsOf[G, T any](nodes []*G, more bool, most int, read func(*G) (item T, keep, ok bool)) sui.Listed[T] {
	l := sui.Listed[T]{Known: true, More: more || len(nodes) > most}
	for _, n := range nodes[:min(len(nodes), most)] {
		if n == nil {
			l.More = true
			continue
		}
		item, keep, ok := read(n)
		switch {
		case !ok:
			l.More = true
		case keep:
			l.Items = append(l.Items, item)
		}
	}
	return l
}

func callsOf(g *graphCommands, most int) sui.Listed[sui.PastCall] {
	if g == nil {
		return sui.Listed[sui.PastCall]{}
	}
	at := map[*graphCommand]int{}
	for i, c := range g.Nodes {
		at[c] = i
	}
	return itemsOf(g.Nodes, g.PageInfo.HasNextPage, most, func(c *graphCommand) (call sui.PastCall, keep, ok bool) {
		if c.Typename != "MoveCallCommand" {
			return call, false, true
		}
		pkg, rest, ok := qualified(c.Function.FullyQualifiedName)
		module, function, both := strings.Cut(rest, "::")
		if !ok || !both || !sui.ValidIdentifier(module) || !sui.ValidIdentifier(function) {
			return call, false, false
		}
		return sui.PastCall{Command: at[c], Package: pkg, Module: module, Function: function}, true, true
	})
}

func sharedOf(g *graphInputs, most int) sui.Listed[sui.ObjectID] {
	if g == nil {
		return sui.Listed[sui.ObjectID]{}
	}
	return itemsOf(g.Nodes, g.PageInfo.HasNextPage, most, func(in *graphInput) (id sui.ObjectID, keep, ok bool) {
		if in.Typename != "SharedInput" {
			return id, false, true
		}
		if in.Address == nil {
			return id, false, false
		}
		id, err := sui.ParseAddress(*in.Address)
		return id, true, err == nil
	})
}

func balancesOf(g *graphBalances, most int) sui.Listed[sui.PastBalance] {
	if g == nil {
		return sui.Listed[sui.PastBalance]{}
	}
	return itemsOf(g.Nodes, g.PageInfo.HasNextPage, most, func(b *graphBalance) (change sui.PastBalance, keep, ok bool) {
		if b.Amount == nil || b.CoinType == nil {
			return change, false, false
		}
		var problems [3]error
		change.Owner, problems[0] = addressOf(b.Owner)
		change.Coin, problems[1] = sui.ParseCoinType(b.CoinType.Repr)
		change.Amount, problems[2] = sui.ParseDelta(*b.Amount)
		return change, true, problems == [3]error{}
	})
}

func eventsOf(g *graphEvents, most int) sui.Listed[sui.PastEvent] {
	if g == nil {
		return sui.Listed[sui.PastEvent]{}
	}
	return itemsOf(g.Nodes, g.PageInfo.HasNextPage, most, func(e *graphEvent) (event sui.PastEvent, keep, ok bool) {
		if e.TransactionModule == nil || e.Contents == nil || e.Contents.Type == nil {
			return event, false, false
		}
		pkg, module, ok := qualified(e.TransactionModule.FullyQualifiedName)
		typ, err := sui.ParseTypeTag(e.Contents.Type.Repr)
		sender, senderErr := addressOf(e.Sender)
		if !ok || !sui.ValidIdentifier(module) || err != nil || senderErr != nil {
			return event, false, false
		}
		event = sui.PastEvent{Package: pkg, Module: module, Type: typ.String(), Sender: sender}
		if text := e.Contents.BCS; text != nil {
			if event.Contents, err = base64.StdEncoding.DecodeString(*text); err != nil {
				return event, false, false
			}
		}
		return event, true, true
	})
}

// objectsOf omits entries that are not objects: those without a previous and a new state that were
// neither created nor deleted.
func objectsOf(g *graphObjects, most int) sui.Listed[sui.PastObject] {
	if g == nil {
		return sui.Listed[sui.PastObject]{}
	}
	return itemsOf(g.Nodes, g.PageInfo.HasNextPage, most, func(o *graphObject) (change sui.PastObject, keep, ok bool) {
		id, err := sui.ParseAddress(o.Address)
		if err != nil {
			return change, false, false
		}
		change = sui.PastObject{ID: id}
		before, after := o.InputState != nil, o.OutputState != nil
		switch {
		case o.IDDeleted != nil && *o.IDDeleted:
			change.Change = "deleted"
		case o.IDCreated != nil && *o.IDCreated:
			change.Change = "created"
		case before && after:
			change.Change = "mutated"
		case before:
			change.Change = "wrapped"
		case after:
			change.Change = "unwrapped"
		default:
			return change, false, true
		}
		if before {
			change.Type = objectType(o.InputState.AsMoveObject)
		}
		if !after {
			return change, true, true
		}
		if typ := objectType(o.OutputState.AsMoveObject); typ != "" {
			change.Type = typ
		}
		change.Owner = pastOwner(o.OutputState.Owner)
		return change, true, true
	})
}

// objectType returns the canonical type, or "" if it is not reported or not readable.
func objectType(o *graphMoveObject) string {
	if o == nil || o.Contents == nil || o.Contents.Type == nil {
		return ""
	}
	typ, err := sui.ParseTypeTag(o.Contents.Type.Repr)
	if err != nil || typ.Kind != sui.TypeStruct {
		return ""
	}
	return typ.String()
}

// pastOwner returns the owner, or nil if it is not reported or not readable.
func pastOwner(g *graphOwner) *sui.Owner {
	if g == nil {
		return nil
	}
	owned := func(kind sui.OwnerKind, reported *graphAddress) *sui.Owner {
		a, err := addressOf(reported)
		if a == nil || err != nil {
			return nil
		}
		return &sui.Owner{Kind: kind, Address: *a}
	}
	switch g.Typename {
	case "AddressOwner":
		return owned(sui.OwnerAddress, g.ByAddress)
	case "ObjectOwner":
		return owned(sui.OwnerObject, g.ByObject)
	case "ConsensusAddressOwner":
		return owned(sui.OwnerConsensusAddress, g.ByConsensus)
	case "Shared":
		if g.InitialSharedVersion != nil {
			return &sui.Owner{Kind: sui.OwnerShared, InitialVersion: *g.InitialSharedVersion}
		}
	case "Immutable":
		return &sui.Owner{Kind: sui.OwnerImmutable}
	}
	return nil
}
