package past

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// recordedPast is a file of recorded transactions. Numbers are decimal strings, bytes base64;
// effects and checkpoint may be missing.
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

// recordedEvent is an event of a recorded transaction, with addresses as recorded.
type recordedEvent struct {
	Package, Module, Sender, Type string
	Contents                      []byte `json:"bcs"`
}

// event writes addresses in full, as nodes do.
func (e recordedEvent) event() (ledger.Event, error) {
	one := ledger.Event{Module: e.Module, Contents: e.Contents}
	var problems [3]error
	one.Package, problems[0] = sui.NormalizeAddress(e.Package)
	one.Sender, problems[1] = sui.NormalizeAddress(e.Sender)
	typ, err := sui.ParseTypeTag(e.Type)
	one.Type, problems[2] = typ.String(), err
	return one, errors.Join(problems[:]...)
}

// recordedObjects is a file of recorded objects. An object's type never changes.
type recordedObjects struct {
	Objects []struct {
		ID     sui.ObjectID `json:"objectId"`
		Digest sui.Digest
		Type   string
	}
}

// knownTypes has the types of recorded objects, by the digest of one version and by object.
type knownTypes struct {
	written map[sui.Digest]string
	of      map[sui.ObjectID]string
}

// Read reads recorded transactions, oldest first, and the types of some of their objects; either
// may be nil. Each transaction's bytes and effects must match their recorded digests.
func Read(transactions, objects io.Reader) ([]*Transaction, error) {
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
	types := knownTypes{map[sui.Digest]string{}, map[sui.ObjectID]string{}}
	for _, o := range known.Objects {
		types.written[o.Digest], types.of[o.ID] = o.Type, o.Type
	}
	var list []*Transaction
	for _, r := range file.Transactions {
		p := &Transaction{Digest: r.Digest, Bytes: r.Bytes}
		var err error
		if p.Tx, err = sui.DecodeTransaction(r.Bytes); err != nil || sui.TransactionDigest(r.Bytes) != r.Digest {
			return nil, fmt.Errorf("recorded transaction %s: not its bytes: %w", r.Digest, err)
		}
		if r.Checkpoint != nil {
			n, err := strconv.ParseUint(*r.Checkpoint, 10, 53)
			if err != nil {
				return nil, fmt.Errorf("recorded transaction %s: %w", r.Digest, err)
			}
			p.Checkpoint = &n
		}
		if r.Effects != nil {
			if bcs.Hash("TransactionEffects::", r.Effects.Bytes) != r.Effects.Digest {
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
				p.Effects.Events = append(p.Effects.Events, one)
			}
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b *Transaction) int {
		of := func(p *Transaction) uint64 {
			if p.Checkpoint == nil {
				return 0
			}
			return *p.Checkpoint
		}
		return cmp.Compare(of(a), of(b))
	})
	return list, nil
}

// effectsFrom reads p's recorded effects. Balance changes are not recorded; they are computed if
// bytes and effects prove them.
func (p *Transaction) effectsFrom(raw []byte, types knownTypes) error {
	did, tx, written, err := readEffects(raw)
	if err != nil {
		return err
	}
	if tx != p.Digest {
		return fmt.Errorf("they are of %s", tx)
	}
	for i, c := range did.Changes {
		if c.After {
			did.Changes[i].OutType = types.written[written[c.ID]]
		}
	}
	p.Effects, did.Bytes = did, raw
	did.Balances, did.BalancesKnown = p.proven(types.of)
	return nil
}
