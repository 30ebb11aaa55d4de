package screen

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// layers is how many encodings, one inside the other, are undone.
const layers = 2

// views gives the readings of a text that a person or a program could take from
// it: without what cannot be seen, in plain letters, and decoded.
func views(text string) []string {
	all := []string{text}
	add := func(view string) {
		if view != "" && !slices.Contains(all, view) {
			all = append(all, view)
		}
	}
	add(plain(text))
	for _, view := range all {
		for _, read := range []func(string) string{codes, spelled} {
			add(read(view))
		}
	}
	if strings.ContainsFunc(text, tag) {
		add(strings.Map(untagged, text))
	}
	for depth, from := 0, 0; depth < layers; depth++ {
		to := len(all)
		for _, view := range all[from:to] {
			for _, decode := range []func(string) string{unpercent, html.UnescapeString, unescape, base64Text, hexText} {
				if decoded := decode(view); decoded != view {
					add(plain(decoded))
				}
			}
		}
		from = to
	}
	return all
}

// tag reports characters of the tag block, which repeat ASCII invisibly.
func tag(r rune) bool { return 0xe0020 <= r && r <= 0xe007e }

func untagged(r rune) rune {
	if tag(r) {
		return r - 0xe0000
	}
	return -1
}

// plain removes what is not seen and puts letters that imitate Latin ones, in
// compatibility forms or other alphabets, back into Latin. Case is kept.
func plain(text string) string {
	if ascii(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, text)
	text = norm.NFKC.String(text)
	return strings.Map(unframed, toLatin.Replace(text))
}

// unframed gives the letter inside a coloured circle or square, or of a flag:
// compatibility forms leave these out.
func unframed(r rune) rune {
	for _, first := range []rune{0x1f150, 0x1f170, 0x1f1e6} {
		if first <= r && r < first+26 {
			return 'A' + r - first
		}
	}
	return r
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unseen reports format characters and what a renderer ignores by default.
func unseen(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Cf, r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector))
}

// The letters of other alphabets that look like the Latin ones at the same place.
const (
	foreign = "АВЕЅІЈКМНОРСТУХԀҺԚԜавеѕіјкмнорстухԁһӏԛԝѵьгпиΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεικνορτυχϲϳıɡɑſℓᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ"
	imitate = "ABESIJKMHOPCTYXDHQWabesijkmhopctyxdhlqwvbrnuABEZHIKMNOPTYXabeikvoptuxcjigaslabcdefghijklmnoprstuvwyz"
)

// toLatin puts them back.
var toLatin = func() *strings.Replacer {
	var pairs []string
	for i, r := range []rune(foreign) {
		pairs = append(pairs, string(r), imitate[i:i+1])
	}
	return strings.NewReplacer(pairs...)
}()

// unpercent undoes URL escapes, those that are whole.
func unpercent(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return replaceEscapes(text, "%", 2, 16)
}

// unescape undoes \xNN, \uNNNN, \u{N…} and \NNN escapes, and those of one letter.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	text = replaceEscapes(text, `\x`, 2, 16)
	text = replaceEscapes(text, `\u`, 4, 16)
	return letterEscapes.Replace(replaceEscapes(text, `\`, 3, 8))
}

var letterEscapes = strings.NewReplacer(`\n`, "\n", `\r`, "\n", `\t`, "\t", `\/`, "/", `\"`, `"`)

// replaceEscapes replaces mark and so many digits of a base by the code point.
func replaceEscapes(text, mark string, digits, base int) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, mark)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		number, rest := "", after
		if inner, past, closed := strings.Cut(after, "}"); strings.HasPrefix(after, "{") && closed {
			number, rest = inner[1:], past
		} else if len(after) >= digits {
			number, rest = after[:digits], after[digits:]
		}
		if n, err := strconv.ParseUint(number, base, 21); err == nil {
			b.WriteRune(rune(n))
			text = rest
			continue
		}
		b.WriteString(mark)
		text = after
	}
}

// base64Text decodes what is base64 of readable text; text itself where nothing is.
func base64Text(text string) string {
	return decodeTokens(text, 16, base64Letter, func(token string) ([]byte, bool) {
		b, err := base64.RawStdEncoding.DecodeString(standard.Replace(token))
		return b, err == nil
	})
}

// standard puts the letters of url-safe base64 back into the usual ones.
var standard = strings.NewReplacer("-", "+", "_", "/")

// hexText decodes what is hexadecimal of readable text.
func hexText(text string) string {
	return decodeTokens(text, 24, hexLetter, func(token string) ([]byte, bool) {
		b, err := hex.DecodeString(token)
		return b, err == nil
	})
}

// decodeTokens gives the decoded tokens of at least so many letters, joined:
// lines of one encoded text come together again.
func decodeTokens(text string, least int, letter func(byte) bool, decode func(string) ([]byte, bool)) string {
	var b strings.Builder
	for start := 0; start < len(text); {
		end := start
		for end < len(text) && letter(text[end]) {
			end++
		}
		if end-start >= least {
			if decoded, ok := decode(text[start:end]); ok && readable(decoded) {
				b.Write(decoded)
			}
		}
		start = end + 1
	}
	if b.Len() == 0 {
		return text
	}
	return b.String()
}

func readable(b []byte) bool {
	if !utf8.Valid(b) {
		return false
	}
	for _, r := range string(b) {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}
