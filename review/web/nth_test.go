package web

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestNthRequest(t *testing.T) {
	for n, want := range map[int]string{1: "", 2: "", 3: "3rd", 5: "5th", 11: "11th", 12: "12th", 21: "21st", 22: "22nd",
		112: "112th"} {
		count := Nth(func(context.Context, sui.Address, time.Time) (int, error) { return n, nil })
		got, err := count.words(t.Context(), sui.MustAddress("0xa1"), time.Now())
		if want != "" {
			want = "This is the " + want + " request in ten minutes for this account."
		}
		if err != nil || got != want {
			t.Errorf("%d: %q, %v", n, got, err)
		}
	}
}
