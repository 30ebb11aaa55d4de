package sui

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// MultiSig is a multisig account: its members and the weight that their signatures must reach. Its
// address commits to all of it, in this order.
type MultiSig struct {
	Members   []MultiSigMember `json:"members"`
	Threshold uint16           `json:"threshold"`
}

// MultiSigMember is one member of a multisig account. Key is the flag of a scheme followed by the
// public key. Its JSON form is the base64 text that Sui's own tools print.
type MultiSigMember struct {
	Key    []byte `json:"publicKey"`
	Weight uint8  `json:"weight"`
}

// Address returns the address of the member's own account.
func (m MultiSigMember) Address() Address { return Address(Hash(m.Key)) }

// member returns the member as the chain encodes it.
func (m MultiSigMember) member() member {
	return member{key: memberValue{scheme: m.Key[0], bytes: m.Key[1:]}, weight: m.Weight}
}

// MemberSignature is a verified signature of one member. Member is the member's number.
type MemberSignature struct {
	Member    int
	Signature Signature
}

// ParseMultiSigMember reads a member as a user writes one: the flag of a scheme and a public key, in
// base64, optionally followed by a space and a weight. The default weight is 1.
func ParseMultiSigMember(line string) (MultiSigMember, error) {
	words := strings.Fields(line)
	m := MultiSigMember{Weight: 1}
	if len(words) == 0 || len(words) > 2 {
		return m, fault.New(fault.InputInvalid, "Write a member as a public key and, after a space, a weight.")
	}
	if len(words) == 2 {
		weight, err := strconv.ParseUint(words[1], 10, 8)
		if err != nil || weight == 0 {
			return m, fault.New(fault.InputInvalid, "A member's weight must be a number from 1 to 255.")
		}
		m.Weight = uint8(weight)
	}
	var err error
	if m.Key, err = base64.StdEncoding.Strict().DecodeString(words[0]); err != nil {
		return m, fault.New(fault.InputInvalid, "A member's public key must be base64 text, as sui keytool list prints it.")
	}
	return m, m.check()
}

func (m MultiSigMember) check() error {
	if len(m.Key) == 0 {
		return fault.New(fault.InputInvalid, "A member's public key is missing.")
	}
	switch scheme := m.Key[0]; scheme {
	case SchemeEd25519, SchemeSecp256k1, SchemeSecp256r1, SchemePasskey:
		if len(m.Key) != 1+keySize(scheme) {
			return fault.New(fault.InputInvalid, "A member's %s public key has the wrong length.", SchemeName(scheme))
		}
	case SchemeZkLogin:
		if len(m.Key) < 2 || len(m.Key) > maxZkLoginKey {
			return fault.New(fault.InputInvalid, "A member's zkLogin identifier has the wrong length.")
		}
	default:
		return fault.New(fault.InputInvalid, "A member's public key must begin with the flag of its scheme. "+
			"Copy the value that `sui keytool list` shows as publicBase64KeyWithFlag.")
	}
	return nil
}

// place returns the number of the first member with a key, or -1 if there is none.
func (m MultiSig) place(key []byte) int {
	return slices.IndexFunc(m.Members, func(o MultiSigMember) bool { return bytes.Equal(o.Key, key) })
}

// maxZkLoginKey is the maximum size of the public identifier of a zkLogin member: its flag, an issuer
// of at most 255 bytes with its length, and an address seed.
const maxZkLoginKey = 1 + 1 + 255 + 32

// Check returns an error if the chain would reject the account, or if its members cannot reach the
// threshold.
func (m MultiSig) Check() error {
	if len(m.Members) == 0 || len(m.Members) > maxMembers {
		return fault.New(fault.InputInvalid, "A multisig account has one to ten members.")
	}
	sum := 0
	for i, one := range m.Members {
		if err := one.check(); err != nil {
			return err
		}
		//mutant:never ./internal/sui TestMultiSigAccounts
		if one.Weight == 0 || m.place(one.Key) < i {
			return fault.New(fault.InputInvalid, "A member is listed twice, or has no weight.")
		}
		sum += int(one.Weight)
	}
	//mutant:never ./internal/sui TestMultiSigAccounts
	if m.Threshold == 0 || sum < int(m.Threshold) {
		return fault.New(fault.InputInvalid,
			"The threshold must be a number from 1 to the sum of all weights, which is %d.", sum)
	}
	return nil
}

