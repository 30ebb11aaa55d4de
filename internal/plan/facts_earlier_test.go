package plan

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Rows of builds that knew one step only are read as a transaction of one step, and
// written in the present form.
func TestFactsOfEarlierBuilds(t *testing.T) {
	amount := func(symbol, coin, raw, display string) string {
		return `{"symbol":"` + symbol + `","coinType":"` + coin + `","decimals":6,"rawAmount":"` + raw +
			`","displayAmount":"` + display + `"}`
	}
	short := regexp.MustCompile(`"0x[0-9a-f]"`) // ids are stored whole
	const call = `"package":"0x2","function":"m::f","typeArgs":[],"route":"","routeId":"0x0","commands":["One."],"lastEpoch":"5",
		"gas":{"budget":"1","price":"1","owner":"0xa","payment":[]}`
	a, b := amount("A", "0x5::a::A", "7", "0.000007"), amount("B", "0x5::b::B", "9", "0.000009")
	manager := `"terms":[{"name":"Balance manager","value":"0x` + strings.Repeat("77", 32) + `"}]`
	for name, c := range map[string]struct {
		text string
		rows string // role and bounds
	}{
		"a swap": {`"recipient":"0xa","spends":[` + a + `],"minimum":` + b, "input -7..0, output 9..<nil>"},
		"a swap with a fee's coin": {`"recipient":"0xa","spends":[` + a + `,` + amount("C", "0x5::c::C", "3", "0.000003") +
			`],"minimum":` + b, "input -7..0, fee -3..0, output 9..<nil>"},
		"a payment":    {`"recipient":"0xb","spends":[` + a + `]`, "input -7..-7, payment 7..7"},
		"a deposit":    {`"recipient":"0xa","spends":[` + a + `],` + manager, "input -7..-7, holding 7..7"},
		"a withdrawal": {`"recipient":"0xa","minimum":` + b + `,` + manager, "output 9..9, holding -9..-9"},
		"an order":     {`"recipient":"0xa","offers":[` + b + `],` + manager, "offer -9..0"},
		"nothing":      {`"recipient":"0xa"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var f Facts
			stored := short.ReplaceAllStringFunc(`{"sender":"0xa",`+c.text+`,`+call+`}`, func(id string) string {
				return `"` + sui.MustAddress(id[1:len(id)-1]).String() + `"`
			})
			if err := json.Unmarshal([]byte(stored), &f); err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, row := range f.Promise().Bounds() {
				rows = append(rows, string(row.Role)+" "+row.Least.String()+".."+row.Most.String())
			}
			if got := strings.Join(rows, ", "); got != c.rows || !f.Earlier || len(f.Steps) != 1 || f.LastEpoch != 5 ||
				f.Sender != sui.MustAddress("0xa") {
				t.Errorf("%q, want %q: %+v", got, c.rows, f)
			}
			text, err := json.Marshal(f)
			var again Facts
			if err == nil {
				err = json.Unmarshal(text, &again)
			}
			if err != nil || !again.Promise().Equal(f.Promise()) || strings.Contains(string(text), `"spends"`) {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
	t.Run("what a limit of a day kept of a release that is gone", func(t *testing.T) {
		var f Facts
		if err := json.Unmarshal([]byte(`{"spends":[`+a+`],"offers":[`+b+`],"steps":null}`), &f); err != nil {
			t.Fatal(err)
		}
		if got := f.Promise().Amounts(RoleInput, RoleOffer); len(got) != 2 || got[0].Raw != 7 || got[1].Raw != 9 {
			t.Errorf("%v", got)
		}
	})
}
