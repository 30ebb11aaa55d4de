package sui

import (
	"errors"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// The account of the issuer https://id.example and the address seed 5, in both forms, computed with
// @mysten/sui's computeZkLoginAddressFromSeed.
var (
	zkLoginPadded = MustAddress("0x0c611f746f59bc4f026d9bec9f3761950eadeaf80b81fdb744877fa8516fc2a4")
	zkLoginShort  = MustAddress("0x3d966c06b27264530b0749d650eb318488ff699df299d9eeb6173cf2f8803b3b")
)

// zkLoginKey returns the public identifier of a zkLogin member in a multisig account.
func zkLoginKey(seed ...byte) []byte {
	const issuer = "https://id.example"
	return append(append([]byte{byte(len(issuer))}, issuer...), seed...)
}

// TestZkLoginClaims reads which account a zkLogin signature claims, in both forms of its address.
func TestZkLoginClaims(t *testing.T) {
	key, signature := edPart('a', forgedDigest())
	user := part(SchemeEd25519, append(signature, key...))
	for _, c := range []struct {
		name, seed string
		want       []Address
	}{
		{"a seed with leading zeros claims both forms", "5", []Address{zkLoginPadded, zkLoginShort}},
		{"a seed without claims one", "115792089237316195423570985008687907853269984665640564039457584007913129639935",
			[]Address{PublicKeyAddress(SchemeZkLogin, zkLoginKey(slices.Repeat([]byte{0xff}, 32)...))}},
		{"a seed of zero is one byte in the short form", "0", []Address{
			PublicKeyAddress(SchemeZkLogin, zkLoginKey(make([]byte, 32)...)), PublicKeyAddress(SchemeZkLogin, zkLoginKey(0))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			signers, err := TransactionSigners(forgedMessage, forgedZkLogin(t, c.seed, user))
			if !errors.Is(err, ErrLeftToNode) || !slices.Equal(signers, c.want) {
				t.Errorf("%v, %v; want %v, left to a node", signers, err, c.want)
			}
		})
	}
}

// TestSignersOfEveryVector finds the account of every valid vector among the signers, and none for
// invalid ones.
func TestSignersOfEveryVector(t *testing.T) {
	checked := 0
	for _, v := range signatureVectors(t) {
		if v.Scope != "TransactionData" {
			continue
		}
		parsed, err := ParseSignature(v.SignatureBase64)
		if err != nil {
			continue // rejected before it is read
		}
		signers, err := parsed.Signers(NewMaterial(unbase64(t, v.MessageBase64)))
		switch {
		case v.Valid == nil || *v.Valid:
			checked++
			if !slices.Equal(signers, []Address{MustAddress(v.Address)}) {
				t.Errorf("%s: %v, %v; want %s", v.Name, signers, err, v.Address)
			}
		case slices.Contains(signers, MustAddress(v.Address)), err != nil && len(signers) != 0:
			t.Errorf("%s: %v, %v", v.Name, signers, err)
		}
	}
	if checked < 9 {
		t.Errorf("only %d vectors checked", checked)
	}
}

// TestMultiSigZkLoginMember uses a zkLogin member under either form of its address. A signature that
// claims another account is rejected.
func TestMultiSigZkLoginMember(t *testing.T) {
	key, signature := edPart('a', forgedDigest())
	z := forgedZkLogin(t, "5", part(SchemeEd25519, append(signature, key...)))
	of := func(member []byte) forged {
		return forged{signatures: [][]byte{part(3, withLength(z))}, members: [][]byte{part(3, withLength(member), 1)},
			bitmap: 1, threshold: 1}
	}
	padded := zkLoginKey(append(make([]byte, 31), 5)...)
	for name, member := range map[string][]byte{"padded": padded, "short": zkLoginKey(5)} {
		signers, err := TransactionSigners(forgedMessage, of(member).bytes())
		want := PublicKeyAddress(SchemeMultiSig, slices.Concat([]byte{1, 0, SchemeZkLogin}, member, []byte{1}))
		if !errors.Is(err, ErrLeftToNode) || !slices.Equal(signers, []Address{want}) {
			t.Errorf("%s: %v, %v; want %s", name, signers, err, want)
		}
	}
	for name, member := range map[string][]byte{"another seed": zkLoginKey(6), "no seed": zkLoginKey(), "nothing": {}} {
		if signers, err := TransactionSigners(forgedMessage, of(member).bytes()); !fault.Is(err, fault.InputInvalid) ||
			errors.Is(err, ErrLeftToNode) || len(signers) != 0 {
			t.Errorf("%s: %v, %v", name, signers, err)
		}
	}
}
