package sui

import (
	"bytes"
	"testing"
)

// An accepted transaction encodes to the same bytes, and round-trips through every form.
func FuzzDecodeTransaction(f *testing.F) {
	for _, v := range transactionVectors(f) {
		f.Add(unbase64(f, v.TxBytesBase64))
	}
	var malformed struct {
		MalformedTransactionData []struct{ Hex string }
	}
	readJSON(f, "testdata/bcs.json", &malformed)
	for _, v := range malformed.MalformedTransactionData {
		f.Add(unhex(f, v.Hex))
	}
	every, err := everyCommand().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(every)
	f.Fuzz(func(t *testing.T, in []byte) {
		tx, err := DecodeTransaction(in)
		if err != nil {
			return
		}
		again, err := tx.Encode()
		if err != nil || !bytes.Equal(again, in) {
			t.Fatalf("encoded again: %v\n got %x\nwant %x", err, again, in)
		}
		text, err := tx.WalletJSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseWalletJSON(text)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if b, err := back.Encode(); err != nil || !bytes.Equal(b, in) {
			t.Fatalf("through wallet JSON: %v\n got %x\nwant %x", err, b, in)
		}
		kind, err := tx.Kind().Encode()
		if err != nil || !bytes.Contains(in, kind) {
			t.Fatalf("kind: %v", err)
		}
		if _, err := tx.FactsJSON(tx.Describe()); err != nil {
			t.Fatal(err)
		}
		_ = tx.Describe().Text()
	})
}

// A parsed type formats as text that parses as the same type, and its bytes decode to it.
func FuzzTypeTag(f *testing.F) {
	for _, s := range []string{
		"u8", "vector<vector<bool>>", "0x2::coin::Coin<0x2::sui::SUI>", "0xA::m::S<u8, u16 ,vector<0xb::n::T<address>>>",
		"0x2::a::B<", "vector<u8", " u64 ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		tag, err := ParseTypeTag(in)
		if err != nil {
			return
		}
		text := tag.String()
		again, err := ParseTypeTag(text)
		if err != nil || again.String() != text {
			t.Fatalf("%q reads as %s, which reads as %s, %v", in, text, again, err)
		}
		w := new(bcs)
		if w.typeTag(&tag, 0); w.err != nil {
			t.Fatalf("%s: %v", text, w.err)
		}
		r, back := &bcs{reading: true, in: w.out}, TypeTag{}
		if r.typeTag(&back, 0); r.finish() != nil || back.String() != text {
			t.Fatalf("%s comes back from bytes as %s, %v", text, back, r.err)
		}
	})
}

// No signature makes the verifier panic, and none is valid for two messages.
func FuzzVerify(f *testing.F) {
	for _, v := range signatureVectors(f) {
		if s, err := ParseSignature(v.SignatureBase64); err == nil {
			f.Add(unbase64(f, v.MessageBase64), s.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, message, signature []byte) {
		signer, err := VerifyTransactionSignature(message, signature)
		if err != nil {
			return
		}
		if signer.IsZero() {
			t.Fatal("a valid signature of nobody")
		}
		if _, err := VerifyPersonalMessage(message, signature); err == nil {
			t.Fatal("one signature is valid in both scopes")
		}
		if _, err := VerifyTransactionSignature(append(bytes.Clone(message), 0), signature); err == nil {
			t.Fatal("one signature is valid for two messages")
		}
	})
}

// WalletJSON and ParseWalletJSON round-trip.
func FuzzParseWalletJSON(f *testing.F) {
	for _, v := range transactionVectors(f) {
		f.Add([]byte(v.TransactionData))
	}
	every, err := everyCommand().WalletJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(every)
	f.Fuzz(func(t *testing.T, in []byte) {
		tx, err := ParseWalletJSON(in)
		if err != nil {
			return
		}
		want, err := tx.Encode()
		if err != nil {
			t.Fatal(err)
		}
		text, err := tx.WalletJSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseWalletJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := back.Encode(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v\n got %x\nwant %x", err, got, want)
		}
		if _, err := DecodeTransaction(want); err != nil {
			t.Fatal(err)
		}
	})
}
