package committee

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Listed is a transaction in the contents of a checkpoint.
type Listed struct {
	Transaction, Effects sui.Digest
	Signatures           [][]byte
}

// Contents encodes the contents of a checkpoint in version 2, without versions of address aliases.
func Contents(list []Listed) []byte {
	b := bcs.Bytes{1}.Uleb(len(list))
	for _, l := range list {
		b = b.Digest(l.Transaction).Digest(l.Effects).Uleb(len(l.Signatures))
		for _, s := range l.Signatures {
			b = append(b.Bytes(s), 0)
		}
	}
	return b
}

// ContentsDigest returns the digest that a summary contains for contents.
func ContentsDigest(contents []byte) sui.Digest { return bcs.Hash("CheckpointContents::", contents) }

// Place holds the fields of a summary other than the contents. Last reports whether the checkpoint
// ends its epoch. Gas is the epoch's total cost so far.
type Place struct {
	Epoch, Number, Total uint64
	Previous             *sui.Digest // nil only in checkpoint 0
	At                   time.Time
	Gas                  sui.GasCost
	Last                 bool
	Protocol             uint64 // for the last checkpoint of an epoch, the next protocol version
}

// Summary encodes the summary of a checkpoint and returns its digest.
func Summary(p Place, contents []byte) ([]byte, sui.Digest) {
	digest := ContentsDigest(contents)
	s := &sui.CheckpointSummary{
		Epoch: p.Epoch, Sequence: p.Number, Total: p.Total, Contents: digest, Previous: p.Previous, Gas: p.Gas,
		TimestampMS: uint64(max(0, p.At.UnixMilli())), Extra: []byte{0, 0}, // no randomness rounds
		// Nobody can check the artifacts digest, so any digest works.
		Commitments: []sui.CheckpointCommitment{{Kind: 1, Digest: bcs.Hash("say-ur-intent/sandbox/artifacts", digest[:])}},
	}
	if p.Last {
		s.EndOfEpoch = &sui.EndOfEpoch{NextCommittee: Of(p.Epoch + 1).Members(), NextProtocolVersion: p.Protocol}
	}
	b, err := s.Encode()
	if err != nil {
		panic(err) // only lists that are too long cannot be encoded
	}
	return b, bcs.Hash("CheckpointSummary::", b)
}