// Address returns the address of the account.
func (m MultiSig) Address() Address { return m.with(0).address() }

// with returns a signature of the account without any member's signature.
func (m MultiSig) with(bitmap uint16) multiSig {
	out := multiSig{bitmap: bitmap, threshold: m.Threshold}
	for _, one := range m.Members {
		out.members = append(out.members, one.member())
	}
	return out
}

// Weight returns the total weight of the signatures. A member counts only once.
func (m MultiSig) Weight(of []MemberSignature) (sum int) {
	for i, one := range m.Members {
		if slices.ContainsFunc(of, func(s MemberSignature) bool { return s.Member == i }) {
			sum += int(one.Weight)
		}
	}
	return sum
}

// Reasons why a member's signature is rejected: the error's detail "reason".
const (
	NotAMember       = "not_a_member"
	OtherTransaction = "other_transaction"
	NoSignature      = "no_signature"
	NotCheckable     = "not_checkable"
)

func notCollected(reason, format string, args ...any) error {
	return fault.New(fault.InputInvalid, format, args...).With("reason", reason)
}

// Signed verifies a member's own signature over the exact bytes of a transaction, and returns the
// member's number.
func (m MultiSig) Signed(txBytes, signature []byte) (int, error) {
	digest := intentDigest(0, txBytes)
	if len(signature) == 0 {
		return 0, notCollected(NoSignature, "The signature is empty.")
	}
	flag, body := signature[0], signature[1:]
	var key []byte
	switch flag {
	case SchemeEd25519, SchemeSecp256k1, SchemeSecp256r1:
		if len(body) != signatureSize+keySize(flag) {
			return 0, notCollected(NoSignature, "The signature is truncated or too long for %s.", SchemeName(flag))
		}
		key = body[signatureSize:]
	case SchemePasskey:
		var err error
		if key, err = verifyPasskey(digest, body); err != nil {
			return 0, notCollected(OtherTransaction, "%s", fault.As(err).Text)
		}
	case SchemeZkLogin:
		return 0, notCollected(NotCheckable, "A zkLogin signature cannot be checked on this computer, so it is not "+
			"collected. Ask another member.")
	case SchemeMultiSig:
		return 0, notCollected(NoSignature, "This is a signature of a whole multisig account. Add each member's own.")
	default:
		return 0, notCollected(NoSignature, "The signature has an unknown scheme.")
	}
	i := m.place(slices.Concat([]byte{flag}, key))
	//mutant:never ./internal/sui TestMultiSigMembers
	if i < 0 {
		return 0, notCollected(NotAMember, "The signature is from %s, which is not a member of this account.",
			PublicKeyAddress(flag, key))
	}
	//mutant:never ./internal/sui TestMultiSigMembers
	if flag != SchemePasskey && !verifyPlain(flag, key, digest[:], body[:signatureSize]) {
		return 0, notCollected(OtherTransaction, "The member %s signed another transaction, not this one.",
			PublicKeyAddress(flag, key))
	}
	return i, nil
}

// Combine returns the account's signature. It verifies every part again, and the combined signature
// too. It returns fault.InputInvalid if a part is missing, repeated or not a member's.
func (m MultiSig) Combine(txBytes []byte, of []MemberSignature) ([]byte, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	of = slices.Clone(of)
	slices.SortFunc(of, func(a, b MemberSignature) int { return a.Member - b.Member })
	whole := m.with(0)
	for i, s := range of {
		n, err := m.Signed(txBytes, s.Signature.bytes)
		if err != nil {
			return nil, err
		}
		if n != s.Member || i > 0 && of[i-1].Member == n {
			return nil, notCollected(NoSignature, "A member's signature is present twice, or under another member's name.")
		}
		part := memberValue{scheme: s.Signature.bytes[0], bytes: s.Signature.bytes}
		if part.scheme != SchemePasskey {
			part.bytes = part.bytes[1 : 1+signatureSize]
		}
		whole.signatures, whole.bitmap = append(whole.signatures, part), whole.bitmap|1<<n
	}
	signature := whole.encode()
	//mutant:never ./internal/sui TestMultiSigSets
	if signer, err := VerifyTransactionSignature(txBytes, signature); err != nil || signer != m.Address() {
		return nil, fault.Wrap(err, fault.InputInvalid, "The collected signatures are incomplete.")
	}
	return signature, nil
}
