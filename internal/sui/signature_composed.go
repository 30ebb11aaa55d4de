package sui

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// maxMembers is the maximum number of members of a multisig account.
const maxMembers = 10

// multiSig is the body of a multisig signature.
type multiSig struct {
	signatures []memberValue
	bitmap     uint16
	members    []member
	threshold  uint16
}

// memberValue is a signature or a public key, with its scheme.
type memberValue struct {
	scheme byte
	bytes  []byte
}

type member struct {
	key    memberValue
	weight uint8
}

// memberScheme reads or writes the scheme of a multisig part. These numbers differ from the flags.
func (c *bcs) memberScheme(v *byte, what string) {
	flags := []byte{SchemeEd25519, SchemeSecp256k1, SchemeSecp256r1, SchemeZkLogin, SchemePasskey}
	n := c.variant(uint32(max(slices.Index(flags, *v), 0)), what, "Ed25519", "Secp256k1", "Secp256r1", "ZkLogin",
		"Passkey")
	*v = flags[n]
}

// fixedOf reads or writes an array of a known length.
func (c *bcs) fixedOf(v *[]byte, size int, what string) {
	if c.reading {
		*v = make([]byte, size)
	}
	c.fixed(*v, what)
}

func (c *bcs) memberSignature(v *memberValue) {
	c.memberScheme(&v.scheme, "a member's signature")
	if v.scheme == SchemeZkLogin || v.scheme == SchemePasskey {
		c.bytes(&v.bytes, "a member's signature")
		return
	}
	c.fixedOf(&v.bytes, signatureSize, "a member's signature")
}

func (c *bcs) member(m *member) {
	c.memberScheme(&m.key.scheme, "a member's key")
	if m.key.scheme == SchemeZkLogin {
		c.bytes(&m.key.bytes, "a member's key")
	} else {
		c.fixedOf(&m.key.bytes, keySize(m.key.scheme), "a member's key")
	}
	c.u8(&m.weight, "a member's weight")
}

// multiSig reads or writes the body of the signature.
func (c *bcs) multiSig(m *multiSig) {
	vector(c, &m.signatures, 2, "the members' signatures", c.memberSignature)
	c.u16(&m.bitmap, "the bitmap")
	vector(c, &m.members, 3, "the members", c.member)
	c.u16(&m.threshold, "the threshold")
}

// encode returns the serialized signature.
func (m multiSig) encode() []byte {
	c := &bcs{out: []byte{SchemeMultiSig}}
	c.multiSig(&m)
	return c.out
}

// decodeMultiSig strictly reads the body and rejects accounts that the chain rejects: no or too many
// members, a repeated member, a weight or threshold of zero, or a bitmap that does not match.
func decodeMultiSig(body []byte) (multiSig, error) {
	var m multiSig
	c := &bcs{reading: true, in: body}
	c.multiSig(&m)
	if err := c.finish(); err != nil {
		return m, fault.Wrap(err, fault.InputInvalid, "The multisig signature cannot be read. %s", fault.As(err).Text)
	}
	seen := map[string]bool{}
	for _, p := range m.members {
		id := string(p.key.scheme) + string(p.key.bytes)
		//mutant:never ./internal/sui TestForgedMultiSig/member twice
		if seen[id] || p.weight == 0 {
			return m, badSignature("names a multisig member twice or with weight zero")
		}
		seen[id] = true
	}
	switch {
	case len(m.members) == 0 || len(m.members) > maxMembers:
		return m, badSignature("needs one to ten multisig members")
	//mutant:never ./internal/sui TestForgedMultiSig/threshold zero
	case m.threshold == 0:
		return m, badSignature("has a multisig threshold of zero")
	case len(m.signatures) == 0 || bits.OnesCount16(m.bitmap) != len(m.signatures) ||
		bits.Len16(m.bitmap) > len(m.members):
		return m, badSignature("has a multisig bitmap that does not match its parts")
	}
	return m, nil
}

// address returns the address of the multisig account.
func (m multiSig) address() Address {
	key := []byte{byte(m.threshold), byte(m.threshold >> 8)}
	for _, p := range m.members {
		key = append(append(append(key, p.key.scheme), p.key.bytes...), p.weight)
	}
	return PublicKeyAddress(SchemeMultiSig, key)
}

