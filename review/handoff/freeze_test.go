package handoff

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
)

// A freeze stops a release whatever else is right, and so does one that cannot be read.
func TestFrozenLaw(t *testing.T) {
	unread := errors.New("unread")
	for name, frozen := range map[string]func() (bool, error){
		"stopped":        func() (bool, error) { return true, nil },
		"cannot be read": func() (bool, error) { return false, unread },
	} {
		t.Run(name, func(t *testing.T) {
			r := lawRow("ready_for_wallet_review")
			r.Frozen = frozen
			_, err := release(&r, releaseRequest{revision: 4, commitment: r.Session.Commitment, nonce: record.HashOf("n"),
				active: &record.Account{Address: lawAccount}, wish: lawWish}, lawTime)
			if len(r.Session.Releases) != 0 {
				t.Error("it was handed out")
			}
			if errors.Is(err, unread) {
				return
			}
			if detail, _ := json.Marshal(fault.As(err).Detail); !fault.Is(err, fault.Blocked) ||
				string(detail) != `{"frozen":true}` {
				t.Errorf("%v %s", err, detail)
			}
		})
	}
}
