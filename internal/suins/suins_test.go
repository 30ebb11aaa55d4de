package suins_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/suins"
)

func TestParse(t *testing.T) {
	long := strings.Repeat("a", 63)
	for text, want := range map[string]suins.Name{
		"alice.sui": "alice.sui", "@alice": "alice.sui", "pay@alice": "pay.alice.sui", "pay.alice.sui": "pay.alice.sui",
		"pay*alice*sui": "pay.alice.sui", "a.b.c.sui": "a.b.c.sui", "a.b@c": "a.b.c.sui", "a-1.sui": "a-1.sui",
		"Alice.SUI": "alice.sui",
		"1.sui":     "1.sui", long + ".sui": suins.Name(long + ".sui"),
	} {
		if n, err := suins.Parse(text); n != want || err != nil {
			t.Errorf("%q: %q, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "sui", ".sui", "alice", "alice.eth", "@", "@alice.sui", "a@b@c", "-a.sui", "a-.sui",
		"a_b.sui", "a..sui",
		"älice.sui", "alice.sui.", " alice.sui", "a*b.sui", long + "a.sui", strings.Repeat("a.", 100) + "sui",
		"\u212aate.sui", "pay@@alice", "0x2"} {
		if n, err := suins.Parse(text); fault.As(err).Code != fault.InputInvalid || n != "" {
			t.Errorf("%q is %q, %v", text, n, err)
		}
	}
}

var (
	alice  = sui.MustAddress("0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a")
	holder = sui.MustAddress("0xa11ce")
	other  = sui.MustAddress("0xb0b")
)

// altered is a node whose answers a test can change.
type altered struct {
	*rpc.Client
	edit func(*sui.Object)
}

func (a altered) Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error) {
	o, err := a.Client.Contents(ctx, id)
	if err == nil {
		a.edit(&o)
	}
	return o, err
}

func TestResolve(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	chain, url := sandboxtest.Serve(t, sandbox.Config{Now: func() time.Time { return now }})
	node, err := rpc.New(rpc.Config{URL: url, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = node.Close() })
	year := now.AddDate(1, 0, 0)
	for name, r := range map[suins.Name]ledger.Record{
		"alice.sui":     {Holder: holder, Target: alice, Expires: year},
		"pay.alice.sui": {Holder: holder, Target: other},
		"old.alice.sui": {Holder: other, Target: alice},
		"nowhere.sui":   {Holder: holder, Expires: year},
		"ended.sui":     {Holder: holder, Target: alice, Expires: now},
		"a.ended.sui":   {Holder: holder, Target: alice},
		"lost.gone.sui": {Holder: holder, Target: alice},
		"endless.sui":   {Holder: holder, Target: alice},
	} {
		chain.Ledger.SetName(name, &r)
	}
	resolver := suins.Resolver{Chain: node, Registry: suins.Mainnet, Now: func() time.Time { return now }}
	for name, want := range map[suins.Name]sui.Address{"alice.sui": alice, "pay.alice.sui": other} {
		got, err := resolver.Resolve(t.Context(), name)
		if err != nil || got != (suins.Found{Name: name, Holder: holder, Target: want, Expires: year}) ||
			got.Differs(want.String(), holder.String()) != "" ||
			got.Differs(holder.String(), holder.String()) == "" || got.Differs(want.String(), want.String()) == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, words := range map[suins.Name]string{
		"bob.sui": "is not registered", "nowhere.sui": "has no address", "ended.sui": "ended on 2026-11-23",
		"a.ended.sui": "ended on 2026-11-23", "old.alice.sui": "registered again", "lost.gone.sui": "not registered",
		"endless.sui": "registered again",
	} {
		got, err := resolver.Resolve(t.Context(), name)
		if fault.As(err).Code != fault.InputInvalid || !strings.Contains(fault.As(err).Text, words) ||
			got != (suins.Found{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for what, edit := range map[string]func(*sui.Object){
		"another type":   func(o *sui.Object) { o.Type = strings.Replace(o.Type, "NameRecord", "Other", 1) },
		"another table":  func(o *sui.Object) { o.Owner.Address = other },
		"a shared one":   func(o *sui.Object) { o.Owner.Kind = sui.OwnerShared },
		"another id":     func(o *sui.Object) { o.Contents[0] ^= 1 },
		"another name":   func(o *sui.Object) { o.Contents[40] ^= 1 },
		"no such option": func(o *sui.Object) { o.Contents[32+11+32+8] = 2 },
		"more bytes":     func(o *sui.Object) { o.Contents = append(o.Contents, 0) },
		"fewer bytes":    func(o *sui.Object) { o.Contents = o.Contents[:len(o.Contents)-1] },
		"none at all":    func(o *sui.Object) { o.Contents = nil },
	} {
		resolver.Chain = altered{node, edit}
		if got, err := resolver.Resolve(t.Context(), "alice.sui"); fault.As(err).Code != fault.ProviderMismatch ||
			got != (suins.Found{}) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
}

func TestChosen(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	chain, url := sandboxtest.Serve(t, sandbox.Config{Now: func() time.Time { return now }})
	node, err := rpc.New(rpc.Config{URL: url, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = node.Close() })
	resolver := suins.Resolver{Chain: node, Registry: suins.Mainnet, Now: func() time.Time { return now }}
	is := func(want suins.Name) {
		t.Helper()
		if f, ok, err := resolver.Chosen(t.Context(), alice); err != nil || ok != (want != "") || f.Name != want {
			t.Errorf("%+v %v %v", f, ok, err)
		}
	}
	is("")
	chain.Ledger.ChooseName(alice, "pay.bob.sui")
	is("") // unregistered
	chain.Ledger.SetName("pay.bob.sui", &ledger.Record{Holder: holder, Target: other, Expires: now.AddDate(1, 0, 0)})
	is("") // contains another address
	chain.Ledger.SetName("pay.bob.sui", &ledger.Record{Holder: holder, Target: alice, Expires: now.AddDate(1, 0, 0)})
	is("pay.bob.sui")
	for what, edit := range map[string]func(*sui.Object){
		"another type":    func(o *sui.Object) { o.Type = suins.Mainnet.RecordType().String() },
		"another table":   func(o *sui.Object) { o.Owner.Address = suins.Mainnet.Table },
		"another address": func(o *sui.Object) { o.Contents[40] ^= 1 },
		"no name":         func(o *sui.Object) { o.Contents[len(o.Contents)-1] = '!' },
		"fewer bytes":     func(o *sui.Object) { o.Contents = o.Contents[:len(o.Contents)-1] },
	} {
		resolver.Chain = altered{node, edit}
		if f, ok, err := resolver.Chosen(t.Context(), alice); fault.As(err).Code != fault.ProviderMismatch || ok {
			t.Errorf("%s: %+v, %v", what, f, err)
		}
	}
}

// FuzzRecord checks that no bytes of a record object cause a panic.
func FuzzRecord(f *testing.F) {
	id := suins.Mainnet.RecordID("a.sui")
	f.Add(id[:])
	f.Add(append(append(id[:], 2, 3), "sui\x01a"+strings.Repeat("\x00", 32+8+1+1)...))
	f.Fuzz(func(t *testing.T, contents []byte) {
		r := suins.Resolver{Chain: fixed(contents), Registry: suins.Mainnet,
			Now: func() time.Time { return time.UnixMilli(0) }}
		if got, err := r.Resolve(t.Context(), "a.sui"); (err == nil) == got.Target.IsZero() {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

type fixed []byte

func (b fixed) Contents(context.Context, sui.ObjectID) (sui.Object, error) {
	return sui.Object{Type: suins.Mainnet.RecordType().String(), Contents: b,
		Owner: sui.Owner{Kind: sui.OwnerObject, Address: suins.Mainnet.Table}}, nil
}
