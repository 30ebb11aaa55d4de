package review_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
)

// accuser tells of a coin, which is unspent, that a transaction used it.
type accuser struct {
	node.Executor
	says atomic.Pointer[accusation]
}

type accusation struct {
	coin    sui.ObjectRef
	accused sui.Digest
}

func (a *accuser) Object(ctx context.Context, id sui.ObjectID, version uint64) (sui.Object, bool, error) {
	o, ok, err := a.Executor.Object(ctx, id, version)
	if w := a.says.Load(); w != nil && id == w.coin.ID && version == 0 {
		o.Ref.Version, o.Previous = w.coin.Version+1, w.accused
	}
	return o, ok, err
}

func (a *accuser) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	e, ok, err := a.Executor.Transaction(ctx, d)
	if w := a.says.Load(); w != nil && d == w.accused {
		e.Objects = append([]sui.ObjectChange{{ID: w.coin.ID, Input: w.coin.Version, Output: w.coin.Version + 1}},
			e.Objects...)
	}
	return e, ok, err
}

// That another transaction used a coin is signed by validators, or said to be a node's word.
func TestSpenderIsProved(t *testing.T) {
	t.Run("signed", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s, _ := signedAndStuck(t, h)
		by := testkit.Spend(t, h, s.Releases[0].GasCoin.ID)
		cannotExecute(t, h.Until(s.ID, "final", final), "validators signed another transaction ("+by.String()+")")
	})
	t.Run("told", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Compare(nil)
		s, _ := signedAndStuck(t, h)
		h.Inject(sandbox.Fault{Kind: sandbox.NoCertificate})
		testkit.Spend(t, h, s.Releases[0].GasCoin.ID)
		cannotExecute(t, h.Until(s.ID, "final", final), "as two nodes report")
	})
	t.Run("told by one node is not enough", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s, _ := signedAndStuck(t, h)
		h.Inject(sandbox.Fault{Kind: sandbox.NoCertificate})
		testkit.Spend(t, h, s.Releases[0].GasCoin.ID)
		look(h, s.ID)
		until(t, h, s.ID, "one node says so, which ends nothing", func(s record.Session) bool {
			return s.Status == record.SignedPendingResult && strings.Contains(s.Execution.Note, "One node says")
		})
	})
	t.Run("told is not enough where only proved results are final", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		err := h.Store.ChangeSettings(t.Context(), func(s *settings.Stored) error {
			s.Allowance = policy.Allowance{ProvedOnly: true}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		h.Compare(nil)
		s, _ := signedAndStuck(t, h)
		h.Inject(sandbox.Fault{Kind: sandbox.NoCertificate})
		testkit.Spend(t, h, s.Releases[0].GasCoin.ID)
		until(t, h, s.ID, "waiting for the signatures", func(s record.Session) bool {
			return s.Status == record.SignedPendingResult && strings.Contains(s.Execution.Note, "signatures confirm it yet")
		})
		h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
		cannotExecute(t, h.Until(s.ID, "final", final), "validators signed another transaction")
	})
	t.Run("a transaction that used something else ends nothing", func(t *testing.T) {
		a := &accuser{}
		h := testkit.Start(t, time.Now, func(c *review.Config) { a.Executor, c.Executor = c.Executor, a })
		other := h.Settle(h.Ready(testkit.Swap("10", "SUI", "USDC")))
		digest, err := sui.ParseDigest(other.Execution.TxDigest)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := signedAndStuck(t, h)
		a.says.Store(&accusation{s.Releases[0].GasCoin, digest})
		s = until(t, h, s.ID, "a mismatch", func(s record.Session) bool {
			return strings.Contains(s.Execution.Note, "not what the validators signed")
		})
		if s.Status != record.SignedPendingResult {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
}
