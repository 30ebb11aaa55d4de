package screentest

import (
	"crypto/ed25519"
	crand "crypto/rand"
	"crypto/sha256"
	_ "embed" // for the corpora
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mr-tron/base58"
	"github.com/tyler-smith/go-bip39/wordlists"
	"golang.org/x/text/unicode/norm"

	"github.com/sayurintent/sayurintent/internal/sui"
)

//go:embed testdata/pastes.txt
var pastes string

//go:embed testdata/innocent.txt
var innocent string

// Pastes calls try for each of more than 300 forms in which people paste secrets. Each text
// contains a new secret. own are the known accounts.
func Pastes(t testing.TB, try func(shape, text string, own []sui.Address)) {
	t.Helper()
	d := NewDraw(t)
	for _, shape := range lines(t, pastes) {
		text, own := d.Fill(t, shape)
		try(shape, text, own)
	}
}

// Innocent returns more than 300 texts that contain no secret.
func Innocent(t testing.TB) []string { return lines(t, innocent) }

// lines splits a corpus into texts, one per line. In a text, \n stands for a line break.
func lines(t testing.TB, corpus string) (all []string) {
	t.Helper()
	for line := range strings.Lines(corpus) {
		line = strings.TrimSuffix(line, "\n")
		all = append(all, strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(line))
	}
	if len(all) < 300 {
		t.Fatalf("%d texts, not 300", len(all))
	}
	return all
}

// OwnerOf returns the Ed25519 address of a private key.
func OwnerOf(key []byte) sui.Address {
	return sui.PublicKeyAddress(sui.SchemeEd25519, ed25519.NewKeyFromSeed(key)[32:])
}

// Draw creates secrets.
type Draw struct{ *rand.Rand }

// NewDraw returns a Draw that creates the same secrets in every run. Random secrets would sometimes
// fail a test, because about one in 270,000 looks like a name. If SCREEN_SEED is random, the
// secrets are random; if it is 64 hexadecimal digits from a failed test's log, they are repeated.
func NewDraw(t testing.TB) Draw {
	seed := [32]byte{1}
	switch value := os.Getenv("SCREEN_SEED"); value {
	case "":
	case "random":
		if _, err := crand.Read(seed[:]); err != nil {
			t.Fatal(err)
		}
	default:
		if _, err := hex.Decode(seed[:], []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with SCREEN_SEED=%x", seed)
		}
	})
	return Draw{rand.New(rand.NewChaCha8(seed))}
}

// Bytes returns n bytes.
func (d Draw) Bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

// flagged returns a key after the flag of its signature scheme, as Sui stores it.
func (d Draw) flagged() []byte { return append([]byte{byte(d.IntN(3))}, d.Bytes(32)...) }

var blank = regexp.MustCompile(`\{([a-z0-9]+)((?: [a-z0-9]+)*)\}`)

// Fill replaces every {kind how...} in a shape by a new secret. It also returns the known accounts.
func (d Draw) Fill(t testing.TB, shape string) (text string, own []sui.Address) {
	key := d.Bytes(32)
	key[0] &= 0x7f // below the order of each curve
	return blank.ReplaceAllStringFunc(shape, func(s string) string {
		m := blank.FindStringSubmatch(s)
		kind, how := m[1], strings.Fields(m[2])
		if strings.HasPrefix(kind, "own") {
			own = append(own, OwnerOf(key))
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(kind, "w")); err == nil && kind[0] == 'w' {
			list := wordlists.English
			if len(how) > 0 && languages[how[0]] != nil {
				list, how = languages[how[0]], how[1:]
			}
			return d.words(t, d.PhraseOf(list, n), how)
		}
		secret := d.secret(t, kind, key)
		return written(t, secret, how)
	}), own
}

// languages are the word lists of the library other than English.
var languages = map[string][]string{"spanish": wordlists.Spanish, "french": wordlists.French,
	"italian": wordlists.Italian,
	"czech":   wordlists.Czech, "japanese": wordlists.Japanese, "korean": wordlists.Korean,
	"simplified": wordlists.ChineseSimplified, "traditional": wordlists.ChineseTraditional}

// secret returns a secret of the given kind.
func (d Draw) secret(t testing.TB, kind string, key []byte) string {
	b64 := base64.StdEncoding.EncodeToString
	switch kind {
	case "sui":
		return d.SuiKey()
	case "h32":
		return hex.EncodeToString(d.Bytes(32))
	case "h33":
		return hex.EncodeToString(d.flagged())
	case "h64":
		return hex.EncodeToString(d.Bytes(64))
	case "h65":
		return hex.EncodeToString(d.Bytes(65))
	case "b32":
		return b64(d.Bytes(32))
	case "b33":
		for {
			// One in seventy uses only base58 characters. Such a text counts as a digest, unless it
			// is called a key or owns an account.
			entry := b64(d.flagged())
			if _, err := base58.Decode(entry); err != nil {
				return entry
			}
		}
	case "b64":
		return b64(d.Bytes(64))
	case "b65":
		return b64(append([]byte{0}, d.Bytes(64)...))
	case "own":
		return hex.EncodeToString(key)
	case "own58":
		return base58.Encode(key)
	case "own64":
		return b64(append([]byte{0}, key...))
	case "pem":
		return "-----BEGIN PRIVATE KEY-----\n" + b64(d.Bytes(48)) + "\n-----END PRIVATE KEY-----"
	case "nsec":
		return "nsec1" + d.bech32(58)
	case "age":
		return "AGE-SECRET-KEY-1" + strings.ToUpper(d.bech32(58))
	case "xprv":
		return "xprv9s21ZrQH143K" + base58.Encode(d.Bytes(72))[:95]
	case "tx":
		return b64(d.transaction())
	case "txhex":
		return hex.EncodeToString(d.transaction())
	}
	t.Fatalf("there is no kind %q", kind)
	return ""
}

