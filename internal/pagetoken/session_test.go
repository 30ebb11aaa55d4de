package pagetoken_test

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// browse begins a browser session with the user's own link to the home page.
func browse(t *testing.T, d *pagetoken.Desk) (session, page string) {
	t.Helper()
	code, err := d.OwnLink(t.Context(), pagetoken.Home, pagetoken.HomeSubject)
	if err != nil {
		t.Fatal(err)
	}
	o, err := d.Exchange(t.Context(), pagetoken.Home, pagetoken.HomeSubject, code.Reveal(), "")
	if err != nil {
		t.Fatal(err)
	}
	if o.Session.Reveal() == "" || !o.Pass.Wide() {
		t.Fatalf("no session began: %+v", o.Pass)
	}
	return o.Session.Reveal(), o.Token.Reveal()
}

// within opens a page using a session, without a code.
func within(t *testing.T, d *pagetoken.Desk, kind pagetoken.Kind, subject, session string) (string, pagetoken.Pass) {
	t.Helper()
	o, err := d.Exchange(t.Context(), kind, subject, "", session)
	if err != nil {
		t.Fatal(err)
	}
	return o.Token.Reveal(), o.Pass
}

// TestOnlyASessionOpensPages checks that neither the token of a page nor a link of an AI client
// opens another page.
func TestOnlyASessionOpensPages(t *testing.T) {
	ctx := context.Background()
	desk, _ := newDesk(t)
	session, home := browse(t, desk)
	narrow, p := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
	if p.Wide() {
		t.Error("a link of an AI client opened a session")
	}
	for name, token := range map[string]string{"a page of the session": home, "another page": narrow, "nothing": "",
		"no token": "x"} {
		_, err := desk.Exchange(ctx, pagetoken.Settings, pagetoken.SettingsSubject, "", token)
		if !fault.Is(err, fault.SessionMismatch) {
			t.Errorf("%s opened the settings: %v", name, err)
		}
	}
	if _, p := within(t, desk, pagetoken.Settings, pagetoken.SettingsSubject, session); !p.Wide() ||
		p.Access != pagetoken.Active {
		t.Errorf("the session opened %+v", p)
	}
	// The session's own token opens no page.
	if _, err := desk.Exchange(ctx, pagetoken.Session, pagetoken.SessionSubject, "", session); err == nil {
		t.Error("a session opened another one")
	}
}

// TestTheNewestTabLeads checks that within a session the page that was opened last is active, and
// takes over from a page outside it.
func TestTheNewestTabLeads(t *testing.T) {
	ctx := context.Background()
	desk, _ := newDesk(t)
	narrow, _ := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
	session, _ := browse(t, desk)
	first, p := within(t, desk, pagetoken.Review, "r1", session)
	second, _ := within(t, desk, pagetoken.Review, "r1", session)
	for token, want := range map[string]pagetoken.Access{narrow: pagetoken.ReadOnly, first: pagetoken.ReadOnly,
		second: pagetoken.Active} {
		if p, err := desk.Check(ctx, token); err != nil || p.Access != want {
			t.Errorf("%+v, %v, want %s", p, err, want)
		}
	}
	if err := desk.Continue(ctx, p); err != nil {
		t.Fatal(err)
	}
	if p, err := desk.Check(ctx, second); err != nil || p.Access != pagetoken.ReadOnly {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestCodeOutsideOfTheSession checks that using a code outside the session that has the page open
// counts as opening it twice, and does not take over the page.
func TestCodeOutsideOfTheSession(t *testing.T) {
	ctx := context.Background()
	desk, d := newDesk(t)
	session, _ := browse(t, desk)
	code := link(t, desk, pagetoken.Review, "r1")
	o, err := desk.Exchange(ctx, pagetoken.Review, "r1", code, session)
	if err != nil || !o.Pass.Wide() || o.Session.Reveal() != "" {
		t.Fatalf("%+v, %v", o, err)
	}
	if _, err := desk.Exchange(ctx, pagetoken.Review, "r1", code, session); err != nil {
		t.Errorf("the session opens its own link again: %v", err)
	}
	if twice, err := desk.OpenedTwice(ctx, pagetoken.Review, "r1"); err != nil || twice {
		t.Errorf("%v, %v", twice, err)
	}
	_, outside := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
	if twice, err := desk.OpenedTwice(ctx, pagetoken.Review, "r1"); err != nil || !twice {
		t.Errorf("%v, %v", twice, err)
	}
	if outside.Access != pagetoken.ReadOnly || outside.Wide() {
		t.Errorf("%+v", outside)
	}
	wantFault(t, desk.Continue(ctx, outside), fault.InvalidSessionTransition)
	// After the end of the session, the page can be used there.
	d.Advance(29 * time.Minute)
	_, late := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
	d.Advance(2 * time.Minute)
	if err := desk.Continue(ctx, late); err != nil {
		t.Errorf("after the session: %v", err)
	}
}

// TestSessionEnds checks that a session ends 30 minutes after its last use, after 24 hours, and
// when the user ends it. Its pages end with it, and a restart does not end it.
func TestSessionEnds(t *testing.T) {
	ctx := context.Background()
	desk, d := newDesk(t)
	session, home := browse(t, desk)
	page, _ := within(t, desk, pagetoken.Book, pagetoken.BookSubject, session)
	for range 49 { // keeps the session alive
		d.Advance(29 * time.Minute)
		if _, err := desk.Check(ctx, home); err != nil {
			t.Fatal(err)
		}
	}
	desk = d.another(t)
	if _, err := desk.Check(ctx, page); err != nil {
		t.Fatalf("after a restart: %v", err)
	}
	over := func(tokens ...string) {
		t.Helper()
		for _, token := range tokens {
			_, err := desk.Check(ctx, token)
			wantFault(t, err, fault.SessionMismatch)
			wantFault(t, desk.Right(token, false)(ctx), fault.SessionMismatch)
		}
		_, err := desk.Exchange(ctx, pagetoken.Book, pagetoken.BookSubject, "", tokens[0])
		wantFault(t, err, fault.SessionMismatch)
	}
	d.Advance(29 * time.Minute) // 24 hours have passed
	over(session, page, home)

	session, home = browse(t, desk)
	page, _ = within(t, desk, pagetoken.Book, pagetoken.BookSubject, session)
	d.Advance(30 * time.Minute)
	wantFault(t, desk.Right(page, false)(ctx), fault.SessionMismatch)
	over(session, page, home)

	session, home = browse(t, desk)
	other, _ := browse(t, desk)
	p, err := desk.Check(ctx, home)
	if err != nil {
		t.Fatal(err)
	}
	if err := desk.End(ctx, p); err != nil {
		t.Fatal(err)
	}
	over(session, home)
	if _, err := desk.Check(ctx, other); err != nil {
		t.Errorf("the session of another browser ended, too: %v", err)
	}
}

// TestBegin checks that the page of an AI client's link can become part of a session, and is then
// active.
func TestBegin(t *testing.T) {
	ctx := context.Background()
	desk, _ := newDesk(t)
	_, first := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
	token, p := open(t, desk, pagetoken.Review, "r1", link(t, desk, pagetoken.Review, "r1"))
	session, err := desk.Begin(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = desk.Check(ctx, token); err != nil || !p.Wide() || p.Access != pagetoken.Active {
		t.Errorf("%+v, %v", p, err)
	}
	wantFault(t, desk.Continue(ctx, first), fault.InvalidSessionTransition)
	within(t, desk, pagetoken.Book, pagetoken.BookSubject, session.Reveal())
}
