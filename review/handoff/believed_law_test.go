package handoff

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// A release that is believed dead neither bars another one nor holds its coins, and
// doing the same again still needs the person's tick.
func TestBelievedDeadBarsNothing(t *testing.T) {
	same, other := record.StepWish{Action: "pay", Amount: "5", Read: true}, record.StepWish{Action: "pay", Amount: "6", Read: true}
	sharing := record.Release{GasCoin: lawRef, Inputs: []sui.ObjectRef{lawCoin, lawRef}, BelievedAt: lawTime}
	coinless := record.Release{BelievedAt: lawTime}
	for name, c := range map[string]struct {
		open     record.Release
		wish     record.StepWish
		accepted []string
		reason   string
	}{
		"another wish on a shared coin":  {open: sharing, wish: other},
		"another wish beside a coinless": {open: coinless, wish: other},
		"the same wish":                  {open: sharing, wish: same, reason: "again"},
		"the same wish, ticked":          {open: sharing, wish: same, accepted: []string{"again:else"}},
		"the same wish of a coinless":    {open: coinless, wish: same, reason: "again"},
	} {
		t.Run(name, func(t *testing.T) {
			open := []record.OpenRelease{{Review: "else", Action: "other", ChainID: "chain", Release: c.open}}
			_, err := handBeside(open, nil, c.wish, c.accepted...)
			if f := fault.As(err); (err != nil) != (c.reason != "") || err != nil && f.Detail.Get("reason") != c.reason {
				t.Errorf("%v", err)
			}
		})
	}
}
