package floor

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// sink collects the inputs and commands of a transaction.
type sink struct{ tx sui.Transaction }

func (s *sink) Input(in sui.Input) sui.Argument {
	if shared, ok := in.(sui.SharedInput); ok {
		for i, old := range s.tx.Inputs {
			if old == shared {
				return sui.InputArg(i)
			}
		}
	}
	s.tx.Inputs = append(s.tx.Inputs, in)
	return sui.InputArg(len(s.tx.Inputs) - 1)
}

func (s *sink) Add(c sui.Command) sui.Argument {
	s.tx.Commands = append(s.tx.Commands, c)
	return sui.ResultArg(len(s.tx.Commands) - 1)
}

func (s *sink) Next() int { return len(s.tx.Commands) }

// rebuild builds the transaction that a reading describes.
func rebuild(r *Reading, own map[sui.ObjectID]sui.ObjectRef) (*sui.Transaction, error) {
	s := &sink{sui.Transaction{Sender: r.Account, Gas: sui.Gas{Owner: r.Account}}}
	in := Inputs{Types: r.Types, Shared: r.Shared, Values: map[string]string{}, Addresses: map[string]sui.Address{}}
	for name, text := range r.Values {
		in.Values[name] = text
	}
	for _, n := range r.Named {
		in.Addresses[n.Name] = n.Address
	}
	for _, o := range r.Own {
		in.Own = new(own[o.ID])
	}
	if len(r.Leaves) > 0 {
		from := sui.GasCoin
		if l := r.Leaves[0]; l.Coin != sui.SUI {
			from = s.Input(sui.OwnedInput{Ref: sui.ObjectRef{ID: sui.ObjectID{9}, Version: 1}})
		}
		amount := s.Input(sui.PureU64(uint64(r.Leaves[0].Most)))
		in.Paid = sui.NestedArg(len(s.tx.Commands), 0)
		s.Add(sui.SplitCoins{Coin: from, Amounts: []sui.Argument{amount}})
	}
	if f := r.Floors(); len(f) > 0 {
		in.Least = f[0].Least
	}
	built, err := r.Function.Build(s, in)
	if err != nil {
		return nil, err
	}
	home := built.Home
	if r.Function.Floor != nil && built.Coin != "" {
		home = append(home, built.Out)
	}
	if len(home) > 0 {
		s.Add(sui.TransferObjects{Objects: home, Recipient: s.Input(sui.PureAddress(r.Account))})
	}
	return &s.tx, nil
}

// TestBuildIsReadBack builds every vector that this program can build, and expects to read the same
// back.
func TestBuildIsReadBack(t *testing.T) {
	all, c, built := loadVectors(t), catalog(t), 0
	for _, v := range all.Valid {
		tx := v.decode(t)
		r, err := c.Read(tx)
		if err != nil || r.Function.Explain || r.Bound != nil {
			continue
		}
		own := map[sui.ObjectID]sui.ObjectRef{}
		for _, in := range tx.Inputs {
			if o, ok := in.(sui.OwnedInput); ok {
				own[o.Ref.ID] = o.Ref
			}
		}
		again, err := rebuild(r, own)
		if err != nil {
			t.Logf("%s: %v", v.Name, err)
			continue
		}
		got, err := c.Read(again)
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		if len(r.Calls) > len(got.Calls) {
			continue // an optional step
		}
		if a, b := terms(t, got), terms(t, r); a != b {
			t.Errorf("%s:\n%s\n%s", v.Name, a, b)
		}
		built++
	}
	if built < 13 {
		t.Errorf("only %d were built", built)
	}
}
