package material_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/material"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	flowxregistry "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

var friend = sui.MustAddress("0x5afe0000000000000000000000000000000000000000000000000000000000aa")

// world is a reader over a sandbox, and a payment that it takes.
type world struct {
	*testing.T
	h      *testkit.Harness
	reader *material.Reader
	coin   sui.Coin
	price  uint64
}

func start(t *testing.T) *world {
	h := testkit.Start(t, time.Now, nil)
	w := &world{T: t, h: h}
	w.reader = material.New(material.Config{Chain: h.Node, Network: testkit.Network, MostGas: 1_000_000_000,
		Adapters: []plan.Adapter{h.For("swap"), h.FlowX(), h.For("transfer")},
		Called: func(id sui.ObjectID) bool {
			return id == sui.MustAddress("0x2") || id == flowxregistry.Package || registry.Published(id)
		}})
	list, err := h.Node.Coins(t.Context(), sandbox.Account, sui.SUI, 1)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	epoch, err := h.Node.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.coin, w.price = list[0], epoch.GasPrice
	return w
}

// payment is 1.5 SUI to a friend.
func (w *world) payment() *sui.Transaction {
	return &sui.Transaction{
		Inputs: []sui.Input{sui.PureU64(1_500_000_000), sui.PureAddress(friend)},
		Commands: []sui.Command{sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)}},
		Sender: sandbox.Account, Gas: sui.Gas{Payment: []sui.ObjectRef{w.coin.Ref}, Owner: sandbox.Account, Price: w.price,
			Budget: 10_000_000},
		Expiration: sui.NoExpiration{},
	}
}

func (w *world) hex(tx *sui.Transaction) string {
	w.Helper()
	raw, err := tx.Encode()
	if err != nil {
		w.Fatal(err)
	}
	return "0x" + hex.EncodeToString(raw)
}

func (w *world) read(g material.Given) (plan.Intent, string) {
	w.Helper()
	if g.Hex != "" && g.ChainID == "" {
		g.ChainID = testkit.Network
	}
	in, err := w.reader.Meaning(w.Context(), sandbox.Account, g)
	r := (*material.Refused)(nil)
	if err != nil && (!errors.As(err, &r) || len(r.Text) < 20) {
		w.Fatal(err)
	}
	if r != nil {
		return in, r.Word
	}
	return in, ""
}

// What is not taken is described, if it is one use of a protocol.
func TestProtocolsAreDescribed(t *testing.T) {
	w := start(t)
	stake := func(pkg sui.ObjectID, amount uint64) *sui.Transaction {
		validator := sui.MustAddress("0x7a11da7")
		tx := w.payment()
		tx.Inputs = []sui.Input{sui.PureU64(amount), sui.SharedInput{ID: sui.MustAddress("0x5"), InitialVersion: 1,
			Mutable: true}, sui.PureAddress(validator)}
		tx.Commands[1] = sui.MoveCall{Package: pkg, Module: "sui_system", Function: "request_add_stake",
			Arguments: []sui.Argument{sui.InputArg(1), sui.ResultArg(0), sui.InputArg(2)}}
		return tx
	}
	for says, tx := range map[string]*sui.Transaction{
		"Its bytes say: Sui staking: Stake 12.345 SUI with the validator 0x": stake(sui.MustAddress("0x3"), 12_345_000_000),
		"This cannot be overridden.":                                         stake(sui.MustAddress("0x33"), 12_345_000_000),
	} {
		_, err := w.reader.Meaning(t.Context(), sandbox.Account, material.Given{Hex: w.hex(tx), ChainID: testkit.Network})
		r := (*material.Refused)(nil)
		if !errors.As(err, &r) || r.Word != material.NotAllowed || !strings.Contains(r.Text, says) ||
			strings.Contains(r.Text, "Its bytes say") != strings.Contains(says, "Its bytes say") {
			t.Errorf("%q: %v", says, err)
		}
	}
}

