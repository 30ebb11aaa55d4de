package proof

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Claim is an unverified statement about a transaction. Contents, Effects and Events are BCS. Events
// may be nil if the effects have no events digest.
type Claim struct {
	Transaction sui.Digest
	Summary     []byte
	Certificate Certificate
	Contents    []byte
	Effects     []byte
	Events      []byte
}

// Outcome is the verified result of a transaction. Only [Committee.Prove] creates it. Time is the
// checkpoint's.
type Outcome struct {
	Transaction   sui.Digest
	Checkpoint    Certified
	EffectsDigest sui.Digest
	Effects       *sui.TransactionEffects
	Events        []sui.MoveEvent
	Time          time.Time
}

// Prove checks a claim against rules 3 to 10, in order. It hashes bytes before it decodes them, so it
// only decodes signed bytes.
func (c *Committee) Prove(claim Claim) (*Outcome, error) {
	signed, err := c.Verify(claim.Summary, claim.Certificate)
	if err != nil {
		return nil, err
	}
	listed, err := listedEffects(claim, signed.Summary.Contents)
	if err != nil {
		return nil, err
	}
	effects, err := readEffects(claim, listed, c.epoch)
	if err != nil {
		return nil, err
	}
	events, err := readEvents(claim.Events, effects.Events)
	if err != nil {
		return nil, err
	}
	return &Outcome{Transaction: claim.Transaction, Checkpoint: *signed, EffectsDigest: listed, Effects: effects,
		Events: events,
		Time:   time.UnixMilli(int64(signed.Summary.TimestampMS)).UTC()}, nil
}

// listedEffects checks rule 7 and the first half of rule 8.
func listedEffects(claim Claim, digest sui.Digest) (sui.Digest, error) {
	if len(claim.Contents) == 0 {
		return sui.Digest{}, missing(7, "The checkpoint's contents are missing.")
	}
	//mutant:never ./internal/sui/proof TestClaimRefused/contents
	if sui.Hash([]byte("CheckpointContents::"), claim.Contents) != digest {
		return sui.Digest{}, mismatch(7, "The contents are not those of the signed checkpoint.")
	}
	listed, _, err := sui.EffectsIn(claim.Contents, claim.Transaction)
	if err != nil {
		return sui.Digest{}, unread(7, "The contents of the checkpoint", err)
	}
	//mutant:never ./internal/sui/proof TestClaimRefused/not there
	if listed == nil {
		return sui.Digest{}, mismatch(8, "The signed checkpoint does not contain transaction %s.", claim.Transaction)
	}
	return *listed, nil
}

// readEffects checks rule 9 and the second half of rule 8.
func readEffects(claim Claim, digest sui.Digest, epoch uint64) (*sui.TransactionEffects, error) {
	if len(claim.Effects) == 0 {
		return nil, missing(8, "The transaction's effects are missing.")
	}
	//mutant:never ./internal/sui/proof TestClaimRefused/effects
	if sui.Hash([]byte("TransactionEffects::"), claim.Effects) != digest {
		return nil, mismatch(8, "The effects are not those of the signed checkpoint.")
	}
	effects, err := sui.DecodeEffects(claim.Effects)
	if err != nil {
		return nil, unread(9, "The transaction's effects", err)
	}
	//mutant:never ./internal/sui/proof TestSigned/effects of another transaction
	if effects.Transaction != claim.Transaction {
		return nil, mismatch(9, "The effects are of transaction %s.", effects.Transaction)
	}
	//mutant:never ./internal/sui/proof TestSigned/effects of another epoch
	if effects.Epoch != epoch {
		return nil, mismatch(9, "The effects are of epoch %d, and the checkpoint of epoch %d.", effects.Epoch, epoch)
	}
	return effects, nil
}

// readEvents checks rule 10. An empty list of events is encoded as one zero byte.
func readEvents(b []byte, digest *sui.Digest) ([]sui.MoveEvent, error) {
	if digest == nil {
		//mutant:never ./internal/sui/proof TestClaimRefused/events that there are not
		if len(b) > 1 || (len(b) == 1 && b[0] != 0) {
			return nil, mismatch(10, "The transaction has no events.")
		}
		return nil, nil
	}
	if len(b) == 0 {
		return nil, missing(10, "The transaction's events are missing.")
	}
	//mutant:never ./internal/sui/proof TestClaimRefused/events
	if sui.Hash([]byte("TransactionEvents::"), b) != *digest {
		return nil, mismatch(10, "The events are not those of the transaction.")
	}
	events, err := sui.DecodeEvents(b)
	if err != nil {
		return nil, unread(10, "The transaction's events", err)
	}
	return events, nil
}

// Object checks an object's bytes against the effects, after the transaction or, if before is set,
// before it.
func (o *Outcome) Object(id sui.ObjectID, before bool, b []byte) (sui.ObjectRef, error) {
	ref, ok := o.Effects.Ref(id, before)
	if !ok {
		return sui.ObjectRef{}, missing(10, "The effects do not name a version of object %s here.", id)
	}
	//mutant:never ./internal/sui/proof TestObjects/other bytes
	if sui.ObjectDigest(b) != ref.Digest {
		return sui.ObjectRef{}, mismatch(10, "The bytes of object %s are not those of the signed effects.", id)
	}
	return ref, nil
}

// Coin decodes a coin after [Outcome.Object] has verified its bytes.
func (o *Outcome) Coin(id sui.ObjectID, before bool, b []byte) (*sui.CoinObject, error) {
	ref, err := o.Object(id, before, b)
	if err != nil {
		return nil, err
	}
	coin, err := sui.DecodeCoinObject(b)
	if err != nil {
		return nil, unread(10, "The coin", err)
	}
	//mutant:never ./internal/sui/proof TestObjects/another id
	if coin.ID != id || coin.Version != ref.Version {
		return nil, mismatch(10, "The bytes of object %s are of another object or version.", id)
	}
	return coin, nil
}
