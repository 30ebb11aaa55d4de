package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// serve returns the address of a sandbox.
func serve(t *testing.T) string {
	t.Helper()
	_, url := sandboxtest.Serve(t, sandbox.Config{Now: time.Now})
	return url
}

func client(t *testing.T) *rpc.Client {
	t.Helper()
	c, err := rpc.New(rpc.Config{URL: serve(t), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// house returns a directory that contains the current file of pools.
func house(t *testing.T) (root, file string, text []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(poolsFile)))
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	file = filepath.Join(root, filepath.FromSlash(poolsFile))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return root, file, text
}

func TestTheRun(t *testing.T) {
	root, file, text := house(t)
	t.Run("R004-96 what is pinned is confirmed, and the file of pools is what would be written", func(t *testing.T) {
		var said bytes.Buffer
		if err := run(t.Context(), serve(t), nil, root, false, &said); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said.String(), "none is missing") || strings.Count(said.String(), "pool SUI_USDC_") != 7 ||
			!strings.Contains(said.String(), "DeepBook, 8 packages") {
			t.Errorf("it says %s", said.String())
		}
	})
	t.Run("R004-96 a file that lacks a pool is told, and written only when asked", func(t *testing.T) {
		short := bytes.Replace(text, []byte(`{"SUI", "USDC", 10,`), []byte(`{"SUI", "USDC", 11,`), 1)
		if err := os.WriteFile(file, short, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), serve(t), nil, root, false, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(),
			"-write") {
			t.Errorf("got %v", err)
		}
		if now, _ := os.ReadFile(file); !bytes.Equal(now, short) {
			t.Error("it was written without being asked")
		}
		if err := run(t.Context(), serve(t), nil, root, true, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		if now, _ := os.ReadFile(file); !bytes.Equal(now, text) {
			t.Errorf("it wrote\n%s", now)
		}
	})
	t.Run("R004-96 another chain than mainnet is refused before anything else", func(t *testing.T) {
		before := append([]byte{}, text...)
		before[0] = '#'
		if err := os.WriteFile(file, before, 0o644); err != nil {
			t.Fatal(err)
		}
		err := run(t.Context(), serve(t), mainnet, root, true, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), "network_mismatch") {
			t.Errorf("got %v", err)
		}
		if now, _ := os.ReadFile(file); !bytes.Equal(now, before) {
			t.Error("the pins were written")
		}
	})
	t.Run("R004-96 an outage leaves the pins", func(t *testing.T) {
		if err := run(t.Context(), "http://127.0.0.1:1", nil, root, true, &bytes.Buffer{}); err == nil ||
			!strings.Contains(err.Error(), "provider_unavailable") {
			t.Errorf("got %v", err)
		}
	})
}

// lying is a node that misreports some values.
type lying struct {
	chain
	object   func(*sui.Object) error
	version  uint64
	decimals uint8
}

func (l lying) Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error) {
	o, err := l.chain.Contents(ctx, id)
	o.Ref.ID = id
	if l.object != nil {
		if changed := l.object(&o); changed != nil || o.Type != "" && err != nil {
			return o, changed
		}
	}
	return o, err
}

func (l lying) Package(ctx context.Context, id sui.ObjectID) (sui.ObjectID, uint64, error) {
	original, version, err := l.chain.Package(ctx, id)
	if l.version != 0 {
		version = l.version
	}
	return original, version, err
}

func (l lying) Metadata(ctx context.Context, coin sui.CoinType) (sui.Metadata, error) {
	m, err := l.chain.Metadata(ctx, coin)
	if l.decimals != 0 {
		m.Decimals = l.decimals
	}
	return m, err
}

// only returns a function that edits one object and leaves all others unchanged.
func only(id sui.ObjectID, edit func(*sui.Object)) func(*sui.Object) error {
	return func(o *sui.Object) error {
		if o.Ref.ID == id {
			edit(o)
		}
		return nil
	}
}

