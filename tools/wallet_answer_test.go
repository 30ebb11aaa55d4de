package tools_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/handoff"
)

// TestWalletAnswer reads through the tools what a wallet did instead of signing.
func TestWalletAnswer(t *testing.T) {
	ctx := context.Background()
	for want, answer := range map[string]func(*world, record.Session, handoff.Handoff) error{
		"wallet_changed_transaction: ": func(w *world, s record.Session, o handoff.Handoff) error {
			_, err := w.Reviews.Outcome(ctx, s.ID, o.Nonce, record.OutcomeChanged)
			return err
		},
		"signer_mismatch: ": func(w *world, s record.Session, o handoff.Handoff) error {
			_, err := w.Reviews.Signed(ctx, s.ID, o.Nonce, o.Bytes.Bytes(), testkit.ZkLoginSignature(o.Bytes.Bytes(), 5))
			if fault.Is(err, fault.SignerMismatch) {
				return nil
			}
			return fmt.Errorf("the signature of another account: %w", err)
		},
		"": func(*world, record.Session, handoff.Handoff) error { return nil },
	} {
		t.Run(want, func(t *testing.T) {
			w := build(t, nil)
			s := w.Ready(tenSUI)
			if err := answer(w, s, w.HandOff(s)); err != nil {
				t.Fatal(err)
			}
			for _, tool := range []string{"session.get_review_status", "session.get_execution_result"} {
				data := w.must(tool, fmt.Sprintf(`{"reviewSessionId":%q}`, s.ID))
				said, _ := data["walletAnswer"].(string)
				if want == "" && said != "" || want != "" && !strings.HasPrefix(said, want) {
					t.Errorf("%s: %q, want %s", tool, said, want)
				}
			}
		})
	}
}
