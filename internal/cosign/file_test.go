package cosign

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A file is accepted only if its account belongs to its members and sends its transaction.
func TestParse(t *testing.T) {
	m := sui.MultiSig{Threshold: 1, Members: []sui.MultiSigMember{{Key: []byte("\x00" + strings.Repeat("a", 32)),
		Weight: 1}}}
	tx := func(sender, payer sui.Address) sui.Material {
		raw, err := (&sui.Transaction{Sender: sender, Gas: sui.Gas{Owner: payer, Price: 1000, Budget: 5_000_000},
			Expiration: sui.EpochExpiration{Epoch: 7}}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		return sui.NewMaterial(raw)
	}
	own, other := m.Address(), sui.MustAddress("0xb0b")
	text, err := Write("sui:sandbox", "chain", m, tx(own, own))
	if err != nil {
		t.Fatal(err)
	}
	f, read, err := Parse(text)
	if err != nil || f.Account != own || read.Sender != own || f.ChainID != "chain" {
		t.Fatalf("%+v, %v", f, err)
	}
	edited := func(edit func(*File)) string {
		f := f
		edit(&f)
		b, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for name, text := range map[string]string{
		"nothing":           "",
		"something else":    `{"kind": "a letter"}`,
		"an unknown field":  strings.Replace(text, `"network"`, `"note": "x", "network"`, 1),
		"another kind":      edited(func(f *File) { f.Kind = "say-ur-intent/multisig-transaction/v2" }),
		"another account":   edited(func(f *File) { f.Account = other }),
		"other members":     edited(func(f *File) { f.Account, f.Transaction = other, tx(other, other).Bytes() }),
		"another threshold": edited(func(f *File) { f.Members.Threshold = 2 }),
		"no transaction":    edited(func(f *File) { f.Transaction = nil }),
		"a byte more":       edited(func(f *File) { f.Transaction = append(f.Transaction, 0) }),
		"another sender":    edited(func(f *File) { f.Transaction = tx(other, own).Bytes() }),
		"another payer":     edited(func(f *File) { f.Transaction = tx(own, other).Bytes() }),
		"too large":         text + strings.Repeat(" ", MaxFile),
	} {
		if _, _, err := Parse(text); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
