package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/watch"
	"github.com/sayurintent/sayurintent/store"
)

const settingsPage = "settings-page"

// exchange returns a backup service on a store, configured as in the program.
func exchange(db *store.DB, c *double.Clock) *backup.Service {
	return backup.New(backup.Config{Store: db, Settings: settings.New(settings.Config{Store: db}), Now: c.Now,
		Network: "sui:sandbox"})
}

// copyOf exports a backup and uncompresses it.
func copyOf(t testing.TB, s *backup.Service) []byte {
	t.Helper()
	return unpack(t, packedCopy(t, s))
}

func packedCopy(t testing.TB, s *backup.Service) []byte {
	t.Helper()
	return must[[]byte](t)(s.Export(context.Background()))
}

func unpack(t testing.TB, packed []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// read decodes a backup.
func read(t testing.TB, copied []byte) backup.File {
	t.Helper()
	return must[backup.File](t)(backup.Decode(bytes.NewReader(copied)))
}

var chain = sui.Digest{7, 7, 7}

// review creates a review with a status, and a release if released is set. It returns the stored
// session.
func (h *lived) review(id string, status record.Status, released bool) record.Session {
	h.t.Helper()
	s := proposed(id, h.c)
	s.ChainID = chain.String()
	s.Intent = plan.Intent{Type: "swap", From: plan.IntentSource{Symbol: "SUI", Amount: "1"},
		To: plan.IntentTarget{Symbol: "USDC"}}
	if err := h.db.CreateReview(h.ctx, s); err != nil {
		h.t.Fatal(err)
	}
	m := sui.NewMaterial([]byte("bytes of " + id))
	law := func(r *record.Row) error {
		r.Session.Revision++
		r.Session.Status = status
		r.Session.Commitment = sui.Commitment(m.Digest())
		if !status.Terminal() {
			r.Materials = append(r.Materials, record.Material{Digest: m.Digest(), Bytes: m, CreatedAt: h.c.Now(),
				Signature: sui.NewSignature([]byte("signature of " + id))})
		}
		if status == record.SignedPendingResult || status == record.Success {
			r.Session.Execution = &record.Execution{Status: status, TxDigest: m.Digest().String(), SignedAt: h.c.Now()}
		}
		return nil
	}
	var err error
	if released {
		_, err = h.db.Release(h.ctx, s.ID, func(r *record.Row) (record.Release, error) {
			v := release(m.Digest(), "nonce of "+id)
			v.At, v.SignedAt = h.c.Now(), h.c.Now()
			v.Facts.Sender, v.Facts.Steps[0].Sends = payer, sui.MustAddress("0xb0b"+strings.Repeat("0", 61))
			r.Session.Releases = append(r.Session.Releases, v)
			return v, law(r)
		})
	} else {
		_, err = h.db.Change(h.ctx, s.ID, "computed", law)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return must[record.Session](h.t)(h.db.Review(h.ctx, s.ID))
}

// lived is a store with data of every kind: settings, accounts, lists, reviews that ended in every
// way, coins, links, passes and material.
type lived struct {
	t   testing.TB
	ctx context.Context
	dir string
	db  *store.DB
	c   *double.Clock
	svc *backup.Service
}

func life(t testing.TB) *lived {
	t.Helper()
	h := &lived{t: t, ctx: context.Background(), dir: filepath.Join(double.Dir(t), "data"), c: newClock()}
	h.db = open(t, h.dir, nil, h.c.Now)
	h.svc = exchange(h.db, h.c)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(h.db.ChangeSettings(h.ctx, func(s *settings.Stored) error { *s = limited(); return nil }))
	address := sui.MustAddress("0xa11ce")
	ok(h.db.CreateIdentity(h.ctx, account.Identity{ID: "i1", Status: account.Pending, CreatedAt: h.c.Now(),
		UpdatedAt: h.c.Now(), ExpiresAt: h.c.Now()}))
	ok(h.db.CreateIdentity(h.ctx, account.Identity{ID: "i2", Status: account.Connected, Account: &address,
		Chain:      "sui:localnet",
		WalletName: "W \u202e", WalletID: "w", CreatedAt: h.c.Now(), UpdatedAt: h.c.Now(), ExpiresAt: h.c.Now()}))
	ok(h.db.ChangeAccounts(h.ctx, func(a *account.Accounts) error {
		a.Active = &account.Active{Account: address, Chain: "sui:localnet", WalletName: "W", WalletID: "w", Proven: true,
			ProvenAt: h.c.Now(), ConnectedAt: h.c.Now()}
		a.Known = []account.Known{{Account: address, Chain: "sui:localnet", WalletName: "W", FirstConnectedAt: h.c.Now(),
			LastConnectedAt: h.c.Now(), Proven: true, ProvenAt: h.c.Now()}}
		return nil
	}))
	h.review("done", record.Success, true)
	h.review("gone", record.Expired, false)
	h.review("ready", record.Ready, false)
	h.review("blocked", record.Blocked, false)
	ok(h.db.KeepDescriptions(h.ctx, chain, []assets.Described{{Coin: sui.SUI, Found: true, Decimals: 9, Symbol: "SUI",
		Name: "Sui <b>", At: h.c.Now()}}, time.Time{}))
	h.lists("Alice", usdc)
	for _, kind := range []pagetoken.Kind{pagetoken.Settings, pagetoken.Review} {
		ok(h.db.ChangePage(h.ctx, kind, settingsPage, func(p *pagetoken.Page) (string, error) {
			p.Links = []pagetoken.Link{{Code: pagetoken.Hash{1, byte(len(kind))}, IssuedAt: h.c.Now(),
				ExpiresAt: h.c.Now().Add(time.Hour)}}
			p.Passes = []pagetoken.Held{{Token: pagetoken.Hash{2, byte(len(kind))}, Pass: pagetoken.Pass{ID: "p" + string(kind),
				Kind: kind, Subject: settingsPage,
				Access: pagetoken.Active, IssuedAt: h.c.Now(), LastUsedAt: h.c.Now(), ExpiresAt: h.c.Now().Add(time.Hour)}}}
			return "link_opened", nil
		}))
	}
	return h
}

const usdc = sui.CoinType("0x00000000000000000000000000000000000000000000000000000000000000c0::usdc::USDC")

// lists adds a name to the address book, gives the own account the same name, and watches a coin.
func (h *lived) lists(name string, coin sui.CoinType) {
	h.t.Helper()
	account, own, payee := sui.MustAddress("0xa11ce"), "0xa11ce"+strings.Repeat("0", 59), "0xcafe"+strings.Repeat("0", 60)
	names := book.NewService(h.db, h.c.Now)
	_, err := names.Add(h.ctx, book.Agent, []book.Target{{Title: name, Address: payee, Chain: "Sui"}})
	if err == nil {
		err = names.NameOwn(h.ctx, own, name)
	}
	if err == nil {
		err = h.db.ChangeWatched(h.ctx, account, func([]watch.Coin) (watch.Change, error) {
			return watch.Change{Put: []watch.Coin{{Account: account, Type: coin, Ticker: name, Decimals: 6,
				Source: watch.FromChain, AddedAt: h.c.Now()}}}, nil
		})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// put imports the chosen parts of a backup.
func (h *lived) put(copied []byte, c backup.Choice) error {
	p, err := h.svc.Stage(h.ctx, settingsPage, bytes.NewReader(copied))
	if err != nil {
		return err
	}
	c.ID = p.ID
	_, err = h.svc.Import(h.ctx, settingsPage, c)
	return err
}

var all = backup.Choice{Limits: true, Accounts: true}

func TestExport(t *testing.T) {
	h := life(t)
	signed := h.review("signed", record.SignedPendingResult, true)
	copied := copyOf(t, h.svc)
	t.Run("R004-466 everything that a person set is in the copy", func(t *testing.T) {
		for _, words := range []string{`"format":"say-ur-intent.local-data"`, `"version":3`, `"network":"sui:sandbox"`,
			"https://node.example:443",
			`"accounts":[{"account":"` + sui.MustAddress("0xa11ce").String(), `"activeAccount":{`, `"title":"Alice"`,
			`"ownNames":[{"address":"`, `"coinType":"` + string(usdc)} {
			if !strings.Contains(string(copied), words) {
				t.Errorf("the copy lacks %s", words)
			}
		}
	})
	t.Run("IM-08 no review, material, link, pass or secret is in the copy", func(t *testing.T) {
		nonce := release(sui.Digest{}, "nonce of signed").NonceHash
		digest := signed.Releases[0].Digest
		for name, secret := range map[string][]byte{"bytes": []byte("bytes of "), "signature": []byte("signature of "),
			"digest": digest[:],
			"nonce":  nonce[:], "code": {1, 6, 0, 0, 0, 0, 0, 0}, "token": {2, 6, 0, 0, 0, 0, 0, 0}} {
			for form, text := range map[string]string{"plain": string(secret), "hex": hex.EncodeToString(secret),
				"base64": strings.TrimRight(base64.StdEncoding.EncodeToString(secret), "=")} {
				if text = text[:len(text)-1]; strings.Contains(string(copied), text) {
					t.Errorf("the copy holds the %s, %s", name, form)
				}
			}
		}
		for _, word := range []string{"roven", digest.String(), "signed", `"source"`} {
			if strings.Contains(string(copied), word) {
				t.Errorf("the copy speaks of %q", word)
			}
		}
	})
}

// payer is the account that paid one address in every finished review of a lived store.
var payer = sui.MustAddress("0xa1")

// decides matches a table for which the comment in its migration states whether backups contain it.
var decides = regexp.MustCompile(`-- Copies (?:have it|leave it out)(?:[^\n]*\n--)*[^\n]*\nCREATE TABLE (\w+)`)

// TestEveryTableIsDecided fails if a table is added without a decision on whether backups contain
// it. The decision is either in the migration or in the list below.
func TestEveryTableIsDecided(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	open(t, dir, nil, newClock().Now)
	decided := map[string]bool{}
	for _, copied := range []string{"settings", "active_account", "known_accounts", "book", "own_names", "watched"} {
		decided[copied] = true
	}
	for _, stays := range []string{
		// History.
		"journal", "reviews", "releases", "identities", "materials", "requests", "request_steps", "request_approvals",
		"plans", "plan_calls",
		"actions", "tasks", "workspace_changes", "paid", "paid_names",
		// Rights on this computer.
		"links", "passes", "opened_twice", "access_tokens", "remotes", "workspace_folders", "conversations",
		// Decisions that apply only to this computer.
		"freeze", "book_closed", "names_forgotten",
		// Data read from the chain, which can be read again.
		"coin_metadata", "chain_seen", "epoch_ends", "resting_orders", "activity_chain", "activity_transactions",
		"activity_flows", "activity_coverage",
		// The log and its readers.
		"log", "log_id", "log_trimmed", "consumers", "record_names", "record_signatures",
	} {
		decided[stays] = true
	}
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range decides.FindAllSubmatch(text, -1) {
			decided[string(table[1])] = true
		}
	}
	for name := range columns(t, dir) {
		if strings.HasPrefix(name, "sqlite_") {
			continue
		}
		if !decided[name] {
			t.Errorf("nobody decided whether the table %s is part of a copy: the comment above its CREATE TABLE begins with \"Copies leave it out\", or with \"Copies have it\" and backup.Data does", name)
		}
		delete(decided, name)
	}
	if len(decided) > 0 {
		t.Errorf("tables that are not there: %v", decided)
	}
}

// materialOn returns settings with one switch turned on.
func materialOn() (s settings.Stored) {
	s.Switches[settings.Material] = settings.On
	return s
}

func TestImport(t *testing.T) {
	from := life(t)
	copied := copyOf(t, from.svc)
	h := life(t)
	other := sui.MustAddress("0xe15e")
	if err := h.db.ChangeSettings(h.ctx,
		func(s *settings.Stored) error { *s = materialOn(); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := h.db.ChangeAccounts(h.ctx, func(a *account.Accounts) error {
		a.Active, a.Known = nil, []account.Known{{Account: other, Chain: "sui:localnet", FirstConnectedAt: h.c.Now(),
			LastConnectedAt: h.c.Now()}}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	h.lists("Mallory", sui.SUI)
	h.review("theirs", record.Success, true)
	h.review("pending", record.SignedPendingResult, true)
	before := h.everything()
	if err := h.put(copied, backup.Choice{}); err != nil {
		t.Fatal(err)
	}
	t.Run("what was not chosen stays", func(t *testing.T) {
		if s := must[settings.Stored](t)(h.db.Settings(h.ctx)); !reflect.DeepEqual(s, materialOn()) {
			t.Errorf("settings %+v", s)
		}
		if known := must[[]account.Known](t)(h.db.KnownAccounts(h.ctx)); len(known) != 1 || known[0].Account != other {
			t.Errorf("%+v", known)
		}
	})
	if err := h.put(copied, all); err != nil {
		t.Fatal(err)
	}
	after := h.everything()
	t.Run("R004-467 the copy takes the place of settings, accounts and lists", func(t *testing.T) {
		s := must[settings.Stored](t)(h.db.Settings(h.ctx))
		if !reflect.DeepEqual(s.Allowance, limited().Allowance) || s.Switches[settings.Material] != settings.On {
			t.Errorf("settings %+v", s)
		}
		for _, name := range []string{"known_accounts", "active_account", "book", "own_names", "watched"} {
			if len(after[name]) != 1 {
				t.Errorf("%s: %q", name, after[name])
			}
		}
		a, b := read(t, copied), read(t, copyOf(t, h.svc))
		a.CreatedAt, a.Settings.Addresses, b.Settings.Switches = b.CreatedAt, b.Settings.Addresses, a.Settings.Switches
		if diff := cmp.Diff(a, b); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("R004-467 reviews, what counts, and everything else that happened stay", func(t *testing.T) {
		for name, rows := range before {
			if slices.Contains([]string{"settings", "known_accounts", "active_account", "book", "own_names", "watched",
				"sqlite_sequence"}, name) {
				continue
			}
			kept := after[name]
			if name == "journal" || name == "log" { // an import adds rows to these
				kept = slices.DeleteFunc(slices.Clone(kept), func(row string) bool { return !slices.Contains(rows, row) })
			}
			if diff := cmp.Diff(rows, kept); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	})
	t.Run("no account arrives proven, no name confirmed, no decimals verified", func(t *testing.T) {
		active, ok, err := h.db.ActiveAccount(h.ctx)
		if err != nil || !ok || active.Proven || !active.ProvenAt.IsZero() {
			t.Errorf("%+v, %v, %v", active, ok, err)
		}
		for _, k := range must[[]account.Known](t)(h.db.KnownAccounts(h.ctx)) {
			if k.Proven {
				t.Errorf("%+v", k)
			}
		}
		for _, e := range must[[]book.Entry](t)(h.db.Book(h.ctx)) {
			if e.Confirmed() || e.Source != book.Import {
				t.Errorf("%+v", e)
			}
		}
		for _, w := range must[[]watch.Coin](t)(h.db.Watched(h.ctx, sui.MustAddress("0xa11ce"))) {
			if w.Source != watch.Unverified {
				t.Errorf("%+v", w)
			}
		}
	})
	t.Run("the journal says what changed, as by hand", func(t *testing.T) {
		for kind, want := range map[events.Kind]string{events.Settings: "allowance set",
			events.Account: sui.MustAddress("0xa11ce").String() + " set",
			events.Book:    " imported", events.Coins: " changed"} {
			entries := must[[]events.Entry](t)(h.db.JournalSince(h.ctx, kind, "", 0))
			if last := entries[len(entries)-1]; last.To+" "+last.What != want {
				t.Errorf("%s: %+v", kind, last)
			}
		}
	})
}

// everything returns the rows of every table as text.
func (h *lived) everything() map[string][]string {
	h.t.Helper()
	all, db := map[string][]string{}, raw(h.t, h.dir)
	for name, list := range columns(h.t, h.dir) {
		all[name] = must[[]string](h.t)(texts(db, "SELECT concat_ws('|', quote("+strings.Join(list, "), quote(")+`)) FROM "`+
			name+`" ORDER BY 1`))
	}
	return all
}

func TestImportWakesThePages(t *testing.T) {
	copied := copyOf(t, life(t).svc)
	hub := &events.Hub{}
	h := &lived{t: t, ctx: t.Context(), dir: filepath.Join(double.Dir(t), "data"), c: newClock()}
	h.db = open(t, h.dir, hub, h.c.Now)
	h.svc = exchange(h.db, h.c)
	pages := map[string]*events.Watch{}
	for name, s := range map[string]events.Subject{"settings": {Kind: events.Settings}, "account": {Kind: events.Account},
		"address book": {Kind: events.Book, ID: pagetoken.BookSubject}, "coins": {Kind: events.Coins}} {
		pages[name] = hub.Watch(s)
		defer pages[name].Close()
	}
	if err := h.put(copied, all); err != nil {
		t.Fatal(err)
	}
	for name, w := range pages {
		select {
		case <-w.C:
		default:
			t.Errorf("the page of the %s was not woken", name)
		}
	}
}

// A review that waits for its signature or result continues after an import.
func TestImportInTheMidst(t *testing.T) {
	h := life(t)
	copied := copyOf(t, h.svc)
	h.review("pending", record.SignedPendingResult, true)
	if err := h.put(copied, all); err != nil {
		t.Fatal(err)
	}
	t.Run("R004-467 an open review can still be signed", func(t *testing.T) {
		row := must[record.Row](t)(h.db.ReviewRow(h.ctx, "ready"))
		if row.Session.Status != record.Ready || len(row.Materials) != 1 {
			t.Fatalf("%s, %d materials", row.Session.Status, len(row.Materials))
		}
		must[record.Row](t)(h.db.Release(h.ctx, "ready", func(r *record.Row) (record.Release, error) {
			v := release(r.Materials[0].Digest, "nonce")
			r.Session.Releases = append(r.Session.Releases, v)
			return v, bump(r)
		}))
	})
	t.Run("R004-467 a signed one is still awaited", func(t *testing.T) {
		if ids := must[[]record.ID](t)(h.db.Unsettled(h.ctx)); !slices.Contains(ids, "pending") {
			t.Errorf("%v", ids)
		}
	})
	t.Run("every page keeps its right", func(t *testing.T) {
		for _, kind := range []pagetoken.Kind{pagetoken.Settings, pagetoken.Review} {
			if _, ok, err := h.db.FindPass(h.ctx, pagetoken.Hash{2, byte(len(kind))}); err != nil || !ok {
				t.Errorf("the pass of the %s page: %v, %v", kind, ok, err)
			}
		}
	})
	t.Run("IM-03 whom this computer paid stays known", func(t *testing.T) {
		if known := must[[]sui.Address](t)(h.db.Paid(h.ctx, payer)); len(known) != 1 {
			t.Errorf("%v", known)
		}
	})
}

func TestTimesOfACopy(t *testing.T) {
	h := life(t)
	copied := copyOf(t, h.svc)
	for what, at := range map[string]string{"far": `9999-01-01T00:00:00Z`, "before any computer": `0001-01-01T00:00:00Z`} {
		t.Run("a time that is "+what+" becomes now", func(t *testing.T) {
			stamp := h.c.Now().UTC().Format(time.RFC3339Nano)
			if err := h.put(bytes.ReplaceAll(copied, []byte(stamp), []byte(at)), all); err != nil {
				t.Fatal(err)
			}
			for _, k := range must[[]account.Known](t)(h.db.KnownAccounts(h.ctx)) {
				if !k.LastConnectedAt.Equal(h.c.Now()) || !k.FirstConnectedAt.Equal(h.c.Now()) {
					t.Errorf("%+v", k)
				}
			}
		})
	}
}

// earlierCopy returns a backup of version 1 or 2 with two reviews.
func earlierCopy(v int) []byte {
	lists := ""
	if v > 1 {
		lists = `"book":[],"ownNames":[],`
	}
	return fmt.Appendf(nil,
		`{"format":"say-ur-intent.local-data","version":%d,"network":"sui:sandbox","createdAt":"2026-01-01T00:00:00Z",`+
			`"settings":{"allowance":{"protocols":["flowx"]}},"activeAccount":null,"accounts":[],"identities":[{"id":"i"}],"reviews":[{"id":"a"},{"id":"b"}],`+
			`"coins":[],%s"journal":[{"kind":"review"}],"rows":4}`, v, lists)
}

func TestEarlierCopies(t *testing.T) {
	for v, list := range map[int]string{1: "address book", 2: "watch list"} {
		t.Run(fmt.Sprintf("R004-467 version %d, of which no review is imported", v), func(t *testing.T) {
			h := life(t)
			p := must[backup.Preview](t)(h.svc.Stage(h.ctx, settingsPage, bytes.NewReader(earlierCopy(v))))
			said := strings.Join(p.Notes, " ")
			for _, words := range []string{"This backup also contains 2 reviews. Reviews are not imported; this computer's reviews remain.", "no " + list + ". Yours remains."} {
				if !strings.Contains(said, words) {
					t.Errorf("%q is not said in %q", words, said)
				}
			}
			before := h.everything()
			must[settings.Outcome](t)(h.svc.Import(h.ctx, settingsPage, backup.Choice{ID: p.ID, Limits: true, Accounts: true}))
			after := h.everything()
			if s := must[settings.Stored](t)(h.db.Settings(h.ctx)); len(s.Allowance.Protocols) != 1 ||
				s.Allowance.Protocols[0] != "flowx" {
				t.Errorf("%+v", s)
			}
			if n := len(after["known_accounts"]) + len(after["active_account"]); n > 0 {
				t.Errorf("%d accounts are left", n)
			}
			if len(after["book"]) != 2-v || len(after["own_names"]) != 2-v {
				t.Errorf("%q, %q", after["book"], after["own_names"])
			}
			for _, name := range []string{"reviews", "releases", "identities", "watched"} {
				if diff := cmp.Diff(before[name], after[name]); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
		})
	}
}

func TestUnsettledRefuses(t *testing.T) {
	h := life(t)
	h.review("pending", record.SignedPendingResult, true)
	_, err := h.svc.Reset(h.ctx, settingsPage, backup.ResetWords)
	wantFault(t, err, fault.Blocked)
	if !strings.Contains(err.Error(), backup.ResetWords+": pending") {
		t.Errorf("the refusal does not say how to give the review up: %v", err)
	}
	h.review("second", record.SignedPendingResult, true)
	t.Run("IM-07 a reset names every review that it loses", func(t *testing.T) {
		for _, few := range []string{": pending", ": second", ":", ": pendingsecond", " pending second"} {
			if _, err := h.svc.Reset(h.ctx, settingsPage, backup.ResetWords+few); err == nil {
				t.Errorf("%q forgot a review that it does not name", few)
			}
		}
	})
	if s := must[record.Row](t)(h.db.ReviewRow(h.ctx, "pending")); len(s.Materials) != 1 {
		t.Error("a refused reset lost material")
	}
	must[settings.Outcome](t)(h.svc.Reset(h.ctx, settingsPage, backup.ResetWords+": second pending"))
	_, err = h.db.Review(h.ctx, "pending")
	wantFault(t, err, fault.SessionNotFound)
}

func TestReset(t *testing.T) {
	h := life(t)
	_, err := h.svc.Reset(h.ctx, settingsPage, "yes")
	wantFault(t, err, fault.InputInvalid)
	must[settings.Outcome](t)(h.svc.Reset(h.ctx, settingsPage, " Erase everything "))
	t.Run("R004-465 nothing is left but the right of the page", func(t *testing.T) {
		left := map[string]int{"sqlite_sequence": 2, "journal": 1, "log": 2, "log_id": 1, "links": 1, "passes": 1}
		for name := range columns(t, h.dir) {
			var n int
			if err := raw(t, h.dir).QueryRow(`SELECT count(*) FROM "` + name + `"`).Scan(&n); err != nil || n != left[name] {
				t.Errorf("%s has %d rows, %v", name, n, err)
			}
		}
	})
	t.Run("IM-06 every right ends but that of the page that asked", func(t *testing.T) {
		for kind, want := range map[pagetoken.Kind]bool{pagetoken.Settings: true, pagetoken.Review: false} {
			_, ok, err := h.db.FindPass(h.ctx, pagetoken.Hash{2, byte(len(kind))})
			if err != nil || ok != want {
				t.Errorf("the pass of the %s page lives: %v, %v", kind, ok, err)
			}
		}
		if n := must[int](t)(h.db.UnopenedLinks(h.ctx, time.Unix(0, 0), h.c.Now())); n != 1 {
			t.Errorf("%d links live", n)
		}
	})
	if found := where(t, h.dir, []byte("bytes of ready")); len(found) > 0 {
		t.Errorf("material is still in %v", found)
	}
	entries := must[[]events.Entry](t)(h.db.JournalSince(h.ctx, events.Settings, "", 0))
	if len(entries) != 1 || entries[0].What != "reset" || entries[0].Seq < 2 {
		t.Errorf("the journal says %+v", entries)
	}
	create(t, h.db, h.c, "again")
}
