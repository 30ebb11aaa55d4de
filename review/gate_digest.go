package review

import (
	"bytes"
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// commit is the gate digest_commitment: it names the exact bytes. Everything
// after it looks at the transaction decoded from them, not at what was built.
func (r *run) commit(context.Context) error {
	tx, err := sui.DecodeTransaction(r.bytes)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "The built transaction cannot be read back.")
	}
	again, err := tx.Encode()
	if err != nil || !bytes.Equal(again, r.bytes) {
		return fault.Wrap(err, fault.InternalError, "The built transaction does not read back to the same bytes.")
	}
	r.tx, r.digest = tx, sui.TransactionDigest(r.bytes)
	r.commitment = sui.Commitment(r.digest)
	r.check(Pass(SourceAdapter, r.meta.CheckPrefix+"_transaction_material_digest_commitment", "Commitment",
		"The transaction is fixed: what the wallet gets must be exactly these bytes."))
	return nil
}
