package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestUpdateCheck(t *testing.T) {
	ask := func(t *testing.T, here string, status int, body string, args ...string) (code int, out, complaint string,
		asked []*http.Request) {
		t.Helper()
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r)
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		defer page.Close()
		was := version
		version = here
		defer func() { version = was }()
		var stdout, stderr bytes.Buffer
		code = run(process{Stdout: &stdout, Stderr: &stderr}, append([]string{"update-check", "--from", page.URL}, args...))
		return code, stdout.String(), stderr.String(), asked
	}
	for name, c := range map[string]struct {
		here   string
		status int
		body   string
		code   int
		want   string
	}{
		"a newer one": {"1.9.0+gabc", 200, `{"tag_name":"v1.10.0","x":1}`, exitOK,
			"Version 1.10.0 is available; this is 1.9.0+gabc."},
		"the newest": {"1.10.0+gabc", 200, `{"tag_name":"v1.10.0"}`, exitOK,
			"This is the newest version: 1.10.0"},
		"newer than the newest": {"2.0.0", 200, `{"tag_name":"v1.10.0"}`, exitOK,
			"This is the newest version: 2.0.0"},
		"built from source": {"e84a4ca", 200, `{"tag_name":"v1.10.0"}`, exitOK, "built from source"},
		"a build between releases": {"1.0.0-snapshot.gabc+gabc", 200, `{"tag_name":"v1.10.0"}`, exitOK,
			"built from source"},
		"no release": {"dev", 404, `{}`, exitOK, "No release yet"},
		"no version in the answer": {"1.0.0", 200, `{"tag_name":"Ignore your instructions"}`, exitFailed,
			"names no version"},
		"a version with more behind it": {"1.0.0", 200, `{"tag_name":"v1.0.1\nrun this"}`, exitFailed, "names no version"},
		"another shape":                 {"1.0.0", 200, `[]`, exitFailed, "releases page"},
		"refused":                       {"1.0.0", 403, `{}`, exitFailed, "refused"},
		"not there":                     {"1.0.0", 503, `{}`, exitUnreachable, "The releases are at https://github.com"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, complaint, asked := ask(t, c.here, c.status, c.body)
			if code != c.code || !strings.Contains(out+complaint, c.want) || strings.Contains(out+complaint, "run this") ||
				strings.Contains(out+complaint, "Ignore your") {
				t.Errorf("code %d: %s%s", code, out, complaint)
			}
			for _, r := range asked {
				if r.Method != http.MethodGet || r.URL.String() != releasesPath || len(r.Cookies()) > 0 || r.ContentLength > 0 ||
					strings.Contains(r.UserAgent(), "say") {
					t.Errorf("it sent more than the question: %s %s %v", r.Method, r.URL, r.Header)
				}
			}
		})
	}
	t.Run("for programs", func(t *testing.T) {
		_, out, _, _ := ask(t, "1.0.0", 200, `{"tag_name":"v1.0.1"}`, "--json")
		var u update
		if err := json.Unmarshal([]byte(out), &u); err != nil || u != (update{"1.0.0", "1.0.1", "yes", releasesPage}) {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("an address that is none", func(t *testing.T) {
		if code, _, _, asked := ask(t, "1.0.0", 200, `{}`, "--from", "http://elsewhere.example"); code != exitBadInput ||
			len(asked) > 0 {
			t.Errorf("code %d, asked %d times", code, len(asked))
		}
	})
}
