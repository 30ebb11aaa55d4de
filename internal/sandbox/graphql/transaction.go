package graphql

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sandbox/past"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// calledBy reports whether a transaction calls the function, or any in the module or package.
func (f functionFilter) calledBy(p *past.Transaction) bool {
	return slices.ContainsFunc(p.Tx.Commands, func(c sui.Command) bool {
		m, ok := c.(sui.MoveCall)
		return ok && m.Package == f.pkg && (f.module == "" || m.Module == f.module) && (f.function == "" ||
			m.Function == f.function)
	})
}

// transactionReply returns a transaction with the given sender; bare omits all lists of its
// effects.
func transactionReply(p *past.Transaction, sender sui.Address, bare bool) reply {
	fields := map[string]field{
		"digest": fixed(text(p.Digest.String())), "sender": fixed(addressReply(sender)),
		"gasInput":       fixed(typed("GasInput", map[string]field{"gasSponsor": fixed(addressReply(p.Tx.Gas.Owner))})),
		"transactionBcs": fixed(base64Reply(p.Bytes)), "kind": fixed(kindReply(p.Tx)), "effects": fixed(reply{}),
	}
	var signatures []reply
	for _, s := range p.Signatures {
		signatures = append(signatures, typed("UserSignature", map[string]field{"signatureBytes": fixed(base64Reply(s))}))
	}
	fields["signatures"] = fixed(list(signatures))
	if p.Effects != nil {
		fields["effects"] = fixed(effectsReply(p, bare))
	}
	return typed("Transaction", fields)
}

// addressReply returns an Address with only the address itself.
func addressReply(a sui.Address) reply {
	return typed("Address", map[string]field{"address": fixed(text(a.String()))})
}

// base64Reply returns a Base64 scalar.
func base64Reply(b []byte) reply { return text(base64.StdEncoding.EncodeToString(b)) }

// qualified returns an object with only its full name.
func qualified(typ, name string) reply {
	return typed(typ, map[string]field{"fullyQualifiedName": fixed(text(name))})
}

// moduleReply returns a MoveModule with its package.
func moduleReply(pkg sui.ObjectID, module string) reply {
	address := typed("MovePackage", map[string]field{"address": fixed(text(pkg.String()))})
	return typed("MoveModule", map[string]field{
		"fullyQualifiedName": fixed(text(pkg.String() + "::" + module)), "name": fixed(text(module)),
		"package": fixed(address),
	})
}

// kindReply lists commands and inputs. The sandbox has only programmable transactions.
func kindReply(tx *sui.Transaction) reply {
	return typed("ProgrammableTransaction", map[string]field{
		"commands": connection("CommandConnection", len(tx.Commands), maxPage,
			func(i int) reply { return commandReply(tx.Commands[i]) }),
		"inputs": connection("TransactionInputConnection", len(tx.Inputs), maxPage,
			func(i int) reply { return inputReply(tx.Inputs[i]) }),
	})
}

// commandReply distinguishes commands by type; only calls have fields that clients select.
func commandReply(c sui.Command) reply {
	switch c := c.(type) {
	case sui.MoveCall:
		name := c.Package.String() + "::" + c.Module + "::" + c.Function
		return typed("MoveCallCommand", map[string]field{"function": fixed(qualified("MoveFunction", name))})
	case sui.TransferObjects:
		return typed("TransferObjectsCommand", nil)
	case sui.SplitCoins:
		return typed("SplitCoinsCommand", nil)
	case sui.MergeCoins:
		return typed("MergeCoinsCommand", nil)
	case sui.Publish:
		return typed("PublishCommand", nil)
	case sui.MakeMoveVec:
		return typed("MakeMoveVecCommand", nil)
	case sui.Upgrade:
		return typed("UpgradeCommand", nil)
	}
	return typed("OtherCommand", nil)
}

// inputReply distinguishes inputs by type, with the fields that clients select.
func inputReply(in sui.Input) reply {
	switch in := in.(type) {
	case sui.PureInput:
		return typed("Pure", map[string]field{"bytes": fixed(base64Reply(in.Bytes))})
	case sui.SharedInput:
		return typed("SharedInput", map[string]field{
			"address": fixed(text(in.ID.String())), "initialSharedVersion": fixed(number(in.InitialVersion)),
			"mutable": fixed(boolean(in.Mutable)),
		})
	case sui.ReceivingInput:
		return typed("Receiving", nil)
	case sui.WithdrawalInput:
		return typed("BalanceWithdraw", nil)
	}
	return typed("OwnedOrImmutable", nil)
}

