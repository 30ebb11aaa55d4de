package screen

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Keys returns the parts of a file that contain a private key or a recovery phrase. It finds keys
// in formats that identify them, blocks from BEGIN to END, phrases, and encoded keys that are items
// of a list or next to a word such as key, secret, private or seed. It ignores other encoded bytes,
// which are common in source code. The parts are unordered and may overlap.
func Keys(text string) []Span {
	found := append(suiKeys(text), blocks(text)...)
	//mutant:drop ./internal/screen TestKeys
	for _, at := range foreignKeys(text) {
		found = append(found, Span{at[0], at[1]})
	}
	found = append(found, phrases(text)...)
	from := 0
	var label string // last line that is not just an item of a list
	for line := range strings.Lines(text) {
		found, label = keysOfLine(found, line, from, label)
		from += len(line)
	}
	return found
}

// suiKeys returns Sui keys, which may contain white space.
func suiKeys(text string) (found []Span) {
	const name, data, minData = "suiprivkey1", 59, 20
	for i := 0; i < len(text); i++ {
		if text[i]|0x20 != 's' {
			continue
		}
		at, n := i, 0
		for n < len(name)+data {
			next := skipBlanks(text, at)
			if next == len(text) {
				break
			}
			c := text[next]
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			if n < len(name) && c != name[n] || n >= len(name) && !strings.ContainsRune("qpzry9x8gf2tvdw0s3jn54khce6mua7l",
				rune(c)) {
				break
			}
			at, n = next+1, n+1
		}
		//mutant:never ./internal/screen TestKeys
		if n >= len(name)+minData {
			found = append(found, Span{i, at})
			i = at - 1
		}
	}
	return found
}

// skipBlanks returns the position of the first byte from at on that does not separate parts of a key.
// It skips at most 16 bytes.
func skipBlanks(text string, at int) int {
	for end := min(at+16, len(text)); at < end; at++ {
		if !strings.ContainsRune(" \t\r\n-", rune(text[at])) && text[at] != 0xc2 && text[at] != 0xa0 {
			break
		}
	}
	return at
}

var (
	blockBegin = pattern(`-{2,5} ?BEGIN[ A-Z0-9]{0,40}\bKEY\b`)
	blockEnd   = pattern(`-{2,5} ?END[ A-Z0-9]{0,40}\bKEY\b[^\n]*`)
)

// blocks returns the parts from a line BEGIN … KEY to END … KEY, or to the end of the text.
func blocks(text string) (found []Span) {
	for from := 0; strings.Contains(text[from:], "BEGIN"); {
		begin := blockBegin().FindStringIndex(text[from:])
		if begin == nil {
			break
		}
		to := len(text)
		if end := blockEnd().FindStringIndex(text[from+begin[1]:]); end != nil {
			to = from + begin[1] + end[1]
		}
		//mutant:drop ./internal/screen TestKeys
		found = append(found, Span{from + begin[0], to})
		from = to
	}
	return found
}

func foreignKeys(text string) [][]int {
	for _, mark := range []string{"prv", "nsec1", "NSEC1", "SECRET-KEY-1", "secret-key-1"} {
		if strings.Contains(text, mark) {
			return foreignKey().FindAllStringIndex(text, -1)
		}
	}
	return nil
}

// minKeyText is the length of the shortest encoded key.
const minKeyText = 40

// runs returns the words of a line that are long enough to be an encoded key.
func runs(line string) (found []Span) {
	inRun := func(c byte) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' ||
			c == '_'
	}
	for i := 0; i < len(line); i++ {
		from := i
		for i < len(line) && inRun(line[i]) {
			i++
		}
		if i-from < minKeyText {
			continue
		}
		for i < len(line) && line[i] == '=' {
			i++
		}
		found = append(found, Span{from, i})
	}
	return found
}

// keysOfLine adds the encoded keys of a line that begins at from. label is the text that precedes a
// list; keysOfLine returns the label for the next line.
func keysOfLine(found []Span, line string, from int, label string) ([]Span, string) {
	all := runs(line)
	rest, last := "", 0
	for _, r := range all {
		rest, last = rest+line[last:r.From], r.To
	}
	rest += line[last:]
	items := !strings.ContainsFunc(rest, unicode.IsLetter) // the line contains only items of a list
	for _, r := range all {
		//mutant:never ./internal/screen TestKeys
		if isFileKey(line, r, items, label) {
			found = append(found, Span{from + r.From, from + r.To})
		}
	}
	if !items {
		label = line
	}
	return found, label
}

