package handoff

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/gate"
)

var (
	lawTime    = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	lawAccount = sui.MustAddress("0xa11ce")
	lawRef     = sui.ObjectRef{ID: sui.MustAddress("0xc01"), Version: 7, Digest: sui.Digest{1}}
	lawBytes   = lawTransaction(1)
)

const lawNonce = "nonce"

// lawTransaction writes a transaction that pays gas with lawRef and uses up more
// coins besides.
func lawTransaction(amount uint64, more ...sui.ObjectRef) []byte {
	tx := sui.Transaction{Sender: lawAccount, Expiration: sui.EpochExpiration{Epoch: 5},
		Inputs:   []sui.Input{sui.PureU64(amount)},
		Commands: []sui.Command{sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}}},
		Gas:      sui.Gas{Payment: []sui.ObjectRef{lawRef}, Owner: lawAccount, Price: 1000, Budget: 5_000_000}}
	for _, ref := range more {
		tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: ref})
	}
	raw, err := tx.Encode()
	if err != nil {
		panic(err)
	}
	return raw
}

// lawWish returns no wish: these tests have no adapter.
func lawWish(_, action string, _ plan.Intent, _ *plan.Facts) []record.StepWish {
	return []record.StepWish{{Action: action}}
}

// alone returns a row of an account without other releases.
func alone(r record.Row) record.Row {
	r.Open = func() ([]record.OpenRelease, error) { return nil, nil }
	r.Asked = func() ([]record.Asked, error) { return nil, nil }
	r.Approval = func() (record.Approval, error) { return record.Approval{}, nil }
	r.ReleasedBy = func(sui.Digest) ([]record.ID, error) { return nil, nil }
	r.Frozen = func() (bool, error) { return false, nil }
	return r
}

var lawMinimum = plan.Asset{Symbol: "USDC", CoinType: "0x5::usdc::USDC", Decimals: 6}.Of(30_000_000)

var lawFacts = plan.Facts{Sender: lawAccount, LastEpoch: 5,
	Steps: []plan.StepFacts{{Sends: lawAccount, Promise: plan.SwapPromise([]plan.Amount{plan.SUI.Of(10_000_000_000)},
		lawMinimum)}},
	Gas: plan.GasFacts{Budget: 5_000_000, Price: 1000, Owner: lawAccount, Payment: []sui.ObjectRef{lawRef}}}

// lawRow makes a row of a status. A trailing + is one whose build was released.
func lawRow(name string) record.Row {
	status, released := strings.CutSuffix(name, "+")
	material := sui.NewMaterial(lawBytes)
	commitment := sui.Commitment(material.Digest())
	facts := lawFacts
	s := record.Session{
		ID: "law", Account: lawAccount, Status: record.Status(status), Revision: 4, Facts: &facts,
		CreatedAt: lawTime, ExpiresAt: lawTime.Add(30 * time.Minute),
	}
	r := alone(record.Row{Session: s})
	built := released || s.Status == record.Ready || s.Status == record.SignedPendingResult
	if built {
		r.Session.Commitment = commitment
		r.Session.BuiltAt, r.Session.BuildExpiresAt = lawTime, lawTime.Add(time.Minute)
		r.Session.State = record.State{Status: record.Ready,
			Contract: &record.Contract{TransactionMaterialCommitment: commitment}}
		r.Materials = []record.Material{{Digest: material.Digest(), Bytes: material, CreatedAt: lawTime}}
	}
	if released || s.Status == record.SignedPendingResult {
		r.Session.Releases = []record.Release{{Digest: material.Digest(), Commitment: commitment,
			NonceHash: record.HashOf(lawNonce),
			At:        lawTime, GasCoin: lawRef, LastEpoch: 5, Facts: facts}}
	}
	if released && (s.Status == record.RefreshRequired || s.Status == record.Blocked) {
		r.Session.Commitment = ""
	}
	if s.Status == record.SignedPendingResult {
		r.Session.Releases[0].SignedAt = lawTime
		r.Materials[0].Signature = sui.NewSignature([]byte("a signature"))
		r.Session.Execution = &record.Execution{Status: record.SignedPendingResult, TxDigest: material.Digest().String(),
			SignedAt: lawTime}
	}
	return r
}

func lawSigning() signing {
	return signing{nonce: record.HashOf(lawNonce), bytes: lawBytes, signature: []byte("a signature"),
		digest: sui.TransactionDigest(lawBytes), signers: []sui.Address{lawAccount}}
}

