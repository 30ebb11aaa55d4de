package screen

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/tyler-smith/go-bip39/wordlists"
)

// english is where the words of the English list of BIP-39 stand in it.
var english = sync.OnceValue(func() map[string]int {
	places := make(map[string]int, len(wordlists.English))
	for i, word := range wordlists.English {
		places[word] = i
	}
	return places
})

var (
	letters   = pattern(`[a-z]+`)
	numbering = pattern(`\b[0-9]{1,2}\s*[.):/-]?`)
	stops     = pattern(`[.:;!?()\[\]{}<>="]+|\n\s*\n`)
)

// phrase reports a recovery phrase in a text of small letters: 12, 15, 18, 21 or
// 24 words of the list in a row whose checksum holds, whatever signs and numbers
// stand between them. So many words and no others between two stops are one
// without a checksum too, as some wallets make them, and with one word that is
// a slip away from one of the list, if the checksum holds with that.
func phrase(lower string) bool {
	//mutant:never ./internal/screen TestPastes
	if places := listed(letters().FindAllString(lower, -1)); checked(places) {
		return true
	}
	for _, part := range stops().Split(numbering().ReplaceAllString(lower, " "), -1) {
		words := letters().FindAllString(part, -1)
		if !length(len(words)) {
			continue
		}
		places := listed(words)
		slip := slices.Index(places, -1)
		//mutant:never ./internal/screen TestPhraseWithoutAChecksum
		if slip < 0 {
			return true
		}
		for word, place := range english() {
			if places[slip] = place; near(words[slip], word) && !slices.Contains(places, -1) && checksum(places) {
				return true
			}
		}
	}
	return false
}

// near reports two words that differ by one letter: another, one more or one
// less, or two that changed places.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(b) == len(a)+1:
		return a[i:] == b[i+1:]
	case len(a) != len(b) || i == len(a):
		return false
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// listed returns the place of each word in the list, -1 for one that is not in it.
func listed(words []string) []int {
	places := make([]int, len(words))
	for i, word := range words {
		place, known := english()[word]
		if !known {
			place = -1
		}
		places[i] = place
	}
	return places
}

// length reports how many words a phrase can have.
func length(n int) bool { return n >= 12 && n <= 24 && n%3 == 0 }

// checked reports whether words in a row are a phrase by their checksum.
func checked(places []int) bool {
	run := 0
	for i, place := range places {
		if run++; place < 0 {
			run = 0
		}
		for n := 12; n <= 24 && n <= run; n += 3 {
			if checksum(places[i+1-n : i+1]) {
				return true
			}
		}
	}
	return false
}

// checksum computes the checksum of BIP-39: after 11 bits for each word, the
// last bits are the first ones of the hash of those before them.
func checksum(places []int) bool {
	bits := make([]byte, 0, 11*len(places))
	for _, place := range places {
		for i := 10; i >= 0; i-- {
			bits = append(bits, byte(place>>i&1))
		}
	}
	entropy := len(bits) / 33 * 32
	packed := make([]byte, entropy/8)
	for i, bit := range bits[:entropy] {
		packed[i/8] |= bit << (7 - i%8)
	}
	sum := sha256.Sum256(packed)
	for i, bit := range bits[entropy:] {
		if sum[0]>>(7-i)&1 != bit {
			return false
		}
	}
	return true
}