// verifyMultiSig verifies every part: one wrong part invalidates the signature, even if the others have
// enough weight.
func verifyMultiSig(digest Digest, body []byte) ([]Address, error) {
	m, err := decodeMultiSig(body)
	if err != nil {
		return nil, err
	}
	weight, next := 0, 0
	var node error
	for i, p := range m.members {
		if m.bitmap&(1<<i) == 0 {
			continue
		}
		s := m.signatures[next]
		next++
		weight += int(p.weight)
		err := verifyMember(digest, p.key, s)
		if errors.Is(err, ErrLeftToNode) {
			node = err
		} else if err != nil {
			return nil, err
		}
	}
	//mutant:never ./internal/sui TestForgedMultiSig/below the threshold
	if weight < int(m.threshold) {
		return nil, badSignature("does not reach the multisig threshold")
	}
	return []Address{m.address()}, node
}

// verifyMember verifies the part of one multisig member against its key. The error wraps ErrLeftToNode
// if the part claims to be the member's and only a node can verify it.
func verifyMember(digest Digest, key, part memberValue) error {
	wrong := badSignature("has a multisig part that does not match these bytes and its member")
	//mutant:never ./internal/sui TestForgedMultiSig/a key used on the other curve
	if part.scheme != key.scheme {
		return wrong
	}
	if part.scheme != SchemePasskey && part.scheme != SchemeZkLogin {
		if !verifyPlain(part.scheme, key.bytes, digest[:], part.bytes) {
			return wrong
		}
		return nil
	}
	// A part must have its member's scheme: multisigs cannot be nested.
	if len(part.bytes) == 0 || part.bytes[0] != part.scheme {
		return wrong
	}
	signers, err := verifySignature(digest, part.bytes)
	if err != nil && !errors.Is(err, ErrLeftToNode) {
		return wrong
	}
	//mutant:never ./internal/sui TestMultiSigZkLoginMember
	if !slices.Contains(signers, PublicKeyAddress(key.scheme, key.bytes)) {
		return wrong
	}
	return err
}

// verifyPasskey verifies a WebAuthn assertion whose challenge is the intent digest, and returns the
// public key.
func verifyPasskey(digest Digest, body []byte) (key []byte, err error) {
	var authenticator, user []byte
	var client string
	c := &bcs{reading: true, in: body}
	c.bytes(&authenticator, "the authenticator data")
	c.text(&client, "the client data")
	c.bytes(&user, "the user signature")
	if err := c.finish(); err != nil {
		return nil, fault.Wrap(err, fault.InputInvalid, "The passkey signature cannot be read. %s", fault.As(err).Text)
	}
	if len(user) != 1+signatureSize+keySize(SchemeSecp256r1) || user[0] != SchemeSecp256r1 {
		return nil, badSignature("needs a secp256r1 signature inside a passkey one")
	}
	tree, err := parseJSON([]byte(client))
	data, _ := tree.(map[string]any)
	//mutant:never `data["type"] != "webauthn.get"` ./internal/sui TestForgedPasskey
	if err != nil || data["type"] != "webauthn.get" {
		return nil, badSignature("has passkey client data of something other than an assertion")
	}
	//mutant:never ./internal/sui TestSignatureVectors/Passkey other challenge
	if data["challenge"] != base64.RawURLEncoding.EncodeToString(digest[:]) {
		return nil, badSignature("was made by a passkey for other bytes")
	}
	hash := sha256.Sum256([]byte(client))
	signed, key := append(authenticator, hash[:]...), user[1+signatureSize:]
	if !verifyPlain(SchemeSecp256r1, key, signed, user[1:1+signatureSize]) {
		return nil, badSignature("does not match these bytes and this passkey")
	}
	return key, nil
}

// zkLogin holds the parts of a zkLogin signature that identify the signer.
type zkLogin struct {
	issuer   string
	seed     [32]byte
	maxEpoch uint64
	user     []byte
}

