package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// recordedPast is a file of recorded transactions. Numbers are decimal texts,
// bytes base64; effects and checkpoint may be missing.
type recordedPast struct {
	Transactions []struct {
		Digest     sui.Digest
		Checkpoint *string
		Bytes      []byte `json:"transactionDataBcs"`
		Effects    *struct {
			Digest sui.Digest `json:"effectsDigest"`
			Bytes  []byte     `json:"effectsBcs"`
		}
		Events []recordedEvent
	}
}

type recordedEvent struct {
	Package, Module, Sender, Type string
	Contents                      []byte `json:"bcs"`
}

// event writes addresses out in full, as a node does.
func (e recordedEvent) event() (event, error) {
	one := event{module: e.Module, contents: e.Contents}
	var problems [3]error
	one.pkg, problems[0] = sui.NormalizeAddress(e.Package)
	one.sender, problems[1] = sui.NormalizeAddress(e.Sender)
	typ, err := sui.ParseTypeTag(e.Type)
	one.typ, problems[2] = typ.String(), err
	return one, errors.Join(problems[:]...)
}

// recordedObjects is a file of recorded objects; their digests tell which object
// of which transaction has which type.
type recordedObjects struct {
	Objects []struct {
		Digest sui.Digest
		Type   string
	}
}

// readPast reads recorded transactions, the oldest first, and the types of some
// of their objects; either may be nil. Each transaction's bytes and effects must
// have the digests that were recorded with them.
func readPast(transactions, objects io.Reader) ([]*past, error) {
	if transactions == nil {
		return nil, nil
	}
	var file recordedPast
	if err := json.NewDecoder(transactions).Decode(&file); err != nil {
		return nil, fmt.Errorf("recorded transactions: %w", err)
	}
	var known recordedObjects
	if objects != nil {
		if err := json.NewDecoder(objects).Decode(&known); err != nil {
			return nil, fmt.Errorf("recorded objects: %w", err)
		}
	}
	types := map[sui.Digest]string{}
	for _, o := range known.Objects {
		types[o.Digest] = o.Type
	}
	var list []*past
	for _, r := range file.Transactions {
		p := &past{digest: r.Digest, bytes: r.Bytes}
		var err error
		if p.tx, err = sui.DecodeTransaction(r.Bytes); err != nil || sui.TransactionDigest(r.Bytes) != r.Digest {
			return nil, fmt.Errorf("recorded transaction %s: not its bytes: %w", r.Digest, err)
		}
		if r.Checkpoint != nil {
			n, err := strconv.ParseUint(*r.Checkpoint, 10, 53)
			if err != nil {
				return nil, fmt.Errorf("recorded transaction %s: %w", r.Digest, err)
			}
			p.checkpoint = &n
		}
		if r.Effects != nil {
			if hash("TransactionEffects::", r.Effects.Bytes) != r.Effects.Digest {
				return nil, fmt.Errorf("recorded transaction %s: not its effects", r.Digest)
			}
			if err := p.effectsFrom(r.Effects.Bytes, types); err != nil {
				return nil, fmt.Errorf("recorded transaction %s: its effects: %w", r.Digest, err)
			}
			for _, e := range r.Events {
				one, err := e.event()
				if err != nil {
					return nil, fmt.Errorf("recorded transaction %s: an event: %w", r.Digest, err)
				}
				p.did.events = append(p.did.events, one)
			}
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b *past) int {
		of := func(p *past) uint64 {
			if p.checkpoint == nil {
				return 0
			}
			return *p.checkpoint
		}
		return cmp.Compare(of(a), of(b))
	})
	return list, nil
}

// effectsFrom reads what was recorded of what p did. Balance changes are not
// recorded: they are told where bytes and effects prove them.
func (p *past) effectsFrom(raw []byte, types map[sui.Digest]string) error {
	did, tx, written, err := readEffects(raw)
	if err != nil {
		return err
	}
	if tx != p.digest {
		return fmt.Errorf("they are of %s", tx)
	}
	for i, c := range did.changes {
		if c.after {
			did.changes[i].outType = types[written[c.id]]
		}
	}
	p.did, did.bytes = did, raw
	did.balances, did.told = p.proven()
	return nil
}

// proven gives the balance changes that follow from bytes and effects alone. A
// failed transaction costs its gas and nothing else; one that only splits amounts
// off the gas coin and hands all of them on moves those. What Move code did with
// coins cannot be known without their contents.
func (p *past) proven() ([]balanceChange, bool) {
	sums := map[sui.Address]*big.Int{}
	add := func(a sui.Address, n *big.Int) {
		if sums[a] == nil {
			sums[a] = new(big.Int)
		}
		sums[a].Add(sums[a], n)
	}
	add(p.tx.Gas.Owner, big.NewInt(-p.did.gas.net()))
	if p.did.failure == nil {
		split := map[sui.Argument]uint64{}
		for i, c := range p.tx.Commands {
			switch c := c.(type) {
			case sui.SplitCoins:
				if c.Coin != sui.GasCoin || len(split) > 0 {
					return nil, false
				}
				for n, a := range c.Amounts {
					amount, ok := p.pure(a).U64()
					if !ok {
						return nil, false
					}
					split[sui.NestedArg(i, n)] = amount
					if len(c.Amounts) == 1 {
						split[sui.ResultArg(i)] = amount
					}
				}
			case sui.TransferObjects:
				to, ok := p.pure(c.Recipient).Address()
				if !ok {
					return nil, false
				}
				for _, o := range c.Objects {
					amount, made := split[o]
					if !made {
						return nil, false
					}
					n := new(big.Int).SetUint64(amount)
					add(to, n)
					add(p.tx.Gas.Owner, new(big.Int).Neg(n))
				}
			default:
				return nil, false
			}
		}
	}
	var list []balanceChange
	for a, n := range sums {
		if n.Sign() != 0 {
			list = append(list, balanceChange{a, sui.SUI, n})
		}
	}
	slices.SortFunc(list, func(a, b balanceChange) int { return slices.Compare(a.owner[:], b.owner[:]) })
	return list, true
}

// pure gives the value behind an argument, empty when it is none.
func (p *past) pure(a sui.Argument) sui.PureInput {
	if a.Kind != sui.ArgInput || int(a.Index) >= len(p.tx.Inputs) {
		return sui.PureInput{}
	}
	in, _ := p.tx.Inputs[a.Index].(sui.PureInput)
	return in
}
