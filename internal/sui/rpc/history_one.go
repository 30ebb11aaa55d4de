package rpc

import (
	"context"
	"encoding/base64"

	"github.com/shurcooL/graphql"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a single transaction's lists: the number of items of each, and the number of requests for
// the rest.
const (
	mostItems   = 2048
	mostFurther = 40
)

// Transaction returns one transaction with its bytes, which are checked against the digest, and with
// its lists, complete or up to 2,048 items each. It returns false if the service does not have it,
// which does not prove that it does not exist.
func (h *History) Transaction(ctx context.Context, digest sui.Digest) (sui.PastTransaction, bool, error) {
	limits, err := h.Limits(ctx)
	if err != nil {
		return sui.PastTransaction{}, false, err
	}
	t, ok, err := h.transaction(ctx, digest, limits)
	if fault.Is(err, fault.TooLarge) {
		t, ok, err = h.transaction(ctx, digest, lean(limits))
	}
	return t, ok, err
}

// transaction requests one transaction with limited lists, then the rest of the lists.
func (h *History) transaction(
	ctx context.Context, digest sui.Digest, limits sui.PastLimits,
) (sui.PastTransaction, bool, error) {
	var answer struct {
		ChainIdentifier string
		Transaction     *struct {
			graphTransaction
			TransactionBcs *string
		} `graphql:"transaction(digest: $digest)"`
	}
	variables := listSizes(limits)
	variables["digest"] = graphql.String(digest.String())
	if err := h.put(ctx, &answer, variables); err != nil {
		return sui.PastTransaction{}, false, err
	}
	chain, err := h.chain(answer.ChainIdentifier)
	if err != nil {
		return sui.PastTransaction{}, false, err
	}
	if answer.Transaction == nil {
		return sui.PastTransaction{}, false, nil
	}
	reported := &answer.Transaction.graphTransaction
	if err := h.follow(ctx, digest, reported, limits); err != nil {
		return sui.PastTransaction{}, false, err
	}
	t, err := pastOf(reported, sui.PastLimits{
		Calls: mostItems, Inputs: mostItems, Balances: mostItems, Objects: mostItems, Events: mostItems})
	if err != nil {
		return sui.PastTransaction{}, false, err
	}
	if t.Digest != digest {
		return sui.PastTransaction{}, false, mismatch("it returned a different transaction than requested")
	}
	t.Chain = chain
	if b := answer.Transaction.TransactionBcs; b != nil {
		if t.Bytes, err = base64.StdEncoding.DecodeString(*b); err != nil || sui.TransactionDigest(t.Bytes) != digest {
			return sui.PastTransaction{}, false, mismatch("the bytes of a transaction do not match its digest")
		}
		check(&t)
	}
	return t, true, nil
}
