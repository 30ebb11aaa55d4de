package worker

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/sui"
)

type txStatusIn struct {
	Digest string `json:"digest"`
}

type txStatusOut struct {
	Digest     sui.Digest `json:"digest"`
	Status     string     `json:"status"`               // success, failure, or unknown to the node
	Checkpoint string     `json:"checkpoint,omitempty"` // absent until it is known
}

// txStatus returns the status of a transaction on the configured node. Another node may know a
// transaction that this one does not.
func (s Sources) txStatus(ctx context.Context, _ string, payload json.RawMessage) (any, error) {
	in, err := read[txStatusIn](payload)
	if err != nil {
		return nil, err
	}
	d, err := sui.ParseDigest(in.Digest)
	if err != nil {
		return nil, bad("digest is the digest of a transaction.")
	}
	tx, ok, err := s.Node.Transaction(ctx, d)
	if err != nil {
		return nil, err
	}
	out := txStatusOut{Digest: d, Status: "unknown"}
	//mutant:always ./internal/worker TestKindsOfTheChain/R003-135 unknown
	if ok {
		out.Status = "failure"
		//mutant:always ./internal/worker TestKindsOfTheChain/R003-135 failure
		if tx.Status.OK {
			out.Status = "success"
		}
		if tx.Checkpoint != nil {
			out.Checkpoint = strconv.FormatUint(*tx.Checkpoint, 10)
		}
	}
	return out, nil
}
