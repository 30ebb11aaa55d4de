package screen_test

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/mr-tron/base58"
	"github.com/tyler-smith/go-bip39/wordlists"
	"golang.org/x/text/unicode/norm"
)

// attack writes one fresh secret into the texts of a document.
type attack struct {
	name  string
	write func(d draw) []string
}

// draw makes fresh secrets.
type draw struct{ *rand.Rand }

func (d draw) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

func (d draw) hex(n int) string { return hex.EncodeToString(d.bytes(n)) }

// mnemonic gives the places of a phrase of so many words with its checksum.
func (d draw) mnemonic(words int) []int {
	entropy := d.bytes(words * 4 / 3)
	sum := sha256.Sum256(entropy)
	n := new(big.Int).SetBytes(entropy)
	extra := uint(words / 3)
	n.Lsh(n, extra).Or(n, big.NewInt(int64(sum[0]>>(8-extra))))
	places := make([]int, words)
	for i := range places {
		places[words-1-i] = int(new(big.Int).And(n, big.NewInt(2047)).Int64())
		n.Rsh(n, 11)
	}
	return places
}

func in(list []string, places []int) []string {
	words := make([]string, len(places))
	for i, p := range places {
		words[i] = list[p]
	}
	return words
}

func (d draw) phrase(words int) []string { return in(wordlists.English, d.mnemonic(words)) }

// suiKey gives the Bech32 of a fresh flagged key, by the text of BIP-173.
func (d draw) suiKey() string {
	const charset, part = "qpzry9x8gf2tvdw0s3jn54khce6mua7l", "suiprivkey"
	raw := append([]byte{byte(d.IntN(3))}, d.bytes(32)...)
	var data []int
	acc, bits := 0, 0
	for _, b := range raw {
		acc, bits = acc<<8|int(b), bits+8
		for ; bits >= 5; bits -= 5 {
			data = append(data, acc>>(bits-5)&31)
		}
		acc &= 1<<bits - 1
	}
	data = append(data, acc<<(5-bits)&31)
	var values []int
	for _, c := range part {
		values = append(values, int(c)>>5)
	}
	values = append(values, 0)
	for _, c := range part {
		values = append(values, int(c)&31)
	}
	values = append(append(values, data...), 0, 0, 0, 0, 0, 0)
	check := 1
	for _, v := range values {
		top := check >> 25
		check = (check&0x1ffffff)<<5 ^ v
		for i, g := range []int{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				check ^= g
			}
		}
	}
	check ^= 1
	for i := range 6 {
		data = append(data, check>>(5*(5-i))&31)
	}
	var b strings.Builder
	for _, v := range data {
		b.WriteByte(charset[v])
	}
	return part + "1" + b.String()
}

func backwards(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

func grouped(s string, n int, by string) string {
	var parts []string
	for ; len(s) > n; s = s[n:] {
		parts = append(parts, s[:n])
	}
	return strings.Join(append(parts, s), by)
}

func mapped(s, from, to string) string {
	target := []rune(to)
	return strings.Map(func(r rune) rune {
		if i := slices.Index([]rune(from), r); i >= 0 {
			return target[i]
		}
		return r
	}, s)
}

func wide(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r + 0xfee0
		}
		return r
	}, s)
}

func tagged(s string) string { return strings.Map(func(r rune) rune { return r + 0xe0000 }, s) }

func list(numbers []int, by string) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), by), "[]")
}

func bytesOf(b []byte) []int {
	var out []int
	for _, v := range b {
		out = append(out, int(v))
	}
	return out
}

func escaped(s, form string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, form, c)
	}
	return b.String()
}

// one puts a secret into an ordinary sentence.
func one(write func(d draw) string) func(d draw) []string {
	return func(d draw) []string {
		before := []string{"", "use this: ", "Please pay with ", "as agreed, "}
		after := []string{"", " thanks", ".", " and then go on."}
		return []string{"Pay the invoice", before[d.IntN(len(before))] + write(d) + after[d.IntN(len(after))], "monthly"}
	}
}

