package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// oldFile creates a database in the format before the migration with the given number.
func oldFile(t *testing.T, number int, rows ...string) string {
	t.Helper()
	dir := filepath.Join(double.Dir(t), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	steps, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(steps) < number {
		t.Fatalf("%d migrations, %v", len(steps), err)
	}
	slices.Sort(steps)
	statements := []string{"PRAGMA journal_mode=WAL"}
	for _, step := range steps[:number-1] {
		b, err := os.ReadFile(step)
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, string(b))
	}
	statements = append(statements, fmt.Sprintf("PRAGMA application_id = 1398100553; PRAGMA user_version = %d", number-1))
	db := raw(t, dir)
	for _, statement := range append(statements, rows...) {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, dbFile), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Accounts that were connected before the list of accounts existed are on the list, and other data
// of an older file is kept.
func TestAccountsOfAnOlderFile(t *testing.T) {
	const second = int64(time.Second)
	identity := func(id, status string, account byte, wallet string, at int64) string {
		blob := "NULL"
		if account != 0 {
			blob = fmt.Sprintf("x'%064x'", account)
		}
		return fmt.Sprintf(`INSERT INTO identities (id, status, account, chain, wallet_name, wallet_id, failure_reason, failure_detail,
			created_at, updated_at, expires_at) VALUES ('%s', '%s', %s, 'sui:mainnet', '%s', '', '', '', 1, %d, 9)`, id, status,
			blob, wallet, at)
	}
	dir := oldFile(t, 6,
		identity("a", "connected", 1, "A", 10*second), identity("b", "connected", 1, "B", 30*second),
		identity("c", "connected", 2, "C", 20*second), identity("d", "failed", 0, "D", 40*second),
		fmt.Sprintf(`INSERT INTO active_account (id, account, chain, wallet_name, wallet_id, proven, connected_at)
			VALUES (1, x'%064x', 'sui:mainnet', 'E', 'e', 0, %d)`, 3, 5*second))
	db := open(t, dir, nil, newClock().Now)
	at := func(s int64) time.Time { return time.Unix(s, 0).UTC() }
	known := func(address, wallet, id string, first, last int64) account.Known {
		return account.Known{Account: sui.MustAddress(address), Chain: "sui:mainnet", WalletName: wallet, WalletID: id,
			FirstConnectedAt: at(first), LastConnectedAt: at(last)}
	}
	want := []account.Known{known("0x1", "B", "", 10, 30), known("0x2", "C", "", 20, 20), known("0x3", "E", "e", 5, 5)}
	if diff := cmp.Diff(want, must[[]account.Known](t)(db.KnownAccounts(t.Context()))); diff != "" {
		t.Error(diff)
	}
	active, ok, err := db.ActiveAccount(t.Context())
	if err != nil || !ok || active.Account != sui.MustAddress("0x3") || active.Proven || !active.ProvenAt.IsZero() {
		t.Errorf("active %+v, %v, %v", active, ok, err)
	}
	i, err := db.Identity(t.Context(), "a")
	if err != nil || i.Status != account.Connected || i.Replaced != nil || !i.ProvenAt.IsZero() ||
		i.Challenge != (account.Challenge{}) {
		t.Errorf("%+v, %v", i, err)
	}
}

// A transition that fails or changes nothing leaves accounts and journal unchanged.
func TestAccountsRollBack(t *testing.T) {
	db, c := fresh(t)
	ctx := context.Background()
	set := func(a *account.Accounts) error {
		a.Known = []account.Known{{Account: sui.MustAddress("0x1"), Chain: "c", FirstConnectedAt: c.Now(),
			LastConnectedAt: c.Now()}}
		a.Active = &account.Active{Account: sui.MustAddress("0x1"), Chain: "c", ConnectedAt: c.Now()}
		return nil
	}
	if err := db.ChangeAccounts(ctx, set); err != nil {
		t.Fatal(err)
	}
	state := func() any {
		active, ok, err := db.ActiveAccount(ctx)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := db.JournalSince(ctx, "account", "", 0)
		if err != nil {
			t.Fatal(err)
		}
		return []any{active, ok, must[[]account.Known](t)(db.KnownAccounts(ctx)), len(entries)}
	}
	before := state()
	failing := fmt.Errorf("no")
	err := db.ChangeAccounts(ctx, func(a *account.Accounts) error {
		a.Active.Proven, a.Known[0].Proven, a.Known[0].ProvenAt = true, true, c.Now()
		return failing
	})
	if err != failing {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("a law that failed changed:\n%s", diff)
	}
	if err := db.ChangeAccounts(ctx, set); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, state()); diff != "" {
		t.Errorf("a law that changed nothing was recorded:\n%s", diff)
	}
	// An account that is edited in place counts as changed.
	err = db.ChangeAccounts(ctx, func(a *account.Accounts) error {
		a.Active.Proven, a.Active.ProvenAt = true, c.Now()
		return nil
	})
	if a, _, _ := db.ActiveAccount(ctx); err != nil || !a.Proven || !a.ProvenAt.Equal(c.Now()) {
		t.Errorf("edited in place: %+v, %v", a, err)
	}
}