func lawEffects(ok bool) sui.Executed {
	return sui.Executed{Effects: sui.Effects{Digest: sui.TransactionDigest(lawBytes), Sender: lawAccount,
		Status: sui.ExecutionStatus{OK: ok, Kind: "MOVE_ABORT"}}}
}

// lawActions are the laws, each under one name of the matrix.
var lawActions = map[string]func(r *record.Row, now time.Time) error{
	"open": func(r *record.Row, now time.Time) error { return open(r, &record.Account{Address: lawAccount}, now) },
	"other": func(r *record.Row, now time.Time) error { // opened while another account is connected
		return open(r, &record.Account{Address: sui.MustAddress("0xb0b")}, now)
	},
	"ready": func(r *record.Row, now time.Time) error {
		return gate.Adopt(r, 4, gate.Finding{State: record.State{Status: record.Ready}}, now)
	},
	"block": func(r *record.Row, now time.Time) error {
		return gate.Adopt(r, 4, gate.Finding{State: record.State{Status: record.Blocked}}, now)
	},
	"old": func(r *record.Row, now time.Time) error {
		return gate.Adopt(r, 3, gate.Finding{State: record.State{Status: record.Ready}}, now)
	},
	"hand": func(r *record.Row, now time.Time) error {
		_, err := release(r, releaseRequest{revision: 4, commitment: sui.Commitment(sui.TransactionDigest(lawBytes)),
			nonce: record.HashOf("another"), active: &record.Account{Address: lawAccount}, wish: lawWish}, now)
		return err
	},
	"sign":    func(r *record.Row, now time.Time) error { return sign(r, lawSigning(), now) },
	"decline": func(r *record.Row, now time.Time) error { return report(r, nil, record.OutcomeDeclined, now) },
	"reject": func(r *record.Row, now time.Time) error {
		nonce := record.HashOf(lawNonce)
		return report(r, &nonce, record.OutcomeRejected, now)
	},
	"silent": func(r *record.Row, now time.Time) error {
		nonce := record.HashOf(lawNonce)
		return report(r, &nonce, record.OutcomeProviderError, now)
	},
	"effects": func(r *record.Row, now time.Time) error {
		return settle(r, lawEffects(true), executionReport{}, record.Proof{}, now)
	},
	"failed": func(r *record.Row, now time.Time) error {
		return settle(r, lawEffects(false), executionReport{}, record.Proof{}, now)
	},
	"bury": func(r *record.Row, now time.Time) error {
		return bury(r, sui.TransactionDigest(lawBytes), proof{}, 9, now)
	},
	"minute": func(r *record.Row, now time.Time) error { return expire(r, now.Add(time.Minute)) },
	"hour":   func(r *record.Row, now time.Time) error { return expire(r, now.Add(time.Hour)) },
	"later": func(r *record.Row, now time.Time) error {
		return bury(r, sui.TransactionDigest(lawBytes), proof{}, 9, now.Add(time.Hour))
	},
}

