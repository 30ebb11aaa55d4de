package book_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestConfirm confirms two entries by one signature, and none by any other.
func TestConfirm(t *testing.T) {
	chain, err := sandbox.New(sandbox.Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chain.Close)
	signed := func(message string) string {
		b, err := chain.SignPersonalMessage([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	stranger := sui.MustAddress(alice)
	for name, c := range map[string]struct {
		account sui.Address
		between func(m *memory, ask *book.Confirmation, signature *string)
		code    fault.Code // "" if the entries are confirmed
	}{
		"a signature of the account":   {account: sandbox.Account},
		"a signature of somebody else": {account: stranger, code: fault.InputInvalid},
		"after five minutes": {sandbox.Account, func(m *memory, _ *book.Confirmation,
			_ *string) {
			m.now = m.now.Add(5 * time.Minute)
		}, fault.SessionExpired},
		"another message": {sandbox.Account, func(_ *memory, ask *book.Confirmation,
			s *string) {
			ask.Message += "."
			*s = signed(ask.Message)
		}, fault.SessionExpired},
		"a signature over another message": {sandbox.Account, func(_ *memory, _ *book.Confirmation,
			s *string) {
			*s = signed("hello")
		}, fault.InputInvalid},
		"no signature": {sandbox.Account, func(_ *memory, _ *book.Confirmation,
			s *string) {
			*s = "?"
		}, fault.InputInvalid},
		"an entry that was changed meanwhile": {sandbox.Account, func(m *memory, _ *book.Confirmation,
			_ *string) {
			m.all[1].Address = alice[:65] + "b"
		}, fault.InvalidSessionTransition},
		"an entry that has another name now": {sandbox.Account, func(m *memory, _ *book.Confirmation,
			_ *string) {
			m.all[1].Title = "Mallory"
		}, fault.InvalidSessionTransition},
		"an entry that was deleted meanwhile": {sandbox.Account, func(m *memory, _ *book.Confirmation,
			_ *string) {
			m.all[1].DeletedAt = m.now
		}, fault.InvalidSessionTransition},
	} {
		t.Run(name, func(t *testing.T) {
			m, s := begin()
			added, err := s.Add(t.Context(), book.Agent, []book.Target{{Title: "Alice", Address: alice, Chain: "sui"},
				{Title: "Bob", Address: vector, Chain: "Base"},
				{Title: "Carol", Address: "0x" + strings.Repeat("7", 64), Chain: "Sui"}})
			if err != nil {
				t.Fatal(err)
			}
			ask, err := s.AskWallet(t.Context(), c.account, []string{added[0].Entry.ID, added[1].Entry.ID})
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{alice + " (Sui) is called: Alice\n", vector + " (Base) is called: Bob\n",
				"Signed by: " + c.account.String() + "\n"} {
				if !strings.Contains(ask.Message, line) || strings.Contains(ask.Message, "Carol") {
					t.Errorf("%q is not in %s", line, ask.Message)
				}
			}
			signature := signed(ask.Message)
			if c.between != nil {
				c.between(m, &ask, &signature)
			}
			n, err := s.Confirm(t.Context(), ask.Message, signature)
			if c.code == "" && (err != nil || n != 2 || !m.all[0].Confirmed() || !m.all[1].Confirmed() || m.all[2].Confirmed()) {
				t.Errorf("%d %v %+v", n, err, m.all)
			}
			if c.code != "" && (fault.As(err).Code != c.code || m.all[0].Confirmed() || m.all[1].Confirmed()) {
				t.Errorf("%v %+v", err, m.all)
			}
			if _, err := s.Confirm(t.Context(), ask.Message, signature); fault.As(err).Code != fault.SessionExpired {
				t.Errorf("the message counts twice: %v", err)
			}
		})
	}
	t.Run("a page that lost its right confirms nothing", func(t *testing.T) {
		m, s := begin()
		added, _ := s.Add(t.Context(), book.Person, []book.Target{{Title: "Alice", Address: alice, Chain: "sui"}})
		ask, err := s.AskWallet(t.Context(), sandbox.Account, []string{added[0].Entry.ID})
		if err != nil {
			t.Fatal(err)
		}
		gone := errors.New("another tab has taken over")
		if _, err := s.Confirm(t.Context(), ask.Message, signed(ask.Message),
			func(context.Context) error { return gone }); !errors.Is(err, gone) || m.all[0].Confirmed() {
			t.Errorf("%v %+v", err, m.all)
		}
	})
	t.Run("none, too many and unknown ones are not asked for", func(t *testing.T) {
		_, s := begin()
		for _, ids := range [][]string{nil, make([]string, book.MostConfirmed+1), {"nobody"}} {
			if ask, err := s.AskWallet(t.Context(), sandbox.Account, ids); fault.As(err).Code != fault.InputInvalid ||
				ask.Message != "" {
				t.Errorf("%v %+v", err, ask)
			}
		}
	})
}
