package sui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestParseAccount(t *testing.T) {
	whole := "0x" + strings.Repeat("5a", 32)
	if a, err := ParseAccount(whole); err != nil || a.String() != whole {
		t.Errorf("%s: %v", a, err)
	}
	for text, digits := range map[string]string{"0x123": "has 3 of the 64 digits", whole[:64]: "has 62 of the 64 digits",
		whole + "0": "has 65 of the 64 digits", "": "64 hexadecimal digits", whole[2:]: "64 hexadecimal digits",
		whole[:65] + "g": "64 hexadecimal digits"} {
		_, err := ParseAccount(text)
		if !fault.Is(err, fault.InputInvalid) || !strings.Contains(fault.As(err).Text, digits) {
			t.Errorf("%q: %v", text, err)
		}
		var a Address
		if json.Unmarshal([]byte(`"`+text+`"`), &a) == nil {
			t.Errorf("JSON text %q is taken for %s", text, a)
		}
	}
}

func TestUnowned(t *testing.T) {
	for text, want := range map[string]bool{
		// the length of an Ethereum address
		"0x2": true, "0x123": true, "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed": true,
		"0x" + strings.Repeat("5a", 32): false, "0x" + strings.Repeat("5a", 31): false,
	} {
		if a := MustAddress(text); a.Unowned() != want {
			t.Errorf("%s: %v", a, !want)
		}
	}
}
