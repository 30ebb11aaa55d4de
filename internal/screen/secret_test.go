package screen_test

import (
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// newDraw gives fresh secrets. The seed is the system's randomness, told on
// failure; SCREEN_SEED repeats one.
func newDraw(t testing.TB) draw {
	var seed [32]byte
	if _, err := crand.Read(seed[:]); err != nil {
		t.Fatal(err)
	}
	if told := os.Getenv("SCREEN_SEED"); told != "" {
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

func document(texts []string) []screen.Field {
	var all []screen.Field
	for i, text := range texts {
		all = append(all, screen.Field{Path: fmt.Sprintf("proposal.assumptions[%d]", i), Text: text})
	}
	return all
}

// each is how many fresh secrets a shape gets: few, or as many as SCREEN_EACH says.
func each(t *testing.T) int {
	told := os.Getenv("SCREEN_EACH")
	if told == "" {
		return 200
	}
	n, err := strconv.Atoi(told)
	if err != nil || n < 1 {
		t.Fatalf("SCREEN_EACH is %q, not a number of secrets", told)
	}
	return n
}

// TestAttacks writes fresh secrets in every shape of the threat model: none may
// come through. With SCREEN_EACH=100000 it is the proof that the rules are not
// lucky, and takes minutes.
func TestAttacks(t *testing.T) {
	secrets, n, all := screen.NewSecrets(), each(t), attacks()
	names := map[string]bool{}
	for _, a := range all {
		if names[a.name] {
			t.Fatalf("two shapes are called %q", a.name)
		}
		names[a.name] = true
	}
	t.Logf("%d shapes, %d secrets", len(all), len(all)*n)
	if len(all) < 61 {
		t.Errorf("%d shapes, not the 61 that were promised", len(all))
	}
	for _, a := range all {
		t.Run("R004-356 "+a.name, func(t *testing.T) {
			t.Parallel()
			d := newDraw(t)
			missed := 0
			for range n {
				texts := a.write(d)
				if _, _, ok := secrets.Find(document(texts)); !ok {
					if missed++; missed <= 3 {
						t.Errorf("came through: %q", texts)
					}
				}
			}
			if missed > 0 {
				t.Errorf("%d of %d came through", missed, n)
			}
		})
	}
}

// TestInnocent: what a proposal has every right to say.
func TestInnocent(t *testing.T) {
	d := newDraw(t)
	id, digest := "0x"+d.hex(32), "8kJ4mQ2vXWc1yR7tZb5sNf9hGpLdEaUo3wViTxKqMzBn"
	secrets := screen.NewSecrets()
	for _, text := range []string{
		"The invoice needs a signature of both sides before Friday.",
		"A wallet signature is asked for on the page. No private key is needed.",
		"It was paid in transaction " + digest + " already.",
		"The pool is the object " + id + ", as listed.",
		"Send it to the address " + id + ".",
		"The coin " + id + "::usdc::USDC arrives.",
		"Never send anyone your recovery phrase or mnemonic.",
		"Commit 3f2c9a7d1e5b8f4a6c0d2e9b7a5c3f1e8d6b4a29 fixed it.",
		"Order 3f2504e0-4f89-11d3-9a0c-0305e82c3301 of 21 November 2026, 14:05, 1,250.00 USDC",
		"https://example.com/a/very/long/path/to/some/Document/ThatHasANameOfManyWords.html?id=12",
		"See AbstractSingletonProxyFactoryBeanConfigurationException and InternalFrameInternalFrameTitlePaneActivity.",
		"Die Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft zahlt, und die Rechtsschutzversicherungsgesellschaften auch.",
		"https://github.com/sayurintent/sayurintent/blob/main/internal/protocol/deepbook/registry/packages.go#L120",
		"/usr/share/doc/libglib2.0-dev-bin/examples/configuration/README.Debian.gz",
		"google.golang.org/grpc/internal/balancer/gracefulswitch and @mysten/wallet-standard",
		"0x2::dynamic_field::Field<address, 0x2::balance::Balance<0x2::sui::SUI>>",
		"MAX_PRICE_DEVIATION_IN_BASIS_POINTS_PER_EPOCH and deepbook_balance_manager_withdraw_with_proof",
		"Flows 12, 15, 100, 25, 30, 5, 18, 44, 61, 7, 90, 33 as of 21.11.2026",
		"支付发票给供应商。", "請在星期五之前支付帳單。", "請求書を金曜日までに支払います。", "송장을 금요일까지 지불하십시오.", "Оплатите счёт до пятницы.",
		"", " ", "100.25",
	} {
		if class := secrets.Within(text); class != "" {
			t.Errorf("R004-356 refused as %s: %q", class, text)
		}
	}
	_, named, ok := secrets.Find([]screen.Field{{Path: "a", Text: "the object " + id}, {Path: "b", Text: id, Typed: true}})
	if ok || len(named) != 1 || named[0] != id {
		t.Errorf("an id that is called one: %v %v", named, ok)
	}
	many := strings.Repeat("the object 0x"+d.hex(32)+" ", 17)
	if found, _, ok := secrets.Find([]screen.Field{{Path: "a", Text: many}}); !ok || found.Class != screen.Payload {
		t.Errorf("more ids than anyone needs: %v %v", found, ok)
	}
}

// TestShortEntropy: 16 bytes are found where their form tells them. Chance hides
// more of them than of a key (three groups of figures in 10^7 have no letter),
// which is why they are fixed here.
func TestShortEntropy(t *testing.T) {
	secrets := screen.NewSecrets()
	for text, want := range map[string]screen.Class{
		"it is 92c8 8fe0 bb41 74eb d1bf 9117 93b5 63de":                    screen.RawKey,
		"it is 56:3d:ae:d1:38:e8:1f:c8:73:11:4d:6a:c8:7c:ac:78":            screen.RawKey,
		"it is Fh6Hyiw7fJouRKLwRVMNQA==":                                   screen.RawKey,
		"it is b3JkZXItbnVtYmVyLTEyMw==":                                   "", // order-number-123
		"paid by 4111 1111 1111 1111 and 5500 0055 5555 5559 on the dot":   "",
		"at 2001:db8::1 and 2001:db8::2, order 3f2504e0-4f89-11d3-9a0c-03": "",
	} {
		if got := secrets.Within(text); got != want {
			t.Errorf("R004-356 %q is %q, want %q", text, got, want)
		}
	}
}

// TestTerms: names of fields that no proposal has are refused, sentences about
// the matter are not.
func TestTerms(t *testing.T) {
	secrets := screen.NewSecrets()
	for text, want := range map[string]screen.Class{
		"transactionBytes": screen.Term, "tx_bytes": screen.Term, "the serializedTransaction is": screen.Term,
		"signing_request follows": screen.Term, "privateKey": screen.Term, "secret_key": screen.Term, "private-key": screen.Term,
		"routeSelectedPlan": screen.Term, "a route-selected plan": screen.Term, "route_selected": screen.Term,
		"signature: 3f2c9a7d1e5b": screen.Term, `{"mnemonic": "abandonment"}`: screen.Term, "unsigned_tx_hex": screen.Term,
		"suiprivkey":                     screen.SuiKey,
		"the transaction has many bytes": "", "she signed the signing sheet": "", "the route was selected by nobody": "",
	} {
		if got := secrets.Within(text); got != want {
			t.Errorf("R004-356 %q is %q, want %q", text, got, want)
		}
	}
}

// TestWhere: the path is told and nothing of the text.
func TestWhere(t *testing.T) {
	d, secrets := newDraw(t), screen.NewSecrets()
	found, _, ok := secrets.Find([]screen.Field{{Path: "proposal.purpose", Text: "pay"}, {Path: "proposal.source.name", Text: d.suiKey()}})
	if !ok || found != (screen.Found{Path: "proposal.source.name", Class: screen.SuiKey}) {
		t.Errorf("%+v", found)
	}
	if found, _, ok := secrets.Find(document(d.phrase(12))); !ok || found.Path != "" || found.Class != screen.Phrase {
		t.Errorf("a phrase over several fields: %+v", found)
	}
}

// TestPublishedKey: the checksum is the chain's. The key is the one that Sui's own
// tests publish; its data part alone is known too.
func TestPublishedKey(t *testing.T) {
	const data = "qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae"
	secrets := screen.NewSecrets()
	if got := secrets.Within("it is " + data); got != screen.SuiKey {
		t.Errorf("R004-356 the data part of a published key is %q", got)
	}
	if got := secrets.Within("it is " + data[:58] + "a"); got != screen.RawKey {
		t.Errorf("a changed checksum is %q: it is no Sui key any more, and still 256 bits", got)
	}
}

// TestPortuguese compares the one list that is kept here with its known sum.
func TestPortuguese(t *testing.T) {
	if n := len(strings.Fields(portuguese)); n != 2048 {
		t.Errorf("%d words", n)
	}
	// The sum that the list has in other implementations of BIP-39 as well.
	const want = "2685e9c194c82ae67e10ba59d9ea5345a23dc093e92276fc5361f6667d79cd3f"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(portuguese))); got != want {
		t.Errorf("sum %s", got)
	}
}
