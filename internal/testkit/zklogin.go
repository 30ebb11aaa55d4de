package testkit

import (
	"crypto/ed25519"
	"encoding/base64"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// ZkIssuer is the issuer in the zkLogin signatures of tests.
const ZkIssuer = "https://id.example"

// ZkLoginAddress returns the account of an address seed, either padded to 32 bytes or without
// leading zeros.
func ZkLoginAddress(seed int64, padded bool) sui.Address {
	n := big.NewInt(seed).Bytes()
	if padded {
		n = big.NewInt(seed).FillBytes(make([]byte, 32))
	}
	return sui.PublicKeyAddress(sui.SchemeZkLogin, slices.Concat([]byte{byte(len(ZkIssuer))}, []byte(ZkIssuer), n))
}

// ZkLoginSignature signs a transaction with a fake zkLogin proof. It claims the seed's account, and its
// ephemeral key actually signs the bytes. Only a node can detect that the proof is invalid.
func ZkLoginSignature(transaction []byte, seed int64) []byte {
	key := ed25519.NewKeyFromSeed(slices.Repeat([]byte{0x77}, ed25519.SeedSize))
	digest := sui.Hash([]byte{0, 0, 0}, transaction)
	user := slices.Concat([]byte{sui.SchemeEd25519}, ed25519.Sign(key, digest[:]), key.Public().(ed25519.PublicKey))
	claim := base64.RawURLEncoding.EncodeToString([]byte(`"iss":"` + ZkIssuer + `",    `))[:36]

	var out []byte
	bytes := func(b []byte) { // a BCS byte vector shorter than 2^14
		if len(b) < 0x80 {
			out = append(out, byte(len(b)))
		} else {
			out = append(out, byte(len(b))|0x80, byte(len(b)>>7))
		}
		out = append(out, b...)
	}
	point := func(n int) {
		out = append(out, byte(n))
		for range n {
			bytes([]byte("1"))
		}
	}
	out = append(out, sui.SchemeZkLogin)
	point(3)
	out = append(out, 3)
	for range 3 {
		point(2)
	}
	point(3)
	bytes([]byte(claim))
	out = append(out, 0) // position of the claim
	bytes([]byte("e30")) // header of the token
	bytes([]byte(big.NewInt(seed).String()))
	out = append(out, 10, 0, 0, 0, 0, 0, 0, 0) // last valid epoch
	bytes(user)
	return out
}
