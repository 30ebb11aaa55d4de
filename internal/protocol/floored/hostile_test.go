package floored_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// vector is a transaction of a described protocol. A hostile one names the valid one that it imitates.
type vector struct {
	Name   string `json:"name"`
	Stated string `json:"stated"`
	Data   string `json:"transactionData"`
}

// read returns the facts of a vector according to the first action that reads it, or nil.
func (v vector) read(t *testing.T, list []plan.Adapter) *plan.StepFacts {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(v.Data)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		t.Fatal(err)
	}
	if tx.Gas.Owner != tx.Sender {
		return nil // readings leave gas to the review, which compares its owner
	}
	for _, a := range list {
		if facts, err := testkit.Read(a, tx); err == nil {
			return &facts
		}
	}
	return nil
}

// TestHostileVectors: no action reads a hostile transaction as the one that was stated. Either all
// refuse it, or its facts differ from the stored ones, which stops a release.
func TestHostileVectors(t *testing.T) {
	data, err := os.ReadFile("../floor/testdata/protocols.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Valid, Hostile []vector }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	h := testkit.Start(t, time.Now, nil)
	list := adapters.Over(h.Node, nil, h.Pools, nil, h.Clock.Now)
	stated := map[string]*plan.StepFacts{}
	for _, v := range all.Valid {
		stated[v.Name] = v.read(t, list)
	}
	var differ []string
	for _, v := range all.Hostile {
		got := v.read(t, list)
		switch {
		case got == nil:
		case record.SameJSON(got, stated[v.Stated]):
			t.Errorf("%s is read as stated", v.Name)
		default:
			differ = append(differ, v.Name)
		}
	}
	if want := []string{"cetus router SUI to USDC under a floor / floor one unit lower",
		"spring redeem under a floor / floor one unit lower"}; !slices.Equal(differ, want) {
		t.Errorf("read with other facts: %q", differ)
	}
}
