//go:build shared

package ledger

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestRealCoins rebuilds real coin objects: equal fields give equal bytes, storage deposit and
// digest.
func TestRealCoins(t *testing.T) {
	raw, err := os.ReadFile("../../../../shared/data/real-objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Objects []struct {
			ID     sui.ObjectID `json:"objectId"`
			Type   string       `json:"type"`
			Digest sui.Digest   `json:"digest"`
			BCS    string       `json:"objectBcs"`
		} `json:"objects"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, o := range file.Objects {
		if o.Type != "0x2::coin::Coin<0x2::sui::SUI>" {
			continue
		}
		b, err := base64.StdEncoding.DecodeString(o.BCS)
		if err != nil {
			t.Fatal(err)
		}
		// kind 1, type 1, transfers 1, version 8, length 1, id 32, balance 8, owner 1 + 32, length 1, previous 32, deposit 8
		if len(b) != 126 || b[52] != 0 {
			t.Fatalf("%s: %d bytes", o.ID, len(b))
		}
		u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
		made := newCoin(o.ID, u64(3), addressOwner(sui.Address(b[53:85])), sui.SUI, u64(44), sui.Digest(b[86:118]))
		if d := cmp.Diff(b, made.BCS()); d != "" {
			t.Errorf("%s: %s", o.ID, d)
		}
		if made.Digest != o.Digest {
			t.Errorf("%s: digest %s, want %s", o.ID, made.Digest, o.Digest)
		}
		checked++
	}
	if checked != 6 {
		t.Errorf("%d coins checked, want 6", checked)
	}
}
