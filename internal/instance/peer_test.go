package instance

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestSeal: a seal is good for its request, and for nothing else.
func TestSeal(t *testing.T) {
	c, err := New("http://127.0.0.1:7000", "", 1, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	again, err := New("http://127.0.0.1:7000", "", 1, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := c
	elsewhere.Origin = "http://127.0.0.1:7001"
	seal := c.Seal("/api/x", []byte("{}"))
	proof, _ := c.Prove(c.Instance)
	for _, v := range []struct {
		name       string
		card       Card
		path, body string
		seal       string
		good       bool
	}{
		{"its own", c, "/api/x", "{}", seal, true}, {"another path", c, "/api/y", "{}", seal, false},
		{"another body", c, "/api/x", "[]", seal, false}, {"another time of serving", again, "/api/x", "{}", seal, false},
		{"another address", elsewhere, "/api/x", "{}", seal, false}, {"none", c, "/api/x", "{}", "", false},
		{"a proof", c, "/api/x", "{}", proof, false}, {"no card", Card{Secret: "?"}, "/api/x", "{}", "", false},
	} {
		if got := v.card.Sealed(v.path, []byte(v.body), v.seal); got != v.good {
			t.Errorf("%s: %v", v.name, got)
		}
	}
}

// TestPost sends what Sealed accepts, and reads no more of the answer than it may.
func TestPost(t *testing.T) {
	var card Card
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if !card.Sealed(r.URL.Path, b, r.Header.Get(SealHeader)) {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 100))
	}))
	defer server.Close()
	var err error
	if card, err = New(server.URL, "", 1, rand.Reader); err != nil {
		t.Fatal(err)
	}
	if status, answer, err := card.Post(t.Context(), "/api/x", []byte("{}"), 100); status != http.StatusOK || len(answer) != 100 || err != nil {
		t.Error(status, len(answer), err)
	}
	if _, _, err := card.Post(t.Context(), "/api/x", []byte("{}"), 99); err == nil {
		t.Error("a longer answer is taken")
	}
}
