package screen_test

import (
	"bufio"
	crand "crypto/rand"
	"crypto/sha256"
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

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// lines reads a corpus: one text a line, \n for a line break.
func lines(t *testing.T, path string) (all []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for scan := bufio.NewScanner(f); scan.Scan(); {
		all = append(all, strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(scan.Text()))
	}
	if len(all) != 300 {
		t.Fatalf("%s has %d texts, not 300", path, len(all))
	}
	return all
}

func find(text string, own ...sui.Address) screen.Class {
	found, _ := screen.Find("text", text, own)
	return found.Class
}

// TestInnocent: what anyone has every right to say.
func TestInnocent(t *testing.T) {
	mine := ownerOf(newDraw(t).bytes(32))
	for i, text := range lines(t, "testdata/innocent.txt") {
		t.Run(fmt.Sprintf("line %d", i+1), func(t *testing.T) {
			if class := find(text, mine); class != "" {
				t.Errorf("refused as %s: %q", class, text)
			}
		})
	}
}

// TestPastes writes fresh secrets into every shape in which people paste them.
func TestPastes(t *testing.T) {
	d := newDraw(t)
	for i, shape := range lines(t, "testdata/pastes.txt") {
		t.Run(fmt.Sprintf("R004-356 line %d", i+1), func(t *testing.T) {
			for range 3 {
				text, own := d.fill(t, shape)
				if find(text, own...) == "" {
					t.Errorf("%s came through: %q", shape, text)
				}
			}
		})
	}
}

// Twelve words of the list and no others between two stops are a phrase whatever
// their checksum: some wallets make them with another one. Among other words they
// are not.
func TestPhraseWithoutAChecksum(t *testing.T) {
	const words = "abandon ability able about above absent absorb abstract absurd abuse access accident"
	if got := find("My phrase: " + words + "."); got != screen.Phrase {
		t.Errorf("between two stops: %q", got)
	}
	if got := find("They said that " + words + " is the order of the list"); got != "" {
		t.Errorf("among other words: %q", got)
	}
}

// draw makes fresh secrets.
type draw struct{ *rand.Rand }

// newDraw returns secrets that are the same in every run, so that a build does not
// fail by chance: among random ones, about one in 270,000 is written in so few
// changes of letters that it passes for a name. SCREEN_SEED=random draws fresh
// ones, and SCREEN_SEED with 64 digits repeats them.
func newDraw(t testing.TB) draw {
	seed := [32]byte{1}
	switch told := os.Getenv("SCREEN_SEED"); told {
	case "":
	case "random":
		if _, err := crand.Read(seed[:]); err != nil {
			t.Fatal(err)
		}
	default:
		if _, err := hex.Decode(seed[:], []byte(told)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with SCREEN_SEED=%x", seed)
		}
	})
	return draw{rand.New(rand.NewChaCha8(seed))}
}

func (d draw) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

// flagged is a key with the number of its scheme in front, as Sui stores it.
func (d draw) flagged() []byte { return append([]byte{byte(d.IntN(3))}, d.bytes(32)...) }

var blank = regexp.MustCompile(`\{([a-z0-9]+)((?: [a-z0-9]+)*)\}`)

// fill writes a fresh secret for every {kind how...} of a shape, and gives the
// accounts that are known here.
func (d draw) fill(t *testing.T, shape string) (text string, own []sui.Address) {
	key := d.bytes(32)
	key[0] &= 0x7f // below the order of every curve
	return blank.ReplaceAllStringFunc(shape, func(s string) string {
		m := blank.FindStringSubmatch(s)
		kind, how := m[1], strings.Fields(m[2])
		if strings.HasPrefix(kind, "own") {
			own = append(own, ownerOf(key))
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(kind, "w")); err == nil && kind[0] == 'w' {
			return d.words(t, d.phrase(n), how)
		}
		secret := d.secret(t, kind, key)
		return written(t, secret, how)
	}), own
}

// secret returns one of a kind.
func (d draw) secret(t *testing.T, kind string, key []byte) string {
	b64 := base64.StdEncoding.EncodeToString
	switch kind {
	case "sui":
		return d.suiKey()
	case "h32":
		return hex.EncodeToString(d.bytes(32))
	case "h33":
		return hex.EncodeToString(d.flagged())
	case "h64":
		return hex.EncodeToString(d.bytes(64))
	case "h65":
		return hex.EncodeToString(d.bytes(65))
	case "b32":
		return b64(d.bytes(32))
	case "b33":
		for {
			// One in seventy has no letter that a digest has not: what is both is
			// taken for a digest, unless it is called a key or owns an account.
			entry := b64(d.flagged())
			if _, err := base58.Decode(entry); err != nil {
				return entry
			}
		}
	case "b64":
		return b64(d.bytes(64))
	case "b65":
		return b64(append([]byte{0}, d.bytes(64)...))
	case "own":
		return hex.EncodeToString(key)
	case "own58":
		return base58.Encode(key)
	case "own64":
		return b64(append([]byte{0}, key...))
	case "pem":
		return "-----BEGIN PRIVATE KEY-----\n" + b64(d.bytes(48)) + "\n-----END PRIVATE KEY-----"
	case "nsec":
		return "nsec1" + d.bech32(58)
	case "age":
		return "AGE-SECRET-KEY-1" + strings.ToUpper(d.bech32(58))
	case "xprv":
		return "xprv9s21ZrQH143K" + base58.Encode(d.bytes(72))[:95]
	case "tx":
		return b64(d.transaction())
	case "txhex":
		return hex.EncodeToString(d.transaction())
	}
	t.Fatalf("there is no kind %q", kind)
	return ""
}

