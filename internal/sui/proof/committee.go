package proof

import (
	"bytes"
	"slices"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TotalPower is the voting power of a committee. A certificate needs Quorum of it.
const (
	TotalPower = 10_000
	Quorum     = 6_667
)

// mostMembers is the maximum number of members of a committee.
const mostMembers = 1_000

// Committee is the set of validators of one epoch. It is immutable and can be shared between
// goroutines. It does not verify the origin of its members: they must come from an anchor or
// [Committee.Next].
type Committee struct {
	epoch   uint64
	members []sui.Validator
	points  []bls.G2Affine // decompressed keys in the same order
}

// NewCommittee checks members against rules 1 and 2. Decompressing a key and checking its subgroup
// takes about 0.1 ms, so keys in known, which may be nil, are reused.
func NewCommittee(epoch uint64, members []sui.Validator, known *Committee) (*Committee, error) {
	if err := checkMembers(members); err != nil {
		return nil, err
	}
	c := &Committee{epoch: epoch, members: slices.Clone(members), points: make([]bls.G2Affine, len(members))}
	for i := range members {
		if known.copyKey(&members[i], &c.points[i]) {
			continue
		}
		if err := readKey(&members[i], &c.points[i]); err != nil {
			return nil, mismatch(2, "The key of validator %d is not valid.", i)
		}
	}
	return c, nil
}

// checkMembers checks rule 1.
func checkMembers(members []sui.Validator) error {
	//mutant:never ./internal/sui/proof TestCommitteeRefused/too many
	if len(members) < 1 || len(members) > mostMembers {
		return mismatch(1, "The committee has %d members, but must have 1 to %d.", len(members), mostMembers)
	}
	var sum uint64
	for i := range members {
		//mutant:never ./internal/sui/proof TestCommitteeRefused/order
		if i > 0 && bytes.Compare(members[i-1].Key[:], members[i].Key[:]) >= 0 {
			return mismatch(1, "The keys of the committee are not in ascending order at member %d.", i)
		}
		// A larger stake could make the sum overflow.
		//mutant:never ./internal/sui/proof TestCommitteeRefused/stake
		if s := members[i].Stake; s < 1 || s > TotalPower {
			return mismatch(1, "Validator %d of the committee has a voting power of %d.", i, s)
		}
		sum += members[i].Stake
	}
	//mutant:never ./internal/sui/proof TestCommitteeRefused/sum
	if sum != TotalPower {
		return mismatch(1, "The voting power of the committee is %d in total, and must be %d.", sum, TotalPower)
	}
	return nil
}

// readKey checks rule 2: compressed, canonical, in the subgroup and not infinity. The library checks
// the encoding and the subgroup. A 96-byte key is always the compressed form.
func readKey(v *sui.Validator, to *bls.G2Affine) error {
	if _, err := to.SetBytes(v.Key[:]); err != nil {
		return err
	}
	//mutant:never ./internal/sui/proof TestCommitteeRefused/infinity
	if to.IsInfinity() {
		return mismatch(2, "A key is the point at infinity.")
	}
	return nil
}

// copyKey reuses a decompressed key of an earlier committee, which checked it.
func (c *Committee) copyKey(v *sui.Validator, to *bls.G2Affine) bool {
	if c == nil {
		return false
	}
	i, found := slices.BinarySearchFunc(c.members, v.Key, func(m sui.Validator, key [sui.KeySize]byte) int {
		return bytes.Compare(m.Key[:], key[:])
	})
	if found {
		*to = c.points[i]
	}
	return found
}

// Epoch returns the epoch whose checkpoints the committee signs.
func (c *Committee) Epoch() uint64 { return c.epoch }

// Members returns a copy of the members, in the order in which certificates number them.
func (c *Committee) Members() []sui.Validator { return slices.Clone(c.members) }

// Next verifies the last checkpoint of the committee's epoch and returns the next
// committee.
func (c *Committee) Next(summary []byte, cert Certificate) (*Committee, error) {
	signed, err := c.Verify(summary, cert)
	if err != nil {
		return nil, err
	}
	return nextOf(signed.Summary, c)
}

// nextOf returns the next committee from a trusted summary.
func nextOf(s *sui.CheckpointSummary, known *Committee) (*Committee, error) {
	//mutant:never ./internal/sui/proof TestNextRefused/not the last
	if s.EndOfEpoch == nil {
		return nil, mismatch(0, "Checkpoint %d is not the last one of epoch %d.", s.Sequence, s.Epoch)
	}
	//mutant:never ./internal/sui/proof TestNextRefused/last epoch
	if s.Epoch+1 == 0 {
		return nil, mismatch(0, "There is no epoch after the largest epoch number.")
	}
	return NewCommittee(s.Epoch+1, s.EndOfEpoch.NextCommittee, known)
}
