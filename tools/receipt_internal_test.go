package tools

import "testing"

// TestShortReceipt checks that a summary omits only promises whose result was exact.
func TestShortReceipt(t *testing.T) {
	r := shownReceipt{Promises: []promiseSeen{
		{ID: "same", Promised: "nothing", Actual: "nothing", Kept: true},
		{ID: "less", Promised: "at most 10 SUI", Actual: "9 SUI", Kept: true},
		{ID: "broken", Promised: "at least 12 USDC", Actual: "11 USDC"},
		{ID: "unclear", Promised: "nobody", Actual: "nobody"},
	}}
	if got := kept(r.Promises); got != "2 of 4" {
		t.Error(got)
	}
	r.shorten()
	var left []string
	for _, p := range r.Promises {
		left = append(left, p.ID)
	}
	if len(left) != 3 || left[0] != "less" || left[1] != "broken" || left[2] != "unclear" {
		t.Error(left)
	}
}