// Every transaction fails one check and all later ones that it can: the first is named.
func TestChecksInTheirOrder(t *testing.T) {
	w := start(t)
	other := sui.MustAddress("0x7")
	edits := []struct {
		name, word string
		edit       func(*sui.Transaction)
	}{
		{"publishes", material.Unsupported, func(tx *sui.Transaction) {
			tx.Commands = append(tx.Commands, sui.Publish{Modules: [][]byte{{1}}, Dependencies: []sui.ObjectID{other}})
		}},
		{"another sender", material.WrongSender, func(tx *sui.Transaction) { tx.Sender = other }},
		{"sponsored", material.Sponsored, func(tx *sui.Transaction) { tx.Gas.Owner = other }},
		{"too much gas", material.GasTooHigh, func(tx *sui.Transaction) { tx.Gas.Budget = 2_000_000_000 }},
		{"a package off the list", material.NotAllowed, func(tx *sui.Transaction) {
			tx.Commands = append(tx.Commands, sui.MoveCall{Package: other, Module: "m", Function: "f"})
		}},
		{"a stale coin", material.BadInputs, func(tx *sui.Transaction) { tx.Gas.Payment[0].Version-- }},
		{"a failing command", material.Fails, func(tx *sui.Transaction) { tx.Inputs[0] = sui.PureU64(1 << 62) }},
	}
	for i := range edits {
		tx := w.payment()
		for _, e := range slices.Backward(edits[i:]) {
			e.edit(tx)
		}
		if _, word := w.read(material.Given{Hex: w.hex(tx)}); word != edits[i].word {
			t.Errorf("%s: %q", edits[i].name, word)
		}
	}
	good := w.hex(w.payment())
	for name, c := range map[string]struct {
		g    material.Given
		word string
	}{
		"too large":      {material.Given{Hex: "0x" + strings.Repeat("00", material.MostBytes+1)}, material.TooLarge},
		"half a byte":    {material.Given{Hex: "0x0"}, material.Malformed},
		"no hex":         {material.Given{Hex: "0xzz"}, material.Malformed},
		"nothing":        {material.Given{Hex: "0x"}, material.Malformed},
		"a byte more":    {material.Given{Hex: good + "00"}, material.Malformed},
		"a byte less":    {material.Given{Hex: good[:len(good)-2]}, material.Malformed},
		"no kind":        {material.Given{Hex: good, Kind: true}, material.Malformed},
		"another chain":  {material.Given{Hex: good, ChainID: "0x1"}, material.WrongNetwork},
		"mainnet":        {material.Given{Hex: good, ChainID: "sui:mainnet"}, material.WrongNetwork},
		"another sender": {material.Given{Hex: good, Details: material.Details{From: other.String()}}, material.WrongSender},
	} {
		if _, word := w.read(c.g); word != c.word {
			t.Errorf("%s: %q", name, word)
		}
	}
	id, err := w.h.Node.ChainIdentifier(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, chain := range []string{testkit.Network, id.String(), hex.EncodeToString(id[:4]), "0x" +
		hex.EncodeToString(id[:4])} {
		if _, word := w.read(material.Given{Hex: good, ChainID: chain}); word != "" {
			t.Errorf("%s: %q", chain, word)
		}
	}
}

func TestOnlyWhatIsUnderstood(t *testing.T) {
	w := start(t)
	paid := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: "1.5"},
		Recipient: friend.String()}
	t.Run("a payment becomes an intent of ours", func(t *testing.T) {
		if in, word := w.read(material.Given{Hex: w.hex(w.payment())}); word != "" || !equal(in, paid) {
			t.Errorf("%q %+v", word, in)
		}
	})
	t.Run("a kind without sender and gas", func(t *testing.T) {
		tx := w.payment()
		kind := strings.TrimPrefix(w.hex(&sui.Transaction{Inputs: tx.Inputs, Commands: tx.Commands, Sender: tx.Sender,
			Gas: tx.Gas, Expiration: tx.Expiration}), "0x")
		raw, _ := tx.Encode()
		tail, _ := (&sui.Transaction{Sender: tx.Sender, Gas: tx.Gas, Expiration: tx.Expiration}).Encode()
		kind = kind[2 : 2*(1+len(raw)-len(tail)+3)]
		if in, word := w.read(material.Given{Hex: kind, Kind: true}); word != "" || !equal(in, paid) {
			t.Errorf("%q %+v", word, in)
		}
	})
	t.Run("a payment out of a coin of another kind", func(t *testing.T) {
		usdc, _ := coins.BySymbol("USDC")
		list, err := w.h.Node.Coins(t.Context(), sandbox.Account, usdc.Type, 1)
		if err != nil {
			t.Fatal(err)
		}
		tx := w.payment()
		tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: list[0].Ref})
		tx.Commands[0] = sui.SplitCoins{Coin: sui.InputArg(2), Amounts: []sui.Argument{sui.InputArg(0)}}
		tx.Inputs[0] = sui.PureU64(2_000_000)
		if in, word := w.read(material.Given{Hex: w.hex(tx)}); word != "" || in.From.Symbol != "USDC" ||
			in.From.Amount != "2.0" && in.From.Amount != "2" {
			t.Errorf("%q %+v", word, in)
		}
	})
	t.Run("coins that are merged first", func(t *testing.T) {
		list, err := w.h.Node.Coins(t.Context(), sandbox.Account, sui.SUI, 3)
		if err != nil || len(list) < 3 {
			t.Fatal(len(list), err)
		}
		merged := func() *sui.Transaction {
			tx := w.payment()
			tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: list[1].Ref}, sui.OwnedInput{Ref: list[2].Ref})
			tx.Commands = []sui.Command{sui.MergeCoins{Into: sui.InputArg(2), Sources: []sui.Argument{sui.InputArg(3)}},
				sui.SplitCoins{Coin: sui.InputArg(2), Amounts: []sui.Argument{sui.InputArg(0)}},
				sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(1)}, Recipient: sui.InputArg(1)}}
			return tx
		}
		if in, word := w.read(material.Given{Hex: w.hex(merged())}); word != "" || !equal(in, paid) {
			t.Errorf("%q %+v", word, in)
		}
		usdc, _ := coins.BySymbol("USDC")
		other, err := w.h.Node.Coins(t.Context(), sandbox.Account, usdc.Type, 1)
		if err != nil {
			t.Fatal(err)
		}
		for name, edit := range map[string]func(*sui.Transaction){
			"into another coin": func(tx *sui.Transaction) {
				tx.Commands[1] = sui.SplitCoins{Coin: sui.InputArg(3), Amounts: []sui.Argument{sui.InputArg(0)}}
			},
			"of another type": func(tx *sui.Transaction) { tx.Inputs[3] = sui.OwnedInput{Ref: other[0].Ref} },
		} {
			tx := merged()
			edit(tx)
			if in, word := w.read(material.Given{Hex: w.hex(tx)}); word != material.Unsupported && word != material.Fails {
				t.Errorf("%s: %q %+v", name, word, in)
			}
		}
	})
	for _, symbol := range []string{"SUI", "USDC", "DEEP"} {
		t.Run("a payment in "+symbol+" as this program builds it", func(t *testing.T) {
			w := start(t)
			in := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: symbol, Amount: "1.5"},
				Recipient: friend.String()}
			raw, _ := w.h.Sign(w.h.HandOff(w.h.Ready(in)))
			if got, word := w.read(material.Given{Hex: hex.EncodeToString(raw)}); word != "" || !equal(got, in) {
				t.Errorf("%q %+v", word, got)
			}
		})
	}
	for _, protocol := range []string{"deep", "flowx"} {
		t.Run("a swap on "+protocol, func(t *testing.T) {
			w := start(t)
			w.h.Use(append(w.h.Adapters(), w.h.FlowX())...)
			in := testkit.Swap("10", "SUI", "USDC")
			in.Protocol = protocol
			raw, _ := w.h.Sign(w.h.HandOff(w.h.Ready(in)))
			got, word := w.read(material.Given{Hex: hex.EncodeToString(raw), Details: material.Details{Symbol: "SUI",
				Amount: "10 SUI", Value: "10000000000"}})
			if word != "" || got.Type != "swap" || got.Protocol != protocol || got.From.Symbol != "SUI" ||
				got.To.Symbol != "USDC" ||
				got.MaxSlippageBps < 45 || got.MaxSlippageBps > 50 {
				t.Fatalf("%q %+v", word, got)
			}
			tx, err := sui.DecodeTransaction(raw)
			if err != nil {
				t.Fatal(err)
			}
			for i, in := range tx.Inputs {
				// The minimum output is between 12 and 13 USDC.
				if p, ok := in.(sui.PureInput); ok {
					if n, ok := p.U64(); ok && n > 12_000_000 && n < 13_000_000 {
						tx.Inputs[i] = sui.PureU64(1)
						if _, word := w.read(material.Given{Hex: w.hex(tx)}); word != material.Unsupported {
							t.Errorf("hardly any least amount: %q", word)
						}
						tx.Inputs[i] = in
					}
				}
				if p, ok := in.(sui.PureInput); ok && string(p.Bytes) == string(sandbox.Account[:]) {
					tx.Inputs[i] = sui.PureAddress(friend)
				}
			}
			if _, word := w.read(material.Given{Hex: w.hex(tx)}); word != material.Unsupported {
				t.Errorf("what comes out goes to someone else: %q", word)
			}
		})
	}
	for name, edit := range map[string]func(*sui.Transaction){
		"sends the gas coin too": func(tx *sui.Transaction) {
			tx.Commands = append(tx.Commands, sui.TransferObjects{Objects: []sui.Argument{sui.GasCoin},
				Recipient: sui.InputArg(1)})
		},
		"sends all of it": func(tx *sui.Transaction) {
			tx.Commands[1] = sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0), sui.GasCoin},
				Recipient: sui.InputArg(1)}
		},
		"two amounts": func(tx *sui.Transaction) {
			tx.Commands[0] = sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0), sui.InputArg(0)}}
			tx.Commands[1] = sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0), sui.NestedArg(0, 1)},
				Recipient: sui.InputArg(1)}
		},
		"an input that nothing uses": func(tx *sui.Transaction) { tx.Inputs = append(tx.Inputs, sui.PureU64(1)) },
		"calls a function that no review is about": func(tx *sui.Transaction) {
			tx.Commands = slices.Insert(tx.Commands, 0, sui.Command(sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin",
				Function: "zero", TypeArgs: []sui.TypeTag{sui.SUI.Tag()}}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			tx := w.payment()
			edit(tx)
			if in, word := w.read(material.Given{Hex: w.hex(tx)}); word != material.Unsupported && word != material.Fails {
				t.Errorf("%q %+v", word, in)
			}
		})
	}
}

