//go:build clients

package clients_test

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestMultiSig combines signatures that the official SDK made for its own multisig accounts, of all plain
// schemes, in any order. The result is byte for byte what the SDK combines, and the SDK accepts each.
func TestMultiSig(t *testing.T) {
	const sets = 40
	var made []struct {
		Account, Combined string
		Bytes             []byte
		Signatures        []string
		Members           []sui.MultiSigMember
		Threshold         uint16
	}
	node(t, &made, nil, "multisig.mjs", "make", strconv.Itoa(sets))
	type combined struct {
		Account   string `json:"account"`
		Bytes     []byte `json:"bytes"`
		Signature string `json:"signature"`
	}
	var all []combined
	for i, s := range made {
		m := sui.MultiSig{Members: s.Members, Threshold: s.Threshold}
		if m.Check() != nil || m.Address().String() != s.Account {
			t.Fatalf("set %d: the account is %s, want %s", i, m.Address(), s.Account)
		}
		var parts []sui.MemberSignature
		for _, text := range s.Signatures {
			signature := decode(t, text)
			n, err := m.Signed(s.Bytes, signature)
			if err != nil {
				t.Fatalf("set %d: %v", i, err)
			}
			if _, err := m.Combine(s.Bytes, parts); err == nil {
				t.Fatalf("set %d is combined before it is complete", i)
			}
			parts = append(parts, sui.MemberSignature{Member: n, Signature: sui.NewSignature(signature)})
		}
		whole, err := m.Combine(s.Bytes, parts)
		if err != nil {
			t.Fatalf("set %d: %v", i, err)
		}
		text := base64.StdEncoding.EncodeToString(whole)
		if text != s.Combined {
			t.Errorf("set %d is another signature than the SDK's", i)
		}
		all = append(all, combined{s.Account, s.Bytes, text})
	}
	given, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var answers []string
	node(t, &answers, given, "multisig.mjs", "check")
	if len(answers) != sets {
		t.Fatalf("%d answers", len(answers))
	}
	for i, signer := range answers {
		if signer != all[i].Account {
			t.Errorf("set %d: the SDK says %s", i, signer)
		}
	}
}