// lawMatrix lists the effect of every transition in every state: the new status, "=" for no change,
// "~" for a change within the status, or the error's code.
const lawMatrix = `
state                    open              other    ready                      block                      old                        hand                       sign                       decline                    reject                     silent                     effects  failed   bury              minute            hour     later
proposed                 wallet_connected  blocked  invalid_session_transition invalid_session_transition invalid_session_transition handoff_unavailable        handoff_unavailable        invalid_session_transition handoff_unavailable        handoff_unavailable        =        =        =                 =                 expired  =
awaiting_wallet          wallet_connected  blocked  invalid_session_transition invalid_session_transition invalid_session_transition handoff_unavailable        handoff_unavailable        invalid_session_transition handoff_unavailable        handoff_unavailable        =        =        =                 =                 expired  =
wallet_connected         =                 =        ready_for_wallet_review    blocked                    invalid_session_transition handoff_unavailable        handoff_unavailable        failure                    handoff_unavailable        handoff_unavailable        =        =        =                 =                 expired  =
ready_for_wallet_review  =                 =        ~                          blocked                    invalid_session_transition ~                          handoff_unavailable        failure                    handoff_unavailable        handoff_unavailable        =        =        =                 refresh_required  expired  =
ready_for_wallet_review+ =                 =        ~                          blocked                    invalid_session_transition handoff_unavailable        signed_pending_result      refresh_required           refresh_required           ~                          success  failure  refresh_required  =                 =        failure
refresh_required         =                 =        ready_for_wallet_review    blocked                    invalid_session_transition handoff_unavailable        handoff_unavailable        failure                    handoff_unavailable        handoff_unavailable        =        =        =                 =                 expired  =
refresh_required+        =                 =        ready_for_wallet_review    blocked                    invalid_session_transition handoff_unavailable        signed_pending_result      =                          ~                          ~                          success  failure  ~                 =                 =        failure
blocked                  =                 =        ready_for_wallet_review    ~                          invalid_session_transition handoff_unavailable        handoff_unavailable        failure                    handoff_unavailable        handoff_unavailable        =        =        =                 =                 expired  =
blocked+                 =                 =        ready_for_wallet_review    ~                          invalid_session_transition handoff_unavailable        signed_pending_result      refresh_required           ~                          ~                          success  failure  ~                 =                 =        failure
signed_pending_result    =                 =        invalid_session_transition invalid_session_transition invalid_session_transition invalid_session_transition =                          invalid_session_transition invalid_session_transition invalid_session_transition success  failure  failure           =                 =        failure
success                  =                 =        execution_result_finalized execution_result_finalized execution_result_finalized execution_result_finalized handoff_unavailable        execution_result_finalized execution_result_finalized execution_result_finalized =        =        =                 =                 =        =
failure                  =                 =        execution_result_finalized execution_result_finalized execution_result_finalized execution_result_finalized handoff_unavailable        execution_result_finalized execution_result_finalized execution_result_finalized =        =        =                 =                 =        =
expired                  =                 =        session_expired            session_expired            session_expired            session_expired            handoff_unavailable        session_expired            session_expired            session_expired            =        =        =                 =                 =        =
`

func TestLaws(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(lawMatrix), "\n")
	actions := strings.Fields(lines[0])[1:]
	if len(actions) != len(lawActions) {
		t.Fatalf("the matrix has %d actions, there are %d laws", len(actions), len(lawActions))
	}
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		for i, action := range actions {
			t.Run(cells[0]+" "+action, func(t *testing.T) {
				if got := lawOutcome(cells[0], action); got != cells[i+1] {
					t.Errorf("%s, want %s", got, cells[i+1])
				}
			})
		}
	}
	var states []record.Status
	for _, line := range lines[1:] {
		status := record.Status(strings.TrimSuffix(strings.Fields(line)[0], "+"))
		if !slices.Contains(states, status) {
			states = append(states, status)
		}
	}
	if diff := cmp.Diff(record.Statuses(), states); diff != "" {
		t.Errorf("the matrix leaves out a status:\n%s", diff)
	}
}

func lawOutcome(state, action string) string {
	r := lawRow(state)
	before := r.Session.Status
	err := lawActions[action](&r, lawTime)
	switch {
	case err != nil:
		return string(fault.As(err).Code)
	case r.Session.Revision == 4 && r.Session.Status == before:
		return "="
	case r.Session.Revision == 4:
		return "changed without a new revision"
	case r.Session.Status == before:
		return "~"
	}
	return string(r.Session.Status)
}

func TestTerminalKeepsNoMaterial(t *testing.T) {
	for _, state := range []string{"ready_for_wallet_review", "ready_for_wallet_review+", "signed_pending_result",
		"refresh_required+"} {
		for action := range lawActions {
			r := lawRow(state)
			if err := lawActions[action](&r, lawTime); err == nil && r.Session.Status.Terminal() && len(r.Materials) > 0 {
				t.Errorf("%s, then %s: material is kept in %s", state, action, r.Session.Status)
			}
		}
	}
}