// liar is a node whose simulations change one coin more.
type liar struct {
	material.Chain
	more sui.BalanceChange
}

func (l liar) SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error) {
	sim, err := l.Chain.SimulateBytes(ctx, b, checks)
	sim.Balances = append(sim.Balances, l.more)
	return sim, err
}

func TestWhatElseItChanges(t *testing.T) {
	w := start(t)
	usdc, _ := coins.BySymbol("USDC")
	for name, more := range map[string]sui.BalanceChange{
		"the account loses another coin": {Owner: sandbox.Account, Coin: usdc.Type, Amount: sui.Delta{Negative: true,
			Amount: 1}},
		"somebody else gains":      {Owner: sui.MustAddress("0x7"), Coin: sui.SUI, Amount: sui.Delta{Amount: 1}},
		"the recipient gains more": {Owner: friend, Coin: sui.SUI, Amount: sui.Delta{Amount: 1}},
	} {
		w.reader = material.New(material.Config{Chain: liar{w.h.Node, more}, Network: testkit.Network, MostGas: 1_000_000_000,
			Called: func(sui.ObjectID) bool { return true }})
		if in, word := w.read(material.Given{Hex: w.hex(w.payment())}); word != material.Effects {
			t.Errorf("%s: %q %+v", name, word, in)
		}
	}
}

