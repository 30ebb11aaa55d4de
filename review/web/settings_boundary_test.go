package web_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// TestSettingsNeverSign checks that no action on the settings page while a review waits for its
// signature releases its bytes or reveals any of them.
func TestSettingsNeverSign(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	s, materials := sample(t, record.Ready)
	id := record.ID(r.put(s, materials))
	secret := materials[0].Bytes.Bytes()
	var said []answer
	do := func(what string, body any) answer {
		a := r.settingsCall(token, what, body)
		said = append(said, a)
		return a
	}
	do("limits", limits(perTransaction("2")))
	asked := do("endpoint", fields{"which": "grpc", "url": "https://here.example"})
	do("endpoint", fields{"which": "grpc", "url": "https://here.example", "confirm": asked.text("confirm")})
	do("account", fields{})
	packed, text := r.exported(token)
	said = append(said, answer{r.t, http.StatusOK, nil, string(text)}, r.do("GET", "/api/settings/"+settingsID+"/view",
		token, nil))
	t.Run("R004-468 a waiting transaction is neither handed out nor changed", func(t *testing.T) {
		row, err := r.db.ReviewRow(t.Context(), id)
		if err != nil || len(row.Session.Releases) != 0 || row.Session.Status != record.Ready || len(row.Materials) != 1 ||
			!row.Materials[0].Bytes.Same(secret) {
			t.Errorf("%s with %d releases, %v", row.Session.Status, len(row.Session.Releases), err)
		}
	})
	staged := r.stage(token, packed)
	said = append(said, staged)
	do("import", fields{"id": staged.text("id"), "endpoints": true, "limits": true, "accounts": true})
	t.Run("R004-468 a copy that is put in leaves it as it is", func(t *testing.T) {
		row, err := r.db.ReviewRow(t.Context(), id)
		if err != nil || row.Session.Status != record.Ready || len(row.Materials) != 1 || len(row.Session.Releases) != 0 {
			t.Errorf("%s with %d materials, %v", row.Session.Status, len(row.Materials), err)
		}
	})
	do("reset", fields{"typed": backup.ResetWords})
	t.Run("R004-468 no answer holds what is signed", func(t *testing.T) {
		for i, a := range said {
			if a.status != http.StatusOK {
				t.Fatalf("answer %d: %d %.300s", i, a.status, a.body)
			}
			for _, text := range []string{string(secret), base64.StdEncoding.EncodeToString(secret)[:60],
				hex.EncodeToString(secret[:40])} {
				if strings.Contains(a.body, text) {
					t.Errorf("answer %d tells the bytes: %.200s", i, a.body)
				}
			}
		}
	})
}

// TestSettingsCopyAddress checks that an address in a backup is imported only if it is ticked, and
// only if it serves this network.
func TestSettingsCopyAddress(t *testing.T) {
	from := newRig(t, nil)
	_, exported := from.exported(from.token(pagetoken.Settings, settingsID))
	for _, c := range []struct {
		name, url string
		ticked    bool
		status    int
		stored    string
	}{
		{"IM-02 not ticked", "https://here.example", false, http.StatusOK, ""},
		{"ticked", "https://here.example", true, http.StatusOK, "https://here.example"},
		{"of another network", "https://far.example", true, http.StatusConflict, ""},
		{"IM-05 leads into a private network", "https://inside.example", true, http.StatusBadRequest, ""},
		{"unknown", "https://nowhere.invalid", true, http.StatusServiceUnavailable, ""},
		{"not ticked, and not asked", "https://nowhere.invalid", false, http.StatusOK, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			token := r.token(pagetoken.Settings, settingsID)
			s, _ := sample(t, record.Success)
			r.put(s, nil)
			a := r.stage(token, withAddress(exported, settings.GRPC, c.url))
			if a.status != http.StatusOK || !strings.Contains(a.body, c.url) {
				t.Fatalf("the preview does not name the address: %d %.300s", a.status, a.body)
			}
			done := r.settingsCall(token, "import", fields{"id": a.text("id"), "endpoints": c.ticked, "limits": true,
				"accounts": true})
			if done.status != c.status || r.stored().Addresses[settings.GRPC] != c.stored {
				t.Errorf("%d %s; stored is %q", done.status, done.body, r.stored().Addresses[settings.GRPC])
			}
			if _, err := r.db.Review(t.Context(), s.ID); err != nil {
				t.Errorf("the review that was here: %v", err)
			}
		})
	}
}

func withAddress(exported []byte, w settings.Which, url string) []byte {
	return bytes.Replace(exported, []byte(`"settings":{`), []byte(`"settings":{"`+w.Info().Member()+`":"`+url+`",`), 1)
}

// TestSettingsCopyEveryAddress checks that a backup with all addresses ticked transfers them to
// another machine.
func TestSettingsCopyEveryAddress(t *testing.T) {
	from := newRig(t, nil)
	from.set(func(s *settings.Stored) {
		for w := range settings.Count {
			s.Addresses[w] = "https://" + w.Info().Code + ".example"
		}
	})
	_, exported := from.exported(from.token(pagetoken.Settings, settingsID))
	r := newRig(t, nil)
	token := r.token(pagetoken.Settings, settingsID)
	put := func(copied []byte) answer {
		t.Helper()
		a := r.stage(token, copied)
		if a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return r.settingsCall(token, "import", fields{"id": a.text("id"), "endpoints": true, "limits": true,
			"accounts": true})
	}
	t.Run("R004-466 R004-467 every address is in a copy, and comes back", func(t *testing.T) {
		if done := put(exported); done.text("done") != "true" || r.stored().Addresses != from.stored().Addresses {
			t.Errorf("%s; stored is %+v", done.body, r.stored())
		}
	})
	bare := newRig(t, nil)
	_, older := bare.exported(bare.token(pagetoken.Settings, settingsID))
	t.Run("R004-467 a copy that names none of them restores the defaults", func(t *testing.T) {
		if done := put(older); done.text("done") != "true" || r.stored().Addresses != bare.stored().Addresses {
			t.Errorf("%s; stored is %+v", done.body, r.stored())
		}
	})
	t.Run("a copy in which the second node is the first is refused", func(t *testing.T) {
		if done := put(withAddress(older, settings.Second, "http://127.0.0.1:9000")); done.status != http.StatusBadRequest {
			t.Errorf("%d %s", done.status, done.body)
		}
	})
	for _, spoiled := range []string{`null`, `7`, `""`, `"https://10.0.0.1"`} {
		t.Run("R004-467 refused as an address: "+spoiled, func(t *testing.T) {
			copied := bytes.Replace(older, []byte(`"settings":{`), []byte(`"settings":{"suiArchiveUrl":`+spoiled+`,`), 1)
			if a := r.stage(token, copied); (a.status == http.StatusOK) != (spoiled == `""`) {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}
