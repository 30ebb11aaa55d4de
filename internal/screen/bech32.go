package screen

import (
	"slices"
	"strings"
)

// bech32Letters is the alphabet of Bech32 (BIP-173), by value.
const bech32Letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

const (
	suiPart   = "suiprivkey"
	suiLength = 59 // letters after the separator: 33 bytes and six of checksum
)

// suiKey finds a Sui private key in letters and digits of lower case: its human
// part, or its data part alone, forwards or backwards, whatever stands between.
func (s *suiCheck) suiKey(lower string) bool {
	letters := make([]byte, 0, len(lower))
	for i := range len(lower) {
		if c := lower[i]; 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			letters = append(letters, c)
		}
	}
	if strings.Contains(string(letters), suiPart) {
		return true
	}
	if s.checked(letters) {
		return true
	}
	slices.Reverse(letters)
	return strings.Contains(string(letters), suiPart) || s.checked(letters)
}

// suiCheck is what the checksum of a Sui key needs, made once.
type suiCheck struct {
	value   [256]int8  // of a letter, -1 for none of the alphabet
	leaving [32]uint32 // what a letter still adds once it has left the piece
	want    uint32     // what the human part adds to every piece
}

func newSuiCheck() suiCheck {
	var s suiCheck
	for i := range s.value {
		s.value[i] = int8(strings.IndexByte(bech32Letters, byte(i)))
	}
	state := uint32(1)
	for i := range len(suiPart) {
		state = polymod(state) ^ uint32(suiPart[i]>>5)
	}
	state = polymod(state)
	for i := range len(suiPart) {
		state = polymod(state) ^ uint32(suiPart[i]&31)
	}
	for v := range s.leaving {
		s.leaving[v] = shifted(uint32(v))
	}
	s.want = shifted(state) ^ 1
	return s
}

// checked reports a piece whose Bech32 checksum verifies under the human part.
// The checksum is linear, so that a piece one letter further costs one step.
func (s *suiCheck) checked(letters []byte) bool {
	sum, run := uint32(0), 0
	for i, c := range letters {
		v := s.value[c]
		if v < 0 {
			sum, run = 0, 0
			continue
		}
		sum = polymod(sum) ^ uint32(v)
		if run++; run > suiLength {
			sum ^= s.leaving[s.value[letters[i-suiLength]]]
		}
		if run >= suiLength && sum == s.want {
			return true
		}
	}
	return false
}

// shifted takes a state over the letters of one piece that are all zero.
func shifted(state uint32) uint32 {
	for range suiLength {
		state = polymod(state)
	}
	return state
}

// polymod is one step of the Bech32 checksum, before the letter is added.
func polymod(state uint32) uint32 {
	top := state >> 25
	state = (state & 0x1ffffff) << 5
	for i, g := range [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
		if top>>i&1 == 1 {
			state ^= g
		}
	}
	return state
}
