package marks_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/web/marks"
)

func TestCoin(t *testing.T) {
	if got := string(marks.Coin("USDC", true)); !strings.Contains(got, `fill="#4744b8"`) || !strings.Contains(got, ">U<") {
		t.Errorf("USDC has the mark %s", got)
	}
	for _, imitation := range []string{string(marks.Coin("USDC", false)), string(marks.Coin("<b>", true)),
		string(marks.Coin("", true))} {
		if !strings.Contains(imitation, "unlisted") || strings.Contains(imitation, "fill=") || strings.Contains(imitation,
			"<b>") {
			t.Errorf("an unlisted coin has the mark %s", imitation)
		}
	}
}

func TestIdentity(t *testing.T) {
	one := "0x" + strings.Repeat("a1", 32)
	if marks.Identity(one) != marks.Identity(strings.ToUpper(one)) {
		t.Error("the same address has two patterns")
	}
	seen := map[string]bool{}
	for _, last := range "0123456789abcdef" {
		seen[string(marks.Identity(one[:65]+string(last)))] = true
	}
	if len(seen) != 16 {
		t.Errorf("16 addresses that differ in the last digit have %d patterns", len(seen))
	}
}

func TestIcon(t *testing.T) {
	if _, err := marks.Icon("check"); err != nil {
		t.Error(err)
	}
	if _, err := marks.Icon("nothing"); err == nil {
		t.Error("an unknown icon was drawn")
	}
}

func TestInitial(t *testing.T) {
	for name, letter := range map[string]string{"slush": ">S<", "": ">?<", "<script>": ">&lt;<"} {
		if got := string(marks.Initial(name)); !strings.Contains(got, letter) {
			t.Errorf("%q has the mark %s", name, got)
		}
	}
}