func TestHandRefuses(t *testing.T) {
	right := sui.Commitment(sui.TransactionDigest(lawBytes))
	good := releaseRequest{revision: 4, commitment: right, nonce: record.HashOf("n"),
		active: &record.Account{Address: lawAccount}, wish: lawWish}
	cases := []struct {
		name string
		edit func(r *record.Row, h *releaseRequest, now *time.Time)
		want fault.Code
	}{
		{"nothing wrong", func(*record.Row, *releaseRequest, *time.Time) {}, ""},
		{"R004-399 another commitment is on the page", func(_ *record.Row, h *releaseRequest,
			_ *time.Time) {
			h.commitment = strings.Repeat("0", 64)
		},
			fault.HandoffCommitmentMismatch},
		{"no commitment", func(_ *record.Row, h *releaseRequest, _ *time.Time) { h.commitment = "" },
			fault.HandoffCommitmentMismatch},
		{"R004-399 one stored bit differs", func(r *record.Row, _ *releaseRequest, _ *time.Time) {
			b := r.Materials[0].Bytes.Bytes()
			b[3] ^= 1
			r.Materials[0].Bytes = sui.NewMaterial(b)
		}, fault.HandoffCommitmentMismatch},
		{"the contract names another transaction", func(r *record.Row, _ *releaseRequest, _ *time.Time) {
			r.Session.State.Contract.TransactionMaterialCommitment = strings.Repeat("1", 64)
		}, fault.HandoffCommitmentMismatch},
		{"an older revision", func(_ *record.Row, h *releaseRequest, _ *time.Time) { h.revision = 3 },
			fault.InvalidSessionTransition},
		{"the build is a minute old", func(_ *record.Row, _ *releaseRequest, now *time.Time) { *now = now.Add(time.Minute) },
			fault.HandoffUnavailable},
		{"the session is over", func(_ *record.Row, _ *releaseRequest, now *time.Time) { *now = now.Add(time.Hour) },
			fault.SessionExpired},
		{"another account is connected", func(_ *record.Row, h *releaseRequest, _ *time.Time) {
			h.active = &record.Account{Address: sui.MustAddress("0xb0b")}
		},
			fault.HandoffUnavailable},
		{"no account is connected", func(_ *record.Row, h *releaseRequest, _ *time.Time) { h.active = nil },
			fault.HandoffUnavailable},
		{"the epoch is over", func(_ *record.Row, h *releaseRequest, _ *time.Time) { h.epoch = 6 }, fault.InternalError},
		{"the last epoch", func(_ *record.Row, h *releaseRequest, _ *time.Time) { h.epoch = 5 }, ""},
		{"no material", func(r *record.Row, _ *releaseRequest, _ *time.Time) { r.Materials = nil }, fault.HandoffUnavailable},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, h, now := lawRow("ready_for_wallet_review"), good, lawTime
			c.edit(&r, &h, &now)
			_, err := release(&r, h, now)
			if code := codeOrNone(err); code != c.want {
				t.Fatalf("%v, want %q", err, c.want)
			}
			if err != nil && len(r.Session.Releases) > 0 {
				t.Error("a refused handoff left a release")
			}
		})
	}
}

func TestSignRefuses(t *testing.T) {
	cases := []struct {
		name string
		edit func(r *record.Row, g *signing)
		want fault.Code
		why  string
	}{
		{"the wallet changed the bytes", func(_ *record.Row, g *signing) {
			g.bytes = append(slices.Clone(lawBytes), 0)
			g.digest = sui.TransactionDigest(g.bytes)
		}, fault.HandoffCommitmentMismatch, "wallet_changed_transaction"},
		{"the wallet executed another transaction", func(_ *record.Row, g *signing) {
			g.bytes, g.digest = nil,
				sui.Digest{9}
		},
			fault.HandoffCommitmentMismatch, "wallet_changed_transaction"},
		{"the signature is wrong", func(_ *record.Row, g *signing) { g.err = errors.New("bad") }, fault.InputInvalid,
			"signature_invalid"},
		{"another account signed", func(_ *record.Row, g *signing) { g.signers = []sui.Address{sui.MustAddress("0xb0b")} },
			fault.SignerMismatch, ""},
		{"another nonce", func(_ *record.Row, g *signing) { g.nonce = record.HashOf("made up") }, fault.HandoffUnavailable,
			""},
		{"it can never execute", func(r *record.Row, _ *signing) { r.Session.Releases[0].Dead = true },
			fault.InvalidSessionTransition, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, g := lawRow("ready_for_wallet_review+"), lawSigning()
			c.edit(&r, &g)
			err := sign(&r, g, lawTime)
			if code := codeOrNone(err); code != c.want || fault.As(err).Detail.Get("reason") != c.why {
				t.Fatalf("%v, want %s %s", err, c.want, c.why)
			}
			if r.Session.Status != record.Ready || r.Session.Revision != 4 {
				t.Errorf("a refused signature changed the state to %s", r.Session.Status)
			}
		})
	}
}