func equal(a, b plan.Intent) bool {
	return a.Type == b.Type && a.From == b.From && a.Recipient == b.Recipient && a.To == b.To && a.Protocol == b.Protocol
}

func TestDetails(t *testing.T) {
	w := start(t)
	good := w.hex(w.payment())
	for name, c := range map[string]struct {
		d  material.Details
		ok bool
	}{
		"none": {material.Details{}, true},
		"all of them": {material.Details{From: sandbox.Account.String(), To: friend.String(), Value: "1500000000",
			Symbol: "SUI", Amount: "1.5 SUI"}, true},
		"a bare amount":   {material.Details{Amount: "1.50"}, true},
		"somebody else":   {material.Details{To: "0x7"}, false},
		"nobody":          {material.Details{To: "Alice"}, false},
		"more":            {material.Details{Value: "1500000001"}, false},
		"no number":       {material.Details{Value: "1.5"}, false},
		"another coin":    {material.Details{Symbol: "USDC"}, false},
		"another amount":  {material.Details{Amount: "15 SUI"}, false},
		"of another coin": {material.Details{Amount: "1.5 USDC"}, false},
	} {
		want := material.OtherDetails
		if c.ok {
			want = ""
		}
		if _, word := w.read(material.Given{Hex: good, Details: c.d}); word != want {
			t.Errorf("%s: %q", name, word)
		}
	}
}

