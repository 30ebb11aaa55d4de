//go:build shared

package sui

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// realTransaction is a recorded transaction from a real chain.
type realTransaction struct {
	Digest, Sender, TransactionDataBcs string
	Bytes, Inputs                      int
	Commands                           []string
	Gas                                struct {
		Owner, Price, Budget string
		Payment              int
	}
	Signatures []struct{ Scheme, Signature string }
}

func realTransactions(tb testing.TB) []realTransaction {
	tb.Helper()
	var f struct{ Transactions []realTransaction }
	readJSON(tb, "../../../shared/data/real-transactions.json", &f)
	if len(f.Transactions) != 108 {
		tb.Fatalf("there are %d recorded transactions, want 108", len(f.Transactions))
	}
	return f.Transactions
}

func TestRealTransactions(t *testing.T) {
	signatures := map[string]int{}
	for _, r := range realTransactions(t) {
		t.Run(r.Digest, func(t *testing.T) {
			raw := unbase64(t, r.TransactionDataBcs)
			tx, err := DecodeTransaction(raw)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := tx.Encode(); err != nil || !bytes.Equal(again, raw) {
				t.Errorf("encoded again: %v", err)
			}
			if d := TransactionDigest(raw).String(); d != r.Digest {
				t.Errorf("digest %s", d)
			}
			checkRealFacts(t, r, tx)
			text, err := tx.WalletJSON()
			if err != nil {
				t.Fatal(err)
			}
			back, err := ParseWalletJSON(text)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := back.Encode(); err != nil || !bytes.Equal(b, raw) {
				t.Errorf("through wallet JSON: %v", err)
			}
			for _, s := range r.Signatures {
				parsed, err := ParseSignature(s.Signature)
				if err != nil {
					t.Fatal(err)
				}
				signer, err := parsed.Verify(NewMaterial(raw))
				if errors.Is(err, ErrLeftToNode) || err != nil || (signer != tx.Sender && signer != tx.Gas.Owner) {
					t.Errorf("%s signature: signer %s, %v", s.Scheme, signer, err)
				}
				signatures[s.Scheme]++
			}
		})
	}
	if signatures["ed25519"] != 103 || signatures["secp256k1"] != 7 || signatures["multisig"] != 1 {
		t.Errorf("signatures checked: %v", signatures)
	}
}

func checkRealFacts(t *testing.T, r realTransaction, tx *Transaction) {
	t.Helper()
	if tx.Sender.String() != r.Sender || tx.Gas.Owner.String() != r.Gas.Owner ||
		decimal(tx.Gas.Price) != r.Gas.Price || decimal(tx.Gas.Budget) != r.Gas.Budget ||
		len(tx.Gas.Payment) != r.Gas.Payment || len(tx.Inputs) != r.Inputs || len(tx.Commands) != len(r.Commands) {
		t.Errorf("decoded %+v, recorded %+v", tx.Gas, r.Gas)
	}
	for i, c := range tx.Commands {
		want := strings.TrimPrefix(r.Commands[i], "MoveCall ")
		if want == r.Commands[i] {
			if commandName(c) != want {
				t.Errorf("command %d is %s, recorded %s", i, commandName(c), want)
			}
			continue
		}
		call, ok := c.(MoveCall)
		if !ok {
			t.Errorf("command %d is %s, recorded a call", i, commandName(c))
			continue
		}
		got := call.Package.Short() + "::" + call.Module + "::" + call.Function
		if n := len(call.TypeArgs); n > 0 {
			types := make([]string, n)
			for j, tag := range call.TypeArgs {
				types[j] = fmt.Sprint(walletType(tag))
			}
			got += "<" + strings.Join(types, ", ") + ">"
		}
		if got != want {
			t.Errorf("command %d calls %s, recorded %s", i, got, want)
		}
	}
}
