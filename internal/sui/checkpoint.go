package sui

import (
	"errors"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// ErrUnknownVariant is the cause of a decoding error if the bytes contain a variant that this program
// does not know, because they come from a newer chain.
var ErrUnknownVariant = errors.New("unknown variant")

// KeySize is the size of a validator's compressed BLS12-381 key.
const KeySize = 96

// Validator is a member of a committee: its compressed public key and its voting power, out of 10,000.
// The chain calls the voting power a stake.
type Validator struct {
	Key   [KeySize]byte
	Stake uint64
}

// CheckpointCommitment commits to data beyond the contents. Kind 0 is the set of live objects, and kind
// 1 is the checkpoint's artifacts.
type CheckpointCommitment struct {
	Kind   uint32
	Digest Digest
}

// EndOfEpoch is present only in the last checkpoint of an epoch. It holds the next committee, in the
// order in which certificates number its members.
type EndOfEpoch struct {
	NextCommittee       []Validator
	NextProtocolVersion uint64
	Commitments         []CheckpointCommitment
}

// CheckpointSummary is the part of a checkpoint that validators sign. Gas holds the epoch's running
// totals in MIST. Extra is version_specific_data and is not decoded.
type CheckpointSummary struct {
	Epoch       uint64
	Sequence    uint64
	Total       uint64 // number of transactions on the network so far
	Contents    Digest
	Previous    *Digest // nil only in checkpoint 0
	Gas         GasCost
	TimestampMS uint64
	Commitments []CheckpointCommitment
	EndOfEpoch  *EndOfEpoch
	Extra       []byte
}

// DecodeCheckpointSummary reads all of b. It returns fault.InputInvalid for invalid bytes, with the
// cause ErrUnknownVariant for a variant of a newer chain.
func DecodeCheckpointSummary(b []byte) (*CheckpointSummary, error) {
	c, s := &bcs{reading: true, in: b}, new(CheckpointSummary)
	c.summary(s)
	if err := c.finish(); err != nil {
		return nil, err
	}
	return s, nil
}

// Encode returns the BCS that DecodeCheckpointSummary reads.
func (s *CheckpointSummary) Encode() ([]byte, error) {
	c := new(bcs)
	c.summary(s)
	return c.out, c.err
}

func (c *bcs) summary(s *CheckpointSummary) {
	c.u64(&s.Epoch, "the epoch")
	c.u64(&s.Sequence, "the sequence number")
	c.u64(&s.Total, "the number of transactions")
	c.digest(&s.Contents, "the digest of the contents")
	option(c, &s.Previous, "the digest before", func(d *Digest) { c.digest(d, "the digest before") })
	c.gas(&s.Gas)
	c.u64(&s.TimestampMS, "the time")
	c.commitments(&s.Commitments)
	option(c, &s.EndOfEpoch, "the end of an epoch", func(e *EndOfEpoch) {
		vector(c, &e.NextCommittee, 1+KeySize+8, "the next committee", c.validator)
		c.u64(&e.NextProtocolVersion, "the next protocol version")
		c.commitments(&e.Commitments)
	})
	c.bytes(&s.Extra, "the data of a version")
}

// validator reads or writes a key, which is a 96-byte vector, and a stake.
func (c *bcs) validator(v *Validator) {
	at := c.pos
	if n := c.length(KeySize, 1, "a key"); c.err == nil && n != KeySize {
		c.fail(at, "a key has %s instead of %d", count(n, "byte"), KeySize)
	}
	c.fixed(v.Key[:], "a key")
	c.u64(&v.Stake, "a stake")
}

func (c *bcs) commitments(v *[]CheckpointCommitment) {
	vector(c, v, 1+1+32, "the commitments", func(m *CheckpointCommitment) {
		kind := c.variant(m.Kind, "a commitment", "live objects", "artifacts")
		set(c, &m.Kind, kind)
		c.digest(&m.Digest, "a commitment")
	})
}

func (c *bcs) gas(g *GasCost) {
	c.u64((*uint64)(&g.Computation), "the cost of computation")
	c.u64((*uint64)(&g.Storage), "the cost of storage")
	c.u64((*uint64)(&g.Rebate), "the rebate")
	c.u64((*uint64)(&g.NonRefundable), "the fee that is not refunded")
}

// EffectsIn reads a checkpoint's contents and returns the digest of the transaction's effects and the
// number of listed transactions. The digest is nil if the transaction is not listed. Signatures are
// skipped, so memory does not grow with the contents. It returns an error if a transaction is listed
// twice, or if version 1 contents do not have one list of signatures for each transaction.
func EffectsIn(contents []byte, transaction Digest) (*Digest, int, error) {
	c := &bcs{reading: true, in: contents}
	var found *Digest
	var tx, effects Digest // declared outside the loop to avoid an allocation per transaction
	pair := func() {
		at := c.pos
		c.digest(&tx, "a transaction's digest")
		c.digest(&effects, "an effects digest")
		if c.err != nil || tx != transaction {
			return
		}
		//mutant:never ./internal/sui TestContents/listed twice
		if found != nil {
			c.fail(at, "the transaction is listed twice")
		}
		listed := effects
		found = &listed
	}
	signature := func() { c.pass("a signature") }
	aliased := func() {
		c.pass("a signature")
		var alias *uint64
		option(c, &alias, "the alias version", func(v *uint64) { c.u64(v, "the alias version") })
	}
	version := c.variant(0, "the contents", "version 1", "version 2")
	n := c.each(66, "the transactions", func() {
		pair()
		if version == 1 {
			c.each(2, "the signatures", aliased)
		}
	})
	if version == 0 {
		at := c.pos
		lists := c.each(1, "the lists of signatures", func() {
			c.each(1, "the signatures", signature)
		})
		//mutant:never ./internal/sui TestContents/lists of signatures
		if c.err == nil && lists != n {
			c.fail(at, "there are %s and %s", count(lists, "list")+" of signatures", count(n, "transaction"))
		}
	}
	if err := c.finish(); err != nil {
		return nil, 0, err
	}
	return found, n, nil
}

// each reads a vector without keeping its items and returns the number of items. least is the minimum
// size of an item in bytes.
func (c *bcs) each(least int, what string, item func()) int {
	n := c.length(0, least, what)
	for i := 0; i < n && c.err == nil; i++ {
		item()
	}
	return n
}

// pass skips a byte vector.
func (c *bcs) pass(what string) { c.take(c.length(0, 1, what), what) }

// MoveEvent is one event of a transaction, decoded from bytes whose digest is in its
// effects. Contents is the BCS of the Move value.
type MoveEvent struct {
	Package  ObjectID
	Module   string
	Sender   Address
	Type     StructTag
	Contents []byte
}

// DecodeEvents reads all of b as the events of one transaction, in order. It returns fault.InputInvalid
// for invalid bytes.
func DecodeEvents(b []byte) ([]MoveEvent, error) {
	c, v := &bcs{reading: true, in: b}, []MoveEvent(nil)
	c.events(&v)
	if err := c.finish(); err != nil {
		return nil, err
	}
	return v, nil
}

// EncodeEvents returns the BCS that DecodeEvents reads.
func EncodeEvents(v []MoveEvent) ([]byte, error) {
	c := new(bcs)
	c.events(&v)
	return c.out, c.err
}

func (c *bcs) events(v *[]MoveEvent) {
	// The minimum size is the package, the sender and the type's address, plus one length byte each for
	// the module, the two names, the parameters and the contents.
	vector(c, v, 32+1+32+32+1+1+1+1, "the events", func(e *MoveEvent) {
		c.fixed(e.Package[:], "an event's package")
		c.identifier(&e.Module, "an event's module")
		c.fixed(e.Sender[:], "an event's sender")
		c.structTag(&e.Type, 0)
		c.bytes(&e.Contents, "an event's contents")
	})
}

// unknown records an error with the cause ErrUnknownVariant.
func (c *bcs) unknown(at int, what string, v uint32) {
	c.fail(at, "%s has no variant %d", what, v)
	if c.reading {
		text := fault.As(c.err).Text
		c.err = fault.Wrap(ErrUnknownVariant, fault.InputInvalid, "%s", text)
	}
}
