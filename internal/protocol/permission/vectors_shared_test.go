//go:build shared

package permission_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/permission"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestRecordedRevocation builds the same bytes as the official client for revoking an allowance, and
// reads them back.
func TestRecordedRevocation(t *testing.T) {
	data, err := os.ReadFile("../../../../shared/vectors/mandates.json")
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
		facts, err := testkit.Read(permission.New(nil), tx)
		if v.Name != "revoke" {
			if err == nil {
				t.Errorf("%s is read as the end of an allowance: %+v", v.Name, facts)
			}
			continue
		}
		found = true
		if err != nil {
			t.Fatal(err)
		}
		b := plan.NewBuilder(tx.Sender)
		permission.Append(b, tx.Inputs[0].(sui.OwnedInput).Ref, tx.Inputs[1].(sui.SharedInput),
			tx.Commands[0].(sui.MoveCall).TypeArgs[0])
		built, err := b.Kind().Encode()
		want, wrong := tx.Kind().Encode()
		if err != nil || wrong != nil || !bytes.Equal(built, want) {
			t.Errorf("built %x, want %x (%v, %v)", built, want, err, wrong)
		}
		if facts.RouteID != tx.Inputs[1].(sui.SharedInput).ID || facts.Terms[1].Value != "USDC" {
			t.Errorf("%+v", facts)
		}
	}
	if !found {
		t.Error("the vector is missing")
	}
}
