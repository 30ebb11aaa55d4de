package screen_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"strings"

	"github.com/mr-tron/base58"
)

// keystore is an entry of the Sui keystore: the flag and the key.
func (d draw) keystore() string {
	return base64.StdEncoding.EncodeToString(append([]byte{0}, d.bytes(32)...))
}

// over cuts a secret into so many texts of a document.
func over(s string, n int) []string { return strings.Split(grouped(s, (len(s)+n-1)/n, "\x00"), "\x00") }

// each writes every word of a phrase in some way.
func (d draw) each(write func(i int, w string) string, by string) string {
	words := d.phrase(12)
	for i, w := range words {
		words[i] = write(i, w)
	}
	return strings.Join(words, by)
}

// letters puts every letter of a text through a table of others, in order.
func letters(s string, first rune) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + first
		}
		return r
	}, s)
}

// swapped puts two letters of a word in the wrong order.
func (d draw) swapped(w string) string {
	if len(w) < 4 {
		return w
	}
	i := 1 + d.IntN(len(w)-2)
	return w[:i] + w[i+1:i+2] + w[i:i+1] + w[i+2:]
}

// spelledOut are the names of digits, and of letters in the alphabet of pilots.
func spelledOut(s string, alphabet bool) string {
	digits := strings.Fields("zero one two three four five six seven eight nine")
	pilots := strings.Fields("alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa " +
		"quebec romeo sierra tango uniform victor whiskey xray yankee zulu")
	var all []string
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			all = append(all, digits[c-'0'])
		case alphabet && c >= 'a' && c <= 'z':
			all = append(all, pilots[c-'a'])
		default:
			all = append(all, string(c))
		}
	}
	return strings.Join(all, " ")
}

func formatted(numbers []int, form, by string) string {
	var all []string
	for _, n := range numbers {
		all = append(all, fmt.Sprintf(form, n))
	}
	return strings.Join(all, by)
}

// counted gives numbers with the place of each one before it.
func counted(numbers []int, form, by string) string {
	var all []string
	for i, n := range numbers {
		all = append(all, fmt.Sprintf(form, i, n))
	}
	return strings.Join(all, by)
}

