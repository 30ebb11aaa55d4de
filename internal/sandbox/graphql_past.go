package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// calledBy reports whether a transaction calls the function, or one of a module or
// package.
func (f functionFilter) calledBy(p *past) bool {
	return slices.ContainsFunc(p.tx.Commands, func(c sui.Command) bool {
		m, ok := c.(sui.MoveCall)
		return ok && m.Package == f.pkg && (f.module == "" || m.Module == f.module) && (f.function == "" || m.Function == f.function)
	})
}

// reply gives the transaction; sender is who is told to have sent it.
func transactionReply(p *past, sender sui.Address, bare bool) reply {
	fields := map[string]graphField{
		"digest": fixed(text(p.digest.String())), "sender": fixed(addressReply(sender)),
		"gasInput":       fixed(typed("GasInput", map[string]graphField{"gasSponsor": fixed(addressReply(p.tx.Gas.Owner))})),
		"transactionBcs": fixed(base64Reply(p.bytes)), "kind": fixed(kindReply(p.tx)), "effects": fixed(reply{}),
	}
	var signatures []reply
	for _, s := range p.signatures {
		signatures = append(signatures, typed("UserSignature", map[string]graphField{"signatureBytes": fixed(base64Reply(s))}))
	}
	fields["signatures"] = fixed(list(signatures))
	if p.did != nil {
		fields["effects"] = fixed(effectsReply(p, bare))
	}
	return typed("Transaction", fields)
}

func addressReply(a sui.Address) reply {
	return typed("Address", map[string]graphField{"address": fixed(text(a.String()))})
}

func base64Reply(b []byte) reply { return text(base64.StdEncoding.EncodeToString(b)) }

func named(typ, name string) reply {
	return typed(typ, map[string]graphField{"fullyQualifiedName": fixed(text(name))})
}

func moduleReply(pkg sui.ObjectID, module string) reply {
	address := typed("MovePackage", map[string]graphField{"address": fixed(text(pkg.String()))})
	return typed("MoveModule", map[string]graphField{
		"fullyQualifiedName": fixed(text(pkg.String() + "::" + module)), "name": fixed(text(module)), "package": fixed(address),
	})
}

func kindReply(tx *sui.Transaction) reply {
	return typed("ProgrammableTransaction", map[string]graphField{
		"commands": connection("CommandConnection", len(tx.Commands), graphMost, func(i int) reply { return commandReply(tx.Commands[i]) }),
		"inputs":   connection("TransactionInputConnection", len(tx.Inputs), graphMost, func(i int) reply { return inputReply(tx.Inputs[i]) }),
	})
}

