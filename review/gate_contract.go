package review

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// assemble makes the contract that a ready review carries. It declines when
// any part is about another transaction or the quote grew too old meanwhile.
func (r *run) assemble(context.Context) error {
	q, f := r.draft.Quote, r.facts
	if stop := stale(r.meta.CheckPrefix, q, r.draft); stop != nil {
		return stop
	}
	digest := sui.TransactionDigest(r.bytes)
	bound := []string{r.ownership.BoundToCommitment, r.human.BoundToCommitment, r.summary.BoundToCommitment, r.commitment}
	for _, c := range bound {
		if c != sui.Commitment(digest) {
			return r.declined("a part of the evidence is about another transaction")
		}
	}
	if len(r.ownership.Objects) == 0 || r.chainID == "" {
		return r.declined("the objects or the chain were not read")
	}
	c, now := r.commitment, r.now()
	amount := func(role string, a Amount, source string) ContractAmount {
		return ContractAmount{Role: role, Amount: a, Source: source, BoundToCommitment: c}
	}
	r.contract = &Contract{
		ContractVersion: ContractVersion, AdapterID: r.meta.AdapterID, Protocol: r.meta.Protocol, ActionKind: r.meta.Action,
		Network: r.session.Network, ChainID: r.chainID, TransactionMaterialCommitment: c, AssembledAt: now,
		Amounts: []ContractAmount{
			amount("input", f.Spends[0], "transaction_bytes"), amount("minimum_output", f.Minimum, "transaction_bytes"),
			amount("expected_output", q.Expected, "quote_evidence"), amount("fee", q.Fee, "quote_evidence"),
		},
		MinOut: ContractMinimum{Status: "required_and_verified", MaxSlippageBps: q.MaxSlippageBps,
			MinOutRaw: f.Minimum.Raw, Source: "transaction_bytes", BoundToCommitment: c},
		Gas: ContractGas{Budget: f.Gas.Budget, Price: f.Gas.Price, Used: r.summary.GasNet, Owner: f.Gas.Owner,
			Object: f.Gas.Payment[0].ID, Source: "transaction_bytes", BoundToCommitment: c},
		Expiry: ContractExpiry{Status: "current", CheckedAt: now, QuoteExpiresAt: q.ExpiresAt,
			BuildExpiresAt: r.builtAt.Add(r.c.Limits.BuildLife), LastEpoch: f.LastEpoch, BoundToCommitment: c},
		Ownership: r.ownership,
		Simulation: ContractEvidence{Status: "success", Source: "review_time_simulation", At: r.summary.SimulatedAt,
			BoundToCommitment: r.summary.BoundToCommitment},
		HumanReview: ContractEvidence{Status: "complete", Source: "transaction_bytes_and_quote_policy",
			At: r.human.Freshness.EvaluatedAt, BoundToCommitment: r.human.BoundToCommitment},
	}
	if len(f.Spends) > 1 {
		r.contract.Amounts = append(r.contract.Amounts, amount("fee_at_most", f.Spends[1], "transaction_bytes"))
	}
	r.draft.Check(Pass(SourceAdapter, r.meta.CheckPrefix+"_wallet_review_contract_emitted", "Review complete",
		"Every check passed for this one transaction. Read it, then decide in your wallet."))
	return nil
}

func (r *run) declined(why string) error {
	return &Stop{WalletReviewContractEmitMissing, Fail(SourceAdapter,
		r.meta.CheckPrefix+"_wallet_review_contract_emit_missing", "Review complete",
		"The review cannot be completed: "+why+".", "Refresh; if it stays, prepare a new review.")}
}
