// Package committee simulates four validators of equal power with public keys and known secrets. It
// encodes the summaries and contents of checkpoints as the chain does, and signs them. Every epoch,
// one validator leaves and another joins, so clients must follow the committees.
package committee

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"slices"
	"sync"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Size is the number of validators. Power is the voting power of each, out of 10,000. Quorum is the
// number of signers; real certificates stop at the quorum too.
const (
	Size   = 4
	Power  = 2500
	Quorum = 3
)

// Committee is the set of validators in one epoch, in certificate order.
type Committee struct {
	epoch   uint64
	secrets [Size]*big.Int
	keys    [Size][sui.KeySize]byte
}

// Of returns the committee of an epoch. Neighboring epochs share three validators.
func Of(epoch uint64) *Committee { return of(epoch, "validator") }

// Strangers returns another chain's validators of the same epoch.
func Strangers(epoch uint64) *Committee { return of(epoch, "stranger") }

// member is one validator. Its secret does not change.
type member struct {
	secret *big.Int
	key    [sui.KeySize]byte
}

// members caches validators by seed, because computing a key is expensive.
var members sync.Map

func memberOf(seed sui.Digest) member {
	if m, ok := members.Load(seed); ok {
		return m.(member)
	}
	secret := new(big.Int).SetBytes(seed[:])
	secret.Mod(secret, fr.Modulus())
	var p bls.G2Affine
	p.ScalarMultiplicationBase(secret)
	m := member{secret, p.Bytes()}
	members.Store(seed, m)
	return m
}

func of(epoch uint64, word string) *Committee {
	var list [Size]member
	for i := range list {
		// Validator n serves from epoch n-3 to epoch n.
		list[i] = memberOf(bcs.Hash("say-ur-intent/sandbox/"+word, bcs.Bytes(nil).U64(epoch+uint64(i))))
	}
	slices.SortFunc(list[:], func(a, b member) int { return bytes.Compare(a.key[:], b.key[:]) })
	c := &Committee{epoch: epoch}
	for i, m := range list {
		c.secrets[i], c.keys[i] = m.secret, m.key
	}
	return c
}

// Members lists the members' keys and voting powers, as recorded in the last checkpoint of the
// previous epoch.
func (c *Committee) Members() []sui.Validator {
	list := make([]sui.Validator, Size)
	for i := range list {
		list[i] = sui.Validator{Key: c.keys[i], Stake: Power}
	}
	return list
}

// Certificate is a signature over a summary, in the form that nodes report.
type Certificate struct {
	Epoch     uint64
	Signature []byte // 48 bytes, compressed
	Bitmap    []byte // the signers, as a portable Roaring bitmap
}

// scheme is the ciphersuite of the chain's signatures.
var scheme = []byte("BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_")

// Sign certifies a summary for the committee's own epoch with the first signers members. A valid
// certificate needs Quorum.
func (c *Committee) Sign(summary []byte, signers int) (Certificate, error) {
	sum := new(big.Int)
	// One container with two bytes per number, at offset 16.
	bitmap := []byte{0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, byte(signers - 1), 0, 16, 0, 0, 0}
	for i := range signers {
		sum.Add(sum, c.secrets[i])
		bitmap = binary.LittleEndian.AppendUint16(bitmap, uint16(i))
	}
	message := append([]byte{2, 0, 0}, summary...) // scope: checkpoint summary
	hash, err := bls.HashToG1(binary.LittleEndian.AppendUint64(message, c.epoch), scheme)
	if err != nil {
		return Certificate{}, err
	}
	var signature bls.G1Affine
	signature.ScalarMultiplication(&hash, sum.Mod(sum, fr.Modulus()))
	b := signature.Bytes()
	return Certificate{Epoch: c.epoch, Signature: b[:], Bitmap: bitmap}, nil
}
