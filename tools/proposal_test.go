package tools_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// TestProposalNames checks that a secret in place of a field name is rejected and not repeated.
func TestProposalNames(t *testing.T) {
	const phrase = "legal_winner_thank_year_wave_sausage_worth_useful_legal_winner_thank_yellow"
	for _, d := range declared() {
		if d.Name != "action.prepare_external_proposal_review" {
			continue
		}
		for _, in := range []string{`{"proposal":{"` + phrase + `":1}}`, `{"` + phrase + `":1}`} {
			answer := d.Call(tool.NewCall(t.Context(), nil, tool.Client{}), json.RawMessage(in))
			if answer.Fault == nil || answer.Fault.Code != fault.InputInvalid || strings.Contains(string(answer.Text),
				"sausage") {
				t.Errorf("%s", answer.Text)
			}
		}
		return
	}
	t.Error("the tool is not declared")
}

// TestProposalIsStrict checks that forbidden content is rejected at any depth and nothing is
// stored.
func TestProposalIsStrict(t *testing.T) {
	store := &counting{}
	w := build(t, func(c *review.Config) { store.Store, c.Store = c.Store, store })
	w.must("action.prepare_external_proposal_review", swapProposal)
	if n := store.created.Load(); n != 1 {
		t.Fatalf("%d reviews of a proposal without them", n)
	}
	for _, field := range []string{"bytes", "transactionBytes", "serializedTransaction", "signingRequest", "privateKey",
		"signature", "seed",
		"mnemonic", "routePlan", "anything"} {
		t.Run("R004-354 "+field, func(t *testing.T) {
			for place, begin := range map[string]string{"beside the proposal": `{`, "proposal": `{"proposal":{`,
				"source": `"source":{`,
				"action": `"action":{`, "target": `"target":{`, "an asset": `"assetFlow":[{`, "an amount": `"amount":{`} {
				in := strings.Replace(swapProposal, begin, begin+`"`+field+`":"x",`, 1)
				answer, refusal := w.call("action.prepare_external_proposal_review", in)
				if in == swapProposal || answer.Fault == nil || refusal["kind"] != "input_invalid" ||
					at(refusal, "details.reason") != "unknown_argument" {
					t.Errorf("%s: %s", place, answer.Text)
				}
			}
			if n := store.created.Load(); n != 1 {
				t.Errorf("%d reviews were stored", n-1)
			}
		})
	}
}

// swapProposal is a proposal of a swap that an adapter here supports.
const swapProposal = `{"proposal":{"type":"sui_action","id":"idea-3","source":{"kind":"ai_client","name":"A model"},` +
	`"network":"sui:sandbox","createdAt":"2026-01-02T03:04:05Z","purpose":"Swap ten SUI.","action":{"actionKind":"swap",` +
	`"target":{"label":"the market"},"assetFlow":[` +
	`{"direction":"outgoing","amount":{"amountDisplay":"10.50","amountKind":"display_proposal","symbol":"SUI"}},` +
	`{"direction":"expected_incoming","amount":{"amountDisplay":"37.25","amountKind":"display_proposal","symbol":"USDC"}}]}}}`

// TestProposalReview follows a proposal from the tool to the page and the end of its review. The
// account could pay for it.
func TestProposalReview(t *testing.T) {
	ctx := context.Background()
	store := &counting{}
	w := build(t, func(c *review.Config) { store.Store, c.Store = c.Store, store })
	w.Connect(sandbox.Account)
	answer, data := w.call("action.prepare_external_proposal_review", swapProposal)
	if answer.Fault != nil {
		t.Fatalf("%s", answer.Text)
	}
	id := record.ID(data["reviewSessionId"].(string))
	planned := data["plans"].([]any)[0].(map[string]any)
	kept, err := w.Store.Review(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-357 the model of the proposal", func(t *testing.T) {
		model, _ := planned["reviewModel"].(map[string]any)
		want := []string{"assetFlow", "blockingChecks", "evidenceUsed", "freshness", "missingEvidence", "nonSignableReason",
			"proposedAction", "recipients", "requiredUserChoices", "targets", "unsupportedClaims"}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(model))); diff != "" {
			t.Error(diff)
		}
		same(t, model, map[string]any{"proposedAction.purpose": "Swap ten SUI.", "proposedAction.actionKind": "swap",
			"proposedAction.source.name": "A model", "proposedAction.authority": "untrusted_external_proposal"})
	})
	t.Run("R004-353 amounts are for the eye alone", func(t *testing.T) {
		outgoing, _ := at(planned, "reviewModel.assetFlow.outgoing").([]any)
		if len(outgoing) != 1 {
			t.Fatalf("%v", planned)
		}
		shown := map[string]any{"amountKind": "display_proposal", "amountDisplay": "10.50", "symbol": "SUI"}
		if diff := cmp.Diff(shown, outgoing[0].(map[string]any)["amount"]); diff != "" {
			t.Errorf("more than what was said, or other: %s", diff)
		}
		if diff := cmp.Diff(plan.Intent{Type: proposal.ActionKind, Asked: kept.Intent.Asked}, kept.Intent); diff != "" {
			t.Errorf("an amount became part of what is built: %s", diff)
		}
	})
	if kept, err = w.Reviews.Opened(ctx, id); err != nil {
		t.Fatal(err)
	}
	kept = w.Compute(kept)
	t.Run("R004-353 nothing is derived from them", func(t *testing.T) {
		if kept.State.Quote != nil || kept.State.Simulation != nil || kept.State.Contract != nil || kept.Facts != nil ||
			kept.Commitment != "" {
			t.Errorf("%+v", kept)
		}
	})
	t.Run("R004-336 a session and a link, and never bytes", func(t *testing.T) {
		if !strings.HasPrefix(data["reviewUrl"].(string), "http://127.0.0.1:1/review/"+string(id)+"#") ||
			store.created.Load() != 1 {
			t.Errorf("%v, %d sessions", data["reviewUrl"], store.created.Load())
		}
		same(t, data, map[string]any{"status": "proposed", "network": "sui:sandbox"})
		if kept.Status != record.Blocked || kept.Reason != plan.ProposalReviewOnly {
			t.Errorf("%s %s", kept.Status, kept.Reason)
		}
		row, err := w.Store.ReviewRow(ctx, id)
		if err != nil || len(row.Materials) != 0 {
			t.Errorf("there are bytes that could be handed out: %d, %v", len(row.Materials), err)
		}
		if _, err := w.Reviews.Handoff(ctx, id, kept.Revision, kept.Commitment); err == nil {
			t.Error("it was handed out")
		}
		for _, key := range everyKey(data) {
			if lower := strings.ToLower(key); strings.HasSuffix(lower, "bytes") || strings.Contains(lower, "transaction") {
				t.Errorf("the answer has %s", key)
			}
		}
	})
}

// everyKey lists the names of all members, at any depth.
func everyKey(value any) (all []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			all = append(append(all, key), everyKey(inner)...)
		}
	case []any:
		for _, inner := range v {
			all = append(all, everyKey(inner)...)
		}
	}
	return all
}
