package screen

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"

	"github.com/mr-tron/base58"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Class is a kind of text that must not be taken in.
type Class string

// The classes, in the order in which they are looked for.
const (
	SuiKey     Class = "sui_private_key" // Bech32 with the human part suiprivkey
	WalletKey  Class = "wallet_key"      // another program's private key format
	Phrase     Class = "recovery_phrase" // 12 to 24 words of a BIP-39 list
	RawKey     Class = "raw_key"         // 33, 64 or 65 bytes in hexadecimal, 32 to 65 in base64, or called a key
	Payload    Class = "encoded_payload" // 160 and more encoded characters: a transaction, a signature
	Term       Class = "forbidden_field" // the name of a field for keys, signatures or transactions
	AddressKey Class = "key_of_address"  // the private key of an account that is known or named next to it
)

// words describe findings, to complete "holds what looks like …".
var words = map[Class]string{
	SuiKey:     "a Sui private key",
	WalletKey:  "a private key in the format of another program",
	Phrase:     "a recovery phrase",
	RawKey:     "a private key in encoded form",
	Payload:    "encoded transaction material",
	Term:       "a field for keys, signatures, transactions or a chosen route",
	AddressKey: "the private key of an address that is known here",
}

// Words describes the class, to complete "holds what looks like …".
func (c Class) Words() string { return words[c] }

// Found is where something was found and what it looks like. It never contains the text.
type Found struct {
	Path  string
	Class Class
}

// Find searches every text of a document for secrets that users paste by accident and that must not
// be accepted. document is any value: its texts are found by its type (see Fields), so that none
// can be missed. own are known accounts: 32 bytes that are the private key of one of them are found
// anywhere. ok is false if nothing was found.
//
// It does not break codes. A deliberately hidden secret is not found, and neither is a raw key that
// looks like an object ID or a digest, is not called a key, and owns no known account.
func Find[D any](name string, document D, own []sui.Address) (found Found, ok bool) {
	fields := Fields(name, document)
	for _, f := range fields {
		if class := f.look(); class != "" {
			return Found{f.Path, class}, true
		}
	}
	return findOwned(fields, own)
}

// look checks one text only by its form.
func (f Field) look() Class {
	text, lower := f.Text, strings.ToLower(f.Text)
	switch {
	//mutant:never ./internal/screen TestPastes
	case suiKey().MatchString(blanks.Replace(lower)):
		return SuiKey
	case foreignKey().MatchString(text):
		return WalletKey
	case len(phrases(text)) > 0:
		return Phrase
	}
	rest := harmless().ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(";", len(s)) })
	if fieldName().MatchString(rest) {
		return Term
	}
	for _, c := range candidates(rest) {
		if class := c.judge(text, f.most()); class != "" {
			return class
		}
	}
	return ""
}

// pattern returns an expression that is compiled on first use: most processes screen nothing.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// blanks are the characters that can separate parts of a key.
var blanks = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", "\u00a0", "", "-", "")

