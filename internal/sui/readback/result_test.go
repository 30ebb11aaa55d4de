package readback_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

func TestResults(t *testing.T) {
	make1 := sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "zero"}
	takes := sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "burn", Arguments: []sui.Argument{sui.ResultArg(0)}}
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
