package floor

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/floorcheck"
)

// unseen builds a use of a function in a shape that no vector has: different amounts, coins that are
// merged first, and a separate transfer for each result, in reverse order.
func unseen(t *testing.T, rnd *rand.Rand, r *Reading, own map[sui.ObjectID]sui.ObjectRef) (*sui.Transaction, bool) {
	t.Helper()
	s := &sink{sui.Transaction{Sender: r.Account, Expiration: sui.EpochExpiration{Epoch: 1 + rnd.Uint64N(999)},
		Gas: sui.Gas{Owner: r.Account, Payment: []sui.ObjectRef{{ID: sui.ObjectID{8}, Version: 1}}, Price: 1 +
			rnd.Uint64N(999),
			Budget: 1 + rnd.Uint64N(9e6)}}}
	in := Inputs{Types: r.Types, Shared: r.Shared, Values: map[string]string{}, Addresses: map[string]sui.Address{}}
	maps.Copy(in.Values, r.Values)
	for _, n := range r.Named {
		in.Addresses[n.Name] = n.Address
	}
	for _, o := range r.Own {
		in.Own = new(own[o.ID])
	}
	if len(r.Leaves) > 0 {
		from := sui.GasCoin
		if r.Leaves[0].Coin != sui.SUI {
			from = s.Input(sui.OwnedInput{Ref: sui.ObjectRef{ID: sui.ObjectID{9}, Version: 1}})
		}
		merge := sui.MergeCoins{Into: from}
		for i := range rnd.IntN(3) {
			merge.Sources = append(merge.Sources, s.Input(sui.OwnedInput{Ref: sui.ObjectRef{ID: sui.ObjectID{10, byte(i)},
				Version: 1}}))
		}
		if len(merge.Sources) > 0 {
			s.Add(merge)
		}
		in.Paid = sui.NestedArg(s.Next(), 0)
		s.Add(sui.SplitCoins{Coin: from, Amounts: []sui.Argument{s.Input(sui.PureU64(1e9 + rnd.Uint64N(9e12)))}})
	}
	if len(r.Floors()) > 0 {
		in.Least = sui.Raw(1 + rnd.Uint64N(9e12))
	}
	built, err := r.Function.Build(s, in)
	if err != nil {
		return nil, false
	}
	back := built.Home
	if r.Function.Floor != nil && built.Coin != "" {
		back = append(back, built.Out)
	}
	for _, o := range slices.Backward(back) {
		s.Add(sui.TransferObjects{Objects: []sui.Argument{o}, Recipient: s.Input(sui.PureAddress(r.Account))})
	}
	return &s.tx, true
}

// TestDescribeUnseen describes transactions unlike any vector, and compares the amounts with those of
// an independent checker.
func TestDescribeUnseen(t *testing.T) {
	all, c := loadVectors(t), catalog(t)
	rnd, described := rand.New(rand.NewPCG(7, 7)), map[string]int{}
	packages := map[string]bool{}
	for _, p := range c.Protocols {
		for _, known := range p.Packages {
			packages[known.Published.String()] = true
		}
	}
	for _, v := range all.Valid {
		first := v.decode(t)
		r, err := c.Read(first)
		if err != nil || r.Function.Explain || r.Bound != nil || len(r.Leaves) > 1 {
			continue
		}
		own := map[sui.ObjectID]sui.ObjectRef{}
		for _, in := range first.Inputs {
			if o, ok := in.(sui.OwnedInput); ok {
				own[o.Ref.ID] = o.Ref
			}
		}
		for range 20 {
			tx, ok := unseen(t, rnd, r, own)
			if !ok {
				break
			}
			raw, err := tx.Encode()
			if err != nil {
				t.Fatal(err)
			}
			truth, err := floorcheck.Of(raw, packages)
			if err != nil {
				t.Fatal(err)
			}
			d := Describe(tx)
			if len(d.Summary) == 0 {
				t.Errorf("%s: not described: %v", v.Name, d.Warnings)
				break
			}
			for coin, n := range truth.Leaves {
				if text := amountText(sui.Raw(n), sui.CoinType(coin), Name); !strings.Contains(strings.Join(d.Summary, " "), text) {
					t.Errorf("%s: %q lacks what leaves, %s", v.Name, d.Summary, text)
				}
			}
			for coin, n := range truth.Floors {
				if text := "at least " + amountText(sui.Raw(n), sui.CoinType(coin), Name); !strings.Contains(d.Summary[0],
					text) {
					t.Errorf("%s: %q lacks %q", v.Name, d.Summary[0], text)
				}
			}
			if truth.Unfloored && !slices.Contains(d.Warnings, WarningText(NoMinimum)) {
				t.Errorf("%s: %q, warnings %q", v.Name, d.Summary, d.Warnings)
			}
			described[r.Function.ID]++
		}
	}
	if len(described) < 13 {
		t.Errorf("only %v were described", described)
	}
}