// field is one field of a protobuf message: a text, or a number.
func field(n protowire.Number, v any) []byte {
	switch v := v.(type) {
	case []byte:
		return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), v)
	case string:
		return protowire.AppendString(protowire.AppendTag(nil, n, protowire.BytesType), v)
	case int:
		return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), uint64(v))
	}
	return protowire.AppendFixed64(protowire.AppendTag(nil, n, protowire.Fixed64Type), 1)
}

func TestPayload(t *testing.T) {
	w := start(t)
	usdc, _ := coins.BySymbol("USDC")
	coin := func(more ...[]byte) []byte {
		return slices.Concat(append([][]byte{field(1, "Sui"), field(2, "SUI"), field(3, sandbox.Account.String()),
			field(5, 9), field(7, 1)}, more...)...)
	}
	payload := func(coin []byte, more ...[]byte) string {
		b := slices.Concat(append([][]byte{field(1, coin), field(2, friend.String()), field(3, "1500000000"),
			field(11, []byte{8, 1})}, more...)...)
		return base64.StdEncoding.EncodeToString(b)
	}
	t.Run("R000-26 a payment in SUI is read, and built anew here", func(t *testing.T) {
		in, word := w.read(material.Given{Payload: payload(coin(), field(31, "02aa"), field(32, "party")),
			Details: material.Details{Amount: "1.5 SUI", To: friend.String()}})
		if word != "" || in.Type != "transfer" || in.From != (plan.IntentSource{Symbol: "SUI", Amount: "1.5"}) ||
			in.Recipient != friend.String() {
			t.Errorf("%q %+v", word, in)
		}
	})
	t.Run("a payment in another coin", func(t *testing.T) {
		c := slices.Concat(field(1, "sui"), field(2, "USDC"), field(4, string(usdc.Type)), field(5, 6))
		if in, word := w.read(material.Given{Payload: payload(c)}); word != "" ||
			in.From != (plan.IntentSource{Symbol: "USDC", Amount: "1500"}) && in.From.Amount != "1500.0" {
			t.Errorf("%q %+v", word, in)
		}
	})
	for name, c := range map[string]struct{ payload, word string }{
		"no base64":         {"?", material.Malformed},
		"empty":             {"====", material.Malformed},
		"no message":        {"AAAA", material.Unreadable},
		"too large":         {strings.Repeat("A", 2*material.MostBytes), material.TooLarge},
		"a swap":            {payload(coin(), field(22, []byte{1})), material.Unreadable},
		"a memo":            {payload(coin(), field(21, "hello")), material.Unreadable},
		"an approval":       {payload(coin(), field(30, []byte{})), material.Unreadable},
		"of an EVM chain":   {payload(slices.Concat(field(1, "Ethereum"))), material.Unreadable},
		"a field twice":     {payload(coin(), field(2, "0x7")), material.Unreadable},
		"another wire type": {payload(coin(), field(32, nil)), material.Unreadable},
		"other decimals":    {payload(slices.Concat(field(1, "Sui"), field(5, 6))), material.Unreadable},
		"an unknown coin":   {payload(slices.Concat(field(1, "Sui"), field(4, "0x5::a::A"))), material.Unreadable},
		"another account":   {payload(slices.Concat(field(1, "Sui"), field(3, "0x7"))), material.WrongSender},
		"no specifics": {base64.StdEncoding.EncodeToString(slices.Concat(field(1, coin()), field(2, friend.String()),
			field(3, "1"))), material.Unreadable},
		"no amount": {base64.StdEncoding.EncodeToString(slices.Concat(field(1, coin()), field(2, friend.String()),
			field(11, []byte{}))), material.Unreadable},
		"a negative amount": {base64.StdEncoding.EncodeToString(slices.Concat(field(1, coin()), field(2, friend.String()),
			field(3, "-1"), field(11, []byte{}))), material.Unreadable},
		"no recipient": {base64.StdEncoding.EncodeToString(slices.Concat(field(1, coin()), field(2, "alice.sui"),
			field(3, "1"), field(11, []byte{}))), material.Unreadable},
	} {
		if in, word := w.read(material.Given{Payload: c.payload}); word != c.word {
			t.Errorf("%s: %q %+v", name, word, in)
		}
	}
	if _, word := w.read(material.Given{Payload: payload(coin()),
		Details: material.Details{Amount: "15 SUI"}}); word != material.OtherDetails {
		t.Errorf("other details: %q", word)
	}
}

