package account_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// signer is a wallet's key.
type signer struct{ key ed25519.PrivateKey }

func newSigner(seed byte) signer {
	return signer{ed25519.NewKeyFromSeed(append(make([]byte, 31), seed))}
}

func (s signer) public() []byte { return s.key.Public().(ed25519.PublicKey) }

func (s signer) address() string { return sui.PublicKeyAddress(sui.SchemeEd25519, s.public()).String() }

// raw signs a message of a scope: 3 is a personal message, 0 a transaction.
func (s signer) raw(scope byte, message string) []byte {
	length := []byte{}
	for n := len(message); ; n >>= 7 {
		if n < 0x80 {
			length = append(length, byte(n))
			break
		}
		length = append(length, byte(n)|0x80)
	}
	if scope == 0 {
		length = nil
	}
	digest := blake2b.Sum256(append(append([]byte{scope, 0, 0}, length...), message...))
	return append(append([]byte{sui.SchemeEd25519}, ed25519.Sign(s.key, digest[:])...), s.public()...)
}

func (s signer) sign(message string) string {
	return base64.StdEncoding.EncodeToString(s.raw(3, message))
}

// wantProof checks an error and its reason, and that nothing changed.
func (p *place) wantProof(t *testing.T, id string, err error, code fault.Code, reason string) {
	t.Helper()
	wantFault(t, err, code)
	var f *fault.Error
	if !errors.As(err, &f) || f.Detail.Get("proof") != reason {
		t.Errorf("the reason is %q, want %s: %v", f.Detail.Get("proof"), reason, err)
	}
	i, err := p.Identity(context.Background(), id)
	if err != nil || !i.ProvenAt.IsZero() {
		t.Errorf("the session is proven: %+v, %v", i, err)
	}
	if a, _, err := p.Active(context.Background()); err != nil || a.Proven || !a.ProvenAt.IsZero() {
		t.Errorf("the account is proven: %+v, %v", a, err)
	}
}

