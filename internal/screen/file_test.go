package screen_test

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/screen/screentest"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestKeys: what of a file is taken for a key, line by line; % is 64 hexadecimal digits,
// & a key as a Sui keystore has it, ^ 40 letters and digits, $ a Sui key.
func TestKeys(t *testing.T) {
	d := screentest.NewDraw(t)
	hexKey := hex.EncodeToString(d.Bytes(32))
	entry := base64.StdEncoding.EncodeToString(append([]byte{0}, d.Bytes(32)...))
	text := strings.NewReplacer("%", hexKey, "&", entry, "^", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAM8LEK1",
		"$", "suiprivkey1qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae")
	words := strings.Join(d.Phrase(12), "\n")
	for name, c := range map[string]struct{ text, want string }{
		"an assignment":      {"A=1\nPRIVATE_KEY=0x%\nB=2", "1"},
		"a member":           {"{\n \"privateKey\": \"%\",\n \"id\": \"0x%\"\n}", "1"},
		"a secret":           {"secret: &", "0"},
		"a secret of others": {"aws_secret_access_key = ^\nlevel = 3", "0"},
		"a word behind":      {"% # the seed", "0"},
		"a list":             {"[\n  \"&\",\n  \"&\"\n]", "1 2"},
		"a list on one line": {"x = [\"&\", \"&\"]", "0"},
		"a list of digits":   {"- %\n- %", "0 1"},
		"numbered":           {"1. %\n", "0"},
		"a named list of 0x": {"privateKeys: [\n  0x%,\n  0x%,\n]\n", "1 2"},
		"a block": {"a\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\nb",
			"1 2 3"},
		"a block without end":      {"a\n-----BEGIN EC PRIVATE KEY-----\nb3Bl\nAAAA", "1 2 3"},
		"a key of another program": {"a\nnsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5\nb", "1"},
		"a Sui key":                {"a\n// $\nfun f() {}", "1"},
		"a wrapped Sui key":        {"a\nsuiprivkey1qzwant3kaegmjy4qxex93s0\njzvemekkjmyv3r2sjwgnv2y479pgsywhveae\nfun f() {}", "1 2"},
		"a phrase, a word a line":  {"a:\n" + words + "\n\nb", "1 2 3 4 5 6 7 8 9 10 11 12"},
		"addresses":                {"[\n  \"0x%\",\n  \"0x%\"\n]\nadmin = \"0x%\"", ""},
		"public keys":              {"public_key: %\npublicKey = \"&\"\nlet pk = x\"%\";", ""},
		"digests":                  {"manifest_digest = \"%\"\n%  file.tgz", ""},
		"code":                     {"const ESecretKeyOfTheValidatorCommitteeIsInvalid: u64 = 1;\nfun secret_key_of_the_validator_committee_is_invalid() {}", ""},
		"base58":                   {"[\n \"9CvDz7cCrFYr5FGMhe1LYYwSHhGbuCpsCTAVqu5EkJYU\"\n]", ""},
		"a public key is no block": {"----- BEGIN OF THE KEYS -----\nb", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := text.Replace(c.text)
			held := map[int]bool{}
			for _, s := range screen.Keys(text) {
				first := strings.Count(text[:s.From], "\n")
				for i := first; i <= first+strings.Count(text[s.From:s.To], "\n"); i++ {
					held[i] = true
				}
			}
			var got []string
			for i := range strings.Split(text, "\n") {
				if held[i] {
					got = append(got, strconv.Itoa(i))
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("lines %v are withheld of\n%s", got, text)
			}
		})
	}
}

func BenchmarkKeys(b *testing.B) {
	text := strings.Repeat("/// Returns the amount of the coin that the pool owes the account, in units.\n"+
		"public fun owed<T>(pool: &Pool<T>, account: address): u64 { pool.table.borrow(account).value() }\n", 5000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if len(screen.Keys(text)) > 0 {
			b.Fatal("a key")
		}
	}
}

// TestRefused: an answer of an editor is judged as a wallet's text is, line by line.
func TestRefused(t *testing.T) {
	d := screentest.NewDraw(t)
	token := base64.RawURLEncoding.EncodeToString(d.Bytes(32))
	key := d.Bytes(32)
	bytes := base64.StdEncoding.EncodeToString(d.Bytes(150))
	wrapped := strings.Split(base64.StdEncoding.EncodeToString(d.Bytes(60)), "")
	for name, c := range map[string]struct{ text, want string }{
		"innocent": {"public fun f(n: u64)\n0x" + strings.Repeat("5e", 32) +
			"\n9CvDz7cCrFYr5FGMhe1LYYwSHhGbuCpsCTAVqu5EkJYU\nltc1qdhn6vfy3mh63ag8xk60l8j8j9aw7cv6wuyh64j", ""},
		"bytes":          {"a\n" + bytes + "\nb", "1"},
		"a page token":   {"a\ntoken " + token, "1"},
		"a page link":    {"http://127.0.0.1:5173/review/x#" + token + "\nb", "0"},
		"own key":        {"id 0x" + hex.EncodeToString(key), "0"},
		"field":          {"{\"txBytes\": \"AAAC\"}", "0"},
		"over two lines": {"a\n" + strings.Join(wrapped[:40], "") + "\n" + strings.Join(wrapped[40:], ""), "0 1 2"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for i, refused := range screen.Refused(strings.Split(c.text, "\n"), []sui.Address{screentest.OwnerOf(key)}) {
				if refused {
					got = append(got, strconv.Itoa(i))
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%v of\n%s", got, c.text)
			}
		})
	}
}
