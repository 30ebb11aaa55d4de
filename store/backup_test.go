package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/hex"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/proposal"
	"github.com/sayurintent/sayurintent/review/record"
	"github.com/sayurintent/sayurintent/store"
)

const settingsPage = "settings-page"

// exchange is the backup service over a store, as the program wires it.
func exchange(db *store.DB, c *double.Clock) *backup.Service {
	return backup.New(backup.Config{Store: db, Settings: settings.New(settings.Config{Store: db}), Now: c.Now, Network: "sui:sandbox"})
}

// copyOf takes a copy of all data and unpacks it.
func copyOf(t testing.TB, s *backup.Service) []byte {
	t.Helper()
	return unpack(t, packedCopy(t, s))
}

func packedCopy(t testing.TB, s *backup.Service) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Export(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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

// parts are the rows of a copy.
type parts struct {
	head       backup.Head
	accounts   []backup.Account
	identities []backup.Identity
	reviews    []record.Session
	coins      []backup.Coin
	journal    []backup.Entry
}

func readParts(t testing.TB, copied []byte) parts {
	t.Helper()
	var p parts
	err := backup.Decode(bytes.NewReader(copied), func(h backup.Head) error { p.head = h; return nil }, func(row backup.Row) error {
		switch v := row.(type) {
		case backup.Account:
			p.accounts = append(p.accounts, v)
		case backup.Identity:
			p.identities = append(p.identities, v)
		case backup.Review:
			p.reviews = append(p.reviews, v.Session)
		case backup.Coin:
			p.coins = append(p.coins, v)
		case backup.Entry:
			p.journal = append(p.journal, v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var chain = sui.Digest{7, 7, 7}

// settle makes a review of a status, with a release of its own where there was
// one, and gives the session that is stored.
func (h *lived) review(id string, status record.Status, released bool) record.Session {
	h.t.Helper()
	s := proposed(id, h.c)
	s.ChainID = chain.String()
	s.Intent = plan.Intent{Type: "swap", From: plan.IntentSource{Symbol: "SUI", Amount: "1"}, To: plan.IntentTarget{Symbol: "USDC"}}
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

// lived is a store with a past: settings, accounts, reviews in every kind of
// end, coins, links, passes and material.
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
	ok(h.db.CreateIdentity(h.ctx, account.Identity{ID: "i1", Status: account.Pending, CreatedAt: h.c.Now(), UpdatedAt: h.c.Now(), ExpiresAt: h.c.Now()}))
	ok(h.db.CreateIdentity(h.ctx, account.Identity{ID: "i2", Status: account.Connected, Account: &address, Chain: "sui:localnet",
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
	ok(h.db.KeepDescriptions(h.ctx, chain, []assets.Described{{Coin: sui.SUI, Found: true, Decimals: 9, Symbol: "SUI", Name: "Sui <b>", At: h.c.Now()}}, time.Time{}))
	for _, kind := range []pagetoken.Kind{pagetoken.Settings, pagetoken.Review} {
		ok(h.db.ChangePage(h.ctx, kind, settingsPage, func(p *pagetoken.Page) (string, error) {
			p.Links = []pagetoken.Link{{Code: pagetoken.Hash{1, byte(len(kind))}, IssuedAt: h.c.Now(), ExpiresAt: h.c.Now().Add(time.Hour)}}
			p.Passes = []pagetoken.Held{{Token: pagetoken.Hash{2, byte(len(kind))}, Pass: pagetoken.Pass{ID: "p" + string(kind), Kind: kind, Subject: settingsPage,
				Access: pagetoken.Active, IssuedAt: h.c.Now(), LastUsedAt: h.c.Now(), ExpiresAt: h.c.Now().Add(time.Hour)}}}
			return "link_opened", nil
		}))
	}
	return h
}

// import_ puts a copy in with everything agreed to.
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
	t.Run("R004-466 everything that is kept is in the copy", func(t *testing.T) {
		for _, words := range []string{`"format":"say-ur-intent.local-data"`, `"version":2`, `"network":"sui:sandbox"`, "https://node.example:443",
			sui.MustAddress("0xa11ce").String(), `"id":"i2"`, `"id":"done"`, signed.Releases[0].Digest.String(), `"Sui \u003cb\u003e"`, `"what":"released"`} {
			if !strings.Contains(string(copied), words) {
				t.Errorf("the copy lacks %s", words)
			}
		}
	})
	t.Run("IM-08 no material, link, pass or secret is in the copy", func(t *testing.T) {
		nonce := release(sui.Digest{}, "nonce of signed").NonceHash
		for name, secret := range map[string][]byte{"bytes": []byte("bytes of "), "signature": []byte("signature of "),
			"nonce": nonce[:], "code": {1, 6, 0, 0, 0, 0, 0, 0}, "token": {2, 6, 0, 0, 0, 0, 0, 0}} {
			for form, text := range map[string]string{"plain": string(secret), "hex": hex.EncodeToString(secret),
				"base64": strings.TrimRight(base64.StdEncoding.EncodeToString(secret), "=")} {
				if text = text[:len(text)-1]; strings.Contains(string(copied), text) {
					t.Errorf("the copy holds the %s, %s", name, form)
				}
			}
		}
		if strings.Contains(string(copied), "roven") {
			t.Error("the copy speaks of a proof")
		}
	})
}

// payer pays one address in every finished review of a life.
var payer = sui.MustAddress("0xa1")

// paid makes one payment here and counts those that are known.
func paid(t *testing.T, db *store.DB) int {
	t.Helper()
	h := &lived{t: t, ctx: context.Background(), db: db, c: newClock()}
	h.review("own", record.Success, true)
	return len(must[[]sui.Address](t)(db.Paid(h.ctx, payer)))
}

// TestEveryTableIsDecided fails when a table is added without a decision about
// the copy: what is named here is carried, or is left out for a reason.
func TestEveryTableIsDecided(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	open(t, dir, nil, newClock().Now)
	decided := map[string]string{
		"journal": "carried", "reviews": "carried", "releases": "carried", "identities": "carried", "active_account": "carried",
		"known_accounts": "carried", "coin_metadata": "carried", "settings": "carried", "opened_twice": "carried with its review",
		"activity_chain": "told again", "activity_transactions": "read again", "activity_flows": "read again", "activity_coverage": "read again",
		"materials": "never leaves", "links": "a right", "passes": "a right", "handed_before": "of this machine's limits",
		"access_tokens": "secrets are no part of a copy",
		"conversations": "of processes of this machine",
		"freeze":        "of this machine; a copy neither stops nor lifts anything",
		"chain_seen":    "known from this machine's own reads",
		"log":           "told once; a copy that is taken in starts another log", "log_id": "names this log", "log_trimmed": "of this log",
		"consumers": "readers of this log", "tasks": "of conversations on this machine",
		"book": "carried, unconfirmed", "own_names": "carried", "book_closed": "of this machine: what AI clients may read here",
		"watched": "stays where a copy is taken in, and is none of a copy", "actions": "of programs of this machine",
		"resting_orders": "read again", "names_forgotten": "of payments made on this machine, which a copy does not vouch for",
		"remotes":           "rights of other machines are no part of a copy",
		"workspace_folders": "of this machine", "workspace_changes": "of files on this machine",
		"requests": "of conversations on this machine", "request_steps": "of conversations on this machine", "request_approvals": "a right",
		"plans": "of conversations on this machine", "plan_calls": "of conversations on this machine",
		"epoch_ends": "verified on this machine, and never given up",
		"paid":       "of payments made on this machine, which a copy does not vouch for",
		"paid_names": "of payments made on this machine, which a copy does not vouch for",
	}
	for name := range columns(t, dir) {
		if strings.HasPrefix(name, "sqlite_") {
			continue
		}
		if decided[name] == "" {
			t.Errorf("nobody decided whether the table %s is part of a copy of local data: carry it in Walk and fill, or say why not", name)
		}
		delete(decided, name)
	}
	if len(decided) > 0 {
		t.Errorf("tables that are not there: %v", decided)
	}
}

func TestImport(t *testing.T) {
	copied := copyOf(t, life(t).svc)
	h := life(t)
	h.review("theirs", record.Success, true)
	if err := h.put(copied, all); err != nil {
		t.Fatal(err)
	}
	t.Run("R004-467 the copy takes the place of everything", func(t *testing.T) {
		_, err := h.db.Review(h.ctx, "theirs")
		wantFault(t, err, fault.SessionNotFound)
		if s := must[settings.Stored](t)(h.db.Settings(h.ctx)); !reflect.DeepEqual(s.Allowance, limited().Allowance) {
			t.Errorf("settings %+v", s)
		}
		done := must[record.Session](t)(h.db.Review(h.ctx, "done"))
		if done.Status != record.Success || len(done.Releases) != 1 || done.Releases[0].NonceHash != (record.Hash{}) {
			t.Errorf("%+v", done)
		}
		found := must[[]assets.Described](t)(h.db.Descriptions(h.ctx, chain, []sui.CoinType{sui.SUI}, time.Unix(0, 0)))
		if len(found) != 1 || found[0].Name != "Sui <b>" {
			t.Errorf("%+v", found)
		}
	})
	t.Run("what was unfinished arrives expired and cannot be signed", func(t *testing.T) {
		for _, id := range []record.ID{"ready", "blocked"} {
			row := must[record.Row](t)(h.db.ReviewRow(h.ctx, id))
			if row.Session.Status != record.Expired || len(row.Materials) > 0 || row.Session.Commitment != "" {
				t.Errorf("%s arrived as %s with %d materials", id, row.Session.Status, len(row.Materials))
			}
			entries := must[[]events.Entry](t)(h.db.JournalSince(h.ctx, events.Review, string(id), 0))
			if last := entries[len(entries)-1]; last.What != "imported" || last.To != string(record.Expired) {
				t.Errorf("%s: the journal ends with %+v", id, last)
			}
		}
		if i := must[account.Identity](t)(h.db.Identity(h.ctx, "i1")); i.Status != account.Expired {
			t.Errorf("the connect session arrived as %s", i.Status)
		}
	})
	t.Run("no account arrives proven", func(t *testing.T) {
		active, ok, err := h.db.ActiveAccount(h.ctx)
		if err != nil || !ok || active.Proven || !active.ProvenAt.IsZero() {
			t.Errorf("%+v, %v, %v", active, ok, err)
		}
		for _, k := range must[[]account.Known](t)(h.db.KnownAccounts(h.ctx)) {
			if k.Proven {
				t.Errorf("%+v", k)
			}
		}
	})
	t.Run("IM-03 whom the copy paid is not known here", func(t *testing.T) {
		if before, after := must[[]sui.Address](t)(h.db.Paid(h.ctx, payer)), paid(t, h.db); len(before) > 0 || after != 1 {
			t.Errorf("%v count after an import, %d of an own payment", before, after)
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
	t.Run("a copy of the copy is the same", func(t *testing.T) {
		other := life(t)
		first := copyOf(t, h.svc)
		if err := other.put(first, all); err != nil {
			t.Fatal(err)
		}
		a, b := readParts(t, first), readParts(t, copyOf(t, other.svc))
		if diff := cmp.Diff(a.reviews, b.reviews); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(a.identities, b.identities); diff != "" {
			t.Error(diff)
		}
		if a.head.Active == nil || *a.head.Active != *b.head.Active || len(a.coins) != len(b.coins) || len(a.accounts) != len(b.accounts) {
			t.Errorf("%+v, %+v", a.head.Active, b.head.Active)
		}
	})
}

// somebodys is a proposal of an action with everything that it can say.
func somebodys(at time.Time) *proposal.Proposal {
	whose := sui.MustAddress("0xa11ce")
	amount := proposal.Amount{AmountDisplay: "12.5", AmountKind: "display_proposal", Symbol: "USDC",
		CoinType: "0x2::coin::COIN", Denomination: "USD"}
	party := &proposal.Party{Address: &whose, Label: "Alice"}
	return &proposal.Proposal{
		Type: proposal.TypeSuiAction, ID: "one", Source: proposal.Source{Kind: "other", Name: "Somebody", Reference: "a letter"},
		Network: "sui:sandbox", CreatedAt: at, ExpiresAt: at.Add(time.Hour), Purpose: "To see it kept.",
		Assumptions: []string{"None."}, RequiredChoices: []string{"Which one?"},
		Action: &proposal.Action{
			ActionKind: "swap", Recipient: party,
			Target:    proposal.Target{PackageID: &whose, Module: "pool", Function: "swap", ObjectID: &whose, Label: "a pool"},
			AssetFlow: []proposal.Asset{{Direction: proposal.FlowOutgoing, Amount: amount, Recipient: party, Description: "What leaves."}},
		},
	}
}

// Whatever a review can hold survives the way out and in.
func TestReviewSurvivesTheCopy(t *testing.T) {
	h := life(t)
	var want record.Session
	n := 0
	filled(reflect.ValueOf(&want).Elem(), &n)
	sound(&want)
	want.ID, want.Network, want.Status, want.Reason, want.Revision, want.ChainID = "whole", "sui:sandbox", record.Failure, "", 5, chain.String()
	want.Protocol, want.Action, want.Commitment = "deep", "swap", strings.Repeat("cd", 32)
	want.Execution.Status = record.Failure
	want.Proposal = somebodys(want.CreatedAt)
	for i := range want.Releases {
		want.Releases[i].Outcome = ""
	}
	releases := want.Releases
	want.Releases, want.OpenedTwice = nil, false
	if err := h.db.CreateReview(h.ctx, want); err != nil {
		t.Fatal(err)
	}
	for i := range releases {
		must[record.Row](t)(h.db.Release(h.ctx, want.ID, func(r *record.Row) (record.Release, error) {
			r.Session.Releases = append(r.Session.Releases, releases[i])
			r.Session.OpenedTwice = true
			return releases[i], bump(r)
		}))
	}
	want = must[record.Session](t)(h.db.Review(h.ctx, "whole"))
	if err := h.put(copyOf(t, h.svc), all); err != nil {
		t.Fatal(err)
	}
	for i := range want.Releases {
		want.Releases[i].NonceHash = record.Hash{}
	}
	if diff := cmp.Diff(want, must[record.Session](t)(h.db.Review(h.ctx, "whole"))); diff != "" {
		t.Error(diff)
	}
}

func TestSignedReviewsArrive(t *testing.T) {
	from := life(t)
	from.review("signed", record.SignedPendingResult, true)
	from.review("handed", record.Ready, true)
	copied := copyOf(t, from.svc)
	h := life(t)
	p := must[backup.Preview](t)(h.svc.Stage(h.ctx, settingsPage, bytes.NewReader(copied)))
	if said := strings.Join(p.Notes, " "); !strings.Contains(said, "One review is signed") || !strings.Contains(said, "Look in your wallet") {
		t.Errorf("the preview says %q", said)
	}
	if err := h.put(copied, all); err != nil {
		t.Fatal(err)
	}
	signed := must[record.Row](t)(h.db.ReviewRow(h.ctx, "signed"))
	if signed.Session.Status != record.SignedPendingResult || len(signed.Materials) != 0 {
		t.Errorf("%s, %d materials", signed.Session.Status, len(signed.Materials))
	}
	if s := must[record.Session](t)(h.db.Review(h.ctx, "handed")); s.Status != record.Expired {
		t.Errorf("handed out: %s", s.Status)
	}
	if ids := must[[]record.ID](t)(h.db.Unsettled(h.ctx)); !reflect.DeepEqual(ids, []record.ID{"signed"}) {
		t.Errorf("the watcher is told of %v", ids)
	}
	unnamed := bytes.ReplaceAll(copied, []byte(`"txDigest":"`+signed.Session.Execution.TxDigest), []byte(`"txDigest":"`+sui.Digest{9}.String()))
	if bytes.Equal(unnamed, copied) {
		t.Fatal("nothing was changed in the copy")
	}
	other := life(t)
	if err := other.put(unnamed, all); err != nil {
		t.Fatal(err)
	}
	if s := must[record.Session](t)(other.db.Review(h.ctx, "signed")); s.Status != record.Expired {
		t.Errorf("signed with a digest that was never handed out: %s", s.Status)
	}
}

func TestUnsettledRefuses(t *testing.T) {
	h := life(t)
	copied := copyOf(t, h.svc)
	p := must[backup.Preview](t)(h.svc.Stage(h.ctx, settingsPage, bytes.NewReader(copied)))
	h.review("pending", record.SignedPendingResult, true)
	_, err := h.svc.Import(h.ctx, settingsPage, backup.Choice{ID: p.ID})
	wantFault(t, err, fault.Blocked)
	if !strings.Contains(err.Error(), "pending") {
		t.Errorf("the refusal does not name the review: %v", err)
	}
	_, err = h.svc.Stage(h.ctx, settingsPage, bytes.NewReader(copied))
	wantFault(t, err, fault.Blocked)
	_, err = h.svc.Reset(h.ctx, settingsPage, backup.ResetWords)
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
	must[settings.Outcome](t)(h.svc.Reset(h.ctx, settingsPage, " Forget everything "))
	t.Run("R004-465 nothing is left but the right of the page", func(t *testing.T) {
		left := map[string]int{"sqlite_sequence": 2, "journal": 1, "log": 1, "log_id": 1, "links": 1, "passes": 1}
		for name := range columns(t, h.dir) {
			var n int
			if err := raw(t, h.dir).QueryRow(`SELECT count(*) FROM "` + name + `"`).Scan(&n); err != nil || n != left[name] {
				t.Errorf("%s has %d rows, %v", name, n, err)
			}
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
