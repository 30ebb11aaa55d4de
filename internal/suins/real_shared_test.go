//go:build shared

package suins_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// TestRealRecords finds the records that two recorded transactions created, deleted or changed, by the
// ids computed here. They belong to another deployment of SuiNS, whose registry object was recorded
// too.
func TestRealRecords(t *testing.T) {
	var objects struct {
		Objects []struct {
			ObjectID    string
			ContentsBCS []byte
		}
	}
	var recorded struct {
		Transactions []struct {
			Digest  string
			Effects struct{ EffectsBCS string }
		}
	}
	for name, to := range map[string]any{"real-objects": &objects, "real-transactions": &recorded} {
		b, err := os.ReadFile("../../../shared/data/" + name + ".json")
		if err == nil {
			err = json.Unmarshal(b, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	registry := suins.Registry{Types: sui.MustAddress("0x22fa05f21b1ad71442491220bb9338f7b7095fe35000ef88d5400d28523bdd93")}
	for _, o := range objects.Objects {
		if o.ObjectID == "0x1026152402c1b2ca7bee48355475252905010baa30f605781d652eb016f8b84e" {
			registry.Table = sui.ObjectID(o.ContentsBCS[33:65]) // after the field's id and its empty key
		}
	}
	changed := func(digest string) (ids []sui.ObjectID) {
		for _, tx := range recorded.Transactions {
			if tx.Digest != digest {
				continue
			}
			b, err := base64.StdEncoding.DecodeString(tx.Effects.EffectsBCS)
			if err != nil {
				t.Fatal(err)
			}
			e, err := sui.DecodeEffects(b)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range e.Changed {
				ids = append(ids, c.ID)
			}
			if e.First != nil {
				for _, c := range slices.Concat(e.First.Created, e.First.Mutated) {
					ids = append(ids, c.Ref.ID)
				}
				for _, d := range e.First.Deleted {
					ids = append(ids, d.ID)
				}
			}
		}
		return ids
	}
	for name, digest := range map[suins.Name]string{
		"new.test.sui":    "A1bf9awXHFkqQm3AuycuRW41tSYd7q7bd9o66xZS2h6t",
		"leaf.test.sui":   "A1bf9awXHFkqQm3AuycuRW41tSYd7q7bd9o66xZS2h6t",
		"remove.test.sui": "s4GoGneb1g1mJYfgq9biHhscUArMPNH3AjgaufZjEBs",
	} {
		if ids := changed(digest); !slices.Contains(ids, registry.RecordID(name)) {
			t.Errorf("%s is none of the %d objects", name, len(ids))
		}
	}
}