// isFileKey reports whether a long word is an encoded key. In a list, 64 hexadecimal digits after
// 0x are an address, unless the label of the list names keys.
func isFileKey(line string, r Span, items bool, label string) bool {
	text := line[r.From:r.To]
	value := bare(text)
	prefixed := value != text
	named := namesKey(line[max(0, r.From-64):r.From]) || namesKey(line[r.To:min(len(line), r.To+40)])
	alone := items || between(line, r)
	switch {
	case hexText().MatchString(value):
		n := len(value)
		if changes(value) < 6 || n != 64 && n != 66 && n != 128 && n != 130 {
			return false
		}
		return named || alone && (!prefixed || items && namesKey(label))
	case keyBase64(text):
		return named || alone && !isDigest(text)
	}
	return named && 2*changes(text) >= len(text)
}

// between reports whether a part is a quoted item of a list in square brackets on one line.
func between(line string, r Span) bool {
	before := strings.TrimRight(line[:r.From], " ")
	after := strings.TrimLeft(line[r.To:], " ")
	if before == "" || after == "" || !strings.ContainsRune(`"'`, rune(before[len(before)-1])) ||
		after[0] != before[len(before)-1] {
		return false
	}
	before = strings.TrimRight(before[:len(before)-1], " ")
	after = strings.TrimLeft(after[1:], " ")
	return before != "" && strings.ContainsRune("[,", rune(before[len(before)-1])) && after != "" &&
		strings.ContainsRune("],", rune(after[0]))
}

// An encoded value next to one of keyWords is a key. One of publicWords before key or keys makes it
// harmless.
var (
	keyWords = []string{"key", "keys", "keypair", "keystore", "private", "priv", "secret", "secrets", "seed", "mnemonic",
		"entropy", "password", "passphrase", "sk", "privkey"}
	publicWords = []string{"public", "pub", "object", "pool", "type", "primary", "foreign", "sort"}
)

// namesKey reports whether a text contains a key word, which may be part of a name in snake_case or
// camelCase.
func namesKey(text string) bool {
	words := nameWords(text)
	for i, w := range words {
		if slices.Contains(keyWords, w) && (i == 0 || w != "key" && w != "keys" || !slices.Contains(publicWords,
			words[i-1])) {
			return true
		}
	}
	return false
}

// nameWords splits a text at non-letters and before capitals, and returns the words in lower case.
func nameWords(text string) (words []string) {
	from := -1
	end := func(at int) {
		if from >= 0 {
			words = append(words, strings.ToLower(text[from:at]))
		}
		from = -1
	}
	var last rune
	for at, r := range text {
		switch {
		case !unicode.IsLetter(r):
			end(at)
		case from >= 0 && unicode.IsUpper(r) && unicode.IsLower(last):
			end(at)
			from = at
		case from < 0:
			from = at
		}
		last = r
	}
	end(len(text))
	return words
}

// Refused reports which lines of another program's text must not be shown: those with a secret that
// Find detects, and those with a word that looks like a code, token or nonce of our pages. If a
// secret spans several lines, it reports all of them.
func Refused(lines []string, own []sui.Address) []bool {
	refused, rest := make([]bool, len(lines)), slices.Clone(lines)
	for i, line := range lines {
		f := Field{Path: "text", Text: line, Name: true}
		_, owned := findOwned([]Field{f}, own)
		//mutant:never ./internal/screen TestRefused
		if refused[i] = owned || f.look() != "" || hasToken(line); refused[i] {
			rest[i] = ""
		}
	}
	together := Field{Path: "text", Text: strings.Join(rest, "\n"), Name: true}
	//mutant:never ./internal/screen TestRefused
	if together.look() != "" {
		for i := range refused {
			refused[i] = true
		}
	}
	return refused
}

// hasToken reports whether a line contains 43 characters of base64url, which encode 32 bytes. The
// codes, tokens and nonces of our pages have this form. Base58 digests and words without capital
// letters, such as bech32 addresses, are excluded; a random token practically always has a capital.
func hasToken(line string) bool {
	return slices.ContainsFunc(runs(line), func(r Span) bool {
		word := line[r.From:r.To]
		raw, err := base64.RawURLEncoding.DecodeString(word)
		return err == nil && len(word) == 43 && len(raw) == 32 && changes(word) >= 12 && word != strings.ToLower(word) &&
			!isDigest(word)
	})
}
