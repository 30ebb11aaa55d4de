package workspace

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

func TestIndex(t *testing.T) {
	p, _ := project(t, map[string]string{
		"shop/Move.toml": "[package]\nname = \"shop\"\nedition = \"2024.beta\"\n[addresses]\nshop = \"0x0\"\n[dependencies]\n" +
			"till = { local = \"../till\" }\nfar = { git = \"https://example.org/far.git\", rev = \"main\" }\n" +
			"away = { local = \"../../away\" }\n",
		"shop/Move.lock": "[env.mainnet]\nchain-id = \"35834a8a\"\noriginal-published-id = \"0x00ab\"\nlatest-published-id = \"0xcd\"\n" +
			"published-version = \"2\"\n",
		"shop/sources/deep/shop.move": "module shop::shop;\nuse till::till;\npublic fun pay(t: &till::Till) { t.count(); far::far::f(); }\n",
		"shop/tests/shop_tests.move":  "module shop::shop_tests;\nfun f() {}\n",
		"shop/build/shop/x.move":      "module shop::built;",
		"till/Move.toml":              "[package]\nname = \"till\"\nedition = \"2024\"\n[addresses]\ntill = \"0x7\"\n",
		"till/sources/till.move":      "module till::till;\npublic struct Till {}\npublic fun count(t: &Till) {}\n",
		"till/sources/broken.move":    "module till::broken;\nfun f( {}\n",
		"bad/Move.toml":               "[package\n",
		"bad/sources/x.move":          "module bad::x;",
	})
	x, err := p.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Packages) != 2 || fmt.Sprint(x.Broken) != "[bad/Move.toml]" {
		t.Fatalf("%+v %v", x.Packages, x.Broken)
	}
	shop := x.Packages[0]
	if shop.Name != "shop" || shop.Dir != "shop" || fmt.Sprint(shop.Local) != "[till]" ||
		fmt.Sprint(shop.External) != "[away far]" ||
		shop.Published["mainnet"] != (Published{"0xab", "0xcd"}) {
		t.Errorf("%+v", shop)
	}
	if len(x.Graph.Modules) != 3 || len(x.Graph.Problems) != 1 || x.Graph.Problems[0].File != "till/sources/broken.move" {
		t.Errorf("%v %+v", x.Graph.Modules, x.Graph.Problems)
	}
	c, err := x.Graph.Chain(graph.Query{Method: "shop::shop::pay", Direction: graph.Callees, Addresses: x.Addresses})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range c.Edges {
		got = append(got, e.Caller+" "+e.Callee+" "+string(e.Confidence))
	}
	if want := "[0xab::shop::pay 0x7::till::count resolved 0xab::shop::pay far::far::f resolved]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if f := c.Starts[0]; f.File != "shop/sources/deep/shop.move" || f.Line != 3 {
		t.Errorf("%s:%d", f.File, f.Line)
	}
}

func TestManifests(t *testing.T) {
	own := []byte("[published.testnet]\npublished-at = \"0x3\"\noriginal-id = \"0x2\"\nversion = 4\n")
	p, err := parsePackage("", []byte("[package]\nname = \"a\"\npublished-at = \"0x9\"\n"), nil, own)
	if err != nil || p.Published["testnet"] != (Published{"0x2", "0x3"}) || len(p.Published) != 1 {
		t.Errorf("%+v %v", p, err)
	}
	p, err = parsePackage("", []byte("[package]\nname = \"a\"\npublished-at = \"0x9\"\n"), []byte("no toml ["), nil)
	if err != nil || p.Published[""] != (Published{"0x9", "0x9"}) {
		t.Errorf("%+v %v", p, err)
	}
	for name, text := range map[string]string{
		"empty": "", "no TOML": "[", "no package": "[addresses]\na = \"0x1\"\n", "no name": "[package]\n",
		"a wrong type": "package = 1",
		"deep":         "a = " + strings.Repeat("[", maxManifest-10), "large": "[package]\nname = \"a\"\n" +
			strings.Repeat("#",
				maxManifest),
	} {
		if _, err := parsePackage("", []byte(text), nil, nil); !errors.Is(err, ErrManifest) {
			t.Errorf("%s: %v, want ErrManifest", name, err)
		}
	}
}
