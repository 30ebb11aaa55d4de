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
	Phrase     Class = "recovery_phrase" // 12 to 24 words of a list of BIP-39
	RawKey     Class = "raw_key"         // 33, 64 or 65 bytes in hexadecimal, 32 to 65 in base64, or called a key
	Payload    Class = "encoded_payload" // 160 and more encoded characters: a transaction, a signature
	Term       Class = "forbidden_field" // the name of a field for keys, signatures or transactions
	AddressKey Class = "key_of_address"  // the private key of an account that is known here or named beside it
)

// words say what was found, to complete "holds what looks like …".
var words = map[Class]string{
	SuiKey:     "a Sui private key",
	WalletKey:  "a private key in the format of another program",
	Phrase:     "a recovery phrase",
	RawKey:     "a private key in encoded form",
	Payload:    "encoded transaction material",
	Term:       "a field for keys, signatures, transactions or a chosen route",
	AddressKey: "the private key of an address that is known here",
}

// Words name the class, to complete "holds what looks like …".
func (c Class) Words() string { return words[c] }

// Found says where something was found and what it looks like. It never holds
// the text.
type Found struct {
	Path  string
	Class Class
}

// Find looks through every text of a document for what people paste by accident
// and must not be taken in. document is any value: its texts are found by its
// type (see Fields), so that none can be left out. own are the accounts that are
// known here: 32 bytes that are the private key of one of them are found however
// innocent their place is. ok is false where nothing was found.
//
// What it does not do: break codes. A secret that somebody hid on purpose
// passes; so does a raw key that is written like an object id or a digest, is
// not called a key, and owns no known account.
func Find[D any](name string, document D, own []sui.Address) (found Found, ok bool) {
	fields := Fields(name, document)
	for _, f := range fields {
		if class := f.look(); class != "" {
			return Found{f.Path, class}, true
		}
	}
	return findOwned(fields, own)
}

// look judges one text by its form alone.
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

// pattern returns an expression that is compiled when it is first asked for:
// most processes screen nothing.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// blanks are what a key is spaced or wrapped with.
var blanks = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", "\u00a0", "", "-", "")

var (
	// suiKey is the whole of a Sui key or most of it, in lower case without blanks.
	suiKey = pattern(`suiprivkey1[02-9ac-hj-np-z]{20}`)
	// foreignKey are the formats of other programs that say what they are.
	foreignKey = pattern(`-----BEGIN [A-Z ]*PRIVATE KEY-----|\b[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{90}|(?i:\bnsec1[02-9ac-hj-np-z]{40})|` +
		`(?i:\bAGE-SECRET-KEY-1[02-9ac-hj-np-z]{40})`)
	// fieldName are names of fields that carry keys, signatures, transactions or a
	// route that somebody selected, as programs write them: in one word, with a
	// hyphen or an underscore, or with a value behind them. The same words in a
	// sentence are a subject to talk about and stay.
	fieldName = pattern(`(?:\b|_)(?:transactionBytes|txBytes|transaction[_-]bytes|tx[_-]bytes|` +
		`serializedTransaction|serialized[_-]transaction|signedTransaction|signed[_-]transaction|unsignedTx|unsigned[_-]tx(?:[_-]hex)?|` +
		`signingRequest|signing[_-]request|walletAuthorization|wallet[_-]authorization|` +
		`privateKey|private[_-]key|secretKey|secret[_-]key|seedPhrase|seed[_-]phrase|` +
		`routeSelectedPlan|route[_-]selected(?:[ _-]plan)?|routeSelected|bcsTransaction|bcs[_-]transaction|programmableTransaction)\b|` +
		`(?i:\b(?:signature|(?:transaction|tx) bytes|(?:serialized|signed) transaction|signing request)["']?\s*[:=]\s*["'\[{]?[a-z+/]{0,20}[0-9][0-9a-z+/]{6}|` +
		`"(?:mnemonic|seed|signatures?|private ?key|secret ?key|passphrase)"\s*:)`)
	// harmless are links, images and named digests: what is in them is no key.
	harmless = pattern(`(?i)\b(?:[a-z][a-z0-9+.-]*://[^\s"'<>]+|data:(?:image|font)/[a-z0-9.+-]+;base64,[a-z0-9+/=]+|` +
		`sha-?(?:1|224|256|384|512)[-:=/ ]+[a-z0-9+/=_-]+)`)
	// called is what a key is called right before it, calledAfter right after.
	called = pattern(`(?i)(?:\b(?:private|secret|priv|signing|wallet) ?keys?\b|\bkey ?pair\b|\bmnemonic\b|\bentropy\b)[^.;!?]{0,24}$|` +
		`\b(?:key|seed)(?: phrase| hex)?["']?\s*(?:[:=]|is)\s*["'\[]?\s*$`)
	calledAfter = pattern(`(?i)^["')]*\s*(?:is|was|=|,|\(|-|–|<-)?\s*(?:my|the|a|our)?\s*(?:private|secret|signing) ?key`)
	publicKey   = pattern(`(?i)\b(?:pub(?:lic)?|object|api|pool)[ _-]?keys?\b`)
)

// candidate is a run of letters and digits that could encode a key, put
// together across blanks, and where it stands.
type candidate struct {
	text     string
	from, to int
}

// token is a word, or bytes with colons between them.
var token = pattern(`\b(?i:[0-9a-f]{2}(?::[0-9a-f]{2}){15,})\b|[A-Za-z0-9+/_-]+={0,2}`)

// mostJoined bounds a candidate; payloads are longer than it takes to tell them.
const mostJoined = 200

// candidates lists the words of a text, and what groups of words or lines give
// together: all of one length but the last, and the first where a line ends.
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

// bare is a word without 0x in front of hexadecimal digits and without the colons
// between bytes. Base64 may begin with these two characters, too.
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

// identifier reports a word that is whole: a digest or an id, of a list of them.
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

// identifier58 reports what is written in base58 and no longer than an address of Monero:
// signatures of Solana and names of files in IPFS, too.
func identifier58(word string) bool {
	_, err := base58.Decode(word)
	return err == nil && len(word) <= 106
}

// judge says what a candidate is, "" for nothing. most is how many encoded
// characters its text may have.
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

// judgeHex knows 33 bytes by the flag in front, 64 and 65 by their number. 32
// bytes are an address, an object id or a digest until somebody says otherwise.
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

// encoded reports letters of both sizes and digits with few signs between them:
// no path and no name of many words is written so.
func encoded(word string) bool {
	signs := strings.Count(word, "-") + strings.Count(word, "_") + strings.Count(word, "/")
	return signs < len(word)/10 && strings.ContainsAny(word, "0123456789") &&
		word != strings.ToLower(word) && word != strings.ToUpper(word)
}

// readable reports bytes that are text: base64 of words is no key.
func readable(raw []byte) bool {
	for _, b := range raw {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}

// changes counts where a word goes over from small letters to capitals, digits
// or signs. Random letters do so all the time, names and words do not.
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
