package handoff

import (
	"crypto/ed25519"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// memberSigns returns the public key of a member and its signature over bytes.
func memberSigns(n byte, raw []byte) (key, signature []byte) {
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(n)), ed25519.SeedSize)))
	key = append([]byte{sui.SchemeEd25519}, private.Public().(ed25519.PublicKey)...)
	message := blake2b.Sum256(append([]byte{0, 0, 0}, raw...))
	return key, slices.Concat([]byte{sui.SchemeEd25519}, ed25519.Sign(private, message[:]), key[1:])
}

// collectRow returns a review whose members, numbered 1 to 3, are asked to sign: two of them are
// needed.
func collectRow() record.Row {
	r := lawRow("ready_for_wallet_review+")
	m := sui.MultiSig{Threshold: 2}
	for n := byte(1); n <= 3; n++ {
		key, _ := memberSigns(n, nil)
		m.Members = append(m.Members, sui.MultiSigMember{Key: key, Weight: 1})
	}
	r.Session.Account, r.Session.Releases[0].MultiSig = m.Address(), &m
	r.Frozen = func() (bool, error) { return false, nil }
	return r
}

func signatureOf(n byte) []byte {
	_, signature := memberSigns(n, lawBytes)
	return signature
}

// A set is sent once it is complete and not before, in whatever order the members sign.
func TestCollect(t *testing.T) {
	r := collectRow()
	if err := collect(&r, signatureOf(3), lawTime); err != nil {
		t.Fatal(err)
	}
	if s := r.Session; s.Status != record.Ready || s.Releases[0].Collected != 1 || r.Materials[0].Signature.Size() > 0 {
		t.Fatalf("after one of two: %s, %+v", s.Status, s.Releases[0])
	}
	if err := collect(&r, signatureOf(1), lawTime); err != nil {
		t.Fatal(err)
	}
	signer, err := r.Materials[0].Signature.Verify(r.Materials[0].Bytes)
	if s := r.Session; s.Status != record.SignedPendingResult || err != nil || signer != s.Account {
		t.Fatalf("%s, %v, %v", s.Status, signer, err)
	}
}

