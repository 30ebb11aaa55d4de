//go:build clients

package clients_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	rand2 "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

const payee = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"

func anybody(context.Context) error { return nil }

// user carries requests out on a sandbox.
type user struct {
	*testkit.Harness
	t        *testing.T
	requests *request.Service
}

func newUser(t *testing.T) user {
	t.Helper()
	h := testkit.Start(t, time.Now, nil)
	active := func(ctx context.Context) (record.Account, bool, error) {
		a, ok, err := h.Accounts.Active(ctx)
		return record.Account{Address: a.Account, WalletName: a.WalletName, WalletID: a.WalletID}, ok, err
	}
	h.Connect(sandbox.Account)
	return user{h, t, request.New(request.Config{Store: h.Store, Make: h.Reviews, Active: active, Hub: h.Hub,
		Now: h.Clock.Now, Rand: rand.Reader})}
}

// ask asks for steps under one approval.
func (u user) ask(label string, list ...plan.Intent) request.Request {
	u.t.Helper()
	var steps []request.Wanted
	for i, in := range list {
		steps = append(steps, request.Wanted{ID: fmt.Sprint("s", i), Sequence: int64(i), Chain: "Sui", Intent: in, Wait: true,
			Timeout: request.DefaultReceipt})
	}
	made, err := u.requests.Ask(u.t.Context(), label, false, steps)
	if err != nil {
		u.t.Fatal(err)
	}
	return made
}

// carry approves a request and signs all of its steps.
func (u user) carry(made request.Request) {
	u.t.Helper()
	if _, err := u.requests.Approve(u.t.Context(), made.ID, request.Answer{Revision: made.Revision, Right: anybody},
		nil); err != nil {
		u.t.Fatal(err)
	}
	for place := range made.Steps {
		if _, err := u.requests.Sweep(u.t.Context()); err != nil {
			u.t.Fatal(err)
		}
		now, err := u.requests.Get(u.t.Context(), made.ID)
		if err != nil {
			u.t.Fatal(err)
		}
		s, err := u.Reviews.Opened(u.t.Context(), now.Steps[place].Review)
		if err != nil {
			u.t.Fatal(err)
		}
		if s = u.Settle(u.Compute(s)); s.Status != record.Success {
			u.t.Fatalf("step %d: %s %+v", place, s.Status, s.Execution)
		}
	}
	if _, err := u.requests.Sweep(u.t.Context()); err != nil {
		u.t.Fatal(err)
	}
}

// collect pays from an account of which two of two members sign.
func (u user) collect() {
	u.t.Helper()
	m := sui.MultiSig{Threshold: 2}
	var keys []ed25519.PrivateKey
	for n := range 2 {
		key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{byte(n + 40)}, ed25519.SeedSize))
		public := append([]byte{sui.SchemeEd25519}, key.Public().(ed25519.PublicKey)...)
		keys, m.Members = append(keys, key), append(m.Members, sui.MultiSigMember{Key: public, Weight: 1})
	}
	u.Sandbox.Hold(m.Address(), sui.SUI, 10_000_000_000, 0)
	i, err := u.Accounts.Create(u.t.Context())
	if err == nil {
		err = u.Accounts.Opened(u.t.Context(), i.ID)
	}
	if err == nil {
		_, err = u.Accounts.ConnectMultiSig(u.t.Context(), i.ID, m.Address(), m)
	}
	var s record.Session
	if err == nil {
		s, err = u.Reviews.Prepare(u.t.Context(), sendSUI("2.5"))
	}
	if err == nil {
		s, err = u.Reviews.Opened(u.t.Context(), s.ID)
	}
	if err != nil {
		u.t.Fatal(err)
	}
	s = u.Compute(s)
	o, err := u.Reviews.Handoff(u.t.Context(), s.ID, s.Revision, s.Commitment, testkit.Ticks(s)...)
	if err != nil {
		u.t.Fatal(err)
	}
	message := blake2b.Sum256(append([]byte{0, 0, 0}, o.Bytes.Bytes()...))
	for n, key := range keys {
		signature := slices.Concat([]byte{sui.SchemeEd25519}, ed25519.Sign(key, message[:]), m.Members[n].Key[1:])
		if _, err := u.Reviews.Collect(u.t.Context(), s.ID, anybody, signature); err != nil {
			u.t.Fatal(err)
		}
	}
	u.Until(s.ID, "the members' transaction is over", func(s record.Session) bool { return s.Status.Terminal() })
}

func sendSUI(amount string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: amount}, Recipient: payee}
}

