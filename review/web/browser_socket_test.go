package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// TestBrowserSocket creates tokens for an editor and a backend on the settings page, and opens and
// closes the window for the manual test there.
func TestBrowserSocket(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.project("autoloop", workspace.ReadOnly)
	r.project("my-vault", workspace.Auto)
	dir := screenshotDir(t)
	b := newBrowser(t)
	b.open(r.link(pagetoken.Settings, settingsID))
	b.waitText("Spending limits")
	b.unfold("access", "keys")
	visible := func(name string) bool {
		return b.eval(`document.querySelector('[data-form="token"] [name="`+name+`"]').checkVisibility()`) == "true"
	}
	kind := func(scope string) {
		b.eval(`(() => { const at = document.getElementById('token-scope'); at.value = '` + scope +
			`'; at.dispatchEvent(new Event('change', { bubbles: true })); })()`)
	}
	for scope, want := range map[string][4]bool{ // whether the form shows client, acts, project, writes
		"ui-events": {true, false, false, false}, "agent-backend": {true, true, false, false},
		"ide": {false, false, true, false}, "ws-backend": {false, false, true, true},
	} {
		kind(scope)
		if got := [4]bool{visible("client"), visible("acts"), visible("project"), visible("writes")}; got != want {
			t.Errorf("%s shows %v", scope, got)
		}
	}
	b.fill("#token-name", "My editor")
	kind("ide")
	b.pictures(dir, "settings-socket-token-form")
	b.click(`[data-form="token"] button.main`)
	b.waitText("Choose 1 to 32 projects")
	b.click(`[data-form="token"] [name="project"][value="my-vault"]`)
	b.click(`[data-form="token"] button.main`)
	b.waitText("Copy it now")
	b.click(`[data-answer="token"] [data-part="yes"]`)
	b.waitText("an editor that answers your AI client’s tools")
	if list, err := pagetoken.NewKeys(r.db, nil, nil).List(t.Context()); err != nil || len(list) != 1 ||
		list[0].Scope != pagetoken.Editor || list[0].Client != "" ||
		strings.Join(list[0].Projects, " ") != "my-vault" {
		t.Fatalf("%+v, %v", list, err)
	}
	token, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.SocketBackend, Projects: []string{"my-vault"}, Acts: true})
	r.connected("/ws/agent/chat?sessionId=intellij-1&projectKey=my-vault", token)
	b.unfold("access", "socket")
	b.click(`[data-form="window"] [name="project"][value="autoloop"]`)
	b.click(`[data-form="window"] button`)
	b.waitText("without a token. They cannot change anything")
	b.pictures(dir, "settings-socket-window")
	d := r.connected(socketAt, "")
	d.send(exampleManual)
	if got, text := d.result(); !*got.Data.Success {
		t.Error(text)
	}
	b.click(`[data-action="window-end"]`)
	b.wait(`document.querySelector('[data-form="window"]')`)
	if _, resp, _ := r.dial(socketAt, "", nil); resp == nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("%v", resp)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(strings.Join(said, "\n"))
	}
}
