package sui

import (
	"encoding/hex"

	"golang.org/x/crypto/blake2b"
)

// Hash returns blake2b-256 of the concatenated parts.
func Hash(parts ...[]byte) Digest {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return blake2b.Sum256(all)
}

// TransactionDigest returns the chain's digest of a transaction with exactly these bytes. It does not
// decode them.
func TransactionDigest(b []byte) Digest {
	return Hash([]byte("TransactionData::"), b)
}

// Commitment returns the public identifier of a transaction in reviews: the lowercase hex of
// blake2b-256("say-ur-intent/commitment/v1" and the 32 digest bytes). It cannot be used to find the
// transaction on chain.
func Commitment(d Digest) string {
	h := Hash([]byte("say-ur-intent/commitment/v1"), d[:])
	return hex.EncodeToString(h[:])
}

// DynamicFieldID returns the id of the dynamic field of parent whose key has the
// given type and BCS bytes.
func DynamicFieldID(parent ObjectID, keyType TypeTag, keyBCS []byte) (ObjectID, error) {
	c := new(bcs)
	c.typeTag(&keyType, 0)
	if c.err != nil {
		return ObjectID{}, c.err
	}
	size := uint64(len(keyBCS))
	n := new(bcs)
	n.u64(&size, "the key's length")
	return ObjectID(Hash([]byte{0xf0}, parent[:], n.out, keyBCS, c.out)), nil
}
