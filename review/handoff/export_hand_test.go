package handoff

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Hand runs the handoff transition on a ready review with the commitment of shown while its
// material holds the bytes of held. It returns what would be released.
func Hand(shown sui.Digest, held []byte, now time.Time) (sui.Digest, error) {
	account := sui.MustAddress("0xacc")
	commitment := sui.Commitment(shown)
	row := alone(record.Row{
		Session: record.Session{
			ID: "bytes", Account: account, Status: record.Ready, Revision: 3, ExpiresAt: now.Add(time.Hour),
			BuildExpiresAt: now.Add(time.Minute),
			Commitment:     commitment, Facts: &plan.Facts{Gas: plan.GasFacts{Payment: []sui.ObjectRef{{}}}},
			State: record.State{Status: record.Ready, Contract: &record.Contract{TransactionMaterialCommitment: commitment}},
		},
		Materials: []record.Material{{Digest: shown, Bytes: sui.NewMaterial(held), CreatedAt: now}},
	})
	rel, err := release(&row, releaseRequest{revision: 3, commitment: commitment,
		active: &record.Account{Address: account}, wish: lawWish}, now)
	if err != nil && len(row.Session.Releases) > 0 {
		panic("a refused handoff left a release")
	}
	return rel.Digest, err
}
