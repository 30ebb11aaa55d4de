package instance_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/instance"
)

// card makes a card of the address and fails the test where it cannot.
func card(t *testing.T, origin string) instance.Card {
	t.Helper()
	c, err := instance.New(origin, "", 1, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answering serves a challenge on loopback as f says.
func answering(t *testing.T, f func(w http.ResponseWriter, r *http.Request, nonce string)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q instance.Question
		_ = json.NewDecoder(r.Body).Decode(&q)
		f(w, r, q.Nonce)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func say(w http.ResponseWriter, proof string) {
	_ = json.NewEncoder(w).Encode(instance.Answer{Proof: proof})
}

func TestChallenge(t *testing.T) {
	ctx := context.Background()
	var own instance.Card
	origin := answering(t, func(w http.ResponseWriter, _ *http.Request, nonce string) {
		proof, _ := own.Prove(nonce)
		say(w, proof)
	})
	own = card(t, origin)
	t.Run("who knows the secret proves it", func(t *testing.T) {
		if err := own.Challenge(ctx, rand.Reader); err != nil {
			t.Error(err)
		}
	})
	t.Run("the secret is never sent", func(t *testing.T) {
		var c instance.Card
		sent := ""
		c = card(t, answering(t, func(w http.ResponseWriter, r *http.Request, nonce string) {
			sent = nonce + r.URL.String() + r.Header.Get("Authorization") + r.Header.Get("Cookie")
			say(w, "")
		}))
		_ = c.Challenge(ctx, rand.Reader)
		if sent == "" || strings.Contains(sent, c.Secret) {
			t.Errorf("sent %q", sent)
		}
	})
	stranger := card(t, origin)
	var old string
	for name, f := range map[string]func(w http.ResponseWriter, r *http.Request, nonce string){
		"answers with nothing": func(w http.ResponseWriter, _ *http.Request, _ string) { say(w, "") },
		"answers with another secret": func(w http.ResponseWriter, _ *http.Request, nonce string) {
			proof, _ := stranger.Prove(nonce)
			say(w, proof)
		},
		"passes the question on to the real one": func(w http.ResponseWriter, _ *http.Request, nonce string) {
			proof, _ := own.Prove(nonce) // of another address
			say(w, proof)
		},
		"replays an old proof": func(w http.ResponseWriter, _ *http.Request, nonce string) {
			if old == "" {
				old = nonce
			}
			say(w, old)
		},
		"says no": func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusNotFound) },
		"sends elsewhere": func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, origin+instance.Path, http.StatusTemporaryRedirect)
		},
		"talks for long":   func(w http.ResponseWriter, _ *http.Request, _ string) { _, _ = w.Write(make([]byte, 1<<20)) },
		"says two things":  func(w http.ResponseWriter, _ *http.Request, _ string) { say(w, "x"); say(w, "y") },
		"answers by habit": func(w http.ResponseWriter, _ *http.Request, nonce string) { say(w, nonce) },
	} {
		t.Run("HT-16 a squatter that "+name+" is refused", func(t *testing.T) {
			c := own
			c.Origin = answering(t, f)
			err := c.Challenge(ctx, rand.Reader)
			if !errors.Is(err, instance.ErrForeign) || !fault.Is(err, fault.Blocked) || !strings.Contains(err.Error(), c.Origin) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("HT-16 a proof of one time serves no other", func(t *testing.T) {
		nonce := strings.Repeat("A", 43)
		first, ok := own.Prove(nonce)
		other, _ := stranger.Prove(nonce)
		moved := own
		moved.Origin = "http://127.0.0.1:1"
		elsewhere, _ := moved.Prove(nonce)
		again := own
		again.Instance = stranger.Instance
		later, _ := again.Prove(nonce)
		if !ok || first == other || first == elsewhere || first == later {
			t.Errorf("%q %q %q %q", first, other, elsewhere, later)
		}
		for _, bad := range []string{"", "short", strings.Repeat("A", 44), strings.Repeat("A", 42) + "=", strings.Repeat("A", 42) + "B"} {
			if _, ok := own.Prove(bad); ok {
				t.Errorf("%q is taken for a nonce", bad)
			}
		}
	})
	t.Run("nobody there is silence", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c := card(t, "http://"+ln.Addr().String())
		_ = ln.Close()
		if err := c.Challenge(ctx, rand.Reader); !errors.Is(err, instance.ErrSilent) || !strings.Contains(err.Error(), "process 1") {
			t.Errorf("%v", err)
		}
	})
}

func TestParse(t *testing.T) {
	c, err := instance.New("http://127.0.0.1:4000", "http://127.0.0.1:4001", 42, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.Text()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := instance.Parse(text); err != nil || back != c {
		t.Errorf("%+v, %v", back, err)
	}
	for name, edit := range map[string]func(string) string{
		"half a file":     func(s string) string { return s[:len(s)/2] },
		"nothing":         func(string) string { return "" },
		"another host":    func(s string) string { return strings.ReplaceAll(s, "127.0.0.1:4000", "192.0.2.1:4000") },
		"a host name":     func(s string) string { return strings.ReplaceAll(s, "127.0.0.1:4000", "localhost:4000") },
		"a path":          func(s string) string { return strings.ReplaceAll(s, "127.0.0.1:4000", "127.0.0.1:4000/x") },
		"a user":          func(s string) string { return strings.ReplaceAll(s, "127.0.0.1:4000", "x@127.0.0.1:4000") },
		"no port":         func(s string) string { return strings.ReplaceAll(s, "127.0.0.1:4000", "127.0.0.1") },
		"another scheme":  func(s string) string { return strings.ReplaceAll(s, "http://127.0.0.1:4000", "https://127.0.0.1:4000") },
		"a foreign chain": func(s string) string { return strings.ReplaceAll(s, "127.0.0.1:4001", "192.0.2.1:4001") },
		"a short secret":  func(s string) string { return strings.ReplaceAll(s, c.Secret, "abc") },
		"no instance":     func(s string) string { return strings.ReplaceAll(s, c.Instance, "") },
		"no process":      func(s string) string { return strings.ReplaceAll(s, "42", "0") },
		"more than it":    func(s string) string { return strings.ReplaceAll(s, `"pid"`, `"x":1,"pid"`) },
	} {
		if _, err := instance.Parse([]byte(edit(string(text)))); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