// transaction returns bytes with about as many zeros as a real transaction.
func (d Draw) transaction() []byte {
	b := d.Bytes(260)
	for at := range slices.Chunk(b, 52) {
		clear(at[:31])
	}
	return b
}

// written changes the spelling of a key as people do: capitals, spaces, line breaks.
func written(t testing.TB, s string, how []string) string {
	for i := 0; i < len(how); i++ {
		number := func() int {
			i++
			n, err := strconv.Atoi(how[i])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		switch how[i] {
		case "upper":
			s = strings.ToUpper(s)
		case "0x":
			s = "0x" + s
		case "url":
			s = strings.NewReplacer("+", "-", "/", "_").Replace(s)
		case "by":
			s = grouped(s, number(), " ")
		case "wrap":
			s = grouped(s, number(), "\n")
		case "colons":
			s = grouped(s, 2, ":")
		default:
			t.Fatalf("nothing is written %q", how[i])
		}
	}
	return s
}

func grouped(s string, n int, by string) string {
	var parts []string
	for part := range slices.Chunk([]byte(s), n) {
		parts = append(parts, string(part))
	}
	return strings.Join(parts, by)
}

// words writes a phrase in one of the ways that people do.
func (d Draw) words(t testing.TB, list []string, how []string) string {
	between, numbered := " ", false
	for _, one := range how {
		switch one {
		case "upper":
			list = each(list, strings.ToUpper)
		case "title":
			list = each(list, func(w string) string { return strings.ToUpper(w[:1]) + w[1:] })
		case "numbered", "columns":
			numbered = true
		case "lines":
			between = "\n"
		case "commas":
			between = ", "
		case "dashes":
			between = " - "
		case "bullets":
			list, between = each(list, func(w string) string { return "• " + w }), "\n"
		case "quoted":
			list, between = each(list, strconv.Quote), ", "
		case "csv":
			list, between = each(list, strconv.Quote), ","
		case "cells":
			list, between = each(list, func(w string) string { return "<td>" + w + "</td>" }), ""
		case "rows":
			list, between = each(list, func(w string) string { return "<li class=\"word\">" + w + "</li>&nbsp;" }), "\n"
		case "objects":
			list, between = each(list, func(w string) string { return `{"w": "` + w + `"}` }), ",\n"
		case "marks": // an acute accent on the first letter
			list = each(list, func(w string) string { return w[:1] + "\u0301" + w[1:] })
		case "apart": // letters and marks are separate characters
			list = each(list, norm.NFD.String)
		case "together":
			list = each(list, norm.NFC.String)
		case "wide":
			between = "\u3000"
		case "snake":
			between = "_"
		case "wrap":
			list = each(list, func(w string) string { return w + strings.Repeat("\n", d.IntN(5)/4) })
		case "slip":
			i := d.IntN(len(list))
			list[i] = list[i][:1] + list[i][2:]
		default:
			t.Fatalf("no words are written %q", one)
		}
	}
	if numbered {
		for i := range list {
			list[i] = fmt.Sprintf("%d. %s", i+1, list[i])
		}
	}
	return strings.Join(list, between)
}

func each(list []string, change func(string) string) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = change(w)
	}
	return out
}

// Phrase returns a new recovery phrase of n English words.
func (d Draw) Phrase(n int) []string { return d.PhraseOf(wordlists.English, n) }

// PhraseOf returns a new recovery phrase of n words of a list, computed as BIP-39 says.
func (d Draw) PhraseOf(from []string, n int) []string {
	entropy := d.Bytes(n * 4 / 3)
	sum := sha256.Sum256(entropy)
	number := new(big.Int).SetBytes(entropy)
	extra := uint(n / 3)
	number.Lsh(number, extra).Or(number, big.NewInt(int64(sum[0]>>(8-extra))))
	list := make([]string, n)
	for i := range list {
		list[n-1-i] = from[new(big.Int).And(number, big.NewInt(2047)).Int64()]
		number.Rsh(number, 11)
	}
	return list
}

const bech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

func (d Draw) bech32(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = bech32[d.IntN(len(bech32))]
	}
	return string(b)
}

// SuiKey returns a text in the form of a Sui key. Its checksum is not valid.
func (d Draw) SuiKey() string { return "suiprivkey1q" + d.bech32(57) }
