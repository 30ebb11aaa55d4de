package proof

import (
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestAmounts(t *testing.T) {
	w := newWorld(t, 4, 0)
	prove := func(t *testing.T, edit func(*sui.TransactionEffects)) *Outcome {
		t.Helper()
		e := worldEffects()
		if edit != nil {
			edit(e)
		}
		o, err := w.committee.Prove(w.claim(t, encode(t, e), 0))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	before, after := coinBytes(worldCoin, 11, 500), coinBytes(worldCoin, 12, 300)
	lost := sui.BalanceChange{Coin: sui.SUI, Amount: sui.Delta{Negative: true, Amount: 200}}
	t.Run("coins before and after", func(t *testing.T) {
		got, err := prove(t, nil).Amounts([][]byte{before, after})
		if err != nil || !slices.Equal(got, []sui.BalanceChange{lost}) {
			t.Errorf("%v %v", got, err)
		}
	})
	other := sui.MustAddress("0xc03")
	write := func(split bool, tag string, values ...uint64) sui.ChangedObject {
		return sui.ChangedObject{ID: other, After: sui.ObjectAfter{Kind: sui.AfterAccumulator,
			Accumulator: &sui.AccumulatorWrite{Address: other, Type: sui.MustTypeTag(tag), Split: split, Values: values}}}
	}
	balance := "0x2::balance::Balance<" + string(sui.SUI) + ">"
	for name, c := range map[string]struct {
		write sui.ChangedObject
		want  []sui.BalanceChange
	}{
		"a deposit to a balance": {write(false, balance, 200), []sui.BalanceChange{lost, {Owner: other, Coin: sui.SUI,
			Amount: sui.Delta{Amount: 200}}}},
		"a withdrawal from one": {write(true, balance, 7), []sui.BalanceChange{lost, {Owner: other, Coin: sui.SUI,
			Amount: sui.Delta{Negative: true, Amount: 7}}}},
		"a write that is no coin's": {write(false, "0x2::balance::Supply<"+string(sui.SUI)+">", 5),
			[]sui.BalanceChange{lost}},
		"two numbers": {write(false, balance, 5, 6), []sui.BalanceChange{lost}},
	} {
		t.Run(name, func(t *testing.T) {
			o := prove(t, func(e *sui.TransactionEffects) { e.Changed = append(e.Changed, c.write) })
			if got, err := o.Amounts([][]byte{before, after}); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v %v", got, err)
			}
		})
	}
	t.Run("an object that is no coin", func(t *testing.T) {
		b := append([]byte{0, 0}, make([]byte, 60)...) // of any struct
		o := prove(t, func(e *sui.TransactionEffects) {
			e.Changed = append(e.Changed, sui.ChangedObject{ID: other, After: sui.ObjectAfter{Kind: sui.AfterObject,
				Digest: sui.ObjectDigest(b), Owner: sui.Owner{Kind: sui.OwnerAddress}}})
		})
		if got, err := o.Amounts([][]byte{before, after, b}); err != nil || !slices.Equal(got, []sui.BalanceChange{lost}) {
			t.Errorf("%v %v", got, err)
		}
	})
	t.Run("what objects hold is nobody's", func(t *testing.T) {
		o := prove(t, func(e *sui.TransactionEffects) {
			e.Changed[0].Before.Owner.Kind, e.Changed[0].After.Owner.Kind = sui.OwnerObject, sui.OwnerObject
		})
		if list, err := o.Holdings(); err != nil || len(list) != 0 {
			t.Errorf("%v %v", list, err)
		}
	})
	t.Run("other bytes", func(t *testing.T) {
		_, err := prove(t, nil).Amounts([][]byte{before, coinBytes(worldCoin, 12, 301)})
		refused(t, err, 10, Mismatch)
		_, err = prove(t, nil).Amounts([][]byte{after, before})
		refused(t, err, 10, Mismatch)
	})
	t.Run("one is missing", func(t *testing.T) {
		_, err := prove(t, nil).Amounts([][]byte{before})
		refused(t, err, 10, Missing)
	})
	t.Run("too many to add up", func(t *testing.T) {
		o := prove(t, nil)
		for range mostRead {
			o.Effects.Changed = append(o.Effects.Changed, o.Effects.Changed[0])
		}
		_, err := o.Holdings()
		refused(t, err, 10, Missing)
	})
}