var (
	// suiKey matches all or most of a Sui key, in lower case without blanks.
	suiKey = pattern(`suiprivkey1[02-9ac-hj-np-z]{20}`)
	// foreignKey matches key formats of other programs that identify themselves.
	foreignKey = pattern(`-----BEGIN [A-Z ]*PRIVATE KEY-----|\b[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{90}|(?i:\bnsec1[02-9ac-hj-np-z]{40})|` +
		`(?i:\bAGE-SECRET-KEY-1[02-9ac-hj-np-z]{40})`)
	// fieldName matches names of fields that carry keys, signatures, transactions or a selected
	// route, as programs write them: in one word, with a hyphen or an underscore, or followed by a
	// value. The same words in a sentence are allowed.
	fieldName = pattern(`(?:\b|_)(?:transactionBytes|txBytes|transaction[_-]bytes|tx[_-]bytes|` +
		`serializedTransaction|serialized[_-]transaction|signedTransaction|signed[_-]transaction|unsignedTx|unsigned[_-]tx(?:[_-]hex)?|` +
		`signingRequest|signing[_-]request|walletAuthorization|wallet[_-]authorization|` +
		`privateKey|private[_-]key|secretKey|secret[_-]key|seedPhrase|seed[_-]phrase|` +
		`routeSelectedPlan|route[_-]selected(?:[ _-]plan)?|routeSelected|bcsTransaction|bcs[_-]transaction|programmableTransaction)\b|` +
		`(?i:\b(?:signature|(?:transaction|tx) bytes|(?:serialized|signed) transaction|signing request)["']?\s*[:=]\s*["'\[{]?[a-z+/]{0,20}[0-9][0-9a-z+/]{6}|` +
		`"(?:mnemonic|seed|signatures?|private ?key|secret ?key|passphrase)"\s*:)`)
	// harmless matches links, images and named digests, whose contents are not keys.
	harmless = pattern(`(?i)\b(?:[a-z][a-z0-9+.-]*://[^\s"'<>]+|data:(?:image|font)/[a-z0-9.+-]+;base64,[a-z0-9+/=]+|` +
		`sha-?(?:1|224|256|384|512)[-:=/ ]+[a-z0-9+/=_-]+)`)
	// called matches what a key is called directly before it, calledAfter directly after it.
	called = pattern(`(?i)(?:\b(?:private|secret|priv|signing|wallet) ?keys?\b|\bkey ?pair\b|\bmnemonic\b|\bentropy\b)[^.;!?]{0,24}$|` +
		`\b(?:key|seed)(?: phrase| hex)?["']?\s*(?:[:=]|is)\s*["'\[]?\s*$`)
	calledAfter = pattern(`(?i)^["')]*\s*(?:is|was|=|,|\(|-|–|<-)?\s*(?:my|the|a|our)?\s*(?:private|secret|signing) ?key`)
	publicKey   = pattern(`(?i)\b(?:pub(?:lic)?|object|api|pool)[ _-]?keys?\b`)
)

// candidate is a sequence of letters and digits that could encode a key, joined across blanks, and
// its position.
type candidate struct {
	text     string
	from, to int
}

// token matches a word, or bytes separated by colons.
var token = pattern(`\b(?i:[0-9a-f]{2}(?::[0-9a-f]{2}){15,})\b|[A-Za-z0-9+/_-]+={0,2}`)

// mostJoined limits a candidate; longer ones are certainly payloads.
const mostJoined = 200

// candidates lists the words of a text, and the concatenations of groups of words or lines of equal
// length, except possibly the last one, and the first if a line ends.
func candidates(text string) (all []candidate) {
	spans := token().FindAllStringIndex(text, -1)
	word := func(i int) string { return bare(text[spans[i][0]:spans[i][1]]) }
	gap := func(i int) string { return text[spans[i-1][1]:spans[i][0]] }
	for i := range spans {
		joined, width := word(i), 0
		all = append(all, candidate{joined, spans[i][0], spans[i][1]})
		if len(joined) < 2 || identifier(joined) {
			continue
		}
		for j := i + 1; j < len(spans) && len(joined) < mostJoined; j++ {
			w, wrapped := word(j), strings.Contains(gap(j), "\n")
			if strings.TrimSpace(gap(j)) != "" || identifier(w) {
				break
			}
			last := width > 0 && len(w) != width
			if width == 0 {
				if width = len(w); !wrapped && width != len(joined) {
					last, width = width < len(joined), len(joined)
					if !last {
						break
					}
				}
			}
			if last && len(w) > width {
				break
			}
			joined += w
			all = append(all, candidate{joined, spans[i][0], spans[j][1]})
			if last {
				break
			}
		}
	}
	return all
}

// bare returns a word without a 0x before hexadecimal digits and without the colons between bytes.
// Base64 may begin with these two characters, too.
func bare(word string) string {
	word = strings.ReplaceAll(word, ":", "")
	if len(word) > 2 && (word[:2] == "0x" || word[:2] == "0X") && hexText().MatchString(word[2:]) {
		word = word[2:]
	}
	return word
}

