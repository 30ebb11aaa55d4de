package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// With the setting a result that a node tells is no end: it waits for its proof, and
// excludes nothing meanwhile.
func TestOnlyProvedResultsAreFinal(t *testing.T) {
	for _, kind := range []sandbox.FaultKind{sandbox.NoCertificate, sandbox.NewerContents} {
		t.Run(string(kind), func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			err := h.Store.ChangeSettings(t.Context(), func(s *settings.Stored) error {
				s.Allowance = policy.Allowance{ProvedOnly: true}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
			if err := h.Sandbox.Inject(sandbox.Fault{Kind: kind}); err != nil {
				t.Fatal(err)
			}
			_, s = h.Send(s)
			told := func(s record.Session) bool { return s.Execution != nil && s.Execution.Proof().State == record.Reported }
			s = until(t, h, s.ID, "told", told)
			if s.Status != record.SignedPendingResult || !s.Execution.Reported || s.Execution.Receipt != nil {
				t.Errorf("%s %+v", s.Status, s.Execution)
			}
			s = until(t, h, s.ID, "said so", func(s record.Session) bool {
				return strings.Contains(s.Execution.Note,
					"only proved results")
			})
			if title := s.Headline().Title; title != "Executed, as one node reports" {
				t.Error(title)
			}
			if open, err := h.Store.Open(t.Context(), sandbox.Account); err != nil || len(open) != 0 {
				t.Errorf("%v %+v", err, open)
			}
			if err := h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ClearFaults}); err != nil {
				t.Fatal(err)
			}
			if s = until(t, h, s.ID, "proved", settledWith(record.Proved)); s.Status != record.Success || s.Execution.Reported {
				t.Errorf("%s %+v", s.Status, s.Execution)
			}
		})
	}
}
