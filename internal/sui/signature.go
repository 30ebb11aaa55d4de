package sui

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"errors"
	"math/big"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	k1ecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Flags of signature schemes: the first byte of a signature, and the first byte hashed for an address.
// Number 4 is not used for accounts.
const (
	SchemeEd25519   byte = 0
	SchemeSecp256k1 byte = 1
	SchemeSecp256r1 byte = 2
	SchemeMultiSig  byte = 3
	SchemeZkLogin   byte = 5
	SchemePasskey   byte = 6
)

// SchemeName returns the usual name of a scheme, or "" for an unknown one.
func SchemeName(scheme byte) string {
	switch scheme {
	case SchemeEd25519:
		return "Ed25519"
	case SchemeSecp256k1:
		return "secp256k1"
	case SchemeSecp256r1:
		return "secp256r1"
	case SchemeMultiSig:
		return "multisig"
	case SchemeZkLogin:
		return "zkLogin"
	case SchemePasskey:
		return "passkey"
	}
	return ""
}

// ErrLeftToNode is in the chain of an error about a well-formed signature that cannot be verified
// without the chain's current keys: zkLogin, also as a member of a multisig. Only a node can verify it.
var ErrLeftToNode = errors.New("only a node can verify the signature")

// PublicKeyAddress returns the address of a public key of the given scheme: blake2b-256 of the scheme's
// flag and the key. For multisig and zkLogin, key is the byte sequence that the chain hashes.
func PublicKeyAddress(scheme byte, key []byte) Address {
	return Address(Hash([]byte{scheme}, key))
}

// VerifyTransactionSignature verifies a serialized signature (flag, signature, key, or the body of a
// composed scheme) over the exact bytes of a transaction. It returns the signer's address, which the
// caller must compare with the expected account. It returns fault.InputInvalid and the zero address for
// a malformed or wrong signature. For zkLogin it returns both an address and an error that wraps
// ErrLeftToNode: the signature claims that address but does not prove it.
func VerifyTransactionSignature(txBytes, signature []byte) (Address, error) {
	return first(TransactionSigners(txBytes, signature))
}

// TransactionSigners verifies a signature like VerifyTransactionSignature and returns every address
// that it may belong to: one, or for zkLogin two if its address seed begins with a zero byte. A
// zkLogin account is hashed from the 32-byte seed or from the seed without leading zeros, and the
// chain accepts both. Callers should look for the expected account in this list.
func TransactionSigners(txBytes, signature []byte) ([]Address, error) {
	return verifySignature(intentDigest(0, txBytes), signature)
}

// first returns the first address with the error, or the zero address.
func first(signers []Address, err error) (Address, error) {
	if len(signers) == 0 {
		return Address{}, err
	}
	return signers[0], err
}

// VerifyPersonalMessage verifies a signature made by sui:signPersonalMessage over message. It returns
// the same results as VerifyTransactionSignature.
func VerifyPersonalMessage(message, signature []byte) (Address, error) {
	c := new(bcs)
	c.bytes(&message, "the message")
	if c.err != nil {
		return Address{}, c.err
	}
	return first(verifySignature(intentDigest(3, c.out), signature))
}

// intentDigest returns the digest that every scheme signs: the hash of scope, version 0, app 0 (Sui)
// and the message.
func intentDigest(scope byte, message []byte) Digest {
	return Hash([]byte{scope, 0, 0}, message)
}

func badSignature(text string) error {
	return fault.New(fault.InputInvalid, "The signature %s.", text)
}

// verifySignature returns the addresses that a signature may belong to. It returns none with any error
// except ErrLeftToNode.
func verifySignature(digest Digest, signature []byte) ([]Address, error) {
	if len(signature) == 0 {
		return nil, badSignature("is empty")
	}
	flag, body := signature[0], signature[1:]
	switch flag {
	case SchemeEd25519, SchemeSecp256k1, SchemeSecp256r1:
		//mutant:never ./internal/sui TestSignatureVectors/flag only
		if want := signatureSize + keySize(flag); len(body) != want {
			return nil, badSignature("is truncated or too long for " + SchemeName(flag))
		}
		key := body[signatureSize:]
		//mutant:never ./internal/sui TestSignatureVectors/ED25519 bad signature bit
		if !verifyPlain(flag, key, digest[:], body[:signatureSize]) {
			return nil, badSignature("does not match these bytes and this key")
		}
		return []Address{PublicKeyAddress(flag, key)}, nil
	case SchemeMultiSig:
		return verifyMultiSig(digest, body)
	case SchemePasskey:
		key, err := verifyPasskey(digest, body)
		if err != nil {
			return nil, err
		}
		return []Address{PublicKeyAddress(SchemePasskey, key)}, nil
	case SchemeZkLogin:
		return verifyZkLogin(digest, body)
	}
	return nil, badSignature("has an unknown scheme")
}

// signatureSize is the size of every plain signature.
const signatureSize = 64

// keySize returns the size of a plain scheme's public key.
func keySize(scheme byte) int {
	if scheme == SchemeEd25519 {
		return ed25519.PublicKeySize
	}
	return 33 // a compressed point
}

// verifyPlain verifies a plain signature over message, which is the intent digest or the message that a
// passkey signs instead. The two ECDSA schemes hash it again and require a low S, so that a signature
// has a single form. Ed25519 uses the standard library, which is never more tolerant than the chain's
// rules (ZIP-215).
func verifyPlain(scheme byte, key, message, signature []byte) bool {
	if len(key) != keySize(scheme) || len(signature) != signatureSize {
		return false
	}
	switch scheme {
	case SchemeEd25519:
		return ed25519.Verify(key, message, signature)
	case SchemeSecp256k1:
		hash := sha256.Sum256(message)
		return verifySecp256k1(key, hash[:], signature)
	case SchemeSecp256r1:
		hash := sha256.Sum256(message)
		return verifySecp256r1(key, hash[:], signature)
	}
	return false
}

func verifySecp256k1(key, hash, signature []byte) bool {
	public, err := secp256k1.ParsePubKey(key)
	if err != nil {
		return false
	}
	var r, s secp256k1.ModNScalar
	//mutant:never `s.IsOverHalfOrder()` ./internal/sui TestSignatureVectors/Secp256k1 high s
	if r.SetByteSlice(signature[:32]) || s.SetByteSlice(signature[32:]) ||
		r.IsZero() || s.IsZero() || s.IsOverHalfOrder() {
		return false
	}
	return k1ecdsa.NewSignature(&r, &s).Verify(hash, public)
}

func verifySecp256r1(key, hash, signature []byte) bool {
	curve := elliptic.P256()
	x, y := elliptic.UnmarshalCompressed(curve, key)
	if x == nil {
		return false
	}
	point := make([]byte, 65)
	point[0] = 4
	x.FillBytes(point[1:33])
	y.FillBytes(point[33:])
	public, err := ecdsa.ParseUncompressedPublicKey(curve, point)
	if err != nil {
		return false
	}
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	half := new(big.Int).Rsh(curve.Params().N, 1)
	//mutant:always `s.Cmp(half) <= 0` ./internal/sui TestSignatureVectors/Secp256r1 high s
	return s.Cmp(half) <= 0 && ecdsa.Verify(public, hash, r, s)
}
