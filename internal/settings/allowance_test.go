package settings_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/store"
)

const (
	alice = "0x00000000000000000000000000000000000000000000000000000000000a11ce"
	bob   = "0x0000000000000000000000000000000000000000000000000000000000000b0b"
)

func service(t *testing.T) (*settings.Service, *store.DB) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{Dir: t.TempDir(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return settings.New(settings.Config{
		Store:     db,
		Protocols: []policy.Protocol{{Slug: "deep", Name: "DeepBookV3"}, {Slug: "flowx", Name: "FlowX"}},
	}), db
}

func text(most string, protocols, recipients []string) policy.AllowanceText {
	a := policy.AllowanceText{Protocols: protocols, Recipients: recipients}
	if most != "" {
		a.PerTransaction = []policy.LimitText{{Coin: sui.SUI, Most: sui.Decimal(most)}}
	}
	return a
}

// TestLooserOrTighter checks that a change that allows more must be confirmed, and one that allows
// less must not.
func TestLooserOrTighter(t *testing.T) {
	for _, c := range []struct {
		name    string
		old     policy.AllowanceText
		now     policy.AllowanceText
		looser  bool
		changes int
	}{
		{"a first limit", text("", nil, nil), text("5", nil, nil), false, 1},
		{"a lower limit", text("5", nil, nil), text("4.999999999", nil, nil), false, 1},
		{"a limit of nothing", text("5", nil, nil), text("0", nil, nil), false, 1},
		{"a higher limit", text("5", nil, nil), text("5.000000001", nil, nil), true, 1},
		{"no limit any more", text("5", nil, nil), text("", nil, nil), true, 1},
		{"the same in another spelling", text("5", nil, nil), text("5.0", nil, nil), false, 0},
		{"one protocol of all", text("", nil, nil), text("", []string{"deep"}, nil), false, 1},
		{"one protocol less", text("", []string{"deep", "flowx"}, nil), text("", []string{"flowx"}, nil), false, 1},
		{"one protocol more", text("", []string{"deep"}, nil), text("", []string{"deep", "flowx"}, nil), true, 1},
		{"another protocol", text("", []string{"deep"}, nil), text("", []string{"flowx"}, nil), true, 1},
		{"all protocols", text("", []string{"deep"}, nil), text("", nil, nil), true, 1},
		{"one recipient of all", text("", nil, nil), text("", nil, []string{alice}), false, 1},
		{"another recipient", text("", nil, []string{alice}), text("", nil, []string{bob}), true, 1},
		{"every recipient", text("", nil, []string{alice}), text("", nil, nil), true, 1},
		{"tighter and looser at once", text("5", nil, []string{alice}), text("1", nil, []string{alice, bob}), true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, db := service(t)
			if out, err := s.SetAllowance(t.Context(), c.old, ""); err != nil || !out.Done {
				t.Fatalf("%+v, %v", out, err)
			}
			before, _ := db.Settings(t.Context())
			out, err := s.SetAllowance(t.Context(), c.now, "")
			if err != nil || out.Done == c.looser || len(out.Changes) != c.changes {
				t.Fatalf("%+v, %v", out, err)
			}
			after, _ := db.Settings(t.Context())
			if stayed := strings.Join(words(before), " ") == strings.Join(words(after), " "); stayed != (c.looser ||
				c.changes == 0) {
				t.Errorf("stored %+v, then %+v", before, after)
			}
			if !c.looser {
				return
			}
			if out, err = s.SetAllowance(t.Context(), c.now, out.Confirm); err != nil || !out.Done {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

func words(s settings.Stored) []string {
	var out []string
	for _, l := range s.Allowance.PerTransaction {
		out = append(out, l.Most.String())
	}
	out = append(append(out, "|"), s.Allowance.Protocols...)
	for _, a := range s.Allowance.Recipients {
		out = append(out, a.String())
	}
	return out
}

// TestAllowance checks that reviews read the stored limits, and that nothing is allowed if the
// store cannot be read.
func TestAllowance(t *testing.T) {
	s, db := service(t)
	if _, err := s.SetAllowance(t.Context(), text("5", []string{"deep"}, []string{alice}), ""); err != nil {
		t.Fatal(err)
	}
	got, err := s.Allowance(t.Context())
	if err != nil || len(got.PerTransaction) != 1 || got.PerTransaction[0] != (policy.CoinLimit{CoinType: sui.SUI,
		Most: 5_000_000_000}) ||
		got.Protocols[0] != "deep" || got.Recipients[0].String() != alice {
		t.Errorf("%+v, %v", got, err)
	}
	_ = db.Close()
	if _, err := s.Allowance(t.Context()); err == nil {
		t.Error("a store that is closed allows everything")
	}
}