// verifyZkLogin reads the signature and verifies the ephemeral key's signature in it. Only a node can
// verify the proof.
func verifyZkLogin(digest Digest, body []byte) ([]Address, error) {
	z, err := decodeZkLogin(body)
	if err != nil {
		return nil, err
	}
	//mutant:never ./internal/sui TestZkLoginEphemeralSignature
	if _, err := verifySignature(digest, z.user); err != nil {
		return nil, fault.Wrap(err, fault.InputInvalid, "The zkLogin signature's own key did not sign these bytes.")
	}
	return z.addresses(), fault.Wrap(ErrLeftToNode, fault.InputInvalid,
		"The signature is a zkLogin signature, which only a Sui node can check.")
}

// addresses returns the addresses that the signature claims: hashed from the 32-byte seed and, if
// different, from the seed without leading zero bytes.
func (z zkLogin) addresses() []Address {
	head := append([]byte{byte(len(z.issuer))}, z.issuer...)
	short := bytes.TrimLeft(z.seed[:len(z.seed)-1], "\x00")
	short = append(slices.Clone(short), z.seed[len(z.seed)-1])
	all := []Address{PublicKeyAddress(SchemeZkLogin, slices.Concat(head, z.seed[:]))}
	//mutant:never ./internal/sui TestZkLoginClaims
	if len(short) < len(z.seed) {
		all = append(all, PublicKeyAddress(SchemeZkLogin, slices.Concat(head, short)))
	}
	return all
}

func decodeZkLogin(body []byte) (zkLogin, error) {
	var z zkLogin
	var claim, header, seed string
	var position uint8
	c := &bcs{reading: true, in: body}
	point := func(v *[]string) { vector(c, v, 1, "a proof point", func(s *string) { c.text(s, "a number") }) }
	var a, last []string
	var b [][]string
	point(&a)
	vector(c, &b, 1, "the proof", point)
	point(&last)
	c.text(&claim, "the issuer claim")
	c.u8(&position, "the claim's position")
	c.text(&header, "the token's header")
	c.text(&seed, "the address seed")
	c.u64(&z.maxEpoch, "the last epoch")
	c.bytes(&z.user, "the user signature")
	if err := c.finish(); err != nil {
		return z, fault.Wrap(err, fault.InputInvalid, "The zkLogin signature cannot be read. %s", fault.As(err).Text)
	}
	issuer, ok := issuerOf(claim, position)
	if !ok {
		return z, badSignature("has a zkLogin issuer that cannot be read")
	}
	z.issuer = issuer
	n, ok := new(big.Int).SetString(seed, 10)
	if !ok || n.Sign() < 0 || n.BitLen() > 256 || n.String() != seed {
		return z, badSignature("has a zkLogin address seed that is not a number of 256 bits")
	}
	n.FillBytes(z.seed[:])
	if len(z.user) == 0 || z.user[0] == SchemeMultiSig || z.user[0] == SchemeZkLogin {
		return z, badSignature("has no plain user signature inside a zkLogin one")
	}
	return z, nil
}

// issuerOf extracts the issuer from part of a token. The part is base64url text that began at the given
// position, modulo 4, of the token's payload, and contains "iss":"…" followed by a comma or a brace.
func issuerOf(claim string, position uint8) (string, bool) {
	if position > 2 || len(claim) > 4096 {
		return "", false
	}
	// Pad both ends with zero bits, then remove bits that belong to neighboring characters.
	head := int(position)
	tail := (4 - (head+len(claim))%4) % 4
	if tail == 3 {
		return "", false
	}
	raw, err := base64.URLEncoding.DecodeString(strings.Repeat("A", head) + claim + strings.Repeat("A", tail))
	if err != nil || len(raw) < head+tail+2 {
		return "", false
	}
	text := raw[head : len(raw)-tail]
	if end := text[len(text)-1]; end != ',' && end != '}' {
		return "", false
	}
	tree, err := parseJSON(bytes.Join([][]byte{{'{'}, text[:len(text)-1], {'}'}}, nil))
	object, _ := tree.(map[string]any)
	issuer, ok := object["iss"].(string)
	if err != nil || !ok || len(object) != 1 || len(issuer) == 0 || len(issuer) > 255 {
		return "", false
	}
	if issuer == "accounts.google.com" {
		issuer = "https://accounts.google.com" // the chain's rule for old tokens
	}
	return issuer, true
}