func TestSignedAgain(t *testing.T) {
	t.Run("another transaction of the review is signed", func(t *testing.T) {
		r := lawRow("signed_pending_result")
		other := record.Release{Digest: sui.Digest{8}, NonceHash: record.HashOf("second"), LastEpoch: 5, Facts: lawFacts}
		r.Session.Releases = append(r.Session.Releases, other)
		g := lawSigning()
		g.nonce, g.digest = record.HashOf("second"), sui.Digest{8}
		if err := sign(&r, g, lawTime); !fault.Is(err, fault.SignedPendingConflict) {
			t.Errorf("%v, want %s", err, fault.SignedPendingConflict)
		}
	})
	t.Run("a signature that a node refused is replaced", func(t *testing.T) {
		r := lawRow("signed_pending_result")
		r.Session.Execution.Submission = record.SubmissionRefused
		g := lawSigning()
		g.signature = []byte("a better one")
		if err := sign(&r, g, lawTime); err != nil {
			t.Fatal(err)
		}
		if string(r.Materials[0].Signature.Bytes()) != "a better one" ||
			r.Session.Execution.Submission != record.SubmissionNone {
			t.Error("the better signature was not taken")
		}
	})
	t.Run("the same after success is answered", func(t *testing.T) {
		r := lawRow("signed_pending_result")
		if err := settle(&r, lawEffects(true), executionReport{}, record.Proof{}, lawTime); err != nil {
			t.Fatal(err)
		}
		revision := r.Session.Revision
		if err := sign(&r, lawSigning(), lawTime); err != nil || r.Session.Revision != revision {
			t.Errorf("%v, revision %d", err, r.Session.Revision)
		}
	})
}

func TestLateSignatureDropsTheNewBuild(t *testing.T) {
	r := lawRow("ready_for_wallet_review+")
	newer := sui.NewMaterial([]byte("a newer build"))
	r.Materials = append(r.Materials, record.Material{Digest: newer.Digest(), Bytes: newer})
	r.Session.Commitment = sui.Commitment(newer.Digest())
	if err := sign(&r, lawSigning(), lawTime); err != nil {
		t.Fatal(err)
	}
	if len(r.Materials) != 1 || r.Session.Commitment != sui.Commitment(sui.TransactionDigest(lawBytes)) {
		t.Errorf("%d materials, commitment %s", len(r.Materials), r.Session.Commitment)
	}
}

// A signature may be of one of several accounts, and must be of the review's.
func TestSignersOfASignature(t *testing.T) {
	other := sui.MustAddress("0xb0b")
	for _, c := range []struct {
		name    string
		signers []sui.Address
		want    fault.Code
	}{
		{"the account", []sui.Address{lawAccount}, ""},
		{"the other form of a zkLogin account", []sui.Address{other, lawAccount}, ""},
		{"another account", []sui.Address{other}, fault.SignerMismatch},
		{"another account in both forms", []sui.Address{other, sui.MustAddress("0xb0c")}, fault.SignerMismatch},
		{"nobody", nil, fault.SignerMismatch},
		{"the zero address", []sui.Address{{}}, fault.SignerMismatch},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, g := lawRow("ready_for_wallet_review+"), lawSigning()
			g.signers = c.signers
			err := sign(&r, g, lawTime)
			if c.want == "" && (err != nil || r.Session.Status != record.SignedPendingResult) ||
				c.want != "" && (!fault.Is(err, c.want) || r.Session.Status != record.Ready || r.Session.Revision != 4) {
				t.Errorf("%v %s", err, r.Session.Status)
			}
		})
	}
}

