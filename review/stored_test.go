package review_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// pastStore opens the database of a house past the store, as another program would.
func pastStore(t *testing.T, h *testkit.Harness) *sql.DB {
	t.Helper()
	path := filepath.Join(h.Dir(), "say-ur-intent.db")
	db, err := sql.Open("sqlite", "file://"+(&url.URL{Path: path}).EscapedPath()+
		"?_pragma=ignore_check_constraints(1)&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// replaceBytes puts other bytes, with all that names them, under a review.
func replaceBytes(t *testing.T, db *sql.DB, s record.Session, raw []byte) {
	t.Helper()
	digest := sui.TransactionDigest(raw)
	commitment := sui.Commitment(digest)
	state, err := json.Marshal(s.State)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.ReplaceAll(string(state), s.Commitment, commitment)
	execute(t, db, `UPDATE materials SET bytes = ?, digest = ? WHERE review_id = ?`, raw, digest[:], string(s.ID))
	execute(t, db, `UPDATE reviews SET commitment = ?, state_json = ? WHERE id = ?`, commitment, said, string(s.ID))
}

func bytesOf(t *testing.T, h *testkit.Harness, id record.ID) []byte {
	t.Helper()
	row, err := h.Store.ReviewRow(context.Background(), id)
	if err != nil || len(row.Materials) != 1 {
		t.Fatalf("%d materials, %v", len(row.Materials), err)
	}
	return row.Materials[0].Bytes.Bytes()
}

func paying(amount, to string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: amount}, Recipient: to}
}

