package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const settingsID = "settings-page-1"

type fields = map[string]any

// settingsCall posts to the settings page's API as the page does.
func (r *rig) settingsCall(token, what string, body any) answer {
	r.t.Helper()
	return r.do("POST", "/api/settings/"+settingsID+"/"+what, token, body)
}

// limits returns the smallest complete body of the limits form.
func limits(edit func(fields)) fields {
	f := fields{"perTransaction": []fields{}, "perDay": []fields{}, "protocols": []string{}, "recipients": []string{},
		"everyProtocol": true, "everyRecipient": true}
	if edit != nil {
		edit(f)
	}
	return f
}

func perTransaction(most string) func(fields) {
	return func(f fields) { f["perTransaction"] = []fields{{"coin": sui.SUI, "most": most}} }
}

// turnedOn reports whether a switch is stored as on.
func (r *rig) turnedOn(w settings.Switch) bool { return r.stored().Switches[w] == settings.On }

func (r *rig) stored() settings.Stored {
	r.t.Helper()
	s, err := r.db.Settings(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestSettingsEndpoints(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	save := func(which, url, confirm string) answer {
		t.Helper()
		return r.settingsCall(token, "endpoint", fields{"which": which, "url": url, "confirm": confirm})
	}
	t.Run("R004-462 an address is shown as old and new, then stored", func(t *testing.T) {
		asked := save("grpc", " HTTPS://Here.Example:443/ ", "")
		if asked.status != http.StatusOK || asked.text("done") != "false" || !strings.Contains(asked.body, "4c78adac") ||
			!strings.Contains(asked.body, `"new":"https://here.example"`) || !strings.Contains(asked.body,
			"127.0.0.1:9000 (default)") {
			t.Fatalf("%d %s", asked.status, asked.body)
		}
		if r.stored().Addresses[settings.GRPC] != "" {
			t.Fatal("it was stored before the person confirmed")
		}
		if a := save("grpc", "https://elsewhere.example", asked.text("confirm")); a.text("done") != "false" {
			t.Error("a confirmation of one address stored another one")
		}
		done := save("grpc", "https://here.example", asked.text("confirm"))
		t.Run("R004-469 it applies after a restart, and says so", func(t *testing.T) {
			if done.text("done") != "true" || r.stored().Addresses[settings.GRPC] != "https://here.example" ||
				!strings.Contains(done.text("says"), "restarts") {
				t.Errorf("%s, stored %+v", done.body, r.stored())
			}
			const button = `data-action="restart"`
			if view := r.do("GET", "/api/settings/"+settingsID+"/view", token, nil).body; strings.Contains(view, button) ||
				!strings.Contains(view, "restart your AI client") {
				t.Error("a server that ends with its client offers to start again")
			}
			if a := r.settingsCall(token, "restart", fields{}); a.status != http.StatusConflict {
				t.Errorf("such a server: %d %s", a.status, a.body)
			}
			restarts := 0
			again := *r
			again.host = ""
			again.serve(func(c *config) { c.Restart = func() { restarts++ } })
			if view := again.do("GET", "/api/settings/"+settingsID+"/view", token, nil).body; !strings.Contains(view, button) {
				t.Error("the page does not offer to start the server again")
			}
			if a := again.settingsCall(token, "restart", fields{}); a.status != http.StatusOK || restarts != 1 {
				t.Errorf("%d %s, started again %d times", a.status, a.body, restarts)
			}
		})
	})
	t.Run("R004-463 the default is restored", func(t *testing.T) {
		asked := save("grpc", "", "")
		if done := save("grpc", "", asked.text("confirm")); done.text("done") != "true" ||
			r.stored().Addresses[settings.GRPC] != "" {
			t.Errorf("%s then %s", asked.body, done.body)
		}
	})
	t.Run("what the environment overrides is said", func(t *testing.T) {
		asked := save("graphql", "https://here.example/graphql", "")
		if done := save("graphql", "https://here.example/graphql",
			asked.text("confirm")); !strings.Contains(done.text("says"), "no effect") {
			t.Error(done.body)
		}
	})
	for w := range settings.Count {
		about := w.Info()
		t.Run("R004-462 R004-463 every address is stored and restored: "+about.Code, func(t *testing.T) {
			url := "https://" + about.Code + ".example"
			asked := save(about.Code, url, "")
			// Only services that prove their chain are queried.
			if chain := strings.Contains(asked.body, "4c78adac"); chain != (about.Proof != settings.NoProof) ||
				!strings.Contains(asked.body, about.Label()) {
				t.Errorf("%d %s", asked.status, asked.body)
			}
			if done := save(about.Code, url, asked.text("confirm")); done.text("done") != "true" ||
				r.stored().Addresses[w] != url {
				t.Errorf("%s, stored %+v", done.body, r.stored())
			}
			view := r.do("GET", "/api/settings/"+settingsID+"/view", token, nil).body
			if !strings.Contains(view, `value="`+url+`"`) || !strings.Contains(view, about.Hint) {
				t.Error(view)
			}
			asked = save(about.Code, "", "")
			if done := save(about.Code, "", asked.text("confirm")); done.text("done") != "true" ||
				r.stored().Addresses[w] != "" {
				t.Errorf("%s then %s", asked.body, done.body)
			}
		})
	}
	t.Run("an address of nothing known is refused", func(t *testing.T) {
		for _, which := range []string{"", "oracle", "0"} {
			if a := save(which, "https://here.example", ""); a.status != http.StatusBadRequest ||
				!strings.Contains(a.text("error.message"), "grpc, second") {
				t.Errorf("%q: %d %s", which, a.status, a.body)
			}
		}
	})
	t.Run("the second node is another one than the first", func(t *testing.T) {
		same := func(which, url string) {
			t.Helper()
			if a := save(which, url, ""); a.status != http.StatusBadRequest || !strings.Contains(a.text("error.message"),
				"would be the same") {
				t.Errorf("%d %s", a.status, a.body)
			}
		}
		same("second", "http://127.0.0.1:9000/") // the default of the first node
		r.set(func(s *settings.Stored) { s.Addresses[settings.Second] = "https://here.example" })
		same("grpc", "https://Here.example:443")
		if a := save("archive", "https://here.example", ""); a.text("confirm") == "" {
			t.Errorf("an archive may be one of the two: %s", a.body)
		}
		asked := save("grpc", "https://other.example", "")
		r.set(func(s *settings.Stored) { s.Addresses[settings.Second] = "https://other.example" })
		if late := save("grpc", "https://other.example", asked.text("confirm")); late.text("done") == "true" ||
			r.stored().Addresses[settings.GRPC] != "" {
			t.Errorf("%d %s", late.status, late.body)
		}
		r.set(func(s *settings.Stored) { s.Addresses[settings.Second] = "" })
	})
	t.Run("a bad address is refused with its reason and nothing is stored", func(t *testing.T) {
		for url, says := range map[string]string{
			"http://here.example": "needs https", "https://alice:secret@here.example": "user name",
			"https://here.example?key=1": "? or #",
			"https://10.0.0.1":           "private or reserved", "https://169.254.169.254": "private or reserved",
			"https://localhost":       "127.0.0.1",
			"https://here.example:22": "Port 22", "https://inside.example": "resolves to 169.254.169.254",
			"https://nobody.test": "look up",
			"https://far.example": "another chain", "ftp://here.example": "start with https", "https://0x7f.1": "plain",
		} {
			a := save("grpc", url, "")
			if a.status < 400 || !strings.Contains(a.text("error.message"), says) || strings.Contains(a.body, "secret@") {
				t.Errorf("%s: %d %s", url, a.status, a.body)
			}
		}
		if r.stored().Addresses[settings.GRPC] != "" {
			t.Error(r.stored())
		}
	})
	t.Run("R004-470 the page says that nodes can mislead", func(t *testing.T) {
		if view := r.do("GET", "/api/settings/"+settingsID+"/view", token, nil); !strings.Contains(view.body,
			"Use one that you trust") ||
			strings.Contains(view.body, "hunter2") || strings.Contains(view.body, "s3cret") {
			t.Error(view.body)
		}
	})
}

func TestSettingsLimits(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	save := func(f fields) answer { t.Helper(); return r.settingsCall(token, "limits", f) }
	t.Run("tightening is done at once", func(t *testing.T) {
		if a := save(limits(perTransaction("10.5"))); a.text("done") != "true" ||
			r.stored().Allowance.PerTransaction[0].Most != 10_500_000_000 {
			t.Errorf("%s, %+v", a.body, r.stored())
		}
		if a := save(limits(perTransaction("2"))); a.text("done") != "true" {
			t.Error(a.body)
		}
	})
	for name, looser := range map[string]fields{
		"raising a limit": limits(perTransaction("3")), "removing a limit": limits(nil),
	} {
		t.Run(name+" names old and new and waits", func(t *testing.T) {
			asked := save(looser)
			if asked.text("done") != "false" || !strings.Contains(asked.body, `"old":"2 SUI"`) ||
				r.stored().Allowance.PerTransaction[0].Most != 2_000_000_000 {
				t.Fatalf("%s, %+v", asked.body, r.stored())
			}
			looser["confirm"] = "guess"
			if a := save(looser); a.text("done") != "false" {
				t.Error("any word confirms")
			}
		})
	}
	t.Run("a confirmed loosening is stored and woken", func(t *testing.T) {
		watch := r.hub.Watch(events.Subject{Kind: events.Settings})
		defer watch.Close()
		f := limits(perTransaction("3"))
		f["confirm"] = save(f).text("confirm")
		if a := save(f); a.text("done") != "true" || r.stored().Allowance.PerTransaction[0].Most != 3_000_000_000 {
			t.Errorf("%s, %+v", a.body, r.stored())
		}
		select {
		case <-watch.C:
		default:
			t.Error("nobody was woken")
		}
		entries, err := r.db.JournalSince(t.Context(), events.Settings, "", 0)
		if err != nil || entries[len(entries)-1].To != "allowance" || entries[len(entries)-1].What != "set" {
			t.Errorf("%+v, %v", entries, err)
		}
	})
	t.Run("a confirmation of an older state is refused or asked again", func(t *testing.T) {
		f := limits(perTransaction("4"))
		f["confirm"] = save(f).text("confirm")
		save(limits(perTransaction("1")))
		if a := save(f); a.text("done") != "false" || r.stored().Allowance.PerTransaction[0].Most != 1_000_000_000 {
			t.Errorf("%s, %+v", a.body, r.stored())
		}
	})
	t.Run("an allow list that would be empty has to be meant", func(t *testing.T) {
		before := r.stored()
		for _, f := range []fields{limits(func(f fields) { f["everyProtocol"] = false }),
			limits(func(f fields) { f["everyRecipient"] = false })} {
			if a := save(f); a.status != http.StatusBadRequest {
				t.Error(a.body)
			}
		}
		if after := r.stored(); len(after.Allowance.PerTransaction) != len(before.Allowance.PerTransaction) {
			t.Error(after)
		}
	})
	t.Run("bad input is refused by name", func(t *testing.T) {
		for says, edit := range map[string]func(fields){
			"as a decimal number": perTransaction("ten"), "9 decimals": perTransaction("0.0000000001"),
			"larger than": perTransaction("99999999999999"),
			"two limits": func(f fields) {
				f["perDay"] = []fields{{"coin": sui.SUI, "most": "1"}, {"coin": sui.SUI,
					"most": "2"}}
			},
			"full type":      func(f fields) { f["perDay"] = []fields{{"coin": "USDC", "most": "1"}} },
			"smallest units": func(f fields) { f["perDay"] = []fields{{"coin": "0x2::x::X", "most": "1.5"}} },
			"for one coin": func(f fields) {
				f["perDay"] = []fields{{"coin": "0x02::x::X", "most": "1"}, {"coin": "0x2::x::X", "most": "2"}}
			},
			"Unknown protocol": func(f fields) {
				f["everyProtocol"], f["protocols"] = false, []string{"nobody"}
			},
			"full Sui address": func(f fields) { f["everyRecipient"], f["recipients"] = false, []string{"0xa11ce"} },
			"is not known":     func(f fields) { f["more"] = true },
		} {
			if a := save(limits(edit)); a.status != http.StatusBadRequest || !strings.Contains(a.text("error.message"), says) {
				t.Errorf("%s: %d %s", says, a.status, a.body)
			}
		}
	})
}

// TestSettingsUsedAndLeft checks that the page shows how much of a daily limit is used and left.
func TestSettingsUsedAndLeft(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	r.settingsCall(token, "limits", limits(func(f fields) { f["perDay"] = []fields{{"coin": sui.SUI, "most": "20"}} }))
	view := r.do("GET", "/api/settings/"+settingsID+"/view", token, nil).body
	if !strings.Contains(view, "0 SUI used in the last 24 hours, 20 SUI left") {
		t.Error("the page does not say it")
	}
}

func TestSettingsLimitOfAnotherCoin(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	a := r.settingsCall(token, "limits", limits(func(f fields) {
		f["perDay"] = []fields{{"coin": "0x02::x::X", "most": "7"}, {"coin": "0x0002::sui::SUI", "most": "7"}}
	}))
	x, err := sui.ParseCoinType("0x2::x::X")
	if err != nil {
		t.Fatal(err)
	}
	want := []policy.CoinLimit{{CoinType: x, Most: 7}, {CoinType: sui.SUI, Most: 7_000_000_000}}
	if got := r.stored().Allowance.PerDay; a.text("done") != "true" || !slices.Equal(got, want) {
		t.Errorf("%s, %+v", a.body, got)
	}
}

func TestSettingsMaterial(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	view := func() string {
		return r.do("GET", "/api/settings/"+settingsID+"/view", token, nil).body
	}
	if v := view(); !strings.Contains(v, "They are not taken.") || !strings.Contains(v,
		"Allow external transaction material") ||
		r.turnedOn(settings.Material) {
		t.Error("they are taken by default")
	}
	asked := r.settingsCall(token, "material", fields{"allow": true})
	if asked.text("done") != "false" || !strings.Contains(asked.body, `"old":"not taken"`) ||
		r.turnedOn(settings.Material) {
		t.Fatal(asked.body)
	}
	if a := r.settingsCall(token, "material", fields{"allow": true, "confirm": "guess"}); a.text("done") != "false" {
		t.Error("any word confirms")
	}
	if a := r.settingsCall(token, "material", fields{"allow": true,
		"confirm": asked.text("confirm")}); a.text("done") != "true" ||
		!r.turnedOn(settings.Material) || !strings.Contains(view(),
		"They are taken.") {
		t.Error(a.body)
	}
	if a := r.settingsCall(token, "material", fields{"allow": false}); a.text("done") != "true" ||
		r.turnedOn(settings.Material) {
		t.Error(a.body)
	}
}

func TestSettingsRight(t *testing.T) {
	r := newRig(t, nil)
	_, code, _ := strings.Cut(r.link(pagetoken.Settings, settingsID), "#")
	exchange := func() answer {
		return r.do("POST", "/api/exchange", "", map[string]string{"kind": "settings", "id": settingsID, "code": code})
	}
	token := exchange().text("token")
	t.Run("R004-461 nothing is changed or told without the page's token", func(t *testing.T) {
		other := r.token(pagetoken.Settings, "another-page")
		home := r.token(pagetoken.Home, pagetoken.HomeSubject)
		for _, wrong := range []string{"", "nonsense", other, home} {
			for _, what := range []string{"endpoint", "limits", "material", "account", "stage", "import", "reset"} {
				if a := r.settingsCall(wrong, what, fields{}); a.status != http.StatusUnauthorized {
					t.Errorf("%s with token %q: %d", what, wrong, a.status)
				}
			}
			for _, what := range []string{"view", "export"} {
				if a := r.do("GET", "/api/settings/"+settingsID+"/"+what, wrong, nil); a.status != http.StatusUnauthorized {
					t.Errorf("%s with token %q: %d", what, wrong, a.status)
				}
			}
		}
	})
	t.Run("a second tab reads and cannot change", func(t *testing.T) {
		second := r.token(pagetoken.Settings, settingsID)
		if a := r.settingsCall(second, "reset", fields{"typed": backup.ResetWords}); a.status != http.StatusConflict {
			t.Error(a.status)
		}
	})
	t.Run("a link that is opened twice closes every page of it", func(t *testing.T) {
		if a := exchange(); a.status != http.StatusConflict {
			t.Error(a.status)
		}
		if a := r.settingsCall(token, "limits", limits(nil)); a.status != http.StatusUnauthorized {
			t.Errorf("the first page goes on: %d", a.status)
		}
	})
}

// exported returns a backup as the page gets it, and its text.
func (r *rig) exported(token string) (packed, text []byte) {
	r.t.Helper()
	a := r.do("GET", "/api/settings/"+settingsID+"/export", token, nil)
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/gzip" ||
		a.header.Get("Content-Encoding") != "" {
		r.t.Fatalf("%d %v %.300s", a.status, a.header, a.body)
	}
	z, err := gzip.NewReader(strings.NewReader(a.body))
	if err == nil {
		text, err = io.ReadAll(z)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return []byte(a.body), text
}

// stage sends bytes as the page sends a file.
func (r *rig) stage(token string, file []byte) answer {
	r.t.Helper()
	return r.stageAs(token, "application/json", file)
}

func (r *rig) stageAs(token, kind string, file []byte) answer {
	r.t.Helper()
	q, err := http.NewRequestWithContext(r.t.Context(), "POST", r.origin+"/api/settings/"+settingsID+"/stage",
		bytes.NewReader(file))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Content-Type", kind)
	q.Header.Set("Authorization", "Bearer "+token)
	got, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer{r.t, got.StatusCode, got.Header, string(b)}
}

func TestSettingsCopy(t *testing.T) {
	from := newRig(t, nil)
	token := from.token(pagetoken.Settings, settingsID)
	from.settingsCall(token, "limits", limits(perTransaction("2")))
	packed, copied := from.exported(token)
	if !bytes.HasSuffix(copied, []byte("}\n")) || !json.Valid(copied) {
		t.Fatalf("%.300s", copied)
	}

	r := newRig(t, nil)
	token = r.token(pagetoken.Settings, settingsID)
	s, materials := sample(t, record.Ready)
	ready := r.put(s, materials)
	unchanged := func(t *testing.T) {
		t.Helper()
		if s := r.stored(); len(s.Allowance.PerTransaction) > 0 {
			t.Errorf("something was changed: %+v", s)
		}
	}
	for _, c := range []struct {
		name, says string
		status     int
		file       func() []byte
	}{
		{"foreign", "not a copy", 400, func() []byte { return []byte(`{"name":"package","version":"1"}`) }},
		{"no json", "not a copy", 400, func() []byte { return []byte(`"PK"`) }},
		{"newer", "newer version", 400, func() []byte {
			return bytes.Replace(copied, []byte(`"version":3`),
				[]byte(`"version":4`), 1)
		}},
		{"other network", "sui:mainnet", 409, func() []byte {
			return bytes.ReplaceAll(copied, []byte(`sui:sandbox`), []byte(`sui:mainnet`))
		}},
		{"damaged", "damaged in accounts[0]", 400, func() []byte {
			return bytes.Replace(copied, []byte(`"accounts":[`), []byte(`"accounts":[{}`), 1)
		}},
		{"an invalid time", "an invalid time", 400, func() []byte {
			return bytes.Replace(copied, []byte(`"createdAt":"2`), []byte(`"createdAt":"x`), 1)
		}},
		{"not valid JSON", "not valid JSON", 400, func() []byte {
			return bytes.Replace(copied, []byte(`"accounts":[`), []byte(`"accounts":[,`), 1)
		}},
		{"doubled", "twice", 400, func() []byte {
			return bytes.Replace(copied, []byte(`"network":"sui:sandbox",`),
				[]byte(`"network":"sui:sandbox","network":"sui:sandbox",`), 1)
		}},
		{"unknown member", "not known", 400, func() []byte {
			return bytes.Replace(copied, []byte(`"allowance":{`), []byte(`"allowance":{"all":true,`), 1)
		}},
		{"a list left out", "lacks watched", 400, func() []byte {
			return bytes.Replace(copied, []byte(`,"watched":[]`), nil,
				1)
		}},
		{"a version that is no number", `"version" has the wrong type`, 400, func() []byte {
			return bytes.Replace(copied, []byte(`"version":3`), []byte(`"version":"3"`), 1)
		}},
		{"empty document", "not a copy", 400, func() []byte { return []byte(`{}`) }},
		{"private address", "private or reserved", 400, func() []byte {
			return bytes.Replace(copied, []byte(`"settings":{`), []byte(`"settings":{"suiGrpcUrl":"https://192.168.1.1",`), 1)
		}},
		{"IM-01 too large", "8 MiB", 413, func() []byte {
			return append([]byte(`{"format":"`), append(bytes.Repeat([]byte{'x'}, 9<<20), `"}`...)...)
		}},
	} {
		t.Run("refused: "+c.name, func(t *testing.T) {
			a := r.stage(token, c.file())
			if a.status != c.status || !strings.Contains(a.text("error.message"), c.says) ||
				strings.Contains(a.text("error.message"), "malformed") {
				t.Errorf("%d %.300s", a.status, a.body)
			}
			unchanged(t)
		})
	}
	t.Run("refused: cut off, at every place", func(t *testing.T) {
		for _, share := range []int{3, 20, 50, 90, 99} {
			a := r.stage(token, copied[:len(copied)*share/100])
			if a.status != 400 || !strings.Contains(a.text("error.message"), "truncated") && share > 3 {
				t.Errorf("%d %%: %d %.300s", share, a.status, a.body)
			}
		}
		unchanged(t)
	})
	t.Run("R004-467 a packed copy is looked at as an unpacked one is", func(t *testing.T) {
		for what, a := range map[string]answer{"as JSON": r.stage(token, packed), "as gzip": r.stageAs(token,
			"application/gzip", packed)} {
			if a.status != http.StatusOK || !strings.Contains(a.body, `"new":"2 SUI"`) {
				t.Errorf("%s: %d %s", what, a.status, a.body)
			}
		}
		for kind, status := range map[string]int{"text/plain": http.StatusUnsupportedMediaType,
			"application/octet-stream": http.StatusUnsupportedMediaType} {
			if a := r.stageAs(token, kind, packed); a.status != status || !strings.Contains(a.body, "application/gzip") {
				t.Errorf("%s: %d %s", kind, a.status, a.body)
			}
		}
		if a := r.stageAs(token, "application/gzip", packed[:len(packed)-4]); a.status != 400 || !strings.Contains(a.body,
			"truncated") {
			t.Errorf("%d %s", a.status, a.body)
		}
		unchanged(t)
	})
	t.Run("the preview names what would change and changes nothing", func(t *testing.T) {
		a := r.stage(token, copied)
		if a.status != http.StatusOK || !strings.Contains(a.body, `"new":"2 SUI"`) || !strings.Contains(a.body,
			`"name":"Watched coins","count":0`) {
			t.Fatalf("%d %s", a.status, a.body)
		}
		unchanged(t)
		t.Run("without the tick the limits stay", func(t *testing.T) {
			if done := r.settingsCall(token, "import", fields{"id": a.text("id"), "endpoints": false, "limits": false,
				"accounts": false}); done.text("done") != "true" {
				t.Fatal(done.body)
			}
			unchanged(t)
			if s, err := r.db.Review(t.Context(), record.ID(ready)); err != nil || s.Status != record.Ready {
				t.Errorf("%s, %v", s.Status, err)
			}
		})
		t.Run("a preview is good once, and for its page", func(t *testing.T) {
			if again := r.settingsCall(token, "import", fields{"id": a.text("id"), "endpoints": true, "limits": true,
				"accounts": true}); again.status != http.StatusConflict {
				t.Error(again.body)
			}
		})
	})
	t.Run("with the tick they are taken over", func(t *testing.T) {
		a := r.stage(token, copied)
		if done := r.settingsCall(token, "import", fields{"id": a.text("id"), "endpoints": false, "limits": true,
			"accounts": true}); done.text("done") != "true" {
			t.Fatal(done.body)
		}
		if s := r.stored(); len(s.Allowance.PerTransaction) != 1 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("IM-04 what changed since the preview is not overwritten", func(t *testing.T) {
		a := r.stage(token, copied)
		r.settingsCall(token, "limits", limits(perTransaction("1")))
		if late := r.settingsCall(token, "import", fields{"id": a.text("id"), "endpoints": false, "limits": true,
			"accounts": true}); late.status != http.StatusConflict {
			t.Errorf("%d %s", late.status, late.body)
		}
	})
}

func TestSettingsAccountAndReset(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	i, err := r.accounts.Create(t.Context())
	if err == nil {
		err = r.accounts.Opened(t.Context(), i.ID)
	}
	for _, report := range []account.Report{{Status: account.Connecting, WalletName: "W"},
		{Status: account.Connected, Account: person.String(), Chain: "sui:localnet", WalletName: "W"}} {
		if err == nil {
			_, err = r.accounts.Report(t.Context(), i.ID, report)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-464 the account in use is cleared", func(t *testing.T) {
		if a := r.settingsCall(token, "account", fields{}); a.text("done") != "true" || !strings.Contains(a.body,
			person.String()) {
			t.Error(a.body)
		}
		if _, ok, err := r.accounts.Active(t.Context()); ok || err != nil {
			t.Errorf("still in use, %v", err)
		}
	})
	t.Run("R004-465 reset is typed", func(t *testing.T) {
		r.settingsCall(token, "limits", limits(perTransaction("1")))
		if a := r.settingsCall(token, "reset", fields{"typed": "yes"}); a.status != http.StatusBadRequest ||
			len(r.stored().Allowance.PerTransaction) != 1 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := r.settingsCall(token, "reset", fields{"typed": backup.ResetWords}); a.text("done") != "true" ||
			len(r.stored().Allowance.PerTransaction) != 0 {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

func TestSettingsUnsettled(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	s, materials := sample(t, record.SignedPendingResult)
	id := r.put(s, materials)
	for what, body := range map[string]any{"reset": fields{"typed": backup.ResetWords}} {
		if a := r.settingsCall(token, what, body); a.status != http.StatusConflict || !strings.Contains(a.body, id) {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	if view := r.do("GET", "/api/settings/"+settingsID+"/view", token, nil); !strings.Contains(view.body,
		"One review was sent to a wallet") {
		t.Error("the page does not say why nothing can be forgotten")
	}
}