func TestWhatDiffers(t *testing.T) {
	node := client(t)
	p := registry.Pools()[2]
	byte64 := func(at int) func(*sui.Object) {
		return func(o *sui.Object) {
			o.Contents = slices.Clone(o.Contents)
			o.Contents[at] ^= 1
		}
	}
	head := 32 + 1 + 74 + 1 + 76
	gone := fault.New(fault.ProviderRefused, "It is gone.").With("code", "NotFound")
	for name, l := range map[string]lying{
		"an upgraded package":     {version: 8},
		"other decimals":          {decimals: 8},
		"another registry":        {object: only(registry.Object, func(o *sui.Object) { o.Type = "0x2::clock::Clock" })},
		"a registry shared later": {object: only(registry.Object, func(o *sui.Object) { o.Owner.InitialVersion++ })},
		"a Versioned that is owned": {object: only(registry.Versioned,
			func(o *sui.Object) { o.Owner = sui.Owner{Kind: sui.OwnerImmutable} })},
		"a field of something else": {object: only(p.Field, func(o *sui.Object) { o.Owner.Address = registry.Versioned })},
		"a field with another key":  {object: only(p.Field, byte64(40))},
		"a field that leads elsewhere": {object: only(p.Field, func(o *sui.Object) {
			o.Contents = append(slices.Clone(o.Contents[:len(o.Contents)-32]), registry.Pools()[0].ID[:]...)
		})},
		"a pool that is gone": {object: func(o *sui.Object) error { return pick(o.Ref.ID == p.Field, gone) }},
		"a pool of other coins": {object: only(p.ID, func(o *sui.Object) {
			o.Type = registry.Pools()[0].Type() +
				"x"
		})},
		"a pool that belongs elsewhere": {object: only(p.ID, func(o *sui.Object) { o.Owner.Address = registry.Object })},
		"a pool with another id inside": {object: only(p.ID, byte64(3))},
		"a pool with another spacing":   {object: only(p.ID, byte64(head+16+4+24))},
		"a pool with another fee":       {object: only(p.ID, byte64(head+16+4+24+4+16+8))},
		"a pool without contents":       {object: only(p.ID, func(o *sui.Object) { o.Contents = nil })},
	} {
		t.Run("R004-96 "+name, func(t *testing.T) {
			l.chain = node
			if found, err := verify(t.Context(), l, &bytes.Buffer{}); !fault.Is(err, fault.ProviderMismatch) || found != nil {
				t.Errorf("%d pools, %v", len(found), err)
			}
		})
	}
}

func pick(when bool, err error) error {
	if when {
		return err
	}
	return nil
}

// TestANewPool adds a pool at the fee tier 0, which has no pinned pool.
func TestANewPool(t *testing.T) {
	old := registry.Pools()[0]
	p := registry.Pool{X: old.X, Y: old.Y, Fee: 0, TickSpacing: 1, ID: sui.MustAddress("0xabc")}
	var err error
	if p.Field, err = sui.DynamicFieldID(registry.Object, registry.KeyType(), p.KeyBytes()); err != nil {
		t.Fatal(err)
	}
	value := slices.Clone(p.ID[:])
	for _, c := range []coins.Coin{p.X, p.Y} {
		name := registry.TypeName(c.Type)
		value = append(binary.AppendUvarint(value, uint64(len(name))), name...)
	}
	value = binary.LittleEndian.AppendUint32(append(value, make([]byte, 16+4+24)...), 1)
	value = append(value, make([]byte, 16+8+8)...)
	l := lying{chain: client(t), object: func(o *sui.Object) error {
		switch o.Ref.ID {
		case p.Field:
			*o = sui.Object{Ref: o.Ref, Type: "field", Owner: sui.Owner{Kind: sui.OwnerObject, Address: registry.Object},
				Contents: append(append(slices.Clone(p.Field[:]), p.KeyBytes()...), p.ID[:]...)}
		case p.ID:
			*o = sui.Object{Ref: o.Ref, Type: p.Type(), Owner: sui.Owner{Kind: sui.OwnerObject, Address: p.Field},
				Contents: value}
		}
		return nil
	}}
	var said bytes.Buffer
	found, err := verify(t.Context(), l, &said)
	if err != nil || len(found) != 8 || found[0] != p || !strings.Contains(said.String(), "SUI_USDC_0 is new") {
		t.Fatalf("%d pools, %v: %s", len(found), err, said.String())
	}
	text, err := render(found)
	if err != nil || !bytes.Contains(text, []byte(`{"SUI", "USDC", 0, 1, "`+p.ID.String()+`",`)) {
		t.Errorf("%v\n%s", err, text)
	}
}
