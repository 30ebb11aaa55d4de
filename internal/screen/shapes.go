package screen

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mr-tron/base58"
)

// pattern gives an expression that is compiled when it is first asked for: most
// processes screen nothing, and some of these are large.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// extendedKey is a private key of BIP-32 under any of its prefixes.
var extendedKey = pattern(`[A-Za-z]prv[1-9A-HJ-NP-Za-km-z]{90,120}`)

// walletKey finds the files and lines in which other programs keep keys.
func walletKey(view, lower string) bool {
	has := func(part string) bool { return strings.Contains(lower, part) }
	switch {
	case has("-----begin") && has("private key"):
		return true
	case has("age-secret-key-1"):
		return true
	case has("minisign") && has("secret key") && has("untrusted comment"):
		return true
	case has("ciphertext") && (has(`"kdf`) || has("kdfparams")):
		return true
	case has("kty") && jwkPrivate().MatchString(view):
		return true
	}
	if !has("prv") {
		return false
	}
	return extendedKey().MatchString(strings.Join(strings.FieldsFunc(view, func(r rune) bool { return r <= ' ' }), ""))
}

// jwkPrivate is the private member of a JSON web key.
var jwkPrivate = pattern(`["']?\bd["']?\s*[:=]\s*["']?[A-Za-z0-9_-]{20,}`)

// fieldNames are names of fields that carry keys, signatures, transactions or a
// route that somebody selected, as programs write them: in one word, with a
// hyphen or an underscore. The same words in a sentence are a subject to talk
// about and stay.
var fieldNames = pattern(`(?:\b|_)(?:` +
	`transactionBytes|txBytes|transaction[_-]bytes|tx[_-]bytes|` +
	`serializedTransaction|serialized[_-]transaction|signedTransaction|signed[_-]transaction|unsignedTx|unsigned[_-]tx(?:[_-]hex)?|` +
	`signingRequest|signing[_-]request|walletAuthorization|wallet[_-]authorization|` +
	`privateKey|private[_-]key|secretKey|secret[_-]key|seedPhrase|seed[_-]phrase|` +
	`routeSelectedPlan|route[_-]selected(?:[ _-]plan)?|routeSelected|bcsTransaction|bcs[_-]transaction|programmableTransaction)\b`)

// assigned is such a name, in any spelling, with a value that has a digit, or as
// a member of JSON.
var assigned = pattern(`\b(?:transaction bytes|tx bytes|serialized transaction|signed transaction|signing request|` +
	`private key|secret key|seed|signature)["']?\s*[:=]\s*["'\[{]?[a-z+/]{0,20}[0-9][0-9a-z+/]{6}|` +
	`"(?:mnemonic|seed|signature|private ?key|secret ?key|passphrase|signatures)"\s*:`)

// term finds the name of a field that a proposal cannot have.
func term(view, lower string) bool {
	if !slices.ContainsFunc([]string{"bytes", "transaction", "unsigned", "signing", "wallet", "private", "secret", "seed", "route",
		"signature", "mnemonic", "passphrase"}, func(part string) bool { return strings.Contains(lower, part) }) {
		return false
	}
	return fieldNames().MatchString(view) || assigned().MatchString(lower)
}

// objectID and digest are the two things on chain that look like a raw key.
var (
	objectID  = pattern(`\b0x[0-9a-f]{64}\b`)
	digest    = pattern(`\b[1-9A-HJ-NP-Za-km-z]{43,44}\b`)
	chainTerm = pattern(`(?i)\b(?:objects?|packages?|pools?|address(?:es)?|coins?|digests?|transactions?|tx|ids?|recipients?|` +
		`accounts?|managers?|modules?|senders?|owners?|contracts?|types?|tokens?|receivers?|payees?)\b`)
	keyTerm = pattern(`(?i)(?:keys?\b|keypair|secret|private|priv\b|seed|mnemonic|phrase|password|passwd|entropy|backup|recover|restore|\bimport(?:ed|ing)?\b|credential)`)
)

// before is how far ahead of an id the word may stand that says what it is.
const before = 48

// withoutIDs takes out what a text calls an object id, an address or a digest,
// and gives it. It must be written as the chain writes it, and nothing in the
// text may speak of keys.
func withoutIDs(text string) (rest string, ids []string) {
	if !longRuns(text) || keyTerm().MatchString(text) {
		return text, nil
	}
	take := func(shape *regexp.Regexp, fits func(string) bool) {
		var b strings.Builder
		at := 0
		for _, m := range shape.FindAllStringIndex(text, -1) {
			if chainTerm().MatchString(text[max(at, m[0]-before):m[0]]) || strings.HasPrefix(text[m[1]:], "::") {
				if id := text[m[0]:m[1]]; fits(id) {
					ids = append(ids, id)
					b.WriteString(text[at:m[0]] + "¶")
					at = m[1]
				}
			}
		}
		text = b.String() + text[at:]
	}
	take(objectID(), func(string) bool { return true })
	take(digest(), func(s string) bool {
		b, err := base58.Decode(s)
		return err == nil && len(b) == 32
	})
	return text, ids
}

// longRuns reports letters and digits as long as a digest.
func longRuns(text string) bool {
	run := 0
	for i := range len(text) {
		if c := text[i]; '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			if run++; run >= 43 {
				return true
			}
			continue
		}
		run = 0
	}
	return false
}
