package tool

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"poolKey", "direction", "amountDisplay", "feeMode", "account"}
	for asked, want := range map[string]string{
		"pool_key": "poolKey", "pool": "poolKey", "POOLKEY": "poolKey", "poolKeys": "poolKey", "direktion": "direction",
		"amount": "amountDisplay", "acount": "account", "accountAddress": "account", "fee": "feeMode",
		"limit": "", "x": "", "": "", "좋아": "", "zzzzzzzzz": "",
	} {
		if got := nearest(asked, known); got != want {
			t.Errorf("%q is taken for %q, want %q", asked, got, want)
		}
	}
	if got := nearest("anything", nil); got != "" {
		t.Errorf("of no names: %q", got)
	}
}
