package review_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestEvidenceOfAnAccountBoundReview is about what a review bound to an account
// leaves behind, and where it comes from.
func TestEvidenceOfAnAccountBoundReview(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	row, err := h.Store.ReviewRow(context.Background(), s.ID)
	if err != nil {
		t.Fatal(err)
	}

	t.Run("R004-334 material, digest, quote, ownership, words and simulation are derived locally", func(t *testing.T) {
		if len(row.Materials) != 1 || sui.Commitment(row.Materials[0].Digest) != s.Commitment {
			t.Fatalf("%d materials for commitment %s", len(row.Materials), s.Commitment)
		}
		for _, stage := range []plan.StageID{"quote_evidence_fetched", "quote_policy_derived",
			"transaction_material_build_or_verify", "digest_commitment", "object_ownership",
			"human_readable_review", "review_time_simulation"} {
			if !slices.Contains(s.State.AdapterLifecycle.CompletedStages, stage) {
				t.Errorf("stage %s is not completed", stage)
			}
		}
		if s.State.Quote == nil || s.State.HumanReview == nil || s.State.Simulation == nil || s.State.Contract == nil {
			t.Error("evidence is missing from the public state")
		}
	})

	t.Run("R004-391 ownership is of the objects in the stored bytes, as the node tells their owner", func(t *testing.T) {
		if !slices.Contains(s.State.HumanReview.EvidenceUsed, "object_ownership") {
			t.Error("the review in words does not refer to the ownership evidence")
		}
		tx, err := row.Materials[0].Bytes.Transaction()
		if err != nil {
			t.Fatal(err)
		}
		ids := []sui.ObjectID{tx.Gas.Payment[0].ID}
		for _, in := range tx.Inputs {
			switch in := in.(type) {
			case sui.OwnedInput:
				ids = append(ids, in.Ref.ID)
			case sui.SharedInput:
				ids = append(ids, in.ID)
			}
		}
		told := s.State.Contract.Ownership.Objects
		if len(told) != len(ids) {
			t.Fatalf("%d objects have ownership evidence, the bytes name %d", len(told), len(ids))
		}
		for _, o := range told {
			if !slices.Contains(ids, o.ObjectID) {
				t.Errorf("%s is not in the bytes", o.ObjectID)
			}
			if (o.ObjectID == tx.Gas.Payment[0].ID) != (o.Ownership == "owned_by_account") {
				t.Errorf("%s is told as %s", o.ObjectID, o.Ownership)
			}
		}
	})
}
