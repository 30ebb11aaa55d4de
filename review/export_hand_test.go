package review

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Hand runs the law of the handoff over a ready review that shows the commitment
// of shown while its material holds the bytes of held. It gives what would be
// handed out.
func Hand(shown sui.Digest, held []byte, now time.Time) (sui.Digest, error) {
	account := sui.MustAddress("0xacc")
	commitment := sui.Commitment(shown)
	row := alone(Row{
		Session: Session{
			ID: "bytes", Account: account, Status: Ready, Revision: 3, ExpiresAt: now.Add(time.Hour), BuildExpiresAt: now.Add(time.Minute),
			Commitment: commitment, Facts: &Facts{Gas: GasFacts{Payment: []sui.ObjectRef{{}}}},
			State: State{Status: Ready, Contract: &Contract{TransactionMaterialCommitment: commitment}},
		},
		Materials: []Material{{Digest: shown, Bytes: sui.NewMaterial(held), CreatedAt: now}},
	})
	rel, err := hand(&row, handing{revision: 3, commitment: commitment, active: &Account{Address: account}, wish: lawWish}, now)
	if err != nil && len(row.Session.Releases) > 0 {
		panic("a refused handoff left a release")
	}
	return rel.Digest, err
}
