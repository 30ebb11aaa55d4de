package deepbook

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var noon = time.Date(2026, 1, 30, 12, 0, 0, 0, time.UTC)

// canned is a node that returns fixed answers in order.
type canned struct {
	simulations []sui.Simulation
	err         error
	objects     []sui.Object
	asked       []*sui.Transaction
	read        []sui.ObjectID
}

func (c *canned) Simulate(_ context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	if checks {
		return sui.Simulation{}, fault.New(fault.InternalError, "A read was simulated with checks.")
	}
	c.asked = append(c.asked, tx)
	if c.err != nil {
		return sui.Simulation{}, c.err
	}
	s := c.simulations[0]
	if len(c.simulations) > 1 {
		c.simulations = c.simulations[1:]
	}
	return s, nil
}

func (c *canned) Objects(_ context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	c.read = append(c.read, ids...)
	return c.objects, nil
}

// packages lists which package each simulation called.
func (c *canned) packages() []sui.ObjectID {
	var ids []sui.ObjectID
	for _, tx := range c.asked {
		ids = append(ids, tx.Commands[0].(sui.MoveCall).Package)
	}
	return ids
}

func (c *canned) reader() *Reader {
	return New(Config{Chain: c, Now: func() time.Time { return noon }})
}

func numbers(values ...uint64) []sui.ReturnValue {
	var out []sui.ReturnValue
	for _, v := range values {
		out = append(out, sui.ReturnValue{BCS: binary.LittleEndian.AppendUint64(nil, v)})
	}
	return out
}

func truth(b byte) []sui.ReturnValue { return []sui.ReturnValue{{BCS: []byte{b}}} }

func returns(commands ...[]sui.ReturnValue) sui.Simulation {
	return sui.Simulation{Effects: sui.Effects{Status: sui.ExecutionStatus{OK: true}, Epoch: 9}, Returns: commands,
		At: noon}
}

func aborts(pkg sui.ObjectID, module string, code uint64, command int) sui.Simulation {
	return sui.Simulation{Effects: sui.Effects{Status: sui.ExecutionStatus{
		Kind: "MOVE_ABORT", Abort: &sui.MoveAbort{Package: pkg, Module: module, Code: code, Command: command},
	}}}
}

func newest() sui.ObjectID { return registry.Packages()[0].ID }