var (
	hexText  = pattern(`^[0-9a-fA-F]+$`)
	identity = pattern(`^(?i:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
)

// identifier reports whether a word is a complete digest or ID, possibly of a list.
func identifier(word string) bool {
	return identity().MatchString(word) || isDigest(word)
}

// isDigest reports 32 bytes in base58, as Sui writes digests.
func isDigest(word string) bool {
	if len(word) < 43 || len(word) > 44 {
		return false
	}
	raw, err := base58.Decode(word)
	return err == nil && len(raw) == 32
}

// identifier58 reports whether a word is base58 and no longer than a Monero address, which includes
// Solana signatures and IPFS file names.
func identifier58(word string) bool {
	_, err := base58.Decode(word)
	return err == nil && len(word) <= 106
}

// judge classifies a candidate; "" means harmless. most is how many encoded characters its text may
// have.
func (c candidate) judge(text string, most int) Class {
	switch {
	case len(c.text) >= 40 && changes(c.text) >= 6 && c.called(text):
		return RawKey
	case hexText().MatchString(c.text):
		return c.judgeHex(most)
	//mutant:never ./internal/screen TestPastes
	case keyBase64(c.text):
		return RawKey
	case len(c.text) >= most && encoded(c.text) && !identifier58(c.text):
		return Payload
	}
	return ""
}

// judgeHex recognizes 33 bytes by the leading flag, and 64 and 65 by their number. 32 bytes are an
// address, an object ID or a digest unless the context says otherwise.
func (c candidate) judgeHex(most int) Class {
	switch {
	case changes(c.text) < 6: // one digit after another
	//mutant:never `len(c.text) == 128` ./internal/screen TestPastes
	case len(c.text) == 66 && c.text[0] == '0' && c.text[1] <= '3', len(c.text) == 128, len(c.text) == 130:
		return RawKey
	case len(c.text) >= max(most, 67): // more than an id and a flag
		return Payload
	}
	return ""
}

// called reports that the text calls the candidate a key, before it or after it.
func (c candidate) called(text string) bool {
	const before, after = 48, 40
	ahead := publicKey().ReplaceAllString(text[max(0, c.from-before):c.from], ";")
	return called().MatchString(ahead) || calledAfter().MatchString(text[c.to:min(len(text), c.to+after)])
}

// keyBase64 knows the base64 of 32, 64 and 65 bytes by its padding, and that of
// 33 bytes by the flag of their scheme, as in the entries of a Sui keystore.
func keyBase64(word string) bool {
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(word)
	raw, err := base64.StdEncoding.DecodeString(plain)
	if err != nil || readable(raw) {
		return false
	}
	switch len(raw) {
	case 32, 64, 65:
		return changes(word) >= 12
	case 33:
		return raw[0] <= 2 && changes(word) >= 13 && !isDigest(word)
	}
	return false
}

// encoded reports whether a text mixes upper case, lower case and digits with few other characters,
// unlike paths and names of many words.
func encoded(word string) bool {
	signs := strings.Count(word, "-") + strings.Count(word, "_") + strings.Count(word, "/")
	return signs < len(word)/10 && strings.ContainsAny(word, "0123456789") &&
		word != strings.ToLower(word) && word != strings.ToUpper(word)
}

// readable reports whether bytes are text: base64 of words is not a key.
func readable(raw []byte) bool {
	for _, b := range raw {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}

// changes counts the changes from lower case to capitals, digits or other characters. They are
// frequent in random letters, but not in names and words.
func changes(word string) int {
	kind := func(b byte) int {
		switch {
		case 'a' <= b && b <= 'z':
			return 0
		case 'A' <= b && b <= 'Z':
			return 1
		case '0' <= b && b <= '9':
			return 2
		}
		return 3
	}
	n := 0
	for i := 1; i < len(word); i++ {
		if kind(word[i]) != kind(word[i-1]) {
			n++
		}
	}
	return n
}
