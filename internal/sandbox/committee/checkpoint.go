package committee

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Listed is a transaction as the contents of a checkpoint list it.
type Listed struct {
	Transaction, Effects sui.Digest
	Signatures           [][]byte
}

// Contents encodes what a checkpoint lists, in version 2: no signature names a
// version of an address alias.
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

// ContentsDigest is the digest that a summary has of contents.
func ContentsDigest(contents []byte) sui.Digest { return bcs.Hash("CheckpointContents::", contents) }

// Place is what a summary says beside its contents. Last is whether the checkpoint
// ends its epoch; Gas sums up what its epoch cost so far.
type Place struct {
	Epoch, Number, Total uint64
	Previous             *sui.Digest // nil in checkpoint 0 alone
	At                   time.Time
	Gas                  sui.GasCost
	Last                 bool
	Protocol             uint64 // the version that follows where it is the last
}

// Summary encodes the summary of a checkpoint and returns its digest.
func Summary(p Place, contents []byte) ([]byte, sui.Digest) {
	digest := ContentsDigest(contents)
	s := &sui.CheckpointSummary{
		Epoch: p.Epoch, Sequence: p.Number, Total: p.Total, Contents: digest, Previous: p.Previous, Gas: p.Gas,
		TimestampMS: uint64(max(0, p.At.UnixMilli())), Extra: []byte{0, 0}, // no rounds of randomness
		// Nobody can check what artifacts the chain would name: any digest has the form.
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