// TestVectors compares the requests with bytes built by DeepBook's own kit.
func TestVectors(t *testing.T) {
	b, err := os.ReadFile("testdata/deepbook-ptb-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Deepbook struct {
			Vectors []struct {
				Name string
				Kind string `json:"transaction_kind_bcs"`
			}
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	vectors := map[string]string{}
	for _, v := range file.Deepbook.Vectors {
		vectors[v.Name] = v.Kind
	}
	quote := func(amount sui.Raw, d registry.Direction, mode FeeMode) func(*Reader) error {
		return func(r *Reader) error {
			_, err := r.Quote(context.Background(), Request{"SUI_USDC", d, amount, mode, nil})
			return err
		}
	}
	for name, call := range map[string]func(*Reader) error{
		"read mid_price SUI_USDC": func(r *Reader) error {
			_, err := r.MidPrice(context.Background(), "SUI_USDC")
			return err
		},
		"read get_quote_quantity_out SUI_USDC base=1.5 SUI":            quote(1_500_000_000, registry.BaseToQuote, FeeDeep),
		"read get_base_quantity_out SUI_USDC quote=2.5 USDC":           quote(2_500_000, registry.QuoteToBase, ""),
		"read get_base_quantity_out_input_fee SUI_USDC quote=2.5 USDC": quote(2_500_000, registry.QuoteToBase, FeeInput),
	} {
		node := &canned{simulations: []sui.Simulation{returns(numbers(1, 1, 0))}}
		if err := call(node.reader()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkKind(t, name, vectors[name], node.asked[0].Kind())
	}
	for name, f := range map[string]read{
		"read pool_book_params SUI_USDC": parameterReads[0], "read whitelisted DEEP_SUI": parameterReads[2],
	} {
		pool, _ := registry.PoolByKey(name[strings.LastIndex(name, " ")+1:])
		checkKind(t, name, vectors[name], kind(nil, pool, pool.InitialSharedVersion, newest(), 0, f))
	}
}

func checkKind(t *testing.T, name, want string, k sui.Kind) {
	t.Helper()
	got, err := k.Encode()
	if err != nil || want == "" || base64.StdEncoding.EncodeToString(got) != want {
		t.Errorf("%s: built %x, want %s, %v", name, got, want, err)
	}
}

func TestMidPrice(t *testing.T) {
	node := &canned{simulations: []sui.Simulation{returns(numbers(38_120_000_000))}}
	mid, err := node.reader().MidPrice(context.Background(), "deep_sui")
	if err != nil {
		t.Fatal(err)
	}
	pool, _ := registry.PoolByKey("DEEP_SUI")
	want := Mid{Source{pool, newest(), 9, noon}, 38_120_000_000, "0.03812", "pool::mid_price"}
	if diff := cmp.Diff(want, mid); diff != "" {
		t.Error(diff)
	}
	for name, c := range map[string]struct {
		answer sui.Simulation
		code   fault.Code
		says   string
	}{
		"R004-68 a price of zero is no price": {returns(numbers(0)), fault.QuoteUnavailable, "zero"},
		"R004-68 an empty side is no price":   {aborts(newest(), "book", 2, 0), fault.QuoteUnavailable, "no live orders"},
		"the original package's abort": {aborts(registry.OriginalPackage, "book", 2, 0), fault.QuoteUnavailable,
			"no live orders"},
		"another package's abort": {aborts(sui.MustAddress("0xbad"), "book", 2, 0), fault.QuoteUnavailable,
			"unknown reason"},
		"an unknown code": {aborts(newest(), "book", 99, 0), fault.QuoteUnavailable, "book, code 99"},
		"no abort": {sui.Simulation{Effects: sui.Effects{Status: sui.ExecutionStatus{Kind: "FUNCTION_NOT_FOUND"}}},
			fault.QuoteUnavailable, "FUNCTION_NOT_FOUND"},
		"seven bytes": {returns([]sui.ReturnValue{{BCS: make([]byte, 7)}}), fault.ProviderMismatch,
			"shape"},
		"no value":   {returns(nil), fault.ProviderMismatch, "shape"},
		"no command": {returns(), fault.ProviderMismatch, "shape"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&canned{simulations: []sui.Simulation{c.answer}}).reader().MidPrice(context.Background(), "SUI_USDC")
			if !fault.Is(err, c.code) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
	_, err = (&canned{err: fault.New(fault.ProviderUnavailable, "down")}).reader().MidPrice(context.Background(),
		"SUI_USDC")
	if !fault.Is(err, fault.ProviderUnavailable) {
		t.Errorf("an outage is told as %v", err)
	}
	silent := &canned{}
	if _, err = silent.reader().MidPrice(context.Background(), "NO_POOL"); !fault.Is(err, fault.RegistryMiss) ||
		len(silent.asked) > 0 {
		t.Errorf("unknown pool: %v", err)
	}
}

func TestQuote(t *testing.T) {
	pool, _ := registry.PoolByKey("SUI_USDC")
	source := Source{pool, newest(), 9, noon}
	for name, c := range map[string]struct {
		request Request
		values  []uint64
		want    Quote
	}{
		"R004-79 a sale asks get_quote_quantity_out": {
			Request{"SUI_USDC", registry.BaseToQuote, 10_050_000_000, "", nil}, []uint64{50_000_000, 12_928_000, 1_977_700},
			Quote{source, registry.BaseToQuote, FeeDeep, 10_050_000_000, 50_000_000, 12_928_000, 1_977_700,
				12_928_000, 50_000_000, 10_000_000_000, "pool::get_quote_quantity_out", "pool::get_quantity_out"},
		},
		"R004-80 a purchase asks get_base_quantity_out": {
			Request{"sui_usdc", registry.QuoteToBase, 1_336_099, FeeDeep, nil}, []uint64{1_000_000_000, 43_099, 197_800},
			Quote{source, registry.QuoteToBase, FeeDeep, 1_336_099, 1_000_000_000, 43_099, 197_800,
				1_000_000_000, 43_099, 1_293_000, "pool::get_base_quantity_out", "pool::get_quantity_out"},
		},
		"fee mode input asks the _input_fee function": {
			Request{"SUI_USDC", registry.BaseToQuote, 10_050_000_000, FeeInput, nil}, []uint64{48_000_000, 12_928_000, 0},
			Quote{source, registry.BaseToQuote, FeeInput, 10_050_000_000, 48_000_000, 12_928_000, 0,
				12_928_000, 48_000_000, 10_002_000_000, "pool::get_quote_quantity_out_input_fee",
				"pool::get_quantity_out_input_fee"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			node := &canned{simulations: []sui.Simulation{returns(numbers(c.values...))}}
			got, err := node.reader().Quote(context.Background(), c.request)
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Fatalf("%v %s", err, diff)
			}
			if called := "pool::" + node.asked[0].Commands[0].(sui.MoveCall).Function; called != got.Function {
				t.Errorf("called %s, said %s", called, got.Function)
			}
		})
	}
	silent := &canned{}
	for name, q := range map[string]Request{
		"nothing": {"SUI_USDC", registry.BaseToQuote, 0, "", nil}, "sideways": {"SUI_USDC", "sideways", 1, "", nil},
		"fee": {"SUI_USDC", registry.BaseToQuote, 1, "sui", nil},
	} {
		if _, err := silent.reader().Quote(context.Background(), q); !fault.Is(err, fault.InputInvalid) ||
			len(silent.asked) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQuotesThatCannotBe(t *testing.T) {
	sale := Request{"SUI_USDC", registry.BaseToQuote, 500, FeeInput, nil}
	for name, values := range map[string][]uint64{"more back than paid": {501, 1, 0}, "a fee in DEEP": {0, 1, 1}} {
		_, err := (&canned{simulations: []sui.Simulation{returns(numbers(values...))}}).reader().Quote(context.Background(),
			sale)
		if !fault.Is(err, fault.ProviderMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	parameters := returns(numbers(100, 100_000_000, 1_000_000_000), numbers(1, 2, 3), truth(0))
	node := &canned{simulations: []sui.Simulation{returns(numbers(500, 0, 0)), parameters}}
	_, err := node.reader().Quote(context.Background(), sale)
	if e := fault.As(err); e.Code != fault.QuoteUnavailable || e.Detail.Get("minSize") != "1" ||
		e.Detail.Get("lotSize") != "0.1" ||
		!strings.Contains(e.Text, "0.0000005 SUI") || !strings.Contains(e.Text, "minimum trade is 1 SUI") {
		t.Errorf("too small: %v %v", err, e.Detail)
	}
	node = &canned{simulations: []sui.Simulation{returns(numbers(500, 0, 0)), returns()}}
	if _, err = node.reader().Quote(context.Background(), sale); !fault.Is(err, fault.QuoteUnavailable) {
		t.Errorf("too small, parameters unknown: %v", err)
	}
	node = &canned{simulations: []sui.Simulation{aborts(newest(), "deep_price", 2, 0)}}
	_, err = node.reader().Quote(context.Background(), Request{"SUI_USDC", registry.BaseToQuote, 500, "", nil})
	if e := fault.As(err); e.Code != fault.QuoteUnavailable || !strings.Contains(e.Text, "feeMode input") ||
		e.Detail.Get("module") != "deep_price" {
		t.Errorf("no DEEP price: %v %v", err, e.Detail)
	}
}

// The same abort has different meanings for a read, a manager and a swap.
func TestRefusals(t *testing.T) {
	pool11 := sui.MoveAbort{Package: newest(), Module: "pool", Code: 11}
	if _, ok := Meaning(pool11, newest(), ForRead); ok {
		t.Error("a read steers by it, and does not tell of it")
	}
	low := sui.MoveAbort{Package: newest(), Module: "balance_manager", Code: 3}
	said := map[string]bool{}
	for _, use := range []Use{ForManager, ForSwap, ForSwapInDeep} {
		r, ok := Meaning(low, newest(), use)
		if !ok || r.Reason == "" || r.Advice == "" || said[r.Message] {
			t.Errorf("%d: %+v", use, r)
		}
		said[r.Message] = true
	}
}

func TestVersions(t *testing.T) {
	disabled := func(i int) sui.Simulation { return aborts(registry.Packages()[i].ID, "pool", 11, 0) }
	ok := returns(numbers(5))
	for name, c := range map[string]struct {
		answers []sui.Simulation
		tried   []uint64
		code    fault.Code
	}{
		"the newest answers":       {[]sui.Simulation{ok}, []uint64{8}, ""},
		"the next older answers":   {[]sui.Simulation{disabled(0), ok}, []uint64{8, 7}, ""},
		"one constant, asked once": {[]sui.Simulation{disabled(0), disabled(1), ok}, []uint64{8, 7, 5}, ""},
		"named by its original id": {[]sui.Simulation{aborts(registry.OriginalPackage, "pool", 11, 0), ok}, []uint64{8, 7},
			""},
		"another package's code 11": {[]sui.Simulation{aborts(sui.MustAddress("0xbad"), "pool", 11, 0), ok}, []uint64{8},
			fault.QuoteUnavailable},
		"another module's code 11": {[]sui.Simulation{aborts(newest(), "book", 11, 0), ok}, []uint64{8},
			fault.QuoteUnavailable},
		"another code": {[]sui.Simulation{aborts(newest(), "pool", 10, 0), ok}, []uint64{8},
			fault.QuoteUnavailable},
		"none answers": {[]sui.Simulation{disabled(0), disabled(1), disabled(3), disabled(4), disabled(5), disabled(6),
			disabled(7)},
			[]uint64{8, 7, 5, 4, 3, 2, 1}, fault.QuoteUnavailable},
	} {
		node := &canned{simulations: c.answers}
		mid, err := node.reader().MidPrice(context.Background(), "SUI_USDC")
		var tried []uint64
		for _, id := range node.packages() {
			for _, p := range registry.Packages() {
				if p.ID == id {
					tried = append(tried, p.Number)
				}
			}
		}
		if diff := cmp.Diff(c.tried, tried); diff != "" || (c.code == "") != (err == nil) || (err != nil && !fault.Is(err,
			c.code)) {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		if err == nil && mid.Package != node.packages()[len(tried)-1] {
			t.Errorf("%s: the answer names package %s", name, mid.Package)
		}
		if name == "none answers" && !strings.Contains(err.Error(), "admits none") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSnapshot(t *testing.T) {
	sale := Request{"WAL_SUI", registry.BaseToQuote, 2_000_000_000, FeeInput, nil}
	quote, book, trade := numbers(0, 166_000_000, 0), numbers(1000, 100_000_000, 1_000_000_000), numbers(200_000, 50_000,
		7)
	best := top(83_000_000, 83_200_000)
	node := &canned{simulations: []sui.Simulation{returns(quote, book, trade, truth(1), best, numbers(83_100_000))}}
	s, err := node.reader().Snapshot(context.Background(), sale)
	if err != nil {
		t.Fatal(err)
	}
	pool, _ := registry.PoolByKey("WAL_SUI")
	source := Source{pool, newest(), 9, noon}
	want := Snapshot{
		Quote: Quote{source, registry.BaseToQuote, FeeInput, 2_000_000_000, 0, 166_000_000, 0, 166_000_000, 0, 2_000_000_000,
			"pool::get_quote_quantity_out_input_fee", "pool::get_quantity_out_input_fee"},
		Parameters: Parameters{source, 1000, 100_000_000, 1_000_000_000, 200_000, 50_000, 7, true},
		Mid:        83_100_000, Bid: 83_000_000, Ask: 83_200_000,
		SharedVersion: pool.InitialSharedVersion,
	}
	if diff := cmp.Diff(want, s); diff != "" || len(node.asked) != 1 || len(node.asked[0].Inputs) != 4 {
		t.Errorf("%d simulations %s", len(node.asked), diff)
	}

	node = &canned{simulations: []sui.Simulation{aborts(newest(), "book", 2, 5), returns(quote, book, trade, truth(1),
		top(83_000_000, 0))}}
	s, err = node.reader().Snapshot(context.Background(), sale)
	want.Mid, want.Ask = 0, 0
	if diff := cmp.Diff(want, s); diff != "" || err != nil {
		t.Errorf("a book with an empty side: %v %s", err, diff)
	}
	node = &canned{simulations: []sui.Simulation{returns(numbers(2_000_000_000, 0, 0), book, trade, truth(0), top(1, 2),
		numbers(1))}}
	if s, err = node.reader().Snapshot(context.Background(), sale); err != nil || s.Quote.Tradable() ||
		s.Parameters.Min != 1_000_000_000 {
		t.Errorf("a size that cannot trade: %+v, %v", s, err)
	}
	node = &canned{simulations: []sui.Simulation{returns(quote, book, trade, truth(2), top(1, 2), numbers(1))}}
	if _, err = node.reader().Snapshot(context.Background(), sale); !fault.Is(err, fault.ProviderMismatch) {
		t.Errorf("neither true nor false: %v", err)
	}
	node = &canned{simulations: []sui.Simulation{aborts(newest(), "book", 2, 0)}}
	if _, err = node.reader().Snapshot(context.Background(), sale); !fault.Is(err, fault.QuoteUnavailable) ||
		len(node.asked) != 1 {
		t.Errorf("an abort elsewhere: %v after %d simulations", err, len(node.asked))
	}
}

// top returns the best level of both sides of a book. 0 leaves a side empty.
func top(bid, ask uint64) []sui.ReturnValue {
	side := func(price uint64) []sui.ReturnValue {
		if price == 0 {
			return []sui.ReturnValue{vector(), vector()}
		}
		return []sui.ReturnValue{vector(price), vector(1)}
	}
	return append(side(bid), side(ask)...)
}

func TestSnapshotOfOneState(t *testing.T) {
	sale := Request{"SUI_USDC", registry.BaseToQuote, 2_000_000_000, FeeInput, nil}
	snapshot := func(best []sui.ReturnValue, mid ...uint64) error {
		reads := [][]sui.ReturnValue{numbers(0, 2_600_000, 0), numbers(1000, 100_000_000, 1_000_000_000), numbers(200_000,
			50_000, 7), truth(0), best}
		answers := []sui.Simulation{returns(append(reads, numbers(mid...))...)}
		if len(mid) == 0 {
			answers = []sui.Simulation{aborts(newest(), "book", 2, 5), returns(reads...)}
		}
		_, err := (&canned{simulations: answers}).reader().Snapshot(context.Background(), sale)
		return err
	}
	for name, err := range map[string]error{
		"honest": snapshot(top(90, 110), 100), "no bids": snapshot(top(0, 110)), "no asks": snapshot(top(90, 0)),
		"nothing":                         snapshot(top(0, 0)),
		"a side that came back meanwhile": snapshot(top(90, 110)),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"a mid price above the asks": snapshot(top(90, 110), 111), "below the bids": snapshot(top(90, 110), 89),
		"the sides swapped": snapshot(top(110, 90), 100), "a mid price without bids": snapshot(top(0, 110), 100),
		"a mid price of zero": snapshot(top(90, 110), 0), "a price beyond all prices": snapshot(top(90, 1<<63), 100),
		"a price of zero": snapshot([]sui.ReturnValue{vector(0), vector(1), vector(2), vector(1)}, 1),
		"two levels":      snapshot([]sui.ReturnValue{vector(90, 80), vector(1, 1), vector(110), vector(1)}, 100),
		"no levels":       snapshot(nil, 100),
	} {
		if !fault.Is(err, fault.ProviderMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A market with an empty side is readable.
func TestDepth(t *testing.T) {
	reads := func(best []sui.ReturnValue) [][]sui.ReturnValue {
		return [][]sui.ReturnValue{best, numbers(1000, 100_000_000, 1_000_000_000), numbers(200_000, 50_000, 7), truth(0)}
	}
	node := &canned{simulations: []sui.Simulation{aborts(newest(), "book", 2, 4), returns(reads(top(0, 110))...)}}
	b, err := node.reader().Depth(context.Background(), "SUI_USDC", 50)
	if err != nil || b.Mid != 0 || len(b.Bids) != 0 || len(b.Asks) != 1 || b.Parameters.TakerFee != 200_000 {
		t.Errorf("an empty side: %+v, %v", b, err)
	}
	node = &canned{simulations: []sui.Simulation{returns(append(reads(top(90, 110)), numbers(100))...)}}
	if b, err = node.reader().Depth(context.Background(), "SUI_USDC", 50); err != nil || b.Mid != 100 ||
		len(node.asked) != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	node = &canned{simulations: []sui.Simulation{returns(append(reads(top(90, 110)), numbers(0))...)}}
	if _, err = node.reader().Depth(context.Background(), "SUI_USDC", 50); !fault.Is(err, fault.ProviderMismatch) {
		t.Errorf("a price of zero: %v", err)
	}
	for _, at := range []int{0, 3} {
		node = &canned{simulations: []sui.Simulation{aborts(newest(), "book", 2, at)}}
		if _, err = node.reader().Depth(context.Background(), "SUI_USDC", 50); !fault.Is(err, fault.QuoteUnavailable) ||
			len(node.asked) != 1 {
			t.Errorf("an abort elsewhere: %v", err)
		}
	}
}

func TestUnknownSharedVersion(t *testing.T) {
	pool, _ := registry.PoolByKey("USDT_USDC")
	object := func(change func(*sui.Object)) *canned {
		o := sui.Object{Ref: sui.ObjectRef{ID: pool.ID}, Type: pool.Type(), Owner: sui.Owner{Kind: sui.OwnerShared,
			InitialVersion: 77}}
		change(&o)
		return &canned{objects: []sui.Object{o}, simulations: []sui.Simulation{returns(numbers(5))}}
	}
	node := object(func(*sui.Object) {})
	r := node.reader()
	for range 3 {
		if _, err := r.MidPrice(context.Background(), "USDT_USDC"); err != nil {
			t.Fatal(err)
		}
	}
	in := node.asked[2].Inputs[0].(sui.SharedInput)
	if in.InitialVersion != 77 || in.Mutable || len(node.read) != 1 {
		t.Errorf("input %+v after %d reads of the owner", in, len(node.read))
	}
	for name, change := range map[string]func(*sui.Object){
		"another object": func(o *sui.Object) { o.Ref.ID = sui.Clock },
		"another type":   func(o *sui.Object) { o.Type = sui.SUI.Object() },
		"not shared":     func(o *sui.Object) { o.Owner.Kind = sui.OwnerImmutable },
		"no version":     func(o *sui.Object) { o.Owner.InitialVersion = 0 },
	} {
		if _, err := object(change).reader().MidPrice(context.Background(), "USDT_USDC"); !fault.Is(err,
			fault.ProviderMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInputAmount(t *testing.T) {
	t.Run("R004-88 a display amount becomes the exact raw amount of the coin paid", func(t *testing.T) {
		for _, c := range []struct {
			d      registry.Direction
			text   string
			raw    sui.Raw
			symbol string
		}{
			{registry.BaseToQuote, "10.05", 10_050_000_000, "SUI"}, {registry.QuoteToBase, "10.05", 10_050_000, "USDC"},
			{registry.BaseToQuote, "18446744073.709551615", 1<<64 - 1, "SUI"},
		} {
			raw, coin, err := InputAmount("sui_usdc", c.d, c.text)
			if err != nil || raw != c.raw || coin.Symbol != c.symbol {
				t.Errorf("%s %s: %d %s, %v", c.text, c.d, raw, coin.Symbol, err)
			}
		}
	})
	for _, text := range []string{"", "0", "0.000000", "-1", "1e3", "1,5", ".5", "1.0000001", "18446744073709.551616",
		"ten"} {
		if raw, _, err := InputAmount("SUI_USDC", registry.QuoteToBase, text); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q became %d, %v", text, raw, err)
		}
	}
	if _, _, err := InputAmount("SUI_USDC", "", "1"); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("no direction: %v", err)
	}
}