// change stores a change of a review that takes a lying node, or days, to happen.
func (u user) change(id record.ID, edit func(*record.Row)) {
	u.t.Helper()
	if _, err := u.Store.Change(u.t.Context(), id, "changed by a test", func(r *record.Row) error {
		edit(r)
		r.Touch(u.Clock.Now())
		return nil
	}); err != nil {
		u.t.Fatal(err)
	}
}

// whole does everything that a record has entries of, and returns the file and the entries' kinds.
func whole(t *testing.T) (file []byte, kinds map[string]bool) {
	t.Helper()
	u := newUser(t)
	_, validators, err := u.Node.Validators(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u.carry(u.ask("A bundle", sendSUI("1"), plan.Intent{Type: "supply", Protocol: "suilend",
		From: plan.IntentSource{Symbol: "USDC", Amount: "25"}}))
	u.carry(u.ask("A stake", plan.Intent{Type: "stake", From: plan.IntentSource{Symbol: "SUI", Amount: "10"},
		Own: plan.Own{"validator": validators[0].Address.String()}}))
	no := u.ask("No, thanks", sendSUI("3"))
	if _, err := u.requests.Reject(t.Context(), no.ID, request.Answer{Revision: no.Revision, Right: anybody}); err != nil {
		t.Fatal(err)
	}
	_, s := u.Send(u.Ready(testkit.Swap("10", "SUI", "USDC")))
	u.Until(s.ID, "proved", func(s record.Session) bool { return s.Execution.Proof().State == record.Proved })
	u.change(s.ID, func(r *record.Row) {
		r.Session.Execution.Proved = &record.Proof{State: record.Mismatched, At: u.Clock.Now()}
	})
	left := u.Ready(sendSUI("4"))
	o := u.HandOff(left)
	if _, err := u.Reviews.Outcome(t.Context(), left.ID, o.Nonce, record.OutcomeDeclined); err != nil {
		t.Fatal(err)
	}
	u.change(left.ID, func(r *record.Row) { r.Session.Releases[0].Dead = true })
	u.collect()

	head, _, err := u.Store.RecordHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	message := hashchain.Statement{Head: head, Account: sandbox.Account, At: present}.Message()
	signature, err := u.Sandbox.SignPersonalMessage([]byte(message))
	if err == nil {
		_, err = u.Store.SignRecord(t.Context(), hashchain.Signature{Message: message,
			Signature: base64.StdEncoding.EncodeToString(signature)}, anybody)
	}
	var b bytes.Buffer
	if err == nil {
		err = hashchain.Export(t.Context(), u.Store, &b, present, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	kinds = map[string]bool{}
	if _, err := hashchain.Verify(bytes.NewReader(b.Bytes()), func(text []byte) {
		var e hashchain.Entry
		_ = json.Unmarshal(text, &e)
		kinds[e.What] = true
	}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), kinds
}

// TestWholeRecordElsewhere: the program in another language accepts a record of a bundle, a supply, a
// stake and a transaction of several members, with every kind of entry that there is, and refuses what
// was changed in it.
func TestWholeRecordElsewhere(t *testing.T) {
	file, kinds := whole(t)
	for _, kind := range []string{hashchain.Begun, request.EntryAsked, request.EntryDecided, record.EntryReleased,
		record.EntryAnswered, record.EntrySettled, record.EntryProved, record.EntryRefuted, record.EntryDead,
		record.EntryEnded} {
		if !kinds[kind] {
			t.Errorf("the record has no entry %q", kind)
		}
	}
	files := [][]byte{file}
	random := rand2.New(rand2.NewPCG(5, 8))
	for range 200 {
		files = append(files, changedRecord(random, file))
	}
	var paths []string
	dir := t.TempDir()
	for i, b := range files {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(paths[i], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []struct {
		Problems [][]any
		Signed   []struct{ Account string }
		Entries  int
	}
	node(t, &got, nil, "record.mjs", paths...)
	for i, b := range files {
		report, err := hashchain.Verify(bytes.NewReader(b), nil)
		if err != nil {
			t.Fatal(err)
		}
		if same := bytes.Equal(b, file); (len(got[i].Problems) == 0) != same || report.OK() != same {
			t.Errorf("file %d: %v elsewhere, %+v here", i, got[i].Problems, report.Problems)
		}
	}
	if first := got[0]; len(first.Signed) != 1 || first.Entries != bytes.Count(file, []byte(`{"kind":"entry"`)) {
		t.Errorf("%d entries, signed: %v", first.Entries, first.Signed)
	}
	for _, word := range []string{`"supply"`, `"stake"`, `"transfer"`, `"swap"`} {
		if !strings.Contains(string(file), word) {
			t.Errorf("the record lacks %s", word)
		}
	}
}
