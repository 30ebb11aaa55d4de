package graphql

import (
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sandbox/past"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Queries about current state: balances, objects and simulations.

// Simulate runs a transaction in the JSON form of the gRPC message without changing the chain. Its
// errors state why it was refused.
type Simulate func(transaction []byte, checks, selectGas bool) (*ledger.Outcome, error)

// present is the current state of the chain.
type present struct {
	ledger   *ledger.Ledger
	simulate Simulate
}

func addressArgument(args map[string]json.RawMessage, name string) (sui.Address, error) {
	var sent string
	if err := argument(args, name, &sent); err != nil {
		return sui.Address{}, err
	}
	a, err := sui.NormalizeAddress(sent)
	if err != nil {
		return a, badInput("Invalid SuiAddress")
	}
	return a, nil
}

// address returns an address with its holdings.
func (p present) address(args map[string]json.RawMessage) (reply, error) {
	owner, err := addressArgument(args, "address")
	if err != nil {
		return reply{}, err
	}
	return typed("Address", map[string]field{
		"address": fixed(text(owner.String())),
		"balance": func(args map[string]json.RawMessage) (reply, error) {
			var sent string
			if err := argument(args, "coinType", &sent); err != nil {
				return reply{}, err
			}
			coin, err := sui.ParseCoinType(sent)
			if err != nil {
				return reply{}, badInput("Invalid type")
			}
			h := p.ledger.Holding(owner, coin)
			return typed("Balance", map[string]field{
				"coinType": fixed(typeReply(string(coin))), "totalBalance": fixed(quoted(h.Coins + h.InAddress)),
				"coinBalance": fixed(quoted(h.Coins)), "addressBalance": fixed(quoted(h.InAddress)),
			}), nil
		},
	}), nil
}

// quoted returns a BigInt, which the service writes as a string.
func quoted(n uint64) reply { return text(string(number(n).raw)) }

// object returns an object's current version, or null.
func (p present) object(args map[string]json.RawMessage) (reply, error) {
	id, err := addressArgument(args, "address")
	if err != nil {
		return reply{}, err
	}
	var version *uint64
	if err := argument(args, "version", &version); err != nil {
		return reply{}, err
	}
	return p.objectAt(id, version), nil
}

func (p present) objectAt(id sui.ObjectID, version *uint64) reply {
	o := p.ledger.Object(id)
	if version != nil {
		o = p.ledger.ObjectAt(id, *version)
	}
	if o == nil {
		return reply{}
	}
	contents := typed("MoveValue", map[string]field{
		"type": fixed(typeReply(o.Type.String())), "bcs": fixed(base64Reply(o.Contents)), "json": fixed(reply{}),
		"display": fixed(reply{}),
	})
	ref := o.Ref()
	return typed("Object", map[string]field{
		"address": fixed(text(id.String())), "digest": fixed(text(ref.Digest.String())), "version": fixed(number(o.Version)),
		// neither is implemented
		"owner": fixed(ownerReply(o.Owner)), "asMovePackage": fixed(reply{}), "objectBcs": fixed(reply{}),
		"asMoveObject":        fixed(typed("MoveObject", map[string]field{"contents": fixed(contents)})),
		"previousTransaction": fixed(typed("Transaction", map[string]field{"digest": fixed(text(o.Previous.String()))})),
	})
}

// multiGetObjects returns objects in the order of their keys, with null for missing ones.
func (p present) multiGetObjects(args map[string]json.RawMessage) (reply, error) {
	var keys []struct {
		Address string  `json:"address"`
		Version *uint64 `json:"version"`
	}
	if err := argument(args, "keys", &keys); err != nil {
		return reply{}, err
	}
	if len(keys) > maxMultiGet {
		return reply{}, badInput("Request too many keys at once")
	}
	var found []reply
	for _, k := range keys {
		id, err := sui.NormalizeAddress(k.Address)
		if err != nil {
			return reply{}, badInput("Invalid SuiAddress")
		}
		found = append(found, p.objectAt(id, k.Version))
	}
	return list(found), nil
}

// simulation runs a transaction without changing the chain.
func (p present) simulation(args map[string]json.RawMessage) (reply, error) {
	checks, selectGas := true, false
	if err := argument(args, "checksEnabled", &checks); err != nil {
		return reply{}, err
	}
	if err := argument(args, "doGasSelection", &selectGas); err != nil {
		return reply{}, err
	}
	o, err := p.simulate(args["transaction"], checks, selectGas)
	if err != nil {
		return reply{}, badInput(err.Error())
	}
	done := past.Of(o)
	done.Checkpoint = nil // a simulation is in no checkpoint
	effects := effectsReply(done, false)
	effects.object.fields["transaction"] = fixed(transactionReply(done, done.Tx.Sender, false))
	var outputs []reply
	for _, command := range o.Returns {
		var values []reply
		for _, v := range command {
			value := typed("MoveValue", map[string]field{"bcs": fixed(base64Reply(v.BCS)), "type": fixed(typeReply(v.Type)),
				"json": fixed(reply{})})
			values = append(values, typed("CommandOutput", map[string]field{"value": fixed(value), "argument": fixed(reply{})}))
		}
		outputs = append(outputs, typed("CommandResult", map[string]field{"returnValues": fixed(list(values)),
			"mutatedReferences": fixed(list(nil))}))
	}
	return typed("SimulationResult", map[string]field{"effects": fixed(effects), "outputs": fixed(list(outputs))}), nil
}