// FuzzMeaning reads anything: it ends in an intent, or in a word.
func FuzzMeaning(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0}, true)
	f.Add([]byte{8, 1}, false)
	f.Fuzz(func(t *testing.T, b []byte, payload bool) {
		r := material.New(material.Config{Chain: nobody{}, Network: "sui:test",
			Called: func(sui.ObjectID) bool { return true }})
		g := material.Given{Hex: hex.EncodeToString(b), ChainID: "sui:test"}
		if payload {
			g = material.Given{Payload: base64.StdEncoding.EncodeToString(b)}
		}
		if payload && g.Payload == "" {
			return
		}
		in, err := r.Meaning(t.Context(), sandbox.Account, g)
		if word := (*material.Refused)(nil); err != nil && !errors.As(err, &word) || err == nil && in.Type != "transfer" {
			t.Errorf("%+v %v", in, err)
		}
	})
}

// nobody is a node that never responds.
type nobody struct{ material.Chain }

var errNobody = fault.New(fault.ProviderUnavailable, "Nobody answers.")

func (nobody) Objects(context.Context, []sui.ObjectID) ([]sui.Object, error) { return nil, errNobody }
func (nobody) SimulateBytes(context.Context, []byte, bool) (sui.Simulation, error) {
	return sui.Simulation{}, errNobody
}
