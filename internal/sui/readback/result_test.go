package readback_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

func TestResults(t *testing.T) {
	make1 := sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "zero"}
	takes := sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "burn",
		Arguments: []sui.Argument{sui.ResultArg(0)}}
	kept := readback.Result{Value: sui.ResultArg(0), Coin: sui.SUI, Least: 5}
	begin := func(commands ...sui.Command) *readback.Reader {
		r := readback.New(&sui.Transaction{Commands: commands})
		r.Next()
		if _, err := r.SentOrKept(kept, kept.Value); err != nil {
			t.Fatal(err)
		}
		if k, ok := r.Kept(); !ok || k.Step != 1 {
			t.Fatalf("%+v", k)
		}
		r.NextStep()
		return r
	}
	t.Run("is taken by the next step", func(t *testing.T) {
		r := begin(make1, takes)
		f, err := r.Funded()
		if err != nil || f.Step != 1 || f.Amount != 5 || !f.Pays(sui.SUI) || f.Result != kept.Value {
			t.Errorf("%+v %v", f, err)
		}
		r.Next()
		if taken, ok := r.Taken(); !ok || taken.Least != 5 || r.End() != nil {
			t.Errorf("%+v", taken)
		}
	})
	t.Run("is taken by nobody", func(t *testing.T) {
		r := begin(make1)
		if r.End() == nil {
			t.Error("it ends well")
		}
	})
}

// TestParts splits parts off a result. One step must use each.
func TestParts(t *testing.T) {
	out := sui.ResultArg(0)
	makes := sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "zero"}
	takes := func(a sui.Argument) sui.Command {
		return sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "burn", Arguments: []sui.Argument{a}}
	}
	run := func(amount uint64, after ...sui.Command) (*readback.Reader, error) {
		commands := append([]sui.Command{makes, sui.SplitCoins{Coin: out, Amounts: []sui.Argument{sui.InputArg(0)}}},
			after...)
		r := readback.New(&sui.Transaction{Inputs: []sui.Input{sui.PureU64(amount)}, Commands: commands})
		r.Next()
		_, err := r.SentOrKept(readback.Result{Value: out, Coin: sui.SUI, Least: 5}, out)
		return r, err
	}
	r, err := run(2, takes(sui.NestedArg(1, 0)), takes(out))
	if err != nil {
		t.Fatal(err)
	}
	if parts := r.Parts(); len(parts) != 1 || parts[0].Part != 1 || !parts[0].Exact || parts[0].Least != 2 {
		t.Errorf("%+v", parts)
	}
	if k, ok := r.Kept(); !ok || k.Least != 3 || !k.Rest {
		t.Errorf("%+v", k)
	}
	for i, want := range []struct {
		least sui.Raw
		part  int
	}{{2, 1}, {3, 0}} {
		r.NextStep()
		f, err := r.Funded()
		r.Next()
		if err != nil || f.Step != 1 || f.Part != want.part || f.Amount != want.least || len(r.Parts()) != 0 {
			t.Errorf("step %d: %+v %v", i+2, f, err)
		}
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
	for _, amount := range []uint64{0, 5, 6} {
		if _, err := run(amount); err == nil {
			t.Errorf("%d of at least 5 is split off", amount)
		}
	}
	if r, _ := run(2, takes(out)); r.End() == nil {
		t.Error("a part that nobody takes")
	}
}
