package screen

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"

	"github.com/mr-tron/base58"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Class is a kind of secret.
type Class string

// Classes of secrets, in the order in which they are detected.
const (
	SuiKey     Class = "sui_private_key" // Bech32 with the human part suiprivkey
	WalletKey  Class = "wallet_key"      // another program's private key format
	Phrase     Class = "recovery_phrase" // 12 to 24 words of a BIP-39 list
	RawKey     Class = "raw_key"         // 33, 64 or 65 bytes in hexadecimal, 32 to 65 in base64, or called a key
	Payload    Class = "encoded_payload" // 160 or more encoded characters, such as a transaction or a signature
	Term       Class = "forbidden_field" // the name of a field for keys, signatures or transactions
	AddressKey Class = "key_of_address"  // private key of a known account or of an address in the document
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

// Found says where a secret was found and what it looks like. It never contains the secret.
type Found struct {
	Path  string
	Class Class
}

// Find searches all texts of a document for secrets that a user pasted by accident. The texts are
// found by the type of the document, as Fields describes, so that none is missed. own are the known
// accounts. Find returns false if it finds nothing.
//
// Find does not decode hidden secrets. It also misses a raw key that looks like an object ID or a
// digest, unless a word next to it calls it a key or it owns a known account.
func Find[D any](name string, document D, own []sui.Address) (found Found, ok bool) {
	fields := Fields(name, document)
	for _, f := range fields {
		if class := f.look(); class != "" {
			return Found{f.Path, class}, true
		}
	}
	return findOwned(fields, own)
}

// look classifies one text by its form.
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

// pattern returns a function that compiles an expression on first use, because most processes never
// need it.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// blanks removes the characters that may separate parts of a key.
var blanks = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", "\u00a0", "", "-", "")

var (
	// suiKey matches the beginning of a Sui key, in lower case and without blanks.
	suiKey = pattern(`suiprivkey1[02-9ac-hj-np-z]{20}`)
	// foreignKey matches keys of other programs in formats that identify themselves.
	foreignKey = pattern(`-----BEGIN [A-Z ]*PRIVATE KEY-----|\b[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{90}|(?i:\bnsec1[02-9ac-hj-np-z]{40})|` +
		`(?i:\bAGE-SECRET-KEY-1[02-9ac-hj-np-z]{40})`)
	// fieldName matches names of fields for keys, signatures, transactions or a chosen route, as
	// they appear in code: as one word, with a hyphen or an underscore, or before a value. In a
	// sentence, the same words are allowed.
	fieldName = pattern(`(?:\b|_)(?:transactionBytes|txBytes|transaction[_-]bytes|tx[_-]bytes|` +
		`serializedTransaction|serialized[_-]transaction|signedTransaction|signed[_-]transaction|unsignedTx|unsigned[_-]tx(?:[_-]hex)?|` +
		`signingRequest|signing[_-]request|walletAuthorization|wallet[_-]authorization|` +
		`privateKey|private[_-]key|secretKey|secret[_-]key|seedPhrase|seed[_-]phrase|` +
		`routeSelectedPlan|route[_-]selected(?:[ _-]plan)?|routeSelected|bcsTransaction|bcs[_-]transaction|programmableTransaction)\b|` +
		`(?i:\b(?:signature|(?:transaction|tx) bytes|(?:serialized|signed) transaction|signing request)["']?\s*[:=]\s*["'\[{]?[a-z+/]{0,20}[0-9][0-9a-z+/]{6}|` +
		`"(?:mnemonic|seed|signatures?|private ?key|secret ?key|passphrase)"\s*:)`)
	// harmless matches links, images and named digests, which are not searched for keys.
	harmless = pattern(`(?i)\b(?:[a-z][a-z0-9+.-]*://[^\s"'<>]+|data:(?:image|font)/[a-z0-9.+-]+;base64,[a-z0-9+/=]+|` +
		`sha-?(?:1|224|256|384|512)[-:=/ ]+[a-z0-9+/=_-]+)`)
	// called matches words that call the text after them a key. calledAfter matches such words
	// after it.
	called = pattern(`(?i)(?:\b(?:private|secret|priv|signing|wallet) ?keys?\b|\bkey ?pair\b|\bmnemonic\b|\bentropy\b)[^.;!?]{0,24}$|` +
		`\b(?:key|seed)(?: phrase| hex)?["']?\s*(?:[:=]|is)\s*["'\[]?\s*$`)
	calledAfter = pattern(`(?i)^["')]*\s*(?:is|was|=|,|\(|-|–|<-)?\s*(?:my|the|a|our)?\s*(?:private|secret|signing) ?key`)
	publicKey   = pattern(`(?i)\b(?:pub(?:lic)?|object|api|pool)[ _-]?keys?\b`)
)

// candidate is a text that could encode a key. It may have been joined across blanks.
type candidate struct {
	text     string
	from, to int
}

// token matches a word, or bytes in hexadecimal separated by colons.
var token = pattern(`\b(?i:[0-9a-f]{2}(?::[0-9a-f]{2}){15,})\b|[A-Za-z0-9+/_-]+={0,2}`)

// mostJoined limits the length of a candidate. A longer one is reported as a payload in any case.
const mostJoined = 200

// candidates returns the words of a text, and what results from joining consecutive words or lines
// of equal length, as in a wrapped key. The last word of a group may be shorter. So may the first,
// if a line ends after it.
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

// bare removes colons between bytes, and 0x before hexadecimal digits. It keeps 0x at the beginning
// of base64.
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

// identifier reports whether a word is a complete digest or ID.
func identifier(word string) bool {
	return identity().MatchString(word) || isDigest(word)
}

// isDigest reports whether a word is 32 bytes in base58, which is how Sui writes digests.
func isDigest(word string) bool {
	if len(word) < 43 || len(word) > 44 {
		return false
	}
	raw, err := base58.Decode(word)
	return err == nil && len(raw) == 32
}

// identifier58 reports whether a word is base58 and at most as long as a Monero address. This
// includes Solana signatures and IPFS names.
func identifier58(word string) bool {
	_, err := base58.Decode(word)
	return err == nil && len(word) <= 106
}

// judge classifies a candidate. It returns "" if the candidate is harmless. most is the number of
// encoded characters at which its text is rejected.
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

// judgeHex classifies hexadecimal digits. 33 bytes are a key if the first is the flag of a scheme,
// and 64 and 65 bytes are always keys. 32 bytes may be an address, an object ID or a digest.
func (c candidate) judgeHex(most int) Class {
	switch {
	case changes(c.text) < 6: // too regular for a key
	//mutant:never `len(c.text) == 128` ./internal/screen TestPastes
	case len(c.text) == 66 && c.text[0] == '0' && c.text[1] <= '3', len(c.text) == 128, len(c.text) == 130:
		return RawKey
	case len(c.text) >= max(most, 67): // longer than an ID with a flag
		return Payload
	}
	return ""
}

// called reports whether the text calls the candidate a key, directly before or after it.
func (c candidate) called(text string) bool {
	const before, after = 48, 40
	ahead := publicKey().ReplaceAllString(text[max(0, c.from-before):c.from], ";")
	return called().MatchString(ahead) || calledAfter().MatchString(text[c.to:min(len(text), c.to+after)])
}

// keyBase64 reports whether a word is a key in base64. It may have 32, 64 or 65 bytes, or 33 bytes
// with the flag of a scheme, as in a Sui keystore.
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

// encoded reports whether a word mixes upper case, lower case and digits, with few other
// characters. Paths and long names do not.
func encoded(word string) bool {
	signs := strings.Count(word, "-") + strings.Count(word, "_") + strings.Count(word, "/")
	return signs < len(word)/10 && strings.ContainsAny(word, "0123456789") &&
		word != strings.ToLower(word) && word != strings.ToUpper(word)
}

// readable reports whether bytes are text. Base64 of text is not a key.
func readable(raw []byte) bool {
	for _, b := range raw {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}

// changes counts how often a word changes between lower case, capitals, digits and other
// characters. Random text has many such changes, unlike names and words.
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
