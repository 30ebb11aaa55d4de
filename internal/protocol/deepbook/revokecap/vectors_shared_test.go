//go:build shared

package revokecap_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/revokecap"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestRecordedRevocation builds the same bytes as the official client for revoking a cap, and reads
// them back.
func TestRecordedRevocation(t *testing.T) {
	data, err := os.ReadFile("../../../../../shared/vectors/mandates.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct{ Name, TxBytesBase64 string }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, v := range file.Vectors {
		raw, err := base64.StdEncoding.DecodeString(v.TxBytesBase64)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := sui.DecodeTransaction(raw)
		if err != nil {
			t.Fatal(err)
		}
		facts, err := testkit.Read(revokecap.New(nil, nil), tx)
		if v.Name != "revoke_trade_cap" {
			if err == nil {
				t.Errorf("%s is read as the end of a cap: %+v", v.Name, facts)
			}
			continue
		}
		found = true
		if err != nil {
			t.Fatal(err)
		}
		manager := tx.Inputs[0].(sui.SharedInput)
		id, _ := tx.Inputs[1].(sui.PureInput).Address()
		b := plan.NewBuilder(tx.Sender)
		revokecap.Append(b, deepbook.Holder{ID: manager.ID, Initial: manager.InitialVersion,
			Package: tx.Commands[0].(sui.MoveCall).Package}, id)
		built, err := b.Kind().Encode()
		want, wrong := tx.Kind().Encode()
		if err != nil || wrong != nil || !bytes.Equal(built, want) {
			t.Errorf("built %x, want %x (%v, %v)", built, want, err, wrong)
		}
		if facts.RouteID != manager.ID || facts.Terms[0].Value != id.String() {
			t.Errorf("%+v", facts)
		}
	}
	if !found {
		t.Error("the vector is missing")
	}
}