// effectsReply returns a transaction's effects; bare omits every list, like a service that could
// not read them.
func effectsReply(p *past.Transaction, bare bool) reply {
	d := p.Effects
	fields := map[string]field{
		"status": fixed(text("SUCCESS")), "timestamp": fixed(reply{}), "checkpoint": fixed(reply{}),
		"executionError": fixed(reply{}),
		"epoch":          fixed(typed("Epoch", map[string]field{"epochId": fixed(number(d.Epoch))})),
		"effectsBcs":     fixed(base64Reply(d.Bytes)),
		"gasEffects":     fixed(typed("GasEffects", map[string]field{"gasSummary": fixed(gasReply(d.Gas))})),
	}
	if d.Failure != nil {
		fields["status"], fields["executionError"] = fixed(text("FAILURE")), fixed(failureReply(d.Failure))
	}
	if !p.At.IsZero() {
		fields["timestamp"] = fixed(dateTime(p.At))
	}
	if p.Checkpoint != nil {
		fields["checkpoint"] = fixed(typed("Checkpoint", map[string]field{"sequenceNumber": fixed(number(*p.Checkpoint))}))
	}
	for _, name := range []string{"balanceChanges", "balanceChangesJson", "objectChanges", "events"} {
		fields[name] = fixed(reply{})
	}
	if bare {
		return typed("TransactionEffects", fields)
	}
	if d.BalancesKnown {
		fields["balanceChangesJson"] = balancesJSON(d.Balances)
		fields["balanceChanges"] = connection("BalanceChangeConnection", len(d.Balances), maxPage,
			func(i int) reply { return balanceReply(d.Balances[i]) })
	}
	fields["objectChanges"] = connection("ObjectChangeConnection", len(d.Changes), maxObjectPage,
		func(i int) reply { return changeReply(d.Changes[i]) })
	fields["events"] = connection("EventConnection", len(d.Events), maxPage,
		func(i int) reply { return eventReply(d.Events[i], i) })
	return typed("TransactionEffects", fields)
}

// balancesJSON returns the changes in the JSON form of the gRPC message.
func balancesJSON(list []ledger.BalanceChange) field {
	return func(map[string]json.RawMessage) (reply, error) {
		type change struct {
			Address  string `json:"address"`
			CoinType string `json:"coinType"`
			Amount   string `json:"amount"`
		}
		all := []change{}
		for _, b := range list {
			all = append(all, change{b.Owner.String(), string(b.Coin), b.Amount.String()})
		}
		raw, err := json.Marshal(all)
		return reply{raw: raw}, err
	}
}

// gasReply returns the gas costs of a transaction in MIST.
func gasReply(g ledger.GasCost) reply {
	return typed("GasCostSummary", map[string]field{
		"computationCost": fixed(number(g.Computation)), "storageCost": fixed(number(g.Storage)),
		"storageRebate": fixed(number(g.Rebate)), "nonRefundableStorageFee": fixed(number(g.NonRefundable)),
	})
}

// failureReply returns an ExecutionError.
func failureReply(f *ledger.Failure) reply {
	fields := map[string]field{
		"message": fixed(text(f.Text)), "identifier": fixed(reply{}), "constant": fixed(reply{}),
		"sourceLineNumber": fixed(reply{}), "instructionOffset": fixed(reply{}), "abortCode": fixed(reply{}),
		"module": fixed(reply{}), "function": fixed(reply{}),
	}
	if a := f.Abort; a != nil {
		fields["abortCode"] = fixed(text(strconv.FormatUint(a.Code, 10)))
		fields["module"] = fixed(moduleReply(a.Package, a.Module))
		if a.Function != "" {
			fields["function"] = fixed(typed("MoveFunction", map[string]field{"name": fixed(text(a.Function))}))
		}
	}
	return typed("ExecutionError", fields)
}

// typeReply returns a Move type with its canonical text.
func typeReply(repr string) reply {
	return typed("MoveType", map[string]field{"repr": fixed(text(repr))})
}

// balanceReply returns a balance change.
func balanceReply(b ledger.BalanceChange) reply {
	return typed("BalanceChange", map[string]field{
		"amount": fixed(text(b.Amount.String())), "coinType": fixed(typeReply(string(b.Coin))),
		"owner": fixed(addressReply(b.Owner)),
	})
}

// eventReply returns an event with its index in the transaction.
func eventReply(e ledger.Event, at int) reply {
	return typed("Event", map[string]field{
		"sequenceNumber": fixed(number(uint64(at))), "sender": fixed(addressReply(e.Sender)),
		"transactionModule": fixed(moduleReply(e.Package, e.Module)),
		"contents": fixed(typed("MoveValue", map[string]field{
			// layouts are not implemented
			"type": fixed(typeReply(e.Type)), "bcs": fixed(base64Reply(e.Contents)), "json": fixed(reply{}),
		})),
	})
}

// changeReply returns an object change. A state that did not exist is null; an unknown type omits
// the contents, not the state.
func changeReply(c past.ObjectChange) reply {
	state := func(exists bool, typ string) reply {
		if !exists {
			return reply{}
		}
		fields := map[string]field{"asMoveObject": fixed(reply{}), "owner": fixed(ownerReply(c.Owner))}
		if typ != "" {
			contents := typed("MoveValue", map[string]field{"type": fixed(typeReply(typ))})
			fields["asMoveObject"] = fixed(typed("MoveObject", map[string]field{"contents": fixed(contents)}))
		}
		return typed("Object", fields)
	}
	return typed("ObjectChange", map[string]field{
		"address": fixed(text(c.ID.String())), "idCreated": fixed(boolean(c.Created)), "idDeleted": fixed(boolean(c.Deleted)),
		"inputState": fixed(state(c.Before, c.InType)), "outputState": fixed(state(c.After, c.OutType)),
	})
}

// ownerReply returns the matching member of the Owner union.
func ownerReply(o sui.Owner) reply {
	address := map[string]field{"address": fixed(addressReply(o.Address))}
	switch o.Kind {
	case sui.OwnerAddress:
		return typed("AddressOwner", address)
	case sui.OwnerObject:
		return typed("ObjectOwner", address)
	case sui.OwnerConsensusAddress:
		address["startVersion"] = fixed(number(o.InitialVersion))
		return typed("ConsensusAddressOwner", address)
	case sui.OwnerShared:
		return typed("Shared", map[string]field{"initialSharedVersion": fixed(number(o.InitialVersion))})
	}
	return typed("Immutable", nil)
}
