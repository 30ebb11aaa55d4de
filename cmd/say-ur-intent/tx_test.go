package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	deepbookpins "github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const (
	swapDigest     = "48gg6c2WG9TBJrQnv3CSthoS5TSjEcmyThsmiejL9Lo8"
	swapCommitment = "5cbf927e52236b4dcf366a784cf105a5ebcf1b84bb1cb15c86056e6fc61a962a"
	swapSender     = "0x0881c07520943bbf13989b92892093c1b50672156fa5f873c22892701cb2e207"
)

func txFile(name string) string { return filepath.Join("testdata", "tx", name) }

func readTxFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(txFile(name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func txSignatures(t *testing.T) map[string]string {
	t.Helper()
	var out map[string]string
	if err := json.Unmarshal([]byte(readTxFile(t, "signatures.json")), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// tx runs the command and returns its exit code and output.
func tx(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := process{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}
	code = run(p, append([]string{"tx"}, args...))
	return code, out.String(), errs.String()
}

func TestTxInspectInputs(t *testing.T) {
	swap := readTxFile(t, "swap.b64")
	raw, err := base64.StdEncoding.DecodeString(swap)
	if err != nil {
		t.Fatal(err)
	}
	digits := hex.EncodeToString(raw)
	var wrapped strings.Builder
	for i := 0; i < len(swap); i += 64 {
		wrapped.WriteString(swap[i:min(i+64, len(swap))] + "\r\n")
	}
	for name, in := range map[string]string{
		"base64": swap, "base64 in lines": wrapped.String(), "base64 without padding": strings.TrimRight(swap, "="),
		"hex": digits, "hex with prefix": "0x" + digits, "upper-case prefix": "0X" + digits,
		"upper-case hex":  strings.ToUpper(digits),
		"hex with spaces": " " + digits[:10] + " " + digits[10:20] + "\n\t" + digits[20:] + "\n",
	} {
		for _, args := range [][]string{{"inspect"}, {"inspect", "-"}} {
			code, out, errs := tx(in, args...)
			if code != exitOK || errs != "" || !strings.HasPrefix(out, "Digest      "+swapDigest+"\n") {
				t.Errorf("%s %v: code %d, %q, %q", name, args, code, out, errs)
			}
		}
	}
	if code, out, errs := tx("", "inspect", swap); code != exitOK || !strings.Contains(out, swapDigest) {
		t.Errorf("from the argument: code %d, %q", code, errs)
	}
	if code, out, errs := tx("", "inspect", txFile("swap.b64")); code != exitOK || !strings.Contains(out, swapDigest) {
		t.Errorf("from a file: code %d, %q", code, errs)
	}
}

// TestTxInspectAsReviewed checks that a pinned call is described as in a review.
func TestTxInspectAsReviewed(t *testing.T) {
	_, swap, err := sui.ReadTransactionText(readTxFile(t, "swap.b64"))
	if err != nil {
		t.Fatal(err)
	}
	pool := swap.Inputs[1].(sui.SharedInput)
	for _, p := range deepbookpins.Pools() {
		if p.ID == pool.ID {
			pool.InitialVersion = p.InitialSharedVersion
		}
	}
	swap.Inputs[1] = pool
	var said bytes.Buffer
	printReviewed(&said, swap)
	if want := "\n  Swap in the pool SUI_USDC for at least 3.41 USDC.\n"; !strings.Contains(said.String(), want) {
		t.Errorf("%q is not in\n%s", want, &said)
	}
	said.Reset()
	call := swap.Commands[2].(sui.MoveCall)
	call.Function = "swap_of_another_kind"
	swap.Commands[2] = call
	if printReviewed(&said, swap); said.Len() > 0 {
		t.Errorf("of a call that is not pinned it says %s", &said)
	}
}

func TestTxInspectJSON(t *testing.T) {
	for _, args := range [][]string{{"inspect", "--json", txFile("swap.b64")}, {"inspect", txFile("swap.b64"), "--json"}} {
		code, out, errs := tx("", args...)
		if code != exitOK || errs != "" {
			t.Fatalf("%v: code %d, %q", args, code, errs)
		}
		var got struct {
			Digest, Commitment, Sender, Reencoded string
			Gas                                   struct{ Budget, Price, Owner string }
			Expiration                            map[string]any
			Inputs, Commands                      []map[string]any
			Words                                 sui.Description
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if got.Digest != swapDigest || got.Commitment != swapCommitment || got.Sender != swapSender ||
			got.Reencoded != readTxFile(t, "swap.b64") || got.Gas.Budget != "50000000" || got.Gas.Price != "750" ||
			got.Gas.Owner != swapSender || got.Expiration["Epoch"] != 1042.0 || len(got.Inputs) != 5 ||
			len(got.Commands) != 4 || len(got.Words.Commands) != 4 {
			t.Errorf("%v: %s", args, out)
		}
	}
}

func TestTxBadInput(t *testing.T) {
	swap := readTxFile(t, "swap.b64")
	raw, _ := base64.StdEncoding.DecodeString(swap)
	digits := hex.EncodeToString(raw)
	for _, c := range []struct {
		name, stdin string
		args        []string
		want        string
	}{
		{"nothing asked", "", nil, "tx inspect"},
		{"unknown part", "", []string{"sign"}, `unknown command "sign"`},
		{"no input", "", []string{"inspect"}, "no input"},
		{"white space", " \n ", []string{"inspect"}, "no input"},
		{"neither", "hello, world!", []string{"inspect"}, "neither base64 nor hex"},
		{"odd hex", "0x123", []string{"inspect"}, "pairs of hexadecimal digits"},
		{"hex with a stranger", "0x12zz", []string{"inspect"}, "pairs of hexadecimal digits"},
		{"cut", digits[:len(digits)-2], []string{"inspect"}, "byte"},
		{"cut base64", swap[:40], []string{"inspect"}, "malformed at byte"},
		{"trailing", digits + "00", []string{"inspect"}, "malformed at byte 593: 1 byte after the end"},
		{"both ways and neither", "000000000000", []string{"inspect"}, "valid hex and base64"},
		{"system transaction", "0x0002", []string{"inspect"}, "Genesis is a system transaction"},
		{"no file", "", []string{"inspect", txFile("missing")}, "missing"},
		{"a directory", "", []string{"inspect", "testdata"}, "testdata"},
		{"two files", "", []string{"inspect", "a", "b"}, "give one transaction, not 2"},
		{"unknown flag", "", []string{"inspect", "--yaml"}, "yaml"},
		{"too large", strings.Repeat("A", maxTxInput+1), []string{"inspect"}, "larger than 1048576 bytes"},
		{"verify: no input", "", []string{"verify"}, "no input"},
		{"verify: bad signature text", swap, []string{"verify", "--signature", "!!"}, "not base64"},
		{"verify: bad commitment", swap, []string{"verify", "--commitment", "abcd"}, "64 hexadecimal digits"},
		{"verify: bad address", swap, []string{"verify", "--address", "0xzz"}, "64 digits after 0x"},
		{"verify: unknown flag", swap, []string{"verify", "--json"}, "json"},
	} {
		code, out, errs := tx(c.stdin, c.args...)
		if code != exitBadInput || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want code 2 and %q", c.name, code, out, errs, c.want)
		}
		first, rest, _ := strings.Cut(errs, "\n")
		if lines := strings.Count(rest, "\n"); c.args != nil && rest != "" && (lines > 1 || !strings.HasPrefix(rest,
			"Run 'say-ur-intent ")) {
			t.Errorf("%s: more than one line of error: %q and %q", c.name, first, rest)
		}
		if len(errs) > 1000 {
			t.Errorf("%s: an error of %d bytes", c.name, len(errs))
		}
	}
}

func TestTxVerify(t *testing.T) {
	s := txSignatures(t)
	const owner = "0x48936240c871663e6ba416724158736101ccab29436f72ae3ae4c8fa1ce7e45f"
	flipped := []byte(s["swapBySender"])
	flipped[20] ^= 3
	for _, c := range []struct {
		name string
		file string
		args []string
		code int
		want string
	}{
		{"nothing claimed", "swap.b64", nil, exitOK, "re-encode identically"},
		{"commitment", "swap.b64", []string{"--commitment", swapCommitment}, exitOK, "ok          commitment"},
		{"commitment in capitals", "swap.b64", []string{"--commitment", "0x" + strings.ToUpper(swapCommitment)}, exitOK,
			"ok          commitment"},
		{"another commitment", "swap.b64", []string{"--commitment", strings.Repeat("0", 64)}, exitFailed,
			"FAILED      commitment"},
		{"signature", "swap.b64", []string{"--signature", s["swapBySender"]}, exitOK, "ok          Ed25519 signature by " +
			swapSender + ", the sender"},
		{"changed signature", "swap.b64", []string{"--signature", string(flipped)}, exitFailed, "FAILED      signature"},
		{"signature of other bytes", "swap.b64", []string{"--signature", s["sponsoredBySender"]}, exitFailed,
			"FAILED      signature"},
		{"expected signer", "swap.b64", []string{"--signature", s["swapBySender"], "--address", swapSender}, exitOK,
			"the sender"},
		{"another signer", "swap.b64", []string{"--signature", s["swapBySender"], "--address", "0x" + strings.Repeat("0",
			63) + "5"}, exitFailed, "not by 0x00"},
		{"sender", "swap.b64", []string{"--address", swapSender}, exitOK, "ok          the sender is"},
		{"another sender", "swap.b64", []string{"--address", "0x" + strings.Repeat("0", 63) + "5"}, exitFailed,
			"FAILED      the sender is"},
		{"gas owner", "sponsored.hex", []string{"--signature", s["sponsoredByOwner"]}, exitOK, owner + ", the gas owner"},
		{"both signers", "sponsored.hex", []string{"--signature", s["sponsoredByOwner"], "--signature",
			s["sponsoredBySender"]}, exitOK, "the sender"},
		{"one of two wrong", "sponsored.hex", []string{"--signature", s["sponsoredByOwner"], "--signature",
			s["swapBySender"]}, exitFailed, "FAILED"},
		{"left to the node", "swap.b64", []string{"--signature", s["swapByZkLogin"]}, exitFailed,
			"only a Sui node can check it"},
	} {
		code, out, errs := tx("", append([]string{"verify", txFile(c.file)}, c.args...)...)
		if code != c.code || errs != "" || !strings.Contains(out, c.want) || !strings.HasPrefix(out, "Digest      ") {
			t.Errorf("%s: code %d, want %d; %q is not in\n%s%s", c.name, code, c.code, c.want, out, errs)
		}
	}
}

// TestTxVerifyStranger checks that another account's signature is rejected even if no address is
// expected.
func TestTxVerifyStranger(t *testing.T) {
	raw, tr, err := sui.ReadTransactionText(readTxFile(t, "swap.b64"))
	if err != nil {
		t.Fatal(err)
	}
	tr.Sender, tr.Gas.Owner = sui.MustAddress("0x1"), sui.MustAddress("0x2")
	claims, err := parseTxClaims([]string{txSignatures(t)["swapBySender"]}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if claims.hold(process{Stdout: &out}, sui.NewMaterial(raw), tr) || !strings.Contains(out.String(),
		"neither sender nor gas owner") {
		t.Errorf("passed: %s", out.String())
	}
}

// TestTxHexOrBase64 checks texts of hexadecimal digits, which can also be valid base64. Hex is
// tried first, and the encoding that decodes to a transaction is used.
func TestTxHexOrBase64(t *testing.T) {
	// This is valid hex and valid base64, but no transaction in either.
	b, _, err := sui.ReadTransactionText("AAAA" + "AAAA")
	if err == nil {
		t.Fatalf("accepted %x", b)
	}
	if !strings.Contains(err.Error(), "valid hex and base64") {
		t.Errorf("%v", err)
	}
	raw, _ := base64.StdEncoding.DecodeString(readTxFile(t, "swap.b64"))
	got, _, err := sui.ReadTransactionText(hex.EncodeToString(raw))
	if err != nil || !bytes.Equal(got, raw) {
		t.Errorf("hex: %v", err)
	}
	sponsored := readTxFile(t, "sponsored.hex")
	if got, _, err := sui.ReadTransactionText(sponsored); err != nil || hex.EncodeToString(got) != sponsored {
		t.Errorf("hex: %v", err)
	}
}

func TestTxHelp(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"inspect", "-h"}, {"verify", "--help"}} {
		if code, out, errs := tx("", args...); code != exitOK || !strings.Contains(out, aboutTx) || errs != "" {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errs)
		}
	}
}

// TestTxInspectProtocols checks that a call of a described protocol is described as in a review,
// and that other calls are reported as unknown.
func TestTxInspectProtocols(t *testing.T) {
	for name, want := range map[string][]string{
		"protocol-stake.b64": {"Sui staking: Stake 3 SUI with the validator 0x7a7a7a7a",
			"The account receives an object: staking_pool::StakedSui."},
		"protocol-cetus.b64": {"Cetus: Swap up to 10 SUI for at least 34 USDC."},
		"protocol-aggregator.b64": {"A fee of 0.1 % of the result goes to 0xfefefe",
			"It names an address that is not yours",
			"It calls code that Say Ur Intent does not know."},
		"protocol-hostile.b64": {"understands. The result is split again"},
	} {
		code, out, errs := tx("", "inspect", txFile(name))
		if code != 0 {
			t.Fatal(name, errs)
		}
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("%s: %q is missing in\n%s", name, text, out)
			}
		}
		if _, facts, _ := tx("", "inspect", "--json", txFile(name)); !strings.Contains(facts, want[0][:30]) {
			t.Errorf("%s: the words are missing in the JSON", name)
		}
	}
}
