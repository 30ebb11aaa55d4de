package web_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/instance"
	"github.com/sayurintent/sayurintent/review/web"
)

func TestProof(t *testing.T) {
	var card instance.Card
	r := newRig(t, func(c *web.Config) {
		c.Prove = func(nonce string) (string, bool) { return card.Prove(nonce) }
	})
	var err error
	if card, err = instance.New(r.origin, "", 1, rand.Reader); err != nil {
		t.Fatal(err)
	}
	t.Run("the pages prove who serves them", func(t *testing.T) {
		if err := card.Challenge(context.Background(), rand.Reader); err != nil {
			t.Error(err)
		}
		other := card
		other.Secret = strings.Repeat("A", 43)
		if err := other.Challenge(context.Background(), rand.Reader); !errors.Is(err, instance.ErrForeign) {
			t.Errorf("with another secret: %v", err)
		}
	})
	nonce := instance.Question{Nonce: strings.Repeat("A", 43)}
	t.Run("no page gets a proof, not even our own", func(t *testing.T) {
		for name, value := range map[string]string{"Origin": r.origin, "Sec-Fetch-Site": "same-origin"} {
			a := r.ask("POST", instance.Path, nonce, func(h http.Header) { h.Set(name, value) })
			if a.status != http.StatusForbidden || strings.Contains(a.body, "proof") {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
	})
	t.Run("what is no nonce gets no proof", func(t *testing.T) {
		for _, bad := range []string{"", "A", strings.Repeat("A", 4000)} {
			if a := r.do("POST", instance.Path, "", instance.Question{Nonce: bad}); a.status != http.StatusBadRequest {
				t.Errorf("%q: %d %s", bad, a.status, a.body)
			}
		}
	})
}
