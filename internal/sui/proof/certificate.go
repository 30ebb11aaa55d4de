package proof

import (
	"encoding/binary"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Certificate is the validators' signature over a summary, as reported by a node. Bitmap lists the
// signers in the portable format of Roaring bitmaps.
type Certificate struct {
	Epoch     uint64
	Signature []byte
	Bitmap    []byte
}

// Certified is a summary signed by a committee. Signers of Members signed, and Power is their share of
// [TotalPower].
type Certified struct {
	Summary *sui.CheckpointSummary
	Digest  sui.Digest
	Power   uint64
	Signers int
	Members int
}

// scheme is the ciphersuite of the signatures, with keys in G2 and no augmentation.
var scheme = []byte("BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_")

// mostSummary is the maximum size of a summary; 1,000 members take 105 KB.
const mostSummary = 1 << 20

// SummaryDigest returns the digest of a checkpoint; that of checkpoint 0 identifies the chain.
func SummaryDigest(summary []byte) sui.Digest {
	return sui.Hash([]byte("CheckpointSummary::"), summary)
}

// Verify checks the certificate against the committee, using rules 3 to 6.
func (c *Committee) Verify(summary []byte, cert Certificate) (*Certified, error) {
	s, err := readSummary(summary)
	if err != nil {
		return nil, err
	}
	// Compare all three, because keys outlive epochs and the certificate's own epoch is not signed.
	//mutant:never ./internal/sui/proof TestEpochs/committee
	if s.Epoch != c.epoch {
		return nil, mismatch(3, "The checkpoint is of epoch %d, and the committee of epoch %d.", s.Epoch, c.epoch)
	}
	//mutant:never ./internal/sui/proof TestEpochs/certificate
	if cert.Epoch != c.epoch {
		return nil, mismatch(3, "The certificate is of epoch %d, and the committee of epoch %d.", cert.Epoch, c.epoch)
	}
	signers, err := readBitmap(cert.Bitmap, len(c.members))
	if err != nil {
		return nil, err
	}
	var power uint64
	for _, i := range signers {
		power += c.members[i].Stake
	}
	//mutant:never ./internal/sui/proof TestCertificateRefused/below the quorum
	if power < Quorum {
		return nil, mismatch(5, "The signers have %d of %d voting power, and %d is needed.", power, TotalPower, Quorum)
	}
	if err := c.verifySignature(summary, cert, signers); err != nil {
		return nil, err
	}
	return &Certified{Summary: s, Digest: SummaryDigest(summary), Power: power,
		Signers: len(signers), Members: len(c.members)}, nil
}

func readSummary(summary []byte) (*sui.CheckpointSummary, error) {
	if len(summary) == 0 {
		return nil, missing(3, "The checkpoint's summary is missing.")
	}
	if len(summary) > mostSummary {
		return nil, mismatch(3, "The checkpoint's summary is too large.")
	}
	s, err := sui.DecodeCheckpointSummary(summary)
	if err != nil {
		return nil, unread(3, "The checkpoint's summary", err)
	}
	return s, nil
}

// verifySignature checks rule 6: e(signature, g2) = e(H(message), sum of the keys).
func (c *Committee) verifySignature(summary []byte, cert Certificate, signers []uint16) error {
	wrong := mismatch(6, "The validators' signature does not match the checkpoint.")
	if len(cert.Signature) == 0 {
		return missing(6, "The checkpoint's signature is missing.")
	}
	var signature bls.G1Affine
	// Check the length, because SetBytes would also accept the longer uncompressed form.
	//mutant:never ./internal/sui/proof TestCertificateRefused/size of the signature
	if len(cert.Signature) != bls.SizeOfG1AffineCompressed {
		return wrong
	}
	// Keys may cancel each other out, and the point at infinity would match their sum.
	//mutant:never ./internal/sui/proof TestCertificateRefused/infinity
	if _, err := signature.SetBytes(cert.Signature); err != nil || signature.IsInfinity() {
		return wrong
	}
	var sum bls.G2Jac // the point at infinity
	sum.FromAffine(&c.points[signers[0]])
	for _, i := range signers[1:] {
		sum.AddMixed(&c.points[i])
	}
	var keys bls.G2Affine
	keys.FromJacobian(&sum)
	hash, err := bls.HashToG1(message(summary, c.epoch), scheme)
	if err != nil {
		return wrong
	}
	_, _, _, g2 := bls.Generators()
	g2.Neg(&g2)
	ok, err := bls.PairingCheck([]bls.G1Affine{signature, hash}, []bls.G2Affine{g2, keys})
	//mutant:never ./internal/sui/proof TestCertificateRefused/summary
	if err != nil || !ok {
		return wrong
	}
	return nil
}

// message returns the bytes that validators sign: the intent (checkpoint summary, version 0, Sui), the
// summary, and the epoch again.
func message(summary []byte, epoch uint64) []byte {
	b := append([]byte{2, 0, 0}, summary...)
	return binary.LittleEndian.AppendUint64(b, epoch)
}

// Cookies of a Roaring bitmap without and with runs.
const (
	plainCookie = 0x303a
	runCookie   = 0x303b
)

// readBitmap checks rule 4: the signers are in ascending order and each is less than members. It
// accepts a single container, as a list or as runs, which covers all numbers below 65,536. No byte may
// be left over.
func readBitmap(b []byte, members int) ([]uint16, error) {
	if len(b) == 0 {
		return nil, missing(4, "The list of signers is missing.")
	}
	bad := func(why string) ([]uint16, error) {
		return nil, mismatch(4, "The certificate's list of signers is not valid: %s.", why)
	}
	//mutant:never ./internal/sui/proof TestBitmap/cut
	if len(b) < 4 {
		return bad("it is truncated")
	}
	var rest []byte
	var runs bool
	switch binary.LittleEndian.Uint32(b) {
	case plainCookie:
		// One container, its key 0, its size, and an offset of 16 to the data.
		if len(b) < 16 || binary.LittleEndian.Uint32(b[4:]) != 1 || binary.LittleEndian.Uint32(b[12:]) != 16 {
			return bad("it does not have exactly one container")
		}
		rest = b[8:]
	case runCookie: // the upper 16 bits are the number of containers minus one
		if len(b) < 9 || b[4] != 1 {
			return bad("it does not have exactly one container")
		}
		rest, runs = b[5:], true
	default:
		return bad("its format is unknown")
	}
	key, size := binary.LittleEndian.Uint16(rest), int(binary.LittleEndian.Uint16(rest[2:]))+1
	//mutant:never ./internal/sui/proof TestBitmap/more signers than members
	if key != 0 || size > members {
		return bad("it names validators that do not exist")
	}
	var signers []uint16
	if runs {
		signers = readRuns(rest[4:], size)
	} else {
		signers = readList(rest[8:], size)
	}
	if signers == nil {
		return bad("it is truncated, too long or out of order")
	}
	//mutant:never ./internal/sui/proof TestBitmap/beyond the members
	if int(signers[size-1]) >= members {
		return bad("it names validators that do not exist")
	}
	return signers, nil
}

// readList reads exactly n ascending numbers, or returns nil.
func readList(b []byte, n int) []uint16 {
	//mutant:never ./internal/sui/proof TestBitmap/byte after the end
	if len(b) != 2*n {
		return nil
	}
	list := make([]uint16, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint16(b[2*i:])
		//mutant:never ./internal/sui/proof TestBitmap/twice
		if i > 0 && list[i] <= list[i-1] {
			return nil
		}
	}
	return list
}

// readRuns reads runs, each given by its first number and its length minus one. It returns nil unless
// they contain n numbers in ascending order and do not touch.
func readRuns(b []byte, n int) []uint16 {
	if len(b) < 2 || len(b) != 2+4*int(binary.LittleEndian.Uint16(b)) {
		return nil
	}
	list := make([]uint16, 0, n)
	next := 0 // minimum start of the next run
	for b = b[2:]; len(b) > 0; b = b[4:] {
		first, last := int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))
		last += first
		//mutant:never ./internal/sui/proof TestBitmap/runs that overlap
		if first < next || last > 0xffff || len(list)+last-first+1 > n {
			return nil
		}
		for i := first; i <= last; i++ {
			list = append(list, uint16(i))
		}
		next = last + 2
	}
	//mutant:never ./internal/sui/proof TestBitmap/fewer in the runs
	if len(list) != n {
		return nil
	}
	return list
}