func (p *place) challenge(t *testing.T, id string) string {
	t.Helper()
	c, err := p.Challenge(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c.Message
}

func TestProof(t *testing.T) {
	ctx := context.Background()
	me := newSigner(1)
	t.Run("the message names program, address, chain, time and a nonce of its own", func(t *testing.T) {
		p := newPlace(t)
		id := p.connect(t, me.address(), "A")
		c, err := p.Challenge(ctx, id)
		if err != nil || !c.ExpiresAt.Equal(p.Now().Add(5*time.Minute)) {
			t.Fatalf("%+v, %v", c, err)
		}
		for _, want := range []string{"Say Ur Intent", "say-ur-intent/address-proof/v1", "Address: " + me.address() + "\n",
			"Chain: " + chain + "\n",
			"Time: 2026-03-01T12:00:00Z\n", "moves nothing, pays nothing and allows nothing", "http://127.0.0.1"} {
			if !strings.Contains(c.Message, want) {
				t.Errorf("no %q in:\n%s", want, c.Message)
			}
		}
		nonce := func(m string) string {
			_, after, _ := strings.Cut(m, "Nonce: ")
			n, _, _ := strings.Cut(after, "\n")
			return n
		}
		if a, b := nonce(c.Message), nonce(p.challenge(t, id)); a == b || len(a) != 24 {
			t.Errorf("nonces %q and %q", a, b)
		}
		if len(c.Message) > 600 {
			t.Errorf("%d bytes are a lot to read in a wallet", len(c.Message))
		}
	})
	t.Run("a signature of the account proves it: session, account in use, remembered", func(t *testing.T) {
		p := newPlace(t)
		id := p.connect(t, me.address(), "A")
		watch := p.hub.Watch(events.Subject{Kind: events.Account})
		defer watch.Close()
		p.Advance(time.Minute)
		message := p.challenge(t, id)
		p.Advance(account.ChallengeLife - time.Millisecond)
		i, err := p.Prove(ctx, id, message, me.sign(message))
		if err != nil || !i.ProvenAt.Equal(p.Now()) || i.Status != account.Connected {
			t.Fatalf("%+v, %v", i, err)
		}
		a, _, err := p.start(t).Active(ctx)
		if err != nil || !a.Proven || !a.ProvenAt.Equal(p.Now()) {
			t.Errorf("active %+v, %v", a, err)
		}
		if k := p.known(t)[0]; !k.Proven || !k.ProvenAt.Equal(p.Now()) {
			t.Errorf("remembered %+v", k)
		}
		select {
		case <-watch.C:
		default:
			t.Error("pages were not told")
		}
	})
	t.Run("what was proven stays proven with its wallet, and not with another", func(t *testing.T) {
		p := newPlace(t)
		id := p.connect(t, me.address(), "A")
		message := p.challenge(t, id)
		proven, err := p.Prove(ctx, id, message, me.sign(message))
		if err != nil {
			t.Fatal(err)
		}
		p.Advance(time.Hour)
		p.connect(t, numbered(5), "B")
		if a, err := p.Use(ctx, sui.MustAddress(me.address())); err != nil || !a.Proven ||
			!a.ProvenAt.Equal(proven.ProvenAt) {
			t.Errorf("used again: %+v, %v", a, err)
		}
		again, err := p.Identity(ctx, p.connect(t, me.address(), "A"))
		if err != nil || !again.ProvenAt.Equal(proven.ProvenAt) {
			t.Errorf("connected again: %+v, %v", again, err)
		}
		_, err = p.Challenge(ctx, again.ID)
		wantFault(t, err, fault.InvalidSessionTransition)
		p.connect(t, me.address(), "Imitation")
		if a, _, _ := p.Active(ctx); a.Proven || !a.ProvenAt.IsZero() {
			t.Errorf("another wallet inherits the proof: %+v", a)
		}
	})
	t.Run("an account that is no longer in use is proven among the remembered", func(t *testing.T) {
		p := newPlace(t)
		id := p.connect(t, me.address(), "A")
		message := p.challenge(t, id)
		p.connect(t, numbered(5), "B")
		if _, err := p.Prove(ctx, id, message, me.sign(message)); err != nil {
			t.Fatal(err)
		}
		if a, _, _ := p.Active(ctx); a.Proven || a.Account != sui.MustAddress(numbered(5)) {
			t.Errorf("the proof was given to %+v", a)
		}
		if known := p.known(t); known[0].Proven || !known[1].Proven {
			t.Errorf("%+v", known)
		}
	})
}

func TestProofRefusals(t *testing.T) {
	ctx := context.Background()
	me, stranger := newSigner(1), newSigner(2)
	for _, c := range []struct {
		name   string
		code   fault.Code
		reason string
		sign   func(message string) (string, string)
	}{
		{"a signature over other bytes", fault.InputInvalid, account.ProofWrongSignature,
			func(m string) (string, string) { return m, me.sign(m + " ") }},
		{"a signature of a transaction", fault.InputInvalid, account.ProofWrongSignature,
			func(m string) (string, string) { return m, base64.StdEncoding.EncodeToString(me.raw(0, m)) }},
		{"no base64", fault.InputInvalid, account.ProofWrongSignature, func(m string) (string, string) { return m, "!" }},
		{"nothing", fault.InputInvalid, account.ProofWrongSignature, func(m string) (string, string) { return m, "" }},
		{"a megabyte", fault.InputInvalid, account.ProofWrongSignature,
			func(m string) (string, string) { return m, strings.Repeat("A", 1<<20) }},
		{"somebody else's signature", fault.InputInvalid, account.ProofOtherAddress,
			func(m string) (string, string) { return m, stranger.sign(m) }},
		{"another nonce", fault.InputInvalid, account.ProofOtherMessage, func(m string) (string, string) {
			other := strings.Replace(m, "Nonce: ", "Nonce: A", 1)
			return other, me.sign(other)
		}},
		{"no message", fault.InputInvalid, account.ProofOtherMessage, func(string) (string, string) {
			return "",
				me.sign("")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			id := p.connect(t, me.address(), "A")
			message, signature := c.sign(p.challenge(t, id))
			_, err := p.Prove(ctx, id, message, signature)
			p.wantProof(t, id, err, c.code, c.reason)
		})
	}
	t.Run("before the person asked", func(t *testing.T) {
		p := newPlace(t)
		id := p.connect(t, me.address(), "A")
		_, err := p.Prove(ctx, id, "", me.sign(""))
		p.wantProof(t, id, err, fault.InvalidSessionTransition, account.ProofNotAsked)
	})
	t.Run("before there is an account", func(t *testing.T) {
		p := newPlace(t)
		for _, status := range []account.IdentityStatus{account.Pending, account.Opened, account.Connecting} {
			id := p.reach(t, status)
			_, err := p.Challenge(ctx, id)
			p.wantProof(t, id, err, fault.InvalidSessionTransition, account.ProofNotConnected)
			_, err = p.Prove(ctx, id, "", me.sign(""))
			p.wantProof(t, id, err, fault.InvalidSessionTransition, account.ProofNotConnected)
		}
	})
	t.Run("a message that is too old", func(t *testing.T) {
		p := newPlace(t)
		id := p.connect(t, me.address(), "A")
		message := p.challenge(t, id)
		p.Advance(account.ChallengeLife)
		_, err := p.Prove(ctx, id, message, me.sign(message))
		p.wantProof(t, id, err, fault.SessionExpired, account.ProofExpired)
	})
	t.Run("an earlier message of the same session, and the message of another", func(t *testing.T) {
		p := newPlace(t)
		other := p.connect(t, me.address(), "A")
		id := p.connect(t, me.address(), "A")
		old, foreign := p.challenge(t, id), p.challenge(t, other)
		p.challenge(t, id)
		for _, message := range []string{old, foreign} {
			_, err := p.Prove(ctx, id, message, me.sign(message))
			p.wantProof(t, id, err, fault.InputInvalid, account.ProofOtherMessage)
		}
	})
	t.Run("the same proof twice", func(t *testing.T) {
		p := newPlace(t)
		id := p.connect(t, me.address(), "A")
		message := p.challenge(t, id)
		first, err := p.Prove(ctx, id, message, me.sign(message))
		if err != nil {
			t.Fatal(err)
		}
		p.Advance(time.Minute)
		_, err = p.Prove(ctx, id, message, me.sign(message))
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.InvalidSessionTransition || f.Detail.Get("proof") != account.ProofUsed {
			t.Fatalf("got %v", err)
		}
		if a, _, _ := p.Active(ctx); !a.ProvenAt.Equal(first.ProvenAt) {
			t.Errorf("the time of the proof moved to %s", a.ProvenAt)
		}
	})
	t.Run("an account that was forgotten meanwhile", func(t *testing.T) {
		p := newPlace(t)
		id := p.connect(t, me.address(), "A")
		message := p.challenge(t, id)
		if err := p.Forget(ctx, sui.MustAddress(me.address())); err != nil {
			t.Fatal(err)
		}
		_, err := p.Prove(ctx, id, message, me.sign(message))
		p.wantProof(t, id, err, fault.InvalidSessionTransition, account.ProofForgotten)
	})
	t.Run("zkLogin, which only the chain can check", func(t *testing.T) {
		p := newPlace(t)
		address, signature := zkLogin(t)
		id := p.connect(t, address, "A")
		message := p.challenge(t, id)
		_, err := p.Prove(ctx, id, message, signature(message))
		p.wantProof(t, id, err, fault.UnsupportedAction, account.ProofNotCheckable)
		if !strings.Contains(err.Error(), "stays claimed") {
			t.Errorf("the text does not say what that means: %v", err)
		}
	})
}

// zkLogin returns the address of the recorded zkLogin signature, and the same
// signature with its ephemeral key's part made over another message.
func zkLogin(t *testing.T) (address string, sign func(message string) string) {
	t.Helper()
	b, err := os.ReadFile("../sui/testdata/signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Vectors []struct{ Name, Address, SignatureBase64 string }
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	for _, v := range f.Vectors {
		if v.Name != "ZkLogin_structure_only" {
			continue
		}
		whole, err := base64.StdEncoding.DecodeString(v.SignatureBase64)
		const inner = 1 + 64 + 32 // the Ed25519 signature at the end
		if err != nil || whole[len(whole)-inner-1] != inner {
			t.Fatalf("the vector does not end in an Ed25519 signature: %v", err)
		}
		head := whole[:len(whole)-inner]
		return v.Address, func(message string) string {
			return base64.StdEncoding.EncodeToString(append(append([]byte{}, head...), newSigner(7).raw(3, message)...))
		}
	}
	t.Fatal("there is no zkLogin vector")
	return "", nil
}

// TestProofVectors checks signatures that another library made with every scheme.
func TestProofVectors(t *testing.T) {
	b, err := os.ReadFile("../sui/testdata/signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Vectors []struct {
			Name, Scheme, Scope, Address, MessageBase64, SignatureBase64 string
			Valid                                                        *bool
		}
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, v := range f.Vectors {
		if v.Scope != "PersonalMessage" || strings.HasSuffix(v.Name, "_empty") {
			continue // a session without a message waits for none
		}
		t.Run(v.Name, func(t *testing.T) {
			p := newPlace(t)
			id := p.connect(t, v.Address, "A")
			message, err := base64.StdEncoding.DecodeString(v.MessageBase64)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.db.ChangeIdentity(t.Context(), id, func(r *account.Row) error {
				r.Identity.Challenge = account.Challenge{Message: string(message), ExpiresAt: p.Now().Add(time.Minute)}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Prove(t.Context(), id, string(message), v.SignatureBase64)
			if !*v.Valid {
				p.wantProof(t, id, err, fault.InputInvalid, account.ProofWrongSignature)
				return
			}
			seen[v.Scheme]++
			if a, _, _ := p.Active(t.Context()); err != nil || !a.Proven {
				t.Errorf("proven %v, %v", a.Proven, err)
			}
		})
	}
	if len(seen) != 5 {
		t.Errorf("schemes %v", seen)
	}
}
