package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/tools"
)

// TestWhatKeepsTheProcess checks the reasons for which a server stays after its clients have left.
func TestWhatKeepsTheProcess(t *testing.T) {
	ctx := context.Background()
	now := time.Now()
	p := environment(map[string]string{"SAY_UR_INTENT_DATA_DIR": t.TempDir()})
	p.Now = func() time.Time { return now }
	s, err := parseOptions(p, []string{"--network", "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := newApp(ctx, p, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	linked := func(kind pagetoken.Kind, id string) string {
		t.Helper()
		code, err := a.desk.Link(ctx, kind, id, 0)
		if err != nil {
			t.Fatal(err)
		}
		return code.Reveal()
	}
	const link, page = "a link of the last 10 minutes was not opened", "a page was used in the last 10 minutes"
	keeps := func(want, when string) {
		t.Helper()
		if got := a.owed(ctx); got != want {
			t.Errorf("%s: the process stays because %q, want %q", when, got, want)
		}
	}
	keeps("", "with nothing")
	identity, err := a.accounts.Create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	linked(pagetoken.Connect, identity.ID)
	keeps(link, "with a new link")
	now = now.Add(9 * time.Minute)
	linked(pagetoken.Connect, identity.ID)
	keeps(link, "nine minutes later, with a link of a poll")
	now = now.Add(time.Minute)
	keeps("", "ten minutes after the first link, with a link of a poll")
	if err := a.db.Withdraw(ctx, pagetoken.Connect, identity.ID); err != nil {
		t.Fatal(err)
	}
	linked(pagetoken.Settings, "s")
	keeps(link, "with a link to the settings")
	if err := a.db.Withdraw(ctx, pagetoken.Settings, "s"); err != nil {
		t.Fatal(err)
	}
	keeps("", "once it is taken back")

	session := proposedReview(t, a)
	tab, err := a.desk.Exchange(ctx, pagetoken.Review, session, linked(pagetoken.Review, session), "")
	if err != nil {
		t.Fatal(err)
	}
	token := tab.Token
	keeps(page, "with a review that is read, though by no stream")
	now = now.Add(8 * time.Minute)
	if _, err := a.desk.Check(ctx, token.Reveal()); err != nil {
		t.Fatal(err)
	}
	now = now.Add(8 * time.Minute)
	linked(pagetoken.Review, session)
	keeps(page, "eight minutes after its page was used")
	now = now.Add(2 * time.Minute)
	keeps("", "ten minutes after its page was used, with a link of a poll")
}

// proposedReview creates a review that needs no account.
func proposedReview(t *testing.T, a *app) string {
	t.Helper()
	s, err := a.reviews.PrepareProposal(context.Background(), proposal.Proposal{
		Type: proposal.TypeSuiAction, ID: "p-1", Source: proposal.Source{Kind: "other", Name: "shop"},
		Network:   a.options.network.answer,
		CreatedAt: a.now(), Purpose: "stake", Action: &proposal.Action{ActionKind: "stake",
			Target: proposal.Target{Label: "a validator"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(s.ID)
}

// TestWaitingTools checks which tools the transport treats as mostly waiting.
func TestWaitingTools(t *testing.T) {
	all := tools.All(tools.Deps{})
	waits := waiting(all)
	for _, d := range all {
		want := slices.Contains([]string{"session.wait_execution_result", "session.wait_wallet_identity", "events.wait",
			"task.get"}, d.Name)
		if waits(d.Name) != want {
			t.Errorf("%s waits: %v", d.Name, !want)
		}
	}
	if waits("session.unknown") {
		t.Error("an unknown tool waits")
	}
}
