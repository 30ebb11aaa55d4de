package account_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// connect brings a new session to its end with an account of a wallet.
func (p *place) connect(t *testing.T, account, wallet string) string {
	t.Helper()
	id := p.reach(t, "connecting")
	r := connected()
	r.Account, r.WalletName, r.WalletID = account, wallet, "id."+wallet
	if _, err := p.Report(context.Background(), id, r); err != nil {
		t.Fatal(err)
	}
	return id
}

func numbered(n int) string { return fmt.Sprintf("0x%064x", n) }

func (p *place) known(t *testing.T) []account.Known {
	t.Helper()
	known, err := p.Known(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// names returns wallet and last digit of every remembered account.
func (p *place) names(t *testing.T) string {
	t.Helper()
	var out []string
	for _, k := range p.known(t) {
		text := k.Account.String()
		out = append(out, k.WalletName+" "+strings.TrimLeft(text[2:], "0"))
	}
	return strings.Join(out, ", ")
}

func TestKnown(t *testing.T) {
	ctx := context.Background()
	t.Run("accounts of several wallets are remembered, last connected first, over a restart", func(t *testing.T) {
		p := newPlace(t)
		first := p.Now()
		for n, wallet := range []string{"Slush", "Suiet", "Slush"} {
			p.connect(t, numbered(n%2+1), wallet)
			p.Advance(time.Minute)
		}
		want := []account.Known{
			{Account: sui.MustAddress("0x1"), Chain: chain, WalletName: "Slush", WalletID: "id.Slush",
				FirstConnectedAt: first, LastConnectedAt: first.Add(2 * time.Minute)},
			{Account: sui.MustAddress("0x2"), Chain: chain, WalletName: "Suiet", WalletID: "id.Suiet",
				FirstConnectedAt: first.Add(time.Minute), LastConnectedAt: first.Add(time.Minute)},
		}
		again, err := p.start(t).Known(ctx)
		if diff := cmp.Diff(want, again); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
	t.Run("a session that connects tells which account it replaced, and only another one", func(t *testing.T) {
		p := newPlace(t)
		replaced := func(id string) string {
			i, err := p.Identity(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			if i.Replaced == nil {
				return ""
			}
			return i.Replaced.String()
		}
		if got := replaced(p.connect(t, numbered(1), "A")); got != "" {
			t.Errorf("the first account replaced %s", got)
		}
		if got := replaced(p.connect(t, numbered(1), "B")); got != "" {
			t.Errorf("the same account replaced %s", got)
		}
		if got := replaced(p.connect(t, numbered(2), "A")); got != numbered(1) {
			t.Errorf("the second account replaced %q", got)
		}
	})
	t.Run("a remembered account is used again, and watchers are told", func(t *testing.T) {
		p := newPlace(t)
		p.connect(t, numbered(1), "A")
		p.connect(t, numbered(2), "B")
		watch := p.hub.Watch(events.Subject{Kind: events.Account})
		defer watch.Close()
		p.Advance(time.Hour)
		used, err := p.Use(ctx, sui.MustAddress("0x1"))
		want := account.Active{Account: sui.MustAddress("0x1"), Chain: chain, WalletName: "A", WalletID: "id.A",
			ConnectedAt: p.Now()}
		if diff := cmp.Diff(want, used); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
		if got, ok, err := p.Active(ctx); err != nil || !ok || got != want {
			t.Fatalf("active %+v, %v, %v", got, ok, err)
		}
		select {
		case <-watch.C:
		default:
			t.Error("nobody was told")
		}
		p.Advance(time.Hour)
		if again, err := p.Use(ctx, sui.MustAddress("0x1")); err != nil || again != want {
			t.Errorf("using it again changed %+v, %v", again, err)
		}
	})
	t.Run("an address that no wallet gave here is not used", func(t *testing.T) {
		p := newPlace(t)
		p.connect(t, numbered(1), "A")
		_, err := p.Use(ctx, sui.MustAddress("0x9"))
		wantFault(t, err, fault.InputInvalid)
		if got, _, _ := p.Active(ctx); got.Account != sui.MustAddress("0x1") {
			t.Errorf("active %s", got.Account)
		}
	})
	t.Run("an account of another chain is not used", func(t *testing.T) {
		p := newPlace(t)
		p.connect(t, numbered(1), "A")
		other := account.New(account.Config{Store: p.db, Hub: p.hub, Now: p.Now, Chain: "sui:localnet"})
		_, err := other.Use(ctx, sui.MustAddress("0x1"))
		wantFault(t, err, fault.NetworkMismatch)
	})
	t.Run("a forgotten account is gone, and is not in use any more", func(t *testing.T) {
		p := newPlace(t)
		p.connect(t, numbered(1), "A")
		p.Advance(time.Second)
		p.connect(t, numbered(2), "B")
		for _, step := range []struct {
			forget, left string
			active       bool
		}{{"0x9", "B 2, A 1", true}, {"0x1", "B 2", true}, {"0x2", "", false}, {"0x2", "", false}} {
			if err := p.Forget(ctx, sui.MustAddress(step.forget)); err != nil {
				t.Fatal(err)
			}
			_, ok, err := p.Active(ctx)
			if got := p.names(t); got != step.left || ok != step.active || err != nil {
				t.Errorf("after %s: %q, active %v, %v", step.forget, got, ok, err)
			}
		}
		entries, err := p.db.JournalSince(ctx, events.Account, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		var what []string
		for _, e := range entries {
			what = append(what, e.What)
		}
		if got := strings.Join(what, " "); got != "set set forgotten forgotten cleared" {
			t.Errorf("journal: %s", got)
		}
	})
	t.Run("R004-457 clearing ends the use, gives the account, and keeps it remembered", func(t *testing.T) {
		p := newPlace(t)
		p.connect(t, numbered(1), "A")
		was, ok, err := p.Clear(ctx)
		if err != nil || !ok || was.Account != sui.MustAddress("0x1") {
			t.Fatalf("%+v, %v, %v", was, ok, err)
		}
		if was, ok, err := p.Clear(ctx); err != nil || ok || !was.Account.IsZero() {
			t.Fatalf("clearing nothing: %+v, %v, %v", was, ok, err)
		}
		if got := p.names(t); got != "A 1" {
			t.Errorf("remembered: %q", got)
		}
	})
	t.Run("the one unused longest is forgotten when there are too many", func(t *testing.T) {
		p := newPlace(t)
		for n := range account.MostKnown + 2 {
			p.connect(t, numbered(n+1), "A")
			p.Advance(time.Second)
		}
		known := p.known(t)
		has := func(n string) bool {
			return slices.ContainsFunc(known, func(k account.Known) bool { return k.Account == sui.MustAddress(n) })
		}
		if len(known) != account.MostKnown || has("0x1") || has("0x2") || !has("0x3") {
			t.Errorf("%d are remembered", len(known))
		}
	})
}

// A remembered account ends a connect session as a wallet does.
func TestUseIn(t *testing.T) {
	ctx := context.Background()
	for _, from := range []account.IdentityStatus{account.Opened, account.Connecting} {
		t.Run("R004-422 from "+string(from), func(t *testing.T) {
			p := newPlace(t)
			p.connect(t, numbered(1), "A")
			p.connect(t, numbered(2), "B")
			id := p.reach(t, from)
			i, err := p.UseIn(ctx, id, sui.MustAddress("0x1"))
			if err != nil || i.Status != account.Connected || i.WalletName != "A" || i.Replaced == nil ||
				*i.Replaced != sui.MustAddress("0x2") {
				t.Fatalf("%+v, %v", i, err)
			}
			if _, terminal, err := p.Wait(ctx, id, time.Second); err != nil || !terminal {
				t.Errorf("the wait: %v, %v", terminal, err)
			}
			if got, _, _ := p.Active(ctx); got.Account != sui.MustAddress("0x1") || got.WalletName != "A" {
				t.Errorf("active %+v", got)
			}
			if _, err := p.UseIn(ctx, id, sui.MustAddress("0x1")); err != nil {
				t.Errorf("the same again: %v", err)
			}
			_, err = p.UseIn(ctx, id, sui.MustAddress("0x2"))
			wantFault(t, err, fault.InvalidSessionTransition)
		})
	}
	t.Run("not before the page is open, nor after the session's end", func(t *testing.T) {
		p := newPlace(t)
		p.connect(t, numbered(1), "A")
		_, err := p.UseIn(ctx, p.reach(t, account.Pending), sui.MustAddress("0x1"))
		wantFault(t, err, fault.InvalidSessionTransition)
		late := p.reach(t, account.Opened)
		p.Advance(account.IdentityLife)
		_, err = p.UseIn(ctx, late, sui.MustAddress("0x1"))
		wantFault(t, err, fault.SessionExpired)
		_, err = p.UseIn(ctx, p.reach(t, account.Opened), sui.MustAddress("0x7"))
		wantFault(t, err, fault.InputInvalid)
	})
}