// The signatures of the file were made by the official TypeScript packages.
func TestReadSigning(t *testing.T) {
	raw, err := os.ReadFile("../../internal/sui/testdata/signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Name, Scope, MessageBase64, SignatureBase64 string
			Valid                                       *bool
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	left, refused := 0, 0
	for _, v := range file.Vectors {
		message, err1 := base64.StdEncoding.DecodeString(v.MessageBase64)
		signature, err2 := base64.StdEncoding.DecodeString(v.SignatureBase64)
		if err1 != nil || err2 != nil || v.Scope != "TransactionData" {
			continue
		}
		g := readSigning("n", message, signature)
		switch {
		case v.Valid == nil:
			left++
			if g.err != nil || len(g.signers) == 0 {
				t.Errorf("%s: %v, claims %v", v.Name, g.err, g.signers)
			}
		case !*v.Valid && g.err != nil:
			refused++
		}
	}
	if left == 0 || refused == 0 {
		t.Errorf("%d were left to the node, %d refused", left, refused)
	}
}

func TestOutcomeOfADeadRelease(t *testing.T) {
	r, nonce := lawRow("refresh_required+"), record.HashOf(lawNonce)
	r.Session.Releases[0].Dead = true
	if err := report(&r, &nonce, record.OutcomeRejected, lawTime); err != nil || r.Session.Revision != 4 {
		t.Errorf("%v, revision %d", err, r.Session.Revision)
	}
}

func TestPromises(t *testing.T) {
	change := func(owner sui.Address, coin sui.CoinType, negative bool, raw sui.Raw) sui.BalanceChange {
		return sui.BalanceChange{Owner: owner, Coin: coin, Amount: sui.Delta{Negative: negative, Amount: raw}}
	}
	usdc := lawMinimum.CoinType
	gas := sui.GasCost{Computation: 3_000_000, Storage: 2_000_000, Rebate: 1_000_000}
	kept := []sui.BalanceChange{change(lawAccount, sui.SUI, true, 10_004_000_000), change(lawAccount, usdc, false,
		30_000_000)}
	cases := []struct {
		name   string
		e      sui.Effects
		broken []string
	}{
		{"all kept", sui.Effects{Gas: gas, Balances: kept}, nil},
		{"nothing swapped", sui.Effects{Gas: gas, Balances: []sui.BalanceChange{change(lawAccount, sui.SUI, true,
			4_000_000)}}, nil},
		{"less arrives", sui.Effects{Gas: gas, Balances: []sui.BalanceChange{kept[0], change(lawAccount, usdc, false,
			29_999_999)}},
			[]string{"minimum_arrived"}},
		{"paid for nothing", sui.Effects{Gas: gas, Balances: kept[:1]}, []string{"minimum_arrived"}},
		{"more leaves", sui.Effects{Gas: gas, Balances: []sui.BalanceChange{change(lawAccount, sui.SUI, true, 10_004_000_001),
			kept[1]}},
			[]string{"spent_at_most"}},
		{"gas over its budget", sui.Effects{Gas: sui.GasCost{Computation: 5_000_001},
			Balances: []sui.BalanceChange{change(lawAccount, sui.SUI, true, 10_005_000_001), kept[1]}},
			[]string{"gas_within_budget"}},
		{"another coin leaves", sui.Effects{Gas: gas, Balances: append(slices.Clone(kept), change(lawAccount, "0x7::gem::GEM",
			true, 1))},
			[]string{"nothing_else_lost"}},
		{"somebody else gains", sui.Effects{Gas: gas, Balances: append(slices.Clone(kept), change(sui.MustAddress("0xb0b"),
			usdc, false, 1))},
			[]string{"nobody_else_gained"}},
		{"gas pays back", sui.Effects{Gas: sui.GasCost{Computation: 1, Rebate: 11},
			Balances: []sui.BalanceChange{change(lawAccount, sui.SUI, true, 9_999_999_990), kept[1]}}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var broken []string
			seen := plan.Observe(lawAccount, c.e)
			for _, p := range results(lawFacts, seen, lawFacts.Promise().Happened(seen)) {
				if !p.Kept {
					broken = append(broken, p.ID)
				}
			}
			if diff := cmp.Diff(c.broken, broken); diff != "" {
				t.Errorf("broken promises (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEffectsCountOnce(t *testing.T) {
	r := lawRow("signed_pending_result")
	for _, ok := range []bool{true, false} {
		if err := settle(&r, lawEffects(ok), executionReport{}, record.Proof{}, lawTime); err != nil {
			t.Fatal(err)
		}
	}
	if r.Session.Status != record.Success || r.Session.Revision != 5 {
		t.Errorf("%s, revision %d", r.Session.Status, r.Session.Revision)
	}
}

func TestNoTimeEndsWhatMayBeSigned(t *testing.T) {
	for _, state := range []string{"signed_pending_result", "ready_for_wallet_review+", "refresh_required+", "blocked+"} {
		r := lawRow(state)
		if err := expire(&r, lawTime.Add(48*time.Hour)); err != nil || r.Session.Revision != 4 {
			t.Errorf("%s: two days changed it to %s (%v)", state, r.Session.Status, err)
		}
	}
}

func codeOrNone(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.As(err).Code
}
