package pagetoken_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/store"
)

// TestKeys checks that an access token is returned once, is found only by its hash, and is invalid
// after revocation.
func TestKeys(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	db, err := store.Open(t.Context(), store.Config{Dir: dir, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	keys, ctx := pagetoken.NewKeys(db, clock, rand.Reader), t.Context()
	may := func(context.Context) error { return nil }
	token, key, err := keys.Make(ctx, " my page ", "claude-code", may)
	if err != nil || key.Name != "my page" || key.Client != "claude-code" || key.Scope != pagetoken.UIEvents {
		t.Fatal(key, err)
	}
	if text := fmt.Sprintf("%v %+v %#v", token, token, key); strings.Contains(text, token.Reveal()) {
		t.Error("a token is printed")
	}
	now = now.Add(time.Minute)
	if got, err := keys.Check(ctx, token.Reveal()); err != nil || got.ID != key.ID {
		t.Fatal(got, err)
	}
	if list, err := keys.List(ctx); err != nil || len(list) != 1 || !list[0].UsedAt.Equal(now) {
		t.Errorf("the last use is not kept: %+v, %v", list, err)
	}
	other, _, err := keys.Make(ctx, "other", "x", may)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"", "x", strings.TrimPrefix(token.Reveal(), "sui_events_"), token.Reveal() + "A",
		token.Reveal()[:len(token.Reveal())-1], "sui_events_" + strings.Repeat("A", 43)} {
		if _, err := keys.Check(ctx, wrong); !fault.Is(err, fault.SessionMismatch) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	no := errors.New("no")
	if _, _, err := keys.Make(ctx, "a", "b", func(context.Context) error { return no }); !errors.Is(err, no) {
		t.Errorf("made without the right: %v", err)
	}
	for _, name := range []string{"", "  ", "a\nb", strings.Repeat("x", 61), "\u202e"} {
		if _, _, err := keys.Make(ctx, name, "b", may); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("the name %q: %v", name, err)
		}
	}
	if gone, err := keys.Revoke(ctx, key.ID, may); err != nil || !gone {
		t.Fatal(gone, err)
	}
	if gone, err := keys.Revoke(ctx, key.ID, may); err != nil || gone {
		t.Error("revoked twice", gone, err)
	}
	if _, err := keys.Check(ctx, token.Reveal()); !fault.Is(err, fault.SessionMismatch) {
		t.Errorf("a revoked token: %v", err)
	}
	if _, err := keys.Check(ctx, other.Reveal()); err != nil {
		t.Errorf("another one ended with it: %v", err)
	}
	for range pagetoken.MostKeys - 1 {
		if _, _, err := keys.Make(ctx, "many", "b", may); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := keys.Make(ctx, "many", "b", may); !fault.Is(err, fault.RateLimited) {
		t.Errorf("one too many: %v", err)
	}
}

// TestScopes checks that a token keeps its scope and permissions, and that invalid combinations are
// rejected.
func TestScopes(t *testing.T) {
	db, err := store.Open(t.Context(), store.Config{Dir: t.TempDir(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	keys := pagetoken.NewKeys(db, time.Now, rand.Reader)
	may := func(context.Context) error { return nil }
	for _, c := range []struct {
		want pagetoken.Key
		good bool
	}{
		{pagetoken.Key{Scope: pagetoken.UIEvents}, true}, {pagetoken.Key{Scope: pagetoken.AgentBackend}, true},
		{pagetoken.Key{Scope: pagetoken.AgentBackend, Acts: true, Reads: true}, true},
		{pagetoken.Key{Scope: pagetoken.AgentFrontend}, true}, {pagetoken.Key{Scope: pagetoken.AgentFrontend, Acts: true},
			false},
		{pagetoken.Key{Scope: pagetoken.UIEvents, Reads: true}, false}, {pagetoken.Key{Scope: "all"}, false},
		{pagetoken.Key{}, false},
	} {
		c.want.Name, c.want.Client = "mine", "claude-code"
		token, made, err := keys.MakeOf(t.Context(), c.want, may)
		if !c.good {
			if !fault.Is(err, fault.InputInvalid) {
				t.Errorf("%+v: %v", c.want, err)
			}
			continue
		}
		got, err := keys.Check(t.Context(), token.Reveal())
		if err != nil || got.ID != made.ID || got.Scope != c.want.Scope || got.Acts != c.want.Acts ||
			got.Reads != c.want.Reads {
			t.Errorf("%+v: %+v, %v", c.want, got, err)
		}
	}
}

// TestSocketKeys checks that the token of a socket peer is stored with its projects and, for a web
// page, its origin.
func TestSocketKeys(t *testing.T) {
	db, err := store.Open(t.Context(), store.Config{Dir: t.TempDir(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	keys := pagetoken.NewKeys(db, time.Now, rand.Reader)
	may := func(context.Context) error { return nil }
	many := make([]string, pagetoken.MostKeyProjects+1)
	for i := range many {
		many[i] = fmt.Sprintf("p%d", i)
	}
	for _, c := range []struct {
		name string
		want pagetoken.Key
		good bool
	}{
		{"an editor", pagetoken.Key{Scope: pagetoken.Editor, Projects: []string{"b", "a", "b"}}, true},
		{"a backend", pagetoken.Key{Scope: pagetoken.SocketBackend, Projects: []string{"a"}, Acts: true,
			Origin: "http://127.0.0.1:3000"}, true},
		{"an editor that changes", pagetoken.Key{Scope: pagetoken.Editor, Projects: []string{"a"}, Acts: true}, false},
		{"a backend that reads the book", pagetoken.Key{Scope: pagetoken.SocketBackend, Projects: []string{"a"}, Reads: true},
			false},
		{"of a client", pagetoken.Key{Scope: pagetoken.Editor, Projects: []string{"a"}, Client: "x"}, false},
		{"no project", pagetoken.Key{Scope: pagetoken.Editor}, false},
		{"too many", pagetoken.Key{Scope: pagetoken.Editor, Projects: many}, false},
		{"no key", pagetoken.Key{Scope: pagetoken.Editor, Projects: []string{"a b"}}, false},
		{"another scope", pagetoken.Key{Scope: pagetoken.AgentBackend, Client: "x", Projects: []string{"a"}}, false},
		{"another scope's origin", pagetoken.Key{Scope: pagetoken.AgentBackend, Client: "x", Origin: "https://a.example"},
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Name = "mine"
			token, made, err := keys.MakeOf(t.Context(), c.want, may)
			if !c.good {
				if !fault.Is(err, fault.InputInvalid) {
					t.Error(err)
				}
				return
			}
			got, err := keys.Check(t.Context(), token.Reveal())
			if err != nil || got.Origin != c.want.Origin || got.Acts != c.want.Acts || !slices.Equal(got.Projects,
				slices.Compact(slices.Sorted(slices.Values(c.want.Projects)))) {
				t.Errorf("%+v, %v", got, err)
			}
			if found, there, err := keys.Find(t.Context(), made.ID); !there || err != nil || found.ID != made.ID {
				t.Errorf("%+v, %v, %v", found, there, err)
			}
			if _, err := keys.Revoke(t.Context(), made.ID, may); err != nil {
				t.Fatal(err)
			}
			if _, there, err := keys.Find(t.Context(), made.ID); there || err != nil {
				t.Errorf("%v, %v", there, err)
			}
		})
	}
	for text, good := range map[string]bool{
		"https://editor.example": true, "https://editor.example:8443": true, "http://[::1]:3000": true,
		"https://editor.example/": false, "https://editor.example:443": false, "http://a.example:80": false,
		"https://Editor.example": false,
		"https://*.example":      false, "null": false, "": false, "https://": false, "https://a@b.example": false,
		"ftp://a.example":    false,
		"https://a.example:": false, "https://a.example?x": false, "vscode-webview://abc": false,
	} {
		if got := pagetoken.ValidOrigin(text); got != good {
			t.Errorf("the origin %q: %v", text, got)
		}
	}
}