func commandReply(c sui.Command) reply {
	switch c := c.(type) {
	case sui.MoveCall:
		name := c.Package.String() + "::" + c.Module + "::" + c.Function
		return typed("MoveCallCommand", map[string]graphField{"function": fixed(named("MoveFunction", name))})
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

func inputReply(in sui.Input) reply {
	switch in := in.(type) {
	case sui.PureInput:
		return typed("Pure", map[string]graphField{"bytes": fixed(base64Reply(in.Bytes))})
	case sui.SharedInput:
		return typed("SharedInput", map[string]graphField{
			"address": fixed(text(in.ID.String())), "initialSharedVersion": fixed(numeral(in.InitialVersion)), "mutable": fixed(truth(in.Mutable)),
		})
	case sui.ReceivingInput:
		return typed("Receiving", nil)
	case sui.WithdrawalInput:
		return typed("BalanceWithdraw", nil)
	}
	return typed("OwnedOrImmutable", nil)
}

// effects gives what a transaction did; bare leaves every list of it out, as a
// service does that could not read them.
func effectsReply(p *past, bare bool) reply {
	d := p.did
	fields := map[string]graphField{
		"status": fixed(text("SUCCESS")), "timestamp": fixed(reply{}), "checkpoint": fixed(reply{}), "executionError": fixed(reply{}),
		"epoch":      fixed(typed("Epoch", map[string]graphField{"epochId": fixed(numeral(d.epoch))})),
		"effectsBcs": fixed(base64Reply(d.bytes)),
		"gasEffects": fixed(typed("GasEffects", map[string]graphField{"gasSummary": fixed(gasReply(d.gas))})),
	}
	if d.failure != nil {
		fields["status"], fields["executionError"] = fixed(text("FAILURE")), fixed(failureReply(d.failure))
	}
	if !p.at.IsZero() {
		fields["timestamp"] = fixed(moment(p.at))
	}
	if p.checkpoint != nil {
		fields["checkpoint"] = fixed(typed("Checkpoint", map[string]graphField{"sequenceNumber": fixed(numeral(*p.checkpoint))}))
	}
	for _, name := range []string{"balanceChanges", "balanceChangesJson", "objectChanges", "events"} {
		fields[name] = fixed(reply{})
	}
	if bare {
		return typed("TransactionEffects", fields)
	}
	if d.told {
		fields["balanceChangesJson"] = balancesJSON(d.balances)
		fields["balanceChanges"] = connection("BalanceChangeConnection", len(d.balances), graphMost, func(i int) reply { return balanceReply(d.balances[i]) })
	}
	fields["objectChanges"] = connection("ObjectChangeConnection", len(d.changes), graphObjects, func(i int) reply { return changeReply(d.changes[i]) })
	fields["events"] = connection("EventConnection", len(d.events), graphMost, func(i int) reply { return eventReply(d.events[i], i) })
	return typed("TransactionEffects", fields)
}

// balancesJSON gives the changes in the JSON form of the gRPC message.
func balancesJSON(list []balanceChange) graphField {
	return func(map[string]json.RawMessage) (reply, error) {
		type change struct {
			Address  string `json:"address"`
			CoinType string `json:"coinType"`
			Amount   string `json:"amount"`
		}
		all := []change{}
		for _, b := range list {
			all = append(all, change{b.owner.String(), string(b.coin), b.amount.String()})
		}
		raw, err := json.Marshal(all)
		return reply{raw: raw}, err
	}
}

func gasReply(g gasCost) reply {
	return typed("GasCostSummary", map[string]graphField{
		"computationCost": fixed(numeral(g.computation)), "storageCost": fixed(numeral(g.storage)),
		"storageRebate": fixed(numeral(g.rebate)), "nonRefundableStorageFee": fixed(numeral(g.nonRefundable)),
	})
}

// reply gives an ExecutionError.
func failureReply(f *failure) reply {
	fields := map[string]graphField{
		"message": fixed(text(f.text)), "identifier": fixed(reply{}), "constant": fixed(reply{}),
		"sourceLineNumber": fixed(reply{}), "instructionOffset": fixed(reply{}), "abortCode": fixed(reply{}), "module": fixed(reply{}), "function": fixed(reply{}),
	}
	if a := f.abort; a != nil {
		fields["abortCode"] = fixed(text(strconv.FormatUint(a.code, 10)))
		fields["module"] = fixed(moduleReply(a.pkg, a.module))
		if a.function != "" {
			fields["function"] = fixed(typed("MoveFunction", map[string]graphField{"name": fixed(text(a.function))}))
		}
	}
	return typed("ExecutionError", fields)
}

func typeReply(repr string) reply {
	return typed("MoveType", map[string]graphField{"repr": fixed(text(repr))})
}

func balanceReply(b balanceChange) reply {
	return typed("BalanceChange", map[string]graphField{
		"amount": fixed(text(b.amount.String())), "coinType": fixed(typeReply(string(b.coin))), "owner": fixed(addressReply(b.owner)),
	})
}

func eventReply(e event, at int) reply {
	return typed("Event", map[string]graphField{
		"sequenceNumber": fixed(numeral(uint64(at))), "sender": fixed(addressReply(e.sender)),
		"transactionModule": fixed(moduleReply(e.pkg, e.module)),
		"contents": fixed(typed("MoveValue", map[string]graphField{
			"type": fixed(typeReply(e.typ)), "bcs": fixed(base64Reply(e.contents)), "json": fixed(reply{}), // layouts are not known here
		})),
	})
}

func changeReply(c pastChange) reply {
	state := func(exists bool, typ string) reply {
		if !exists {
			return reply{}
		}
		fields := map[string]graphField{"asMoveObject": fixed(reply{}), "owner": fixed(ownerReply(c.owner))}
		if typ != "" {
			contents := typed("MoveValue", map[string]graphField{"type": fixed(typeReply(typ))})
			fields["asMoveObject"] = fixed(typed("MoveObject", map[string]graphField{"contents": fixed(contents)}))
		}
		return typed("Object", fields)
	}
	return typed("ObjectChange", map[string]graphField{
		"address": fixed(text(c.id.String())), "idCreated": fixed(truth(c.created)), "idDeleted": fixed(truth(c.deleted)),
		"inputState": fixed(state(c.before, c.inType)), "outputState": fixed(state(c.after, c.outType)),
	})
}

func ownerReply(o sui.Owner) reply {
	address := map[string]graphField{"address": fixed(addressReply(o.Address))}
	switch o.Kind {
	case sui.OwnerAddress:
		return typed("AddressOwner", address)
	case sui.OwnerObject:
		return typed("ObjectOwner", address)
	case sui.OwnerConsensusAddress:
		address["startVersion"] = fixed(numeral(o.InitialVersion))
		return typed("ConsensusAddressOwner", address)
	case sui.OwnerShared:
		return typed("Shared", map[string]graphField{"initialSharedVersion": fixed(numeral(o.InitialVersion))})
	}
	return typed("Immutable", nil)
}
