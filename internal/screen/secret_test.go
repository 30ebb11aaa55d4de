package screen_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/screen/screentest"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func find(text string, own ...sui.Address) screen.Class {
	found, _ := screen.Find("text", text, own)
	return found.Class
}

// TestInnocent: harmless texts are accepted.
func TestInnocent(t *testing.T) {
	mine := screentest.OwnerOf(screentest.NewDraw(t).Bytes(32))
	for i, text := range screentest.Innocent(t) {
		t.Run(fmt.Sprintf("line %d", i+1), func(t *testing.T) {
			if class := find(text, mine); class != "" {
				t.Errorf("refused as %s: %q", class, text)
			}
		})
	}
}

// TestPastes writes fresh secrets in every form in which people paste them.
func TestPastes(t *testing.T) {
	line := 0
	screentest.Pastes(t, func(shape, text string, own []sui.Address) {
		line++
		t.Run(fmt.Sprintf("R004-356 line %d", line), func(t *testing.T) {
			if find(text, own...) == "" {
				t.Errorf("%s came through: %q", shape, text)
			}
		})
	})
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

// TestFields: every text of a document is found by its type, at any depth.
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
	}{"a", []string{"b", "c"}, []inner{{"d", "x"}}, map[string]inner{"k": {"e", "x"}}, &address, nil, "f", "g",
		inner{"h", "x"}}
	var got []string
	for _, f := range screen.Fields("doc", doc) {
		got = append(got, f.Path+"="+f.Text)
	}
	want := []string{"doc.title=a", "doc.list[0]=b", "doc.list[1]=c", "doc.list=b\nc", "doc.deep[0].label=d",
		"doc.deep[].label=d", "doc.table.k.label=e",
		"doc.who=" + address.String(), "doc.any=f", "doc.Bare=g"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestWhere: findings name the path but not the text; a phrase spread over a list is found in the
// list.
func TestWhere(t *testing.T) {
	d := screentest.NewDraw(t)
	type doc struct {
		Purpose string   `json:"purpose"`
		Words   []string `json:"words"`
		Wallet  string   `json:"walletName" screen:"name"`
	}
	for _, c := range []struct {
		in   doc
		want screen.Found
	}{
		{doc{Purpose: d.SuiKey()}, screen.Found{Path: "proposal.purpose", Class: screen.SuiKey}},
		{doc{Words: d.Phrase(12)}, screen.Found{Path: "proposal.words", Class: screen.Phrase}},
		{doc{Wallet: base64.StdEncoding.EncodeToString(d.Bytes(45))}, screen.Found{Path: "proposal.walletName",
			Class: screen.Payload}},
		{doc{Wallet: hex.EncodeToString(d.Bytes(50))}, screen.Found{Path: "proposal.walletName", Class: screen.Payload}},
		{doc{Purpose: base64.StdEncoding.EncodeToString(d.Bytes(45)), Wallet: "0x" + hex.EncodeToString(d.Bytes(32))},
			screen.Found{}},
	} {
		if found, _ := screen.Find("proposal", c.in, nil); found != c.want {
			t.Errorf("%+v, want %+v", found, c.want)
		}
	}
	for _, class := range []screen.Class{screen.SuiKey, screen.WalletKey, screen.Phrase, screen.RawKey, screen.Payload,
		screen.Term, screen.AddressKey} {
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

// TestBounds: a document with too many ids is refused, an address without leading zeros is compared
// with them, and a document that names its own address is checked against it.
func TestBounds(t *testing.T) {
	d := screentest.NewDraw(t)
	var ids []string
	for range 129 {
		ids = append(ids, "0x"+hex.EncodeToString(d.Bytes(32)))
	}
	if got := find(strings.Join(ids, "\n")); got != screen.Payload {
		t.Errorf("%d ids: %q", len(ids), got)
	}
	if got := find(strings.Join(ids[:100], "\n")); got != "" {
		t.Errorf("100 ids: %q", got)
	}
	key := d.Bytes(32)
	key[0] = 0
	if got := find("0x"+hex.EncodeToString(key[1:]), screentest.OwnerOf(key)); got != screen.AddressKey {
		t.Errorf("a key without its zeros: %q", got)
	}
	beside := []string{screentest.OwnerOf(key).String(), "its object is 0x" + hex.EncodeToString(key)}
	if found, _ := screen.Find("x", beside, nil); found.Class != screen.AddressKey {
		t.Errorf("a key beside its own address: %+v", found)
	}
	path := strings.Repeat("/Some-Folder/of_2026", 12)
	if got := find(path); got != "" {
		t.Errorf("a long path: %q", got)
	}
}
