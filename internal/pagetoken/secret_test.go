package pagetoken_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// TestSecretsAreRedacted checks that no way to print, log or marshal a code or token reveals it.
func TestSecretsAreRedacted(t *testing.T) {
	desk, _ := newDesk(t)
	ctx := context.Background()
	code, err := desk.Link(ctx, pagetoken.Review, "s1", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := desk.Exchange(ctx, pagetoken.Review, "s1", code.Reveal(), "")
	if err != nil {
		t.Fatal(err)
	}
	token, p := tab.Token, tab.Pass
	if len(code.Reveal()) != 43 || len(token.Reveal()) != 43 {
		t.Fatalf("code of %d and token of %d characters, want 43: 32 random bytes", len(code.Reveal()), len(token.Reveal()))
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	logger.Info("x", "code", code, "token", token, "pass", p)
	shown := log.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown += fmt.Sprintf(verb, code) + fmt.Sprintf(verb, token) +
			fmt.Sprintf(verb, struct{ A any }{code}) + fmt.Sprintf(verb, []any{token})
	}
	shown += code.String() + token.String()
	for _, secret := range []string{code.Reveal(), token.Reveal(), fmt.Sprintf("%x", token.Reveal())} {
		if strings.Contains(shown, secret) {
			t.Errorf("a secret shows in %s", shown)
		}
	}
	for _, v := range []any{code, token, struct{ T pagetoken.Token }{token}, []pagetoken.Code{code}} {
		if b, err := json.Marshal(v); err == nil {
			t.Errorf("a secret became JSON: %s", b)
		}
	}
	for _, v := range []any{code, token} {
		if _, marked := v.(interface{ Secret() }); !marked {
			t.Errorf("%T lacks the marker that keeps it out of outputs", v)
		}
	}
}
