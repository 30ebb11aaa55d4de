package actions_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/actions"
)

const (
	foreignHex     = "0xfeedc0ffee0123456789abcdef"
	foreignPayload = "aGVsbG8gdGhlcmUsIHNlY3JldCBtYXRlcmlhbA=="
)

func foreign(id, more string, steps ...string) string {
	var list []string
	for i, material := range steps {
		list = append(list, fmt.Sprintf(`{"id":"s%d","sequence":%d,"chain":"Sui",%s}`, i, i, material))
	}
	return fmt.Sprintf(`{"id":%q,"type":"sign_transaction_bundle","params":{"transactions":[%s]%s},"auto_execute":true}`,
		id, strings.Join(list, ","), more)
}

func TestMaterial(t *testing.T) {
	dir := t.TempDir()
	b := &requests{over: map[string]ending{}}
	p := with(t, dir, b)
	const inHex = `"unsigned_tx_hex":"` + foreignHex +
		`","chain_context":{"chain_id":"sui:mainnet","tx_type":"transaction_kind"},"tx_details":{"to":"` + alice +
		`","value":"5","token_symbol":"SUI","amount_human":"0.5 SUI"}`
	const inPayload = `"keysign_payload":"` + foreignPayload + `"`
	result := func(id string) (r actions.Result, there bool) {
		t.Helper()
		rows, err := p.Results(t.Context(), trusted.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.ID == id {
				return r, json.Unmarshal(row.Result, &r) == nil
			}
		}
		return r, false
	}
	t.Run("none is read before the person allows it", func(t *testing.T) {
		if a := p.run(t, trusted, foreign("off", "", inHex)); !a.Accepted {
			t.Errorf("%+v", a)
		}
		if r, ok := result("off"); !ok || r.Error != "external_material_disabled" || !strings.Contains(string(r.Data),
			"settings page") || len(b.asked) != 0 {
			t.Errorf("%+v %s", r, r.Data)
		}
	})
	b.material = true
	t.Run("R000-27 R000-36 one becomes a review, whose end is the result", func(t *testing.T) {
		if a := p.run(t, trusted, foreign("one", `,"skip_approval":true`, inHex)); !a.Accepted || a.Result.ActionID != "one" {
			t.Fatalf("%+v", a)
		}
		if got := *b.asked[0].Steps[0].Material; got != (actions.Material{Hex: foreignHex, ChainID: "sui:mainnet", Kind: true,
			To: alice, Value: "5", Symbol: "SUI", Amount: "0.5 SUI"}) {
			t.Errorf("%+v", got)
		}
		if _, there := result("one"); there {
			t.Fatal("there is a result before the review is over")
		}
		if pending, err := p.open(t.Context(), trusted.ID); err != nil || !pending {
			t.Error(pending, err)
		}
		for range 2 { // repeating it returns the same review, also in another process
			if a := with(t, dir, b).run(t, trusted, foreign("one", `,"skip_approval":true`, inHex)); !a.Accepted {
				t.Errorf("%+v", a)
			}
		}
		if offered, err := p.Waiting(t.Context(), 0); err != nil || len(offered) != 0 {
			t.Errorf("a frontend is shown it: %+v %v", offered, err)
		}
		b.over["bundle-1"] = ending{data: "D1"}
		if r, there := result("one"); !there || !r.Success || string(r.Data) != `"D1"` {
			t.Errorf("%+v %s", r, r.Data)
		}
		if pending, _ := p.open(t.Context(), trusted.ID); pending || b.kept != 1 || len(b.asked) != 1 {
			t.Errorf("%v, %d requests, judged %d times", pending, b.kept, len(b.asked))
		}
	})
	t.Run("a review that ends without success", func(t *testing.T) {
		p.run(t, trusted, foreign("no", "", inPayload))
		b.over["bundle-2"] = ending{data: "declined", why: actions.UserRejected}
		if r, there := result("no"); !there || r.Success || r.Error != actions.UserRejected ||
			string(r.Data) != `"declined"` {
			t.Errorf("%+v %s", r, r.Data)
		}
	})
	t.Run("what is refused says why", func(t *testing.T) {
		p.run(t, trusted, foreign("bad", "", strings.Replace(inHex, `"5"`, `"wrong"`, 1)))
		if r, there := result("bad"); !there || r.Error != "details_mismatch" || !strings.Contains(string(r.Data),
			`"message":"tx_details.value disagrees."`) {
			t.Errorf("%+v %s", r, r.Data)
		}
	})
	t.Run("R000-26 R000-27 several are one bundle, judged whole before any of it is kept", func(t *testing.T) {
		read := len(b.asked)
		if a := p.run(t, trusted, foreign("two", "", inHex, inPayload)); !a.Accepted {
			t.Errorf("%+v", a)
		}
		if _, there := result("two"); there || len(b.asked) != read+1 ||
			b.asked[read].Steps[0].Material.Hex != foreignHex ||
			b.asked[read].Steps[1].Material.Payload != foreignPayload {
			t.Errorf("%+v", b.asked)
		}
		b.over["bundle-3"] = ending{data: map[string]any{"bundle_success": true}}
		if r, there := result("two"); !there || !r.Success || string(r.Data) != `{"bundle_success":true}` {
			t.Errorf("%+v %s", r, r.Data)
		}
	})
	t.Run("the AI client of this process sends none", func(t *testing.T) {
		if r, err := p.Do(t.Context(), actions.SignBundle,
			json.RawMessage(`{"transactions":[{"id":"a","sequence":0,"chain":"Sui",`+inHex+`}]}`)); err != nil ||
			r.Error != actions.MaterialOff {
			t.Errorf("%+v %v", r, err)
		}
	})
	t.Run("nothing of the material is stored, not even in the log of the database", func(t *testing.T) {
		found := 0
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			text := string(b)
			for _, secret := range []string{foreignHex[2:], foreignPayload, "hello there, secret", "\xfe\xed\xc0\xff\xee"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s holds %q", path, secret)
				}
			}
			if strings.Contains(text, "bundle-1") || strings.Contains(text, `"D1"`) {
				found++
			}
			return err
		})
		if err != nil || found == 0 {
			t.Error("nothing was looked through", err)
		}
	})
}
