//go:build clients

package clients_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestSigningHash compares the hash that a hardware wallet shows of 1,000 transactions with
// that of the official SDK's message.
func TestSigningHash(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var sent [][]byte
	for range 1000 {
		account := sui.Address{byte(r.Uint32()), 1}
		tx := &sui.Transaction{Sender: account, Expiration: sui.EpochExpiration{Epoch: r.Uint64N(2000)},
			Inputs: []sui.Input{sui.PureU64(r.Uint64()), sui.PureAddress(sui.Address{2, byte(r.Uint32())})},
			Commands: []sui.Command{sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{{Kind: sui.ArgInput}}},
				sui.TransferObjects{Objects: []sui.Argument{{Kind: sui.ArgNestedResult}},
					Recipient: sui.Argument{Kind: sui.ArgInput, Index: 1}}},
			Gas: sui.Gas{Owner: account, Payment: make([]sui.ObjectRef, 1+r.IntN(3)), Price: r.Uint64(), Budget: r.Uint64()}}
		b, err := tx.Encode()
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, b)
	}
	in, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	node(t, &got, in, "signing_hash.mjs")
	if len(got) != len(sent) {
		t.Fatalf("%d hashes of %d transactions", len(got), len(sent))
	}
	for i, b := range sent {
		if want := sui.NewMaterial(b).SigningHash().String(); got[i] != want {
			t.Fatalf("transaction %d: %s, and %s elsewhere", i, want, got[i])
		}
	}
}
