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
	return toLatin.Replace(text)
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
	foreign = "АВЕЅІЈКМНОРСТУХԀҺԚԜавеѕіјкмнорстухԁһӏԛԝѵьгпиΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεικνορτυχϲϳıɡɑſℓ"
	imitate = "ABESIJKMHOPCTYXDHQWabesijkmhopctyxdhlqwvbrnuABEZHIKMNOPTYXabeikvoptuxcjigasl"
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
	return replaceEscapes(text, "%", 2)
}

// unescape undoes \xNN, \uNNNN and \u{N…} escapes.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	text = replaceEscapes(text, `\x`, 2)
	return replaceEscapes(text, `\u`, 4)
}

// replaceEscapes replaces mark and so many hexadecimal digits by the code point.
func replaceEscapes(text, mark string, digits int) string {
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
		if n, err := strconv.ParseUint(number, 16, 21); err == nil {
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
		token = strings.NewReplacer("-", "+", "_", "/").Replace(token)
		b, err := base64.RawStdEncoding.DecodeString(token)
		return b, err == nil
	})
}

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