// What was reviewed is held against the bytes at every look and at handoff.
func TestStoredBytesAreReadAgain(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	db := pastStore(t, h)
	friend, thief := "0x"+strings.Repeat("f1", 32), "0x"+strings.Repeat("ba", 32)
	theft := bytesOf(t, h, h.Ready(paying("900", thief)).ID)
	swap := testkit.Swap("10", "SUI", "USDC")
	json := func(path, value string) string {
		return `UPDATE reviews SET ` + path[:strings.Index(path, ".")] + ` = json_set(` + path[:strings.Index(path, ".")] +
			`, '$` +
			path[strings.Index(path, "."):] + `', json('` + value + `')) WHERE id = ?`
	}
	for what, c := range map[string]struct {
		in    plan.Intent
		alter func(t *testing.T, s record.Session)
	}{
		"bytes that pay 900 SUI to another, with their digest and commitment": {paying("1", friend),
			func(t *testing.T, s record.Session) { replaceBytes(t, db, s, theft) }},
		"the same under a swap": {swap, func(t *testing.T, s record.Session) { replaceBytes(t, db, s, theft) }},
		"bytes alone": {paying("1", friend),
			func(t *testing.T, s record.Session) {
				execute(t, db, `UPDATE materials SET bytes = ? WHERE review_id = ?`, theft, string(s.ID))
			}},
		"bytes that are no transaction": {swap, func(t *testing.T, s record.Session) {
			replaceBytes(t, db, s,
				[]byte("nothing"))
		}},
		"no bytes": {swap, func(t *testing.T, s record.Session) {
			execute(t, db, `DELETE FROM materials WHERE review_id = ?`, string(s.ID))
		}},
		"the minimum of the facts": {swap, func(t *testing.T, s record.Session) {
			execute(t, db, json("facts_json.steps[0].promise.outcomes[0].bounds[1].least", `"999999999999"`), string(s.ID))
		}},
		"the last epoch of the facts": {swap, func(t *testing.T, s record.Session) {
			execute(t, db, json("facts_json.lastEpoch", `"7"`), string(s.ID))
		}},
		"the sentences about commands": {swap, func(t *testing.T, s record.Session) {
			execute(t, db, json("facts_json.steps[0].commands", `["Nothing is done."]`), string(s.ID))
		}},
		"the recipient in words": {paying("1", friend), func(t *testing.T, s record.Session) {
			execute(t, db, json("state_json.humanReadableReview.recipients[1].address", `"`+thief+`"`), string(s.ID))
		}},
		"the summary in words": {paying("1", friend), func(t *testing.T, s record.Session) {
			execute(t, db, json("state_json.humanReadableReview.proposedAction.summary", `"Send nothing to nobody"`),
				string(s.ID))
		}},
		"the amount in words": {swap, func(t *testing.T, s record.Session) {
			execute(t, db, json("state_json.humanReadableReview.assetFlow.outgoing.rawAmount", `"1"`), string(s.ID))
		}},
		"the quote": {swap, func(t *testing.T, s record.Session) {
			execute(t, db, json("state_json.quote.expected.rawAmount", `"999999999999"`), string(s.ID))
		}},
		"the request": {paying("1", friend), func(t *testing.T, s record.Session) {
			execute(t, db, json("intent_json.recipient", `"`+thief+`"`), string(s.ID))
		}},
	} {
		for door, look := range map[string]func(record.ID) (record.Session, error){
			"the status": func(id record.ID) (record.Session, error) { return h.Reviews.Get(ctx, id) },
			"the page": func(id record.ID) (record.Session, error) {
				v, err := h.Reviews.View(ctx, id)
				if v.CanHandOff || v.Transaction != nil {
					t.Errorf("%s: the page offers it", what)
				}
				return v.Session, err
			},
			"the handoff": func(id record.ID) (record.Session, error) {
				s, err := h.Store.Review(ctx, id)
				if err != nil {
					return s, err
				}
				if _, err := h.Reviews.Handoff(ctx, id, s.Revision, s.Commitment); !fault.Is(err, fault.HandoffCommitmentMismatch) {
					t.Errorf("%s: handed out, or refused with %v", what, err)
				}
				if again, err := h.Store.Review(ctx, id); err != nil || len(again.Releases) != 0 {
					t.Errorf("%s: a release is recorded, %v", what, err)
				}
				return h.Reviews.Get(ctx, id)
			},
		} {
			t.Run(what+": "+door, func(t *testing.T) {
				s := h.Ready(c.in)
				c.alter(t, s)
				got, err := look(s.ID)
				check, said := testkit.Check(got, "stored_transaction_altered")
				if err != nil || got.Status != record.Blocked || !said || check.Do == "" || got.State.Contract != nil {
					t.Fatalf("%v: %s %s, said %t", err, got.Status, got.Reason, said)
				}
			})
		}
	}
	t.Run("a refresh makes another", func(t *testing.T) {
		s := h.Ready(swap)
		replaceBytes(t, db, s, theft)
		got, err := h.Reviews.Get(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if again := h.Compute(got); again.Status != record.Ready {
			t.Errorf("%s %s", again.Status, again.Reason)
		}
	})
	t.Run("of one that was handed out, other bytes are not shown", func(t *testing.T) {
		s := h.Ready(swap)
		h.HandOff(s)
		execute(t, db, `UPDATE materials SET bytes = ? WHERE review_id = ?`, theft, string(s.ID))
		execute(t, db, json("facts_json.steps[0].promise.outcomes[0].bounds[1].least", `"999999999999"`), string(s.ID))
		v, err := h.Reviews.View(ctx, s.ID)
		if err != nil || v.Transaction != nil || v.CanHandOff || v.CanSubmit {
			t.Errorf("%v %+v", err, v.Transaction)
		}
	})
	t.Run("what nobody touched is ready and handed out", func(t *testing.T) {
		for _, in := range []plan.Intent{swap, paying("1", friend)} {
			h := testkit.Start(t, time.Now, nil)
			s := h.Ready(in)
			if v, err := h.Reviews.View(ctx, s.ID); err != nil || !v.CanHandOff || v.Transaction == nil {
				t.Fatalf("%v", err)
			}
			h.HandOff(s)
		}
	})
}

func BenchmarkGetReady(b *testing.B) {
	h := testkit.Start(b, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	for b.Loop() {
		if got, err := h.Reviews.Get(context.Background(), s.ID); err != nil || got.Status != record.Ready {
			b.Fatal(err, got.Status)
		}
	}
}
