package account_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/store"
)

const chain = "sui:mainnet"

var address = "0x" + strings.Repeat("Ab", 32)

// place is a service over a real store, with a clock to move.
type place struct {
	*double.Clock
	*account.Service
	db  *store.DB
	dir string
	hub *events.Hub
}

func (p *place) start(t *testing.T) *account.Service {
	t.Helper()
	storekit.Make(t, p.dir)
	db, err := store.Open(context.Background(), store.Config{Dir: p.dir, Now: p.Now, Hub: p.hub})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	p.db = db
	return account.New(account.Config{Store: db, Hub: p.hub, Now: p.Now, Chain: chain})
}

func newPlace(t *testing.T) *place {
	p := &place{
		dir: filepath.Join(double.Dir(t), "data"), hub: &events.Hub{},
		Clock: double.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)),
	}
	p.Service = p.start(t)
	return p
}

// reach returns a new session in the given non-terminal status.
func (p *place) reach(t *testing.T, status account.IdentityStatus) string {
	t.Helper()
	ctx := context.Background()
	i, err := p.Create(ctx)
	if err == nil && status != account.Pending {
		err = p.Opened(ctx, i.ID)
	}
	if err == nil && status == account.Connecting {
		_, err = p.Report(ctx, i.ID, account.Report{Status: account.Connecting, WalletName: "Slush"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return i.ID
}

func connected() account.Report {
	return account.Report{Status: account.Connected, Account: address, Chain: chain, WalletName: "Slush",
		WalletID: "com.slush"}
}

func wantFault(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
}

func TestIdentity(t *testing.T) {
	ctx := context.Background()
	t.Run("R004-420 a session starts pending and has its own id", func(t *testing.T) {
		p := newPlace(t)
		a, err := p.Create(ctx)
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Create(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if a.ID == b.ID || len(a.ID) != 24 || a.Status != account.Pending {
			t.Fatalf("%+v and %+v", a, b)
		}
		if got := a.ExpiresAt.Sub(a.CreatedAt); got != 30*time.Minute {
			t.Errorf("lives %s, want 30 minutes", got)
		}
	})
	t.Run("R004-421 polling shows each step, and the active account confirms the last", func(t *testing.T) {
		p := newPlace(t)
		id := p.reach(t, account.Pending)
		step := func(want account.IdentityStatus) account.Identity {
			t.Helper()
			i, err := p.Identity(ctx, id)
			if err != nil || i.Status != want {
				t.Fatalf("status %s, %v; want %s", i.Status, err, want)
			}
			return i
		}
		step(account.Pending)
		if err := p.Opened(ctx, id); err != nil {
			t.Fatal(err)
		}
		step(account.Opened)
		if _, err := p.Report(ctx, id, account.Report{Status: account.Connecting, WalletName: "Slush"}); err != nil {
			t.Fatal(err)
		}
		step(account.Connecting)
		if _, ok, err := p.Active(ctx); err != nil || ok {
			t.Fatalf("an account is active too early: %v, %v", ok, err)
		}
		p.Advance(time.Second)
		if _, err := p.Report(ctx, id, connected()); err != nil {
			t.Fatal(err)
		}
		i := step(account.Connected)
		if i.Account == nil || i.Account.String() != strings.ToLower(address) {
			t.Fatalf("account %v", i.Account)
		}
		got, ok, err := p.Active(ctx)
		want := account.Active{Account: sui.MustAddress(address), Chain: chain, WalletName: "Slush",
			WalletID: "com.slush", ConnectedAt: p.Now()}
		if diff := cmp.Diff(want, got); err != nil || !ok || diff != "" {
			t.Fatalf("active: %v, %v\n%s", ok, err, diff)
		}
	})
	t.Run("R004-446 a session that nobody finished is marked expired when it is looked at", func(t *testing.T) {
		p := newPlace(t)
		for _, status := range []account.IdentityStatus{account.Pending, account.Opened, account.Connecting} {
			id := p.reach(t, status)
			p.Advance(30*time.Minute - time.Millisecond)
			if i, err := p.Identity(ctx, id); err != nil || i.Status != status {
				t.Fatalf("a millisecond before its end: %s, %v", i.Status, err)
			}
			p.Advance(time.Millisecond)
			if i, err := p.Identity(ctx, id); err != nil || i.Status != account.Expired {
				t.Fatalf("at its end: %s, %v", i.Status, err)
			}
			p.Advance(-time.Hour)
			if i, err := p.Identity(ctx, id); err != nil || i.Status != account.Expired {
				t.Fatalf("a clock set back revived it: %s, %v", i.Status, err)
			}
		}
	})
	t.Run("a clock set back a day ends a session, which would live a day longer; one corrected by seconds does not",
		func(t *testing.T) {
			p := newPlace(t)
			id := p.reach(t, account.Opened)
			p.Advance(-30 * time.Second)
			if i, err := p.Identity(ctx, id); err != nil || i.Status != account.Opened {
				t.Fatalf("%s, %v", i.Status, err)
			}
			p.Advance(-24 * time.Hour)
			if i, err := p.Identity(ctx, id); err != nil || i.Status != account.Expired {
				t.Fatalf("%s, %v", i.Status, err)
			}
		})
	t.Run("a report that comes too late expires the session and connects nothing", func(t *testing.T) {
		p := newPlace(t)
		id := p.reach(t, account.Connecting)
		p.Advance(31 * time.Minute)
		_, err := p.Report(ctx, id, connected())
		wantFault(t, err, fault.SessionExpired)
		wantFault(t, p.Opened(ctx, id), fault.SessionExpired)
		if i, err := p.Identity(ctx, id); err != nil || i.Status != account.Expired || i.Account != nil {
			t.Fatalf("%+v, %v", i, err)
		}
		if _, ok, err := p.Active(ctx); err != nil || ok {
			t.Fatalf("active: %v, %v", ok, err)
		}
	})
	t.Run("a connected session never expires", func(t *testing.T) {
		p := newPlace(t)
		id := p.reach(t, account.Connecting)
		if _, err := p.Report(ctx, id, connected()); err != nil {
			t.Fatal(err)
		}
		p.Advance(48 * time.Hour)
		if i, err := p.Identity(ctx, id); err != nil || i.Status != account.Connected {
			t.Fatalf("%s, %v", i.Status, err)
		}
	})
	t.Run("an unknown session is said to be unknown", func(t *testing.T) {
		p := newPlace(t)
		_, err := p.Identity(ctx, "nope")
		wantFault(t, err, fault.SessionNotFound)
		_, err = p.Report(ctx, "nope", connected())
		wantFault(t, err, fault.SessionNotFound)
		wantFault(t, p.Opened(ctx, "nope"), fault.SessionNotFound)
		_, _, err = p.Wait(ctx, "nope", time.Second)
		wantFault(t, err, fault.SessionNotFound)
	})
}

// Every pair of status and report: accepted or refused.
func TestMoves(t *testing.T) {
	ctx := context.Background()
	reports := map[string]account.Report{
		"connecting": {Status: account.Connecting, WalletName: "Suiet"},
		"connected":  connected(),
		"rejected":   {Status: account.Rejected, FailureReason: account.UserRejected},
		"no wallet":  {Status: account.Failed, FailureReason: account.NoCompatibleWallet},
		"wallet":     {Status: account.Failed, FailureReason: account.WalletProviderError, FailureDetail: "boom"},
	}
	legal := map[account.IdentityStatus]map[string]account.IdentityStatus{
		account.Pending: {},
		account.Opened:  {"connecting": account.Connecting, "no wallet": account.Failed},
		account.Connecting: {"connecting": account.Connecting, "connected": account.Connected,
			"rejected": account.Rejected, "no wallet": account.Failed, "wallet": account.Failed},
	}
	for from, moves := range legal {
		for name, report := range reports {
			t.Run(string(from)+" and "+name, func(t *testing.T) {
				p := newPlace(t)
				id := p.reach(t, from)
				i, err := p.Report(ctx, id, report)
				want, ok := moves[name]
				if !ok {
					wantFault(t, err, fault.InvalidSessionTransition)
					if !strings.Contains(err.Error(), string(from)) {
						t.Errorf("the refusal does not say that the session is %s: %v", from, err)
					}
					want = from
				} else if err != nil {
					t.Fatal(err)
				}
				if got, _ := p.Identity(ctx, id); got.Status != want || ok && i.Status != want {
					t.Fatalf("stored %s, answered %s, want %s", got.Status, i.Status, want)
				}
				if !want.Terminal() {
					return
				}
				entries, err := p.db.JournalSince(ctx, events.Identity, id, 0)
				if err != nil {
					t.Fatal(err)
				}
				if again, err := p.Report(ctx, id, report); err != nil || again.Status != want {
					t.Errorf("the same report again: %s, %v", again.Status, err)
				}
				if err := p.Opened(ctx, id); err != nil {
					t.Errorf("a second page: %v", err)
				}
				for other, report := range reports {
					if other != name {
						_, err := p.Report(ctx, id, report)
						wantFault(t, err, fault.InvalidSessionTransition)
					}
				}
				after, err := p.db.JournalSince(ctx, events.Identity, id, 0)
				if err != nil || len(after) != len(entries) {
					t.Errorf("repeats and refusals were journalled: %d entries became %d, %v", len(entries), len(after), err)
				}
			})
		}
	}
}

func TestReports(t *testing.T) {
	ctx := context.Background()
	bad := map[string]account.Report{
		"no status":              {},
		"a status of the server": {Status: account.Expired},
		"connected, no account":  {Status: account.Connected, Chain: chain},
		"short account":          {Status: account.Connected, Chain: chain, Account: "0x2"},
		"account of 65 digits":   {Status: account.Connected, Chain: chain, Account: address + "0"},
		"account without 0x":     {Status: account.Connected, Chain: chain, Account: address[2:]},
		"account with 0X":        {Status: account.Connected, Chain: chain, Account: "0X" + address[2:]},
		"account with a space":   {Status: account.Connected, Chain: chain, Account: " " + address[:65]},
		"not hexadecimal":        {Status: account.Connected, Chain: chain, Account: address[:65] + "g"},
		"the zero address":       {Status: account.Connected, Chain: chain, Account: "0x" + strings.Repeat("0", 64)},
		"connected and failed": {Status: account.Connected, Chain: chain, Account: address,
			FailureReason: account.UserRejected},
		"failed without a reason":    {Status: account.Failed},
		"failed for an own reason":   {Status: account.Failed, FailureReason: "because"},
		"failed as rejected":         {Status: account.Failed, FailureReason: account.UserRejected},
		"rejected for another cause": {Status: account.Rejected, FailureReason: account.UnsupportedChain},
	}
	for name, report := range bad {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			id := p.reach(t, account.Connecting)
			_, err := p.Report(ctx, id, report)
			wantFault(t, err, fault.InputInvalid)
			if i, err := p.Identity(ctx, id); err != nil || i.Status != account.Connecting {
				t.Fatalf("the session became %s, %v", i.Status, err)
			}
		})
	}
	for _, other := range []string{"sui:testnet", "sui:localnet", "SUI:MAINNET", "sui:mainnet ", ""} {
		t.Run("an account on chain "+other, func(t *testing.T) {
			p := newPlace(t)
			id := p.reach(t, account.Connecting)
			r := connected()
			r.Chain = other
			i, err := p.Report(ctx, id, r)
			if err != nil || i.Status != account.Failed || i.FailureReason != account.UnsupportedChain {
				t.Fatalf("%s %s, %v", i.Status, i.FailureReason, err)
			}
			if !strings.Contains(i.FailureDetail, chain) {
				t.Errorf("the detail does not name the chain of this server: %s", i.FailureDetail)
			}
			if _, ok, err := p.Active(ctx); err != nil || ok {
				t.Fatalf("active: %v, %v", ok, err)
			}
		})
	}
	t.Run("text of a wallet is bounded and on one line", func(t *testing.T) {
		p := newPlace(t)
		id := p.reach(t, account.Connecting)
		i, err := p.Report(ctx, id, account.Report{
			Status: account.Failed, FailureReason: account.WalletProviderError,
			WalletName:    "  Evil\x00\u202e Wallet\n\x1b[31m\u2028ok\xff " + strings.Repeat("é", 300),
			FailureDetail: strings.Repeat("ü ", 1000),
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(i.WalletName, "Evil⟦U+0000⟧⟦U+202E⟧ Wallet ⟦U+001B⟧[31m ok⟦0xFF⟧ éé") {
			t.Errorf("name %q", i.WalletName)
		}
		if n := len([]rune(i.WalletName)); n != account.MostName {
			t.Errorf("name of %d code points, want %d", n, account.MostName)
		}
		if n := len([]rune(i.FailureDetail)); n > account.MostDetail || n < account.MostDetail-1 {
			t.Errorf("detail of %d code points, want %d", n, account.MostDetail)
		}
	})
	t.Run("the wallet named when connecting stays unless the report names another", func(t *testing.T) {
		p := newPlace(t)
		id := p.reach(t, account.Connecting)
		r := connected()
		r.WalletName, r.WalletID = "", ""
		i, err := p.Report(ctx, id, r)
		if err != nil || i.WalletName != "Slush" {
			t.Fatalf("wallet %q, %v", i.WalletName, err)
		}
	})
}

func TestWait(t *testing.T) {
	ctx := context.Background()
	t.Run("R004-422 a wait ends with the session's last step", func(t *testing.T) {
		p := newPlace(t)
		id := p.reach(t, account.Connecting)
		if err := p.db.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) { // its clock moves only while all wait
			p.Service = p.start(t)
			time.AfterFunc(time.Second, func() {
				if _, err := p.Report(ctx, id, connected()); err != nil {
					t.Error(err)
				}
			})
			from := time.Now()
			i, terminal, err := p.Wait(ctx, id, 30*time.Second)
			if err != nil || !terminal || i.Status != account.Connected || time.Since(from) != time.Second {
				t.Errorf("%s, %v, %v after %s", i.Status, terminal, err, time.Since(from))
			}
		})
		p.Service = p.start(t)
		if i, terminal, err := p.Wait(ctx, id, time.Hour); err != nil || !terminal || i.Status != account.Connected {
			t.Errorf("a wait for a finished session: %s, %v, %v", i.Status, terminal, err)
		}
	})
	t.Run("R004-430 a wait that runs out says so and leaves the session as it is", func(t *testing.T) {
		p := newPlace(t)
		id := p.reach(t, account.Opened)
		i, terminal, err := p.Wait(ctx, id, 20*time.Millisecond)
		if err != nil || terminal || i.Status != account.Opened {
			t.Fatalf("%s, %v, %v", i.Status, terminal, err)
		}
	})
	t.Run("R004-432 a cancelled wait is request_aborted", func(t *testing.T) {
		p := newPlace(t)
		id := p.reach(t, account.Opened)
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_, _, err := p.Wait(ctx, id, time.Minute)
		wantFault(t, err, fault.RequestAborted)
	})
	t.Run("R004-433 a restart ends waits, not sessions", func(t *testing.T) {
		p := newPlace(t)
		id := p.reach(t, account.Connecting)
		if err := p.db.Close(); err != nil {
			t.Fatal(err)
		}
		again := p.start(t)
		i, terminal, err := again.Wait(ctx, id, 10*time.Millisecond)
		if err != nil || terminal || i.Status != account.Connecting {
			t.Fatalf("%s, %v, %v", i.Status, terminal, err)
		}
		if _, err := again.Report(ctx, id, connected()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestActive(t *testing.T) {
	ctx := context.Background()
	t.Run("R004-456 the active account outlives a restart and is told to watchers", func(t *testing.T) {
		p := newPlace(t)
		watch := p.hub.Watch(events.Subject{Kind: events.Account})
		defer watch.Close()
		woken := func(what string) {
			t.Helper()
			select {
			case <-watch.C:
			default:
				t.Errorf("nobody was woken when the account was %s", what)
			}
		}
		id := p.reach(t, account.Connecting)
		if _, err := p.Report(ctx, id, connected()); err != nil {
			t.Fatal(err)
		}
		woken("set")
		other := p.start(t)
		if got, ok, err := other.Active(ctx); err != nil || !ok || got.Account != sui.MustAddress(address) {
			t.Fatalf("%+v, %v, %v", got, ok, err)
		}
		if _, _, err := p.Clear(ctx); err != nil {
			t.Fatal(err)
		}
		woken("cleared")
		if _, ok, err := other.Active(ctx); err != nil || ok {
			t.Fatalf("active after clearing: %v, %v", ok, err)
		}
		if _, _, err := p.Clear(ctx); err != nil {
			t.Errorf("clearing nothing: %v", err)
		}
	})
	t.Run("the last connected wallet is the active one", func(t *testing.T) {
		p := newPlace(t)
		second := "0x" + strings.Repeat("cd", 32)
		for _, a := range []string{address, second} {
			r := connected()
			r.Account = a
			if _, err := p.Report(ctx, p.reach(t, account.Connecting), r); err != nil {
				t.Fatal(err)
			}
		}
		if got, _, err := p.Active(ctx); err != nil || got.Account.String() != second {
			t.Fatalf("active %s, %v", got.Account, err)
		}
		entries, err := p.db.JournalSince(ctx, events.Account, "", 0)
		if err != nil || len(entries) != 2 || entries[1].From != strings.ToLower(address) || entries[1].To != second {
			t.Fatalf("journal %+v, %v", entries, err)
		}
	})
}