//go:embed portuguese.txt
var portuguese string

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// attacks are the shapes of the threat model, each from a fresh secret.
func attacks() []attack {
	b64, url64 := base64.StdEncoding, base64.RawURLEncoding
	join := func(n int, by string) func(d draw) string {
		return func(d draw) string { return strings.Join(d.phrase(n), by) }
	}
	all := []attack{
		{"Sui key", one(draw.suiKey)},
		{"Sui key in capitals", one(func(d draw) string { return strings.ToUpper(d.suiKey()) })},
		{"Sui key with a zero width space", one(func(d draw) string { s := d.suiKey(); return s[:4] + "\u200b" + s[4:] })},
		{"Sui key with soft hyphens", one(func(d draw) string { return grouped(d.suiKey(), 3, "\u00ad") })},
		{"Sui key cut by a space", one(func(d draw) string { s := d.suiKey(); return s[:6] + " " + s[6:] })},
		{"Sui key in wide letters", one(func(d draw) string { return wide(d.suiKey()) })},
		{"Sui key with look-alikes", one(func(d draw) string { return mapped(d.suiKey(), "eapcx", "еарсх") })},
		{"data part of a Sui key", one(func(d draw) string { return d.suiKey()[11:] })},
		{"data part in groups", one(func(d draw) string { return grouped(d.suiKey()[11:], 4, " ") })},
		{"Sui key backwards", one(func(d draw) string { return backwards(d.suiKey()) })},
		{"data part backwards", one(func(d draw) string { return backwards(d.suiKey()[11:]) })},
		{"Sui key in invisible tags", one(func(d draw) string { return "hello" + tagged(d.suiKey()) })},
		{"hex", one(func(d draw) string { return d.hex(32) })},
		{"hex with 0x", one(func(d draw) string { return "0x" + d.hex(32) })},
		{"hex in capitals", one(func(d draw) string { return strings.ToUpper(d.hex(32)) })},
		{"hex with its flag", one(func(d draw) string { return "00" + d.hex(32) })},
		{"hex of a key pair", one(func(d draw) string { return d.hex(64) })},
		{"hex of a flagged key pair", one(func(d draw) string { return "0x00" + d.hex(64) })},
		{"hex in colon pairs", one(func(d draw) string { return grouped(d.hex(32), 2, ":") })},
		{"hex in groups of eight", one(func(d draw) string { return grouped(d.hex(32), 8, " ") })},
		{"hex on two lines", one(func(d draw) string { return grouped(d.hex(32), 32, "\n") })},
		{"hex words with 0x", one(func(d draw) string { return "0x" + grouped(d.hex(32), 8, ", 0x") })},
		{"hex of the entropy", one(func(d draw) string { return d.hex(16) })},
		{"hex escaped", one(func(d draw) string { return escaped(string(d.hex(32)), `\x%02x`) })},
		{"base64", one(func(d draw) string { return b64.EncodeToString(d.bytes(32)) })},
		{"base64 without padding", one(func(d draw) string { return url64.EncodeToString(d.bytes(32)) })},
		{"base64 of a keystore entry", one(func(d draw) string { return `["` + b64.EncodeToString(append([]byte{0}, d.bytes(32)...)) + `"]` })},
		{"base64 of 48 bytes", one(func(d draw) string { return b64.EncodeToString(d.bytes(48)) })},
		{"base64 of 64 bytes", one(func(d draw) string { return b64.EncodeToString(d.bytes(64)) })},
		{"base64 of 65 bytes", one(func(d draw) string { return url64.EncodeToString(d.bytes(65)) })},
		{"base64 of 66 bytes", one(func(d draw) string { return b64.EncodeToString(d.bytes(66)) })},
		{"base64 on two lines", one(func(d draw) string { return grouped(b64.EncodeToString(d.bytes(32)), 22, "\n") })},
		{"base58", one(func(d draw) string { return base58.Encode(d.bytes(32)) })},
		{"base58 of 33 bytes", one(func(d draw) string { return base58.Encode(append([]byte{0x80}, d.bytes(32)...)) })},
		{"base58 of 64 bytes", one(func(d draw) string { return base58.Encode(d.bytes(64)) })},
		{"WIF", one(func(d draw) string { return base58.Encode(append([]byte{0x80}, d.bytes(36)...)) })},
		{"WIF, compressed", one(func(d draw) string { return base58.Encode(append([]byte{0x80}, d.bytes(37)...)) })},
		{"extended key", one(func(d draw) string { return "xprv" + base58.Encode(d.bytes(78)) })},
		{"extended key, other", one(func(d draw) string { return "zprv9" + base58.Encode(d.bytes(77)) })},
		{"list of bytes", one(func(d draw) string { return "[" + list(bytesOf(d.bytes(32)), ", ") + "]" })},
		{"list of hex bytes", one(func(d draw) string { return "0x" + grouped(d.hex(32), 2, ",0x") })},
		{"decimal", one(func(d draw) string {
			return new(big.Int).SetBytes(append([]byte{byte(1 + d.IntN(255))}, d.bytes(31)...)).String()
		})},
		{"bits", one(func(d draw) string { return fmt.Sprintf("%0256b", new(big.Int).SetBytes(d.bytes(32))) })},
		{"bits in groups", one(func(d draw) string { return grouped(fmt.Sprintf("%0128b", new(big.Int).SetBytes(d.bytes(16))), 8, " ") })},
		{"PEM", one(func(d draw) string {
			return "-----BEGIN PRIVATE KEY-----\n" + b64.EncodeToString(d.bytes(48)) + "\n-----END PRIVATE KEY-----"
		})},
		{"JWK", one(func(d draw) string {
			return `{"kty":"OKP","crv":"Ed25519","d":"` + url64.EncodeToString(d.bytes(32)) + `"}`
		})},
		{"keystore", one(func(d draw) string { return `{"crypto":{"ciphertext":"` + d.hex(20) + `","kdf":"scrypt"}}` })},
		{"age", one(func(d draw) string { return "AGE-SECRET-KEY-1" + strings.ToUpper(d.suiKey()[11:]) })},
		{"transaction bytes", one(func(d draw) string { return b64.EncodeToString(d.bytes(200)) })},
		{"transaction bytes in hex", one(func(d draw) string { return "0x" + d.hex(200) })},
		{"wrapped signature", one(func(d draw) string { return grouped(b64.EncodeToString(d.bytes(130)), 64, "\n") })},
		{"field of a private key", one(func(d draw) string { return `privateKey=` + d.hex(20) })},
		{"12 words", one(join(12, " "))}, {"15 words", one(join(15, " "))}, {"18 words", one(join(18, " "))},
		{"21 words", one(join(21, " "))}, {"24 words", one(join(24, " "))},
		{"words in capitals", one(func(d draw) string { return strings.ToUpper(strings.Join(d.phrase(12), " ")) })},
		{"words by commas", one(join(12, ", "))}, {"words by lines", one(join(12, "\n"))}, {"words in a table", one(join(12, " | "))},
		{"words glued", one(join(24, ""))},
		{"words glued in camel case", one(func(d draw) string {
			words := d.phrase(12)
			for i, w := range words {
				words[i] = title(w)
			}
			return strings.Join(words, "")
		})},
		{"words, numbered", one(func(d draw) string {
			words := d.phrase(12)
			for i, w := range words {
				words[i] = fmt.Sprintf("%d. %s", i+1, w)
			}
			return strings.Join(words, " ")
		})},
		{"words between fillers", one(join(12, " and "))},
		{"words between two fillers", one(join(12, " then comes "))},
		{"words with look-alikes", one(func(d draw) string { return mapped(strings.Join(d.phrase(12), " "), "aeopcxy", "аеорсху") })},
		{"words with zero width inside", one(func(d draw) string { return grouped(strings.Join(d.phrase(12), " "), 3, "\u200b") })},
		{"words cut to four letters", one(func(d draw) string {
			words := d.phrase(12)
			for i, w := range words {
				words[i] = w[:min(4, len(w))]
			}
			return strings.Join(words, " ")
		})},
		{"words in reverse order", one(func(d draw) string { w := d.phrase(12); slices.Reverse(w); return strings.Join(w, " ") })},
		{"words backwards", one(func(d draw) string { return backwards(strings.Join(d.phrase(12), " ")) })},
		{"letters spaced out", one(func(d draw) string { return grouped(strings.Join(d.phrase(24), ""), 1, " ") })},
		{"11 words", one(func(d draw) string { return strings.Join(d.phrase(12)[:11], " ") })},
		{"one wrong word", one(func(d draw) string {
			w := d.phrase(12)
			w[1+d.IntN(10)] = "xylophonic"
			return strings.Join(w, " ")
		})},
		{"words over two fields", func(d draw) []string {
			w := d.phrase(12)
			return []string{"Pay", strings.Join(w[:6], " "), strings.Join(w[6:], " ")}
		}},
		{"words over fields, cut inside a word", func(d draw) []string {
			s := strings.Join(d.phrase(12), " ")
			cut := len(s) / 2
			for s[cut] == ' ' || s[cut-1] == ' ' {
				cut++
			}
			return []string{s[:cut], s[cut:]}
		}},
		{"a word per field", func(d draw) []string { return d.phrase(12) }},
		{"hex over two fields", func(d draw) []string { s := d.hex(32); return []string{"Pay", "first " + s[:30], s[30:] + " last"} }},
		{"base64 over two fields", func(d draw) []string { s := b64.EncodeToString(d.bytes(32)); return []string{s[:20], s[20:]} }},
		{"base64 of words", one(func(d draw) string { return b64.EncodeToString([]byte(strings.Join(d.phrase(12), " "))) })},
		{"base64 of a Sui key", one(func(d draw) string { return b64.EncodeToString([]byte(d.suiKey())) })},
		{"base64 of hex", one(func(d draw) string { return b64.EncodeToString([]byte(d.hex(32))) })},
		{"base64 of base64 of a Sui key", one(func(d draw) string { return b64.EncodeToString([]byte(b64.EncodeToString([]byte(d.suiKey())))) })},
		{"hex of words", one(func(d draw) string { return hex.EncodeToString([]byte(strings.Join(d.phrase(12), " "))) })},
		{"percent of words", one(func(d draw) string { return escaped(strings.Join(d.phrase(12), " "), "%%%02x") })},
		{"entities of words", one(func(d draw) string { return escaped(strings.Join(d.phrase(12), " "), "&#%d;") })},
		{"escapes of a Sui key", one(func(d draw) string { return escaped(d.suiKey(), `\u%04x`) })},
		{"places of words", one(func(d draw) string { return list(d.mnemonic(12), " ") })},
		{"places of words from one", one(func(d draw) string {
			p := d.mnemonic(24)
			for i := range p {
				p[i]++
			}
			return list(p, ", ")
		})},
	}
	return slices.Concat(all, languages(), keysTold(), wordsTold())
}

