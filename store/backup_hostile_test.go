package store_test

import (
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/record"
)

// same fails where anything durable differs from before.
func (h *lived) same(t *testing.T, before []byte) {
	t.Helper()
	cut := func(b []byte) string {
		_, rest, _ := strings.Cut(string(b), `"settings":`)
		return rest
	}
	if now := copyOf(t, h.svc); cut(now) != cut(before) {
		t.Error("something was changed")
	}
}

// endless repeats a text up to so many bytes.
func endless(out io.Writer, text string, most int) {
	chunk := strings.Repeat(text, 1+(64<<10)/len(text))
	for n := 0; n < most; n += len(chunk) {
		_, _ = io.WriteString(out, chunk)
	}
}

// What is no whole packed copy is refused by what is wrong with it, nothing is
// changed, and no bomb is ever held.
func TestHostileFiles(t *testing.T) {
	long.Skip(t, "it reads files of the largest sizes")
	const mostHeap = 24.0
	h := life(t)
	before := copyOf(t, h.svc)
	packed := packedCopy(t, h.svc)
	flipped := func(at int) []byte {
		b := bytes.Clone(packed)
		b[at] ^= 0x40
		return b
	}
	head, _, _ := strings.Cut(string(before), `"accounts":[`)
	bomb := func(start, text string) []byte {
		return pack(func(w io.Writer) {
			_, _ = io.WriteString(w, start)
			endless(w, text, backup.MostUnpacked+1<<20)
		})
	}
	for _, c := range []struct {
		name, says string
		code       fault.Code
		file       []byte
	}{
		{"a bomb of blanks", "too large", fault.InputInvalid, bomb(head, " ")},
		{"a bomb in one text", "too large", fault.InputInvalid, bomb(head+`"accounts":[{"walletName":"`, "x")},
		{"a bomb before anything", "not a copy", fault.InputInvalid, bomb("", "x")},
		{"a bomb of blanks before anything", "not a copy", fault.InputInvalid, bomb("", " ")},
		{"a bomb of rows", "128 MiB", fault.TooLarge, pack(func(w io.Writer) {
			_, _ = io.WriteString(w, head+`"accounts":[],"identities":[`)
			for n := range backup.MostUnpacked/5000 + 300 {
				if n > 0 {
					_, _ = io.WriteString(w, ",")
				}
				fmt.Fprintf(w, `{"id":"i%d","status":"failed","createdAt":%[2]q,"updatedAt":%[2]q,"failureDetail":%[3]q}`, n,
					h.c.Now().Format(time.RFC3339), strings.Repeat("\U0001f642", 4900/4))
			}
		})},
		{"more rows than may be", "1000000 rows", fault.TooLarge, func() []byte {
			const row = `{"kind":"r","at":"2026-01-01T00:00:00Z"}`
			return bomb(head+`"accounts":[],"identities":[],"reviews":[],"coins":[],"book":[],"ownNames":[],"journal":[`+row, ","+row)
		}()},
		{"truncated", "cut off", fault.InputInvalid, packed[:len(packed)*2/3]},
		{"truncated in its checksum", "cut off", fault.InputInvalid, packed[:len(packed)-3]},
		{"truncated in its head", "cut off", fault.InputInvalid, packed[:6]},
		{"trailing data", "what follows its end", fault.InputInvalid, append(bytes.Clone(packed), "{}"...)},
		{"one more byte", "what follows its end", fault.InputInvalid, append(bytes.Clone(packed), 0)},
		{"two members", "what follows its end", fault.InputInvalid, append(bytes.Clone(packed), packed...)},
		{"an empty second member", "what follows its end", fault.InputInvalid, append(bytes.Clone(packed), pack(func(io.Writer) {})...)},
		{"wrong checksum", "does not unpack", fault.InputInvalid, flipped(len(packed) - 8)},
		{"wrong length", "does not unpack", fault.InputInvalid, flipped(len(packed) - 4)},
		{"no JSON in it", "not a copy", fault.InputInvalid, pack(func(w io.Writer) { _, _ = io.WriteString(w, "PK\x03\x04 no JSON") })},
		{"nothing in it", "not a copy", fault.InputInvalid, pack(func(io.Writer) {})},
		{"packed twice", "not a copy", fault.InputInvalid, pack(func(w io.Writer) { _, _ = w.Write(packed) })},
		{"another method", "not a copy", fault.InputInvalid, append([]byte("\x1f\x8b\x07"), packed[3:]...)},
		{"lists out of order", "not there before", fault.InputInvalid, []byte(head + `"coins":[],"accounts":[]}`)},
		{"more than is taken", "8 MiB", fault.TooLarge, bytes.Repeat([]byte("\x1f\x8b\x08\x00"), backup.MostImport/4+1)},
	} {
		t.Run("R004-467 refused: "+c.name, func(t *testing.T) {
			if raceEvery > 1 && (strings.HasPrefix(c.name, "a bomb") || c.name == "more rows than may be") {
				t.Skip("128 MiB take minutes with the race detector; it is tested without")
			}
			var err error
			grew := heaviest(func() { _, err = h.svc.Stage(h.ctx, settingsPage, bytes.NewReader(c.file)) })
			if err == nil || fault.As(err).Code != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
			if grew > mostHeap && raceEvery == 1 {
				t.Errorf("it held %.0f MiB", grew)
			} else {
				t.Logf("it held %.1f MiB", grew)
			}
			if _, err := h.svc.Import(h.ctx, settingsPage, backup.Choice{}); err == nil {
				t.Error("it can be put in")
			}
		})
	}
	h.same(t, before)
	t.Run("R004-467 a copy comes in packed and unpacked", func(t *testing.T) {
		for _, file := range [][]byte{packed, before, pack(func(w io.Writer) { _, _ = w.Write(before) })} {
			if err := h.put(file, all); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("the fastest and the closest packing are read", func(t *testing.T) {
		for _, level := range []int{gzip.NoCompression, gzip.BestSpeed, gzip.BestCompression, gzip.HuffmanOnly} {
			var b bytes.Buffer
			z := must[*gzip.Writer](t)(gzip.NewWriterLevel(&b, level))
			z.Name, z.Comment, z.Extra = "copy.json", "of a day", []byte("extra")
			_, _ = z.Write(before)
			_ = z.Close()
			if _, err := h.svc.Stage(h.ctx, settingsPage, &b); err != nil {
				t.Errorf("level %d: %v", level, err)
			}
		}
	})
}

// A copy that somebody edited cannot bring in what a proposal may not hold.
func TestSecretsInACopy(t *testing.T) {
	h := life(t)
	for i, id := range []record.ID{"first", "second"} {
		s := proposed(string(id), h.c)
		s.CreatedAt = h.c.Now().Add(time.Duration(i) * time.Second)
		s.Proposal = somebodys(s.CreatedAt)
		if err := h.db.CreateReview(h.ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	copied := string(copyOf(t, h.svc))
	if err := h.put([]byte(copied), all); err != nil {
		t.Fatalf("an innocent copy: %v", err)
	}
	before := copyOf(t, h.svc)
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	key, random := sui.Digest{31: 9}, sha256.Sum256([]byte("a key"))
	const first, last = `"purpose":"To see it kept."`, `"label":"Alice"`
	for _, c := range []struct{ name, old, now, says string }{
		{"recovery phrase", first, `"purpose":"` + phrase + `"`, "proposal.purpose holds what looks like a recovery phrase"},
		{"raw key", first, `"purpose":"private key ` + hex.EncodeToString(random[:]) + `"`, "proposal.purpose holds what looks like a private key in encoded form"},
		{"a label", last, `"label":"` + phrase + `"`, "holds what looks like a recovery phrase"},
		{"an intent", `"intent":{"type":"swap","from":{"symbol":"SUI"`, `"intent":{"type":"swap","from":{"symbol":"` + phrase + `"`,
			"intent.from.symbol holds what looks like a recovery phrase"},
		{"the wallet of an account", `"walletName":"W","walletId":""`, `"walletName":"` + phrase + `","walletId":""`, "wallet.walletName holds what looks like"},
		{"the wallet in use", `"walletName":"W","walletId":"w","connectedAt"`, `"walletName":"W","walletId":"` + phrase + `","connectedAt"`,
			"wallet.walletId holds what looks like"},
		{"a failure's detail", `"failureDetail":""`, `"failureDetail":"` + phrase + `"`, "wallet.failureDetail holds what looks like"},
		{"the key of an account of the copy", `"objectId":"` + sui.MustAddress("0xa11ce").String(), `"objectId":"0x` + hex.EncodeToString(key[:]), "the private key of an address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := strings.LastIndex(copied, c.old)
			if i < 0 {
				t.Fatalf("the copy has no %s", c.old)
			}
			edited := copied[:i] + c.now + copied[i+len(c.old):]
			if c.name == "the key of an account of the copy" {
				const used = `"activeAccount":{"account":"`
				edited = strings.Replace(edited, used+sui.MustAddress("0xa11ce").String(), used+ownerOf(key).String(), 1)
			}
			_, err := h.svc.Stage(h.ctx, settingsPage, strings.NewReader(edited))
			wantFault(t, err, fault.InputInvalid)
			says := []string{c.says, "In row ", "Nothing was changed"}
			if strings.Contains(c.says, "proposal") {
				says = append(says, "the review second")
			}
			for _, words := range says {
				if !strings.Contains(fmt.Sprint(err), words) {
					t.Errorf("%v lacks %q", err, words)
				}
			}
			if strings.Contains(fmt.Sprint(err), "sausage") || strings.Contains(fmt.Sprint(err), hex.EncodeToString(random[:4])) {
				t.Errorf("the refusal repeats it: %v", err)
			}
			if _, err := h.svc.Import(h.ctx, settingsPage, backup.Choice{}); err == nil {
				t.Error("it can be put in")
			}
			h.same(t, before)
		})
	}
}

// ownerOf is the Ed25519 address of a private key.
func ownerOf(key sui.Digest) sui.Address {
	public := ed25519.NewKeyFromSeed(key[:]).Public().(ed25519.PublicKey)
	return sui.PublicKeyAddress(sui.SchemeEd25519, public)
}