// What is refused changes nothing.
func TestCollectRefuses(t *testing.T) {
	_, elsewhere := memberSigns(1, []byte("another"))
	for name, c := range map[string]struct {
		edit      func(*record.Row)
		signature []byte
		reason    string
	}{
		"a stranger":          {signature: signatureOf(9), reason: sui.NotAMember},
		"another transaction": {signature: elsewhere, reason: sui.OtherTransaction},
		"twice": {signature: signatureOf(1), reason: alreadySigned, edit: func(r *record.Row) {
			if err := collect(r, signatureOf(1), lawTime); err != nil {
				t.Fatal(err)
			}
		}},
		"declined": {signature: signatureOf(1), reason: notCollecting, edit: func(r *record.Row) {
			if err := report(r, nil, record.OutcomeDeclined, lawTime); err != nil {
				t.Fatal(err)
			}
		}},
		"expired": {signature: signatureOf(1), reason: notCollecting,
			edit: func(r *record.Row) { r.Session.Releases[0].OverAt = lawTime }},
		"dead": {signature: signatureOf(1), reason: notCollecting,
			edit: func(r *record.Row) { r.Session.Releases[0].Dead = true }},
		"not released": {signature: signatureOf(1), reason: notCollecting,
			edit: func(r *record.Row) { r.Session.Releases = nil }},
		"one wallet": {signature: signatureOf(1), reason: notCollecting,
			edit: func(r *record.Row) { r.Session.Releases[0].MultiSig = nil }},
		"bytes gone": {signature: signatureOf(1), reason: notCollecting, edit: func(r *record.Row) { r.Materials = nil }},
		"altered": {signature: elsewhere,
			edit: func(r *record.Row) { r.Materials[0].Bytes = sui.NewMaterial([]byte("another")) }},
		"complete": {signature: signatureOf(3), reason: notCollecting, edit: func(r *record.Row) {
			for n := byte(1); n <= 2; n++ {
				if err := collect(r, signatureOf(n), lawTime); err != nil {
					t.Fatal(err)
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := collectRow()
			if c.edit != nil {
				c.edit(&r)
			}
			before := r.Session.Revision
			err := collect(&r, c.signature, lawTime.Add(time.Second))
			if got := fault.As(err).Detail.Get("reason"); got != c.reason || r.Session.Revision != before {
				t.Errorf("%v, want %s", err, c.reason)
			}
		})
	}
}

// collectedSets is how many random sets a whole run tries.
const collectedSets = 10_000

// Of random sets of signatures, in random orders and with foreign and repeated ones among them, none is sent
// before its members weigh enough, and what is sent is the account's.
func TestCollectRandomSets(t *testing.T) {
	sets := collectedSets
	if testing.Short() {
		sets /= 50
	}
	_, elsewhere := memberSigns(1, []byte("another"))
	keys, signatures := map[byte][]byte{}, map[byte][]byte{}
	for n := byte(1); n <= 12; n++ {
		keys[n], signatures[n] = memberSigns(n, lawBytes)
	}
	random := rand.New(rand.NewPCG(44, 7))
	sent, kept := 0, 0
	for range sets {
		r, m, sum := collectRow(), sui.MultiSig{}, 0
		members := byte(1 + random.IntN(6))
		for n := byte(1); n <= members; n++ {
			weight := uint8(1 + random.IntN(3))
			m.Members, sum = append(m.Members, sui.MultiSigMember{Key: keys[n], Weight: weight}), sum+int(weight)
		}
		m.Threshold = uint16(1 + random.IntN(sum))
		r.Session.Account, r.Session.Releases[0].MultiSig = m.Address(), &m
		signed, weight := map[byte]bool{}, 0
		for range random.IntN(8) {
			n, foreign := byte(1+random.IntN(int(members))), random.IntN(4) == 0
			signature := signatures[n]
			if foreign && random.IntN(2) == 0 {
				signature = elsewhere
			} else if foreign {
				signature = signatures[12]
			}
			err := collect(&r, signature, lawTime)
			if good := !foreign && !signed[n] && weight < int(m.Threshold); (err == nil) != good {
				t.Fatalf("%+v: member %d: %v", m, n, err)
			} else if good {
				signed[n], weight = true, weight+int(m.Members[n-1].Weight)
			}
		}
		is := r.Session.Status == record.SignedPendingResult
		if is != (weight >= int(m.Threshold)) || is != (r.Materials[0].Signature.Size() > 0) {
			t.Fatalf("%+v weighs %d and is %s", m, weight, r.Session.Status)
		}
		if !is {
			kept++
			continue
		}
		sent++
		if signer, err := r.Materials[0].Signature.Verify(r.Materials[0].Bytes); err != nil || signer != m.Address() {
			t.Fatalf("%v, %v", signer, err)
		}
	}
	if t.Logf("%d sets: %d complete ones sent, %d partial ones not", sets, sent, kept); sent == 0 || kept == 0 {
		t.Error("the generator makes one kind only")
	}
}

// While everything is stopped, or when that cannot be read, no signature is added and no bytes leave.
func TestFrozenCollecting(t *testing.T) {
	unread := errors.New("unread")
	for name, frozen := range map[string]func() (bool, error){
		"stopped":        func() (bool, error) { return true, nil },
		"cannot be read": func() (bool, error) { return false, unread },
	} {
		t.Run(name, func(t *testing.T) {
			r := collectRow()
			r.Frozen = frozen
			before := r.Session.Revision
			err := collect(&r, signatureOf(1), lawTime)
			if !errors.Is(err, unread) && !fault.Is(err, fault.Blocked) || r.Session.Revision != before ||
				len(r.Materials[0].Parts) > 0 {
				t.Errorf("%v", err)
			}
			if _, m, err := collecting(&r); err == nil || m != nil {
				t.Errorf("the bytes left: %v", err)
			}
		})
	}
}