// keysTold are keys as people and programs break, wrap, spell and escape them.
func keysTold() []attack {
	return []attack{
		{"hex over 3 fields", func(d draw) []string { return over(d.hex(32), 3) }},
		{"hex over 8 fields", func(d draw) []string { return over(d.hex(32), 8) }},
		{"hex in two parts with names", func(d draw) []string {
			s := d.hex(32)
			return []string{"part one: " + s[:24], "part two: " + s[24:]}
		}},
		{"hex in four parts with names", func(d draw) []string {
			s := over(d.hex(32), 4)
			return []string{"part a: " + s[0], "part b: " + s[1], "part c: " + s[2], "part d: " + s[3]}
		}},
		{"hex between words", one(func(d draw) string { return grouped(d.hex(32), 16, " then ") })},
		{"base64 over 3 fields", func(d draw) []string { return over(d.keystore(), 3) }},
		{"base64 in two parts with names", func(d draw) []string {
			s := d.keystore()
			return []string{"first half " + s[:22], "second half " + s[22:]}
		}},
		{"base58 over 3 fields", func(d draw) []string { return over(base58.Encode(d.bytes(64)), 3) }},
		{"Sui key over 3 fields", func(d draw) []string { return over(d.suiKey(), 3) }},
		{"Sui key over 8 fields", func(d draw) []string { return over(d.suiKey(), 8) }},
		{"data part in two parts with names", func(d draw) []string {
			s := over(d.suiKey()[11:], 2)
			return []string{"take " + s[0], "then " + s[1]}
		}},
		{"hex backwards", one(func(d draw) string { return backwards("0x" + d.hex(32)) })},
		{"base64 backwards", one(func(d draw) string { return backwards(d.keystore()) })},
		{"base58 backwards", one(func(d draw) string { return backwards(base58.Encode(d.bytes(32))) })},
		{"hex with zero width spaces", one(func(d draw) string { return grouped(d.hex(32), 5, "\u200b") })},
		{"base64 with joiners", one(func(d draw) string { return grouped(d.keystore(), 1, "\u200d") })},
		{"base64 in wide letters", one(func(d draw) string { return wide(d.keystore()) })},
		{"hex by middle dots", one(func(d draw) string { return grouped(d.hex(32), 8, "·") })},
		{"hex by dashes", one(func(d draw) string { return grouped(d.hex(32), 4, "–") })},
		{"hex by arrows", one(func(d draw) string { return grouped(d.hex(32), 8, " → ") })},
		{"hex in brackets", one(func(d draw) string { return "[" + grouped(d.hex(32), 8, "][") + "]" })},
		{"hex pairs by dollars", one(func(d draw) string { return "$" + grouped(d.hex(32), 2, " $") })},
		{"hex in bold", one(func(d draw) string { return "**" + grouped(d.hex(32), 16, "** **") + "**" })},
		{"hex glued to words", one(func(d draw) string { return "code" + d.hex(32) + "abc" })},
		{"hex without a first nought", one(func(d draw) string { return d.hex(31) })},
		{"hex of 96 bytes", one(func(d draw) string { return d.hex(96) })},
		{"hex of longer entropy", one(func(d draw) string { return d.hex(24) })},
		{"base64 glued to words", one(func(d draw) string { return "key" + d.keystore() + "end" })},
		{"base64 in quoted parts", one(func(d draw) string { return `"` + grouped(d.keystore(), 15, `" + "`) + `"` })},
		{"base64 by commas", one(func(d draw) string { return grouped(d.keystore(), 11, ", ") })},
		{"base64 by fours", one(func(d draw) string { return grouped(d.keystore(), 4, " ") })},
		{"base58 by hyphens", one(func(d draw) string { return grouped(base58.Encode(d.bytes(32)), 5, "-") })},
		{"base64 by bars", one(func(d draw) string { return grouped(d.keystore(), 6, "|") })},
		{"base64 with escaped line breaks", one(func(d draw) string { return grouped(d.keystore(), 22, `\n`) })},
		{"base64 with escaped slashes", one(func(d draw) string { return strings.ReplaceAll(d.keystore(), "/", `\/`) })},
		{"base64 in a shell", one(func(d draw) string { return grouped(d.keystore(), 22, "\\\n") })},
		{"base64 in backticks", one(func(d draw) string { return "`" + grouped(d.keystore(), 22, "` `") + "`" })},
		{"base64 in a URL", one(func(d draw) string { return "https://x.test/?k=" + url.QueryEscape(d.keystore()) + "&z=1" })},
		{"base64 in mark-up", one(func(d draw) string { return strings.ReplaceAll(html.EscapeString(d.keystore()), "+", "&#43;") })},
		{"base64 in a mail", one(func(d draw) string { s := d.keystore(); return s[:30] + "=\n" + s[30:] })},
		{"base64 of signatures", one(func(d draw) string { return base64.StdEncoding.EncodeToString(d.bytes(97)) })},
		{"hex in percents", one(func(d draw) string { return escaped(d.hex(32), "%%%02x") })},
		{"bytes in percents", one(func(d draw) string { return escaped(string(d.bytes(32)), "%%%02x") })},
		{"bytes in JSON", one(func(d draw) string { return escaped(string(d.bytes(32)), `\u00%02x`) })},
		{"hex in entities", one(func(d draw) string { return escaped(d.hex(32), "&#x%x;") })},
		{"base32", one(func(d draw) string { return base32.StdEncoding.EncodeToString(d.bytes(32)) })},
		{"base36", one(func(d draw) string { return new(big.Int).SetBytes(append([]byte{128}, d.bytes(31)...)).Text(36) })},
		{"base62", one(func(d draw) string { return new(big.Int).SetBytes(append([]byte{128}, d.bytes(31)...)).Text(62) })},
		{"octal", one(func(d draw) string { return "0o" + new(big.Int).SetBytes(append([]byte{128}, d.bytes(31)...)).Text(8) })},
		{"decimal in thousands", one(func(d draw) string {
			s := new(big.Int).SetBytes(append([]byte{200}, d.bytes(31)...)).String()
			return grouped(strings.Repeat("0", (3-len(s)%3)%3)+s, 3, ",")
		})},
		{"decimal after other numbers", one(func(d draw) string {
			return "pay 5 11 123: " + new(big.Int).SetBytes(append([]byte{200}, d.bytes(31)...)).String()
		})},
		{"decimal of 64 bytes", one(func(d draw) string { return new(big.Int).SetBytes(append([]byte{1}, d.bytes(63)...)).String() })},
		{"hex in words", one(func(d draw) string { return spelledOut(d.hex(32), false) })},
		{"hex in the alphabet of pilots", one(func(d draw) string { return spelledOut(d.hex(32), true) })},
		{"list of bytes by lines", one(func(d draw) string { return list(bytesOf(d.bytes(32)), "\n") })},
		{"list of bytes with types", one(func(d draw) string { return "vec![" + list(bytesOf(d.bytes(32)), "u8, ") + "u8]" })},
		{"list of bytes between words", one(func(d draw) string { return list(bytesOf(d.bytes(32)), " and ") })},
		{"list of bytes, counted", one(func(d draw) string { return counted(bytesOf(d.bytes(32)), "k[%d]=%d;", " ") })},
		{"object of bytes", one(func(d draw) string { return "{" + counted(bytesOf(d.bytes(32)), `"%d":%d`, ",") + "}" })},
		{"list of bytes over two fields", func(d draw) []string {
			p := bytesOf(d.bytes(32))
			return []string{list(p[:16], ","), list(p[16:], ",")}
		}},
		{"Sui key with a broken checksum", one(func(d draw) string { return d.suiKey()[:69] + "q" })},
		{"Sui key cut off", one(func(d draw) string { return d.suiKey()[:60] })},
		{"Sui key by blanks", one(func(d draw) string { return grouped(d.suiKey(), 1, " ") })},
		{"Sui key in percents", one(func(d draw) string { return escaped(d.suiKey(), "%%%02X") })},
		{"Sui key with digits for letters", one(func(d draw) string { return "5u1pr1vk3y1" + d.suiKey()[11:] })},
		{"Sui key in codes", one(func(d draw) string { return list(bytesOf([]byte(d.suiKey())), ", ") })},
		{"Sui key in hex", one(func(d draw) string { return hex.EncodeToString([]byte(d.suiKey())) })},
		{"Sui key in hex pairs", one(func(d draw) string { return grouped(hex.EncodeToString([]byte(d.suiKey())), 2, " ") })},
		{"data part with a broken checksum", one(func(d draw) string { return d.suiKey()[11:69] + "q" })},
		{"data part by blanks", one(func(d draw) string { return grouped(d.suiKey()[11:], 1, " ") })},
		{"data part cut off", one(func(d draw) string { return d.suiKey()[11:64] })},
		{"Nostr key", one(func(d draw) string { return "nsec1" + d.suiKey()[11:69] })},
		{"Stellar key", one(func(d draw) string { return "S" + base32.StdEncoding.EncodeToString(d.bytes(35))[1:] })},
		{"places with their numbers", one(func(d draw) string { return counted(d.mnemonic(12), "%d. %d", "\n") })},
		{"places in hex", one(func(d draw) string { return formatted(d.mnemonic(12), "0x%x", " ") })},
		{"places of four digits", one(func(d draw) string { return formatted(d.mnemonic(12), "%04d", "-") })},
		{"code of 24 places", one(func(d draw) string { return formatted(d.mnemonic(24), "%04d", "") })},
		{"places in bits", one(func(d draw) string { return formatted(d.mnemonic(12), "%011b", " ") })},
		{"places over two fields", func(d draw) []string {
			p := d.mnemonic(12)
			return []string{list(p[:6], " "), list(p[6:], " ")}
		}},
	}
}
