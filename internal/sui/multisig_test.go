package sui

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// memberKey is a member with its signing function.
type memberKey struct {
	member MultiSigMember
	sign   func(tx []byte) []byte
}

// edMember returns an Ed25519 member whose key is derived from n.
func edMember(n uint64, weight uint8) memberKey {
	seed := Hash([]byte("member"), []byte{byte(n), byte(n >> 8), byte(n >> 16)})
	private := ed25519.NewKeyFromSeed(seed[:])
	key := append([]byte{SchemeEd25519}, private.Public().(ed25519.PublicKey)...)
	return memberKey{MultiSigMember{Key: key, Weight: weight}, func(tx []byte) []byte {
		digest := intentDigest(0, tx)
		return slices.Concat([]byte{SchemeEd25519}, ed25519.Sign(private, digest[:]), key[1:])
	}}
}

func reasonOf(err error) string { return fault.As(err).Detail.Get("reason") }

// Accounts that the chain accepts are read, and others are rejected.
func TestMultiSigAccounts(t *testing.T) {
	a, b := edMember(1, 1), edMember(2, 2)
	good := MultiSig{Members: []MultiSigMember{a.member, b.member}, Threshold: 2}
	text, err := json.Marshal(good)
	if err != nil {
		t.Fatal(err)
	}
	var read MultiSig
	if err := json.Unmarshal(text, &read); err != nil || read.Check() != nil || read.Address() != good.Address() {
		t.Fatalf("read %v, %v", read, err)
	}
	for name, bad := range map[string]MultiSig{
		"nobody":            {Threshold: 1},
		"threshold zero":    {Members: good.Members},
		"out of reach":      {Members: good.Members, Threshold: 4},
		"a member twice":    {Members: []MultiSigMember{a.member, a.member}, Threshold: 1},
		"no weight":         {Members: []MultiSigMember{{Key: a.member.Key}, b.member}, Threshold: 1},
		"a key without key": {Members: []MultiSigMember{{Weight: 1}}, Threshold: 1},
		"a short key":       {Members: []MultiSigMember{{Key: a.member.Key[:32], Weight: 1}}, Threshold: 1},
		"another scheme":    {Members: []MultiSigMember{{Key: []byte{9, 9}, Weight: 1}}, Threshold: 1},
	} {
		if err := bad.Check(); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, line := range []string{"", "x", "AA== 1 1", "AA== 0", "AA== 256"} {
		if _, err := ParseMultiSigMember(line); err == nil {
			t.Errorf("%q was read", line)
		}
	}
}

// A member's signature is accepted only for exactly these bytes and this account.
func TestMultiSigMembers(t *testing.T) {
	a, b, stranger := edMember(1, 1), edMember(2, 1), edMember(3, 1)
	m := MultiSig{Members: []MultiSigMember{a.member, b.member}, Threshold: 2}
	tx := []byte("a transaction")
	if n, err := m.Signed(tx, b.sign(tx)); err != nil || n != 1 {
		t.Fatalf("member %d, %v", n, err)
	}
	whole, err := m.Combine(tx, []MemberSignature{{1, NewSignature(b.sign(tx))}, {0, NewSignature(a.sign(tx))}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		signature []byte
		reason    string
	}{
		"a stranger":            {stranger.sign(tx), NotAMember},
		"another transaction":   {a.sign([]byte("another")), OtherTransaction},
		"nothing":               {nil, NoSignature},
		"cut":                   {a.sign(tx)[:96], NoSignature},
		"a whole account's":     {whole, NoSignature},
		"an unknown scheme":     {[]byte{9, 1}, NoSignature},
		"zkLogin":               {[]byte{SchemeZkLogin, 1}, NotCheckable},
		"a passkey that is cut": {[]byte{SchemePasskey, 1}, OtherTransaction},
	} {
		if _, err := m.Signed(tx, c.signature); reasonOf(err) != c.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// mostMultiSigSets is the number of random sets in a full run.
const mostMultiSigSets = 10_000

// A set of signatures is accepted only if it is complete, over these bytes, and only by members.
// This package's verifier accepts the combined signature as the account's.
func TestMultiSigSets(t *testing.T) {
	sets := mostMultiSigSets
	if testing.Short() {
		sets /= 50
	}
	random := rand.New(rand.NewPCG(7, 44))
	combined, refused := 0, 0
	for n := range sets {
		tx := []byte{byte(n), byte(n >> 8), 1}
		m, keys := randomMultiSig(random)
		set, good := randomSet(random, m, keys, tx)
		signature, err := m.Combine(tx, set)
		if (err == nil) != good {
			t.Fatalf("set %d of %+v: %v, want good %v", n, m, err, good)
		}
		if err != nil {
			refused++
			continue
		}
		combined++
		if signer, err := VerifyTransactionSignature(tx, signature); err != nil || signer != m.Address() {
			t.Fatalf("set %d: %v %v", n, signer, err)
		}
	}
	t.Logf("%d sets: %d combined, %d partial or foreign ones refused", sets, combined, refused)
	if combined == 0 || refused < sets/4 {
		t.Error("the generator makes too few of one kind")
	}
}

func randomMultiSig(random *rand.Rand) (m MultiSig, keys []memberKey) {
	sum := 0
	for i := range 1 + random.IntN(maxMembers) {
		k := edMember(uint64(i)+100*random.Uint64N(50), uint8(1+random.IntN(4)))
		keys, m.Members, sum = append(keys, k), append(m.Members, k.member), sum+int(k.member.Weight)
	}
	m.Threshold = uint16(1 + random.IntN(sum))
	return m, keys
}

// randomSet returns a set of signatures in random order, and whether it is complete and has only
// members' signatures. Most sets miss a member, and many contain an invalid signature.
func randomSet(random *rand.Rand, m MultiSig, keys []memberKey, tx []byte) (set []MemberSignature, good bool) {
	weight := 0
	for _, i := range random.Perm(len(keys))[:random.IntN(len(keys)+1)] {
		set = append(set, MemberSignature{i, NewSignature(keys[i].sign(tx))})
		weight += int(m.Members[i].Weight)
	}
	good = weight >= int(m.Threshold)
	if len(set) == 0 || random.IntN(2) == 0 {
		return set, good
	}
	at := random.IntN(len(set))
	switch random.IntN(5) {
	case 0:
		set[at].Signature = NewSignature(edMember(1<<20, 1).sign(tx))
	case 1:
		set[at].Signature = NewSignature(keys[set[at].Member].sign(append(tx, 1)))
	case 2:
		b := set[at].Signature.Bytes()
		b[1+random.IntN(64)] ^= 1 << random.IntN(8)
		set[at].Signature = NewSignature(b)
	case 3:
		set = append(set, set[at])
	case 4:
		if len(keys) == 1 {
			return nil, false
		}
		set[at].Member = (set[at].Member + 1) % len(keys)
	}
	return set, false
}

// The official SDK's vectors are split and combined again into the same bytes.
func TestMultiSigVectors(t *testing.T) {
	done := 0
	for _, v := range signatureVectors(t) {
		if v.Valid == nil || !*v.Valid || v.Scope != "TransactionData" {
			continue
		}
		signature := unbase64(t, v.SignatureBase64)
		if signature[0] != SchemeMultiSig {
			continue
		}
		body, err := decodeMultiSig(signature[1:])
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		m, set := body.apart()
		again, err := m.Combine(unbase64(t, v.MessageBase64), set)
		if err != nil || !bytes.Equal(again, signature) || m.Address() != MustAddress(v.Address) {
			t.Errorf("%s: recombined, it differs: %v", v.Name, err)
		}
		done++
	}
	if t.Logf("%d vectors", done); done == 0 {
		t.Error("there are no multisig vectors")
	}
}

// apart splits a signature into its account and its members' signatures.
func (m multiSig) apart() (of MultiSig, set []MemberSignature) {
	of.Threshold = m.threshold
	next := 0
	for i, p := range m.members {
		of.Members = append(of.Members, MultiSigMember{slices.Concat([]byte{p.key.scheme}, p.key.bytes), p.weight})
		if m.bitmap&(1<<i) == 0 {
			continue
		}
		own := m.signatures[next].bytes
		if next++; p.key.scheme != SchemePasskey {
			own = slices.Concat([]byte{p.key.scheme}, own, p.key.bytes)
		}
		set = append(set, MemberSignature{i, NewSignature(own)})
	}
	return of, set
}