// transaction returns bytes as full of zeros as those of a transaction are.
func (d draw) transaction() []byte {
	b := d.bytes(260)
	for at := range slices.Chunk(b, 52) {
		clear(at[:31])
	}
	return b
}

// written puts a key as people do: in capitals, spaced, wrapped.
func written(t *testing.T, s string, how []string) string {
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

// words writes a phrase as people do.
func (d draw) words(t *testing.T, list []string, how []string) string {
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

// phrase returns a fresh recovery phrase, by the text of BIP-39.
func (d draw) phrase(n int) []string {
	entropy := d.bytes(n * 4 / 3)
	sum := sha256.Sum256(entropy)
	number := new(big.Int).SetBytes(entropy)
	extra := uint(n / 3)
	number.Lsh(number, extra).Or(number, big.NewInt(int64(sum[0]>>(8-extra))))
	list := make([]string, n)
	for i := range list {
		list[n-1-i] = wordlists.English[new(big.Int).And(number, big.NewInt(2047)).Int64()]
		number.Rsh(number, 11)
	}
	return list
}

const bech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

func (d draw) bech32(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = bech32[d.IntN(len(bech32))]
	}
	return string(b)
}

// suiKey returns the form of a Sui key; its checksum is not looked at.
func (d draw) suiKey() string { return "suiprivkey1q" + d.bech32(57) }

// TestFields: every text of a document is found by its type, wherever it stands.
func TestFields(t *testing.T) {
	type inner struct {
		Label string `json:"label"`
		Skip  string `json:"-"`
	}
	address := sui.MustAddress("0x7")
	doc := struct {
		Title string           `json:"title"`
		List  []string         `json:"list"`
		Deep  []inner          `json:"deep"`
		Table map[string]inner `json:"table"`
		Who   *sui.Address     `json:"who"`
		None  *inner           `json:"none"`
		Any   any              `json:"any"`
		Bare  string
		inner
	}{"a", []string{"b", "c"}, []inner{{"d", "x"}}, map[string]inner{"k": {"e", "x"}}, &address, nil, "f", "g", inner{"h", "x"}}
	var got []string
	for _, f := range screen.Fields("doc", doc) {
		got = append(got, f.Path+"="+f.Text)
	}
	want := []string{"doc.title=a", "doc.list[0]=b", "doc.list[1]=c", "doc.list=b\nc", "doc.deep[0].label=d", "doc.table.k.label=e",
		"doc.who=" + address.String(), "doc.any=f", "doc.Bare=g"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestWhere: the path is told and nothing of the text; a phrase that is spread
// over a list is found in the list.
func TestWhere(t *testing.T) {
	d := newDraw(t)
	type doc struct {
		Purpose string   `json:"purpose"`
		Words   []string `json:"words"`
		Wallet  string   `json:"walletName" screen:"name"`
	}
	for _, c := range []struct {
		in   doc
		want screen.Found
	}{
		{doc{Purpose: d.suiKey()}, screen.Found{Path: "proposal.purpose", Class: screen.SuiKey}},
		{doc{Words: d.phrase(12)}, screen.Found{Path: "proposal.words", Class: screen.Phrase}},
		{doc{Wallet: base64.StdEncoding.EncodeToString(d.bytes(45))}, screen.Found{Path: "proposal.walletName", Class: screen.Payload}},
		{doc{Wallet: hex.EncodeToString(d.bytes(50))}, screen.Found{Path: "proposal.walletName", Class: screen.Payload}},
		{doc{Purpose: base64.StdEncoding.EncodeToString(d.bytes(45)), Wallet: "0x" + hex.EncodeToString(d.bytes(32))}, screen.Found{}},
	} {
		if found, _ := screen.Find("proposal", c.in, nil); found != c.want {
			t.Errorf("%+v, want %+v", found, c.want)
		}
	}
	for _, class := range []screen.Class{screen.SuiKey, screen.WalletKey, screen.Phrase, screen.RawKey, screen.Payload, screen.Term, screen.AddressKey} {
		if class.Words() == "" {
			t.Errorf("%s has no words", class)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("pay the invoice", "0x1f")
	f.Add("private key: ", "QUJDREVGR0hJSktMTU5PUA==")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 4096 {
			return
		}
		one, _ := screen.Find("x", []string{a, b}, nil)
		if two, _ := screen.Find("x", []string{a, b}, nil); one != two {
			t.Fatalf("%+v, then %+v", one, two)
		}
	})
}

// TestBounds: a document that names more ids than anyone needs is refused, an
// address without the zeros in front is judged with them, and what names its own
// address is judged by it.
func TestBounds(t *testing.T) {
	d := newDraw(t)
	var ids []string
	for range 129 {
		ids = append(ids, "0x"+hex.EncodeToString(d.bytes(32)))
	}
	if got := find(strings.Join(ids, "\n")); got != screen.Payload {
		t.Errorf("%d ids: %q", len(ids), got)
	}
	if got := find(strings.Join(ids[:100], "\n")); got != "" {
		t.Errorf("100 ids: %q", got)
	}
	key := d.bytes(32)
	key[0] = 0
	if got := find("0x"+hex.EncodeToString(key[1:]), ownerOf(key)); got != screen.AddressKey {
		t.Errorf("a key without its zeros: %q", got)
	}
	beside := []string{ownerOf(key).String(), "its object is 0x" + hex.EncodeToString(key)}
	if found, _ := screen.Find("x", beside, nil); found.Class != screen.AddressKey {
		t.Errorf("a key beside its own address: %+v", found)
	}
	path := strings.Repeat("/Some-Folder/of_2026", 12)
	if got := find(path); got != "" {
		t.Errorf("a long path: %q", got)
	}
}
