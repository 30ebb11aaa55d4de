package readback_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// TestMade reads two created objects and the commands that must share them.
func TestMade(t *testing.T) {
	makes := sui.MoveCall{Package: sui.MustAddress("0xdee9"), Module: "safe", Function: "new"}
	share := func(a sui.Argument) sui.MoveCall {
		return sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "transfer", Function: "public_share_object",
			TypeArgs: []sui.TypeTag{sui.MustTypeTag("0xdee9::safe::Safe")}, Arguments: []sui.Argument{a}}
	}
	first, second := sui.ResultArg(0), sui.ResultArg(1)
	other := share(second)
	other.TypeArgs = []sui.TypeTag{sui.MustTypeTag("0xdee9::safe::Cap")}
	for name, c := range map[string]struct {
		after []sui.Command
		good  bool
	}{
		"both are shared, in their order": {[]sui.Command{share(first), share(second)}, true},
		"in another order":                {[]sui.Command{share(second), share(first)}, false},
		"one is not":                      {[]sui.Command{share(first)}, false},
		"none is":                         {nil, false},
		"one is twice":                    {[]sui.Command{share(first), share(first)}, false},
		"and one of them once more":       {[]sui.Command{share(first), share(second), share(first)}, false},
		"as another type":                 {[]sui.Command{share(first), other}, false},
		"something stands between":        {[]sui.Command{share(first), makes, share(second)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := readback.New(&sui.Transaction{Commands: append([]sui.Command{makes, makes}, c.after...)})
			for _, a := range []sui.Argument{first, second} {
				r.Next()
				r.Make(a, share(a), "Share it.")
				r.NextStep()
			}
			if r.Made(first) != 1 || r.Made(second) != 2 || r.Made(sui.NestedArg(0, 0)) != 0 || r.Made(sui.InputArg(0)) != 0 {
				t.Errorf("%d %d", r.Made(first), r.Made(second))
			}
			words, err := r.Shares()
			if err == nil {
				err = r.End()
			}
			if (err == nil) != c.good || c.good && len(words) != 2 {
				t.Errorf("%v %q", err, words)
			}
		})
	}
	t.Run("nobody looks for what shares it", func(t *testing.T) {
		r := readback.New(&sui.Transaction{Commands: []sui.Command{makes}})
		r.Next()
		r.Make(first, share(first), "")
		if r.End() == nil {
			t.Error("it ends well")
		}
	})
}
