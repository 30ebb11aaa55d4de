package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
)

// TestFreeze pauses signing with one click and checks every page that reports it.
func TestFreeze(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	reader, setter := r.wide(pagetoken.Review, id), r.token(pagetoken.Settings, settingsID)
	looker, _ := r.token(pagetoken.Home, pagetoken.HomeSubject), r.token(pagetoken.Home, pagetoken.HomeSubject)
	view := func(path, token string) string { return r.do("GET", path+"/view", token, nil).body }
	review, settings := "/api/review/"+id, "/api/settings/"+settingsID
	if body := view(review, reader); strings.Contains(body, "You can lift it in Settings. Your AI cannot.") ||
		!strings.Contains(body, "data-commitment") {
		t.Fatalf("before: %s", body)
	}
	stream := r.listen(reader, "")
	defer stream.close()
	stream.until("changed")
	// A read-only tab can also pause signing.
	if a := r.do("POST", "/api/freeze", looker, fields{}); a.status != http.StatusOK || a.text("done") != "true" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if e := stream.until("changed"); !strings.Contains(e.data, "stopped") {
		t.Errorf("the review page heard %s", e.data)
	}
	for path, token := range map[string]string{review: reader, "/api/home": looker, settings: setter} {
		if body := view(path, token); !strings.Contains(body, "Everything is stopped") {
			t.Errorf("%s does not say it: %s", path, body)
		}
	}
	body := view(review, reader)
	if !strings.Contains(body, "You can lift it in Settings. Your AI cannot.") || strings.Contains(body,
		"data-commitment") || !strings.Contains(body, `data-action="settings"`) {
		t.Errorf("the review page lets sign, or does not say why not: %s", body)
	}
	if a := r.do("POST", "/api/home/lift", looker, fields{}); a.status != http.StatusNotFound {
		t.Errorf("the home page lifts: %d", a.status)
	}
	asked := r.settingsCall(setter, "lift", fields{})
	if asked.text("done") != "false" || !strings.Contains(view(review, reader),
		"You can lift it in Settings. Your AI cannot.") {
		t.Errorf("lifted by one click: %s", asked.body)
	}
	if a := r.settingsCall(setter, "lift", fields{"confirm": asked.text("confirm")}); a.text("done") != "true" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if body := view(review, reader); strings.Contains(body, "You can lift it in Settings. Your AI cannot.") ||
		!strings.Contains(body, "data-commitment") {
		t.Error("after lifting the review cannot be signed")
	}
	if a := r.do("POST", "/api/freeze", setter, fields{}); a.text("done") != "true" || !strings.Contains(view(settings,
		setter), `data-action="lift"`) {
		t.Errorf("the settings page does not stop: %s", a.body)
	}
}
