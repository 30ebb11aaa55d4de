package request

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Hash identifies the effect of a request: account, network, label, and the ordered steps with
// their meaning and limits. Step IDs are not included, so repeating a request with other IDs yields
// the same hash.
type Hash [32]byte

// HashOf returns the hash of a request at its creation.
func HashOf(req Request) (Hash, error) {
	type step struct {
		Intent   plan.Intent   `json:"intent"`
		Protocol string        `json:"protocol"`
		Given    record.ID     `json:"given,omitempty"`
		Most     []plan.Amount `json:"most"`
		Wait     bool          `json:"wait"`
		Timeout  int64         `json:"timeout"`
	}
	in := struct {
		Version int    `json:"v"`
		Network string `json:"network"`
		Account string `json:"account"`
		Label   string `json:"label"`
		Steps   []step `json:"steps"`
	}{1, req.Network, req.Account.String(), req.Label, nil}
	for _, s := range req.Steps {
		in.Steps = append(in.Steps, step{s.Intent, s.Protocol, s.Given, s.Most, s.Wait, int64(s.Timeout)})
	}
	text, err := json.Marshal(in)
	if err != nil {
		return Hash{}, fault.Wrap(err, fault.InternalError, "The bundle cannot be encoded.")
	}
	return sha256.Sum256(append([]byte("say-ur-intent/bundle/v1\n"), text...)), nil
}