// wordList is one of the other nine lists of BIP-39, and what stands between its words.
type wordList struct {
	name  string
	words []string
	by    string
}

func otherLists() []wordList {
	return []wordList{
		{"Spanish", wordlists.Spanish, " "}, {"French", wordlists.French, " "}, {"Italian", wordlists.Italian, " "},
		{"Portuguese", strings.Fields(portuguese), " "}, {"Czech", wordlists.Czech, " "}, {"Japanese", wordlists.Japanese, "\u3000"},
		{"Korean", wordlists.Korean, " "}, {"simplified Chinese", wordlists.ChineseSimplified, " "},
		{"traditional Chinese", wordlists.ChineseTraditional, " "},
	}
}

// languages are phrases of the other nine lists, composed and decomposed.
func languages() []attack {
	var all []attack
	for _, l := range otherLists() {
		all = append(all,
			attack{l.name, one(func(d draw) string { return norm.NFC.String(strings.Join(in(l.words, d.mnemonic(12)), l.by)) })},
			attack{l.name + ", decomposed", one(func(d draw) string { return norm.NFD.String(strings.Join(in(l.words, d.mnemonic(24)), l.by)) })})
		if unicode.Is(unicode.Han, []rune(l.words[0])[0]) {
			all = append(all, attack{l.name + " without spaces", one(func(d draw) string { return strings.Join(in(l.words, d.mnemonic(12)), "") })})
		}
	}
	return all
}
