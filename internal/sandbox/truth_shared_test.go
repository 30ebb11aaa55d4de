//go:build shared

package sandbox

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const recordedBooks = "../../../shared/data/deepbook-books-and-quotes.json"

// recordedValue is one answer of the real Move VM.
type recordedValue struct {
	Pool     string          `json:"pool"`
	Function string          `json:"fn"`
	Args     json.RawMessage `json:"args"`
	Result   []string        `json:"result"`
	Prices   []string        `json:"prices"`
	Amounts  []string        `json:"quantities"`
}

type recordedArgs struct {
	Base        string `json:"baseIn"`
	Quote       string `json:"quoteIn"`
	TargetBase  string `json:"targetBase"`
	TargetQuote string `json:"targetQuote"`
	PayWithDeep bool   `json:"payWithDeep"`
	Low         string `json:"low"`
	High        string `json:"high"`
	IsBid       bool   `json:"isBid"`
	Ticks       any    `json:"ticks"`
}

func startRecorded(t testing.TB, now time.Time) *served {
	t.Helper()
	f, err := os.Open(recordedBooks)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	return start(t, Config{Now: func() time.Time { return now }, Books: f})
}

// ask simulates one read and returns its numbers, one list per value.
func (n *served) ask(t testing.TB, tx *sui.Transaction) [][]string {
	t.Helper()
	answer, err := n.dry(t, tx, false)
	if err != nil {
		t.Fatal(err)
	}
	if !answer.GetTransaction().GetEffects().GetStatus().GetSuccess() {
		t.Fatal(answer.GetTransaction().GetEffects().GetStatus())
	}
	var out [][]string
	for _, v := range answer.GetCommandOutputs()[0].GetReturnValues() {
		b := v.GetValue().GetValue()
		if v.GetValue().GetName() == "vector<u64>" {
			_, size := binary.Uvarint(b)
			b = b[size:]
		}
		list := []string{}
		for ; len(b) >= 8; b = b[8:] {
			list = append(list, strconv.FormatUint(binary.LittleEndian.Uint64(b), 10))
		}
		out = append(out, list)
	}
	return out
}

func number(t testing.TB, s string) sui.PureInput {
	t.Helper()
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return sui.PureU64(v)
}

func TestAnswersOfTheRealMoveVM(t *testing.T) {
	raw, err := os.ReadFile(recordedBooks)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []recordedValue `json:"vectors"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) != 77 {
		t.Fatalf("%d recorded values, want 77", len(file.Vectors))
	}
	n := startRecorded(t, time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC))
	for i, v := range file.Vectors {
		t.Run(fmt.Sprintf("%02d %s %s", i, v.Pool, v.Function), func(t *testing.T) {
			n.compare(t, v)
		})
	}
}

func (n *served) compare(t *testing.T, v recordedValue) {
	p := pool(t, strings.ToUpper(v.Pool))
	var a recordedArgs
	if v.Function != "mid_price" {
		if err := json.Unmarshal(v.Args, &a); err != nil {
			t.Fatal(err)
		}
	}
	suffix := "_input_fee"
	if a.PayWithDeep {
		suffix = ""
	}
	var got [][]string
	switch v.Function {
	case "mid_price":
		got = n.ask(t, readCall(p, "mid_price"))
	case "get_quantity_out":
		got = n.ask(t, readCall(p, "get_quantity_out"+suffix, number(t, a.Base), number(t, a.Quote)))
		n.compareOneSided(t, v, a, suffix)
	case "get_quote_quantity_in":
		got = n.ask(t, readCall(p, v.Function, number(t, a.TargetBase), sui.PureBool(a.PayWithDeep)))
	case "get_base_quantity_in":
		got = n.ask(t, readCall(p, v.Function, number(t, a.TargetQuote), sui.PureBool(a.PayWithDeep)))
	case "get_level2_range_and_ticks":
		n.compareDepth(t, v, a)
		return
	default:
		t.Fatalf("no such function")
	}
	var flat []string
	for _, list := range got {
		flat = append(flat, list...)
	}
	if d := cmp.Diff(v.Result, flat); d != "" {
		t.Error(d)
	}
}

// compareOneSided calls the function that takes only the paid side.
func (n *served) compareOneSided(t *testing.T, v recordedValue, a recordedArgs, suffix string) {
	name, in := "get_quote_quantity_out", a.Base
	if a.Base == "0" {
		name, in = "get_base_quantity_out", a.Quote
	}
	got := n.ask(t, readCall(pool(t, strings.ToUpper(v.Pool)), name+suffix, number(t, in)))
	if d := cmp.Diff(v.Result, []string{got[0][0], got[1][0], got[2][0]}); d != "" {
		t.Error(d)
	}
}

// compareDepth calls both of the pool's depth functions for the same levels.
func (n *served) compareDepth(t *testing.T, v recordedValue, a recordedArgs) {
	p := pool(t, strings.ToUpper(v.Pool))
	ticks := number(t, fmt.Sprint(a.Ticks))
	sides := n.ask(t, readCall(p, "get_level2_ticks_from_mid", ticks))
	prices, amounts := sides[2], sides[3]
	if a.IsBid {
		prices, amounts = sides[0], sides[1]
	}
	if d := cmp.Diff([][]string{v.Prices, v.Amounts}, [][]string{prices, amounts}); d != "" {
		t.Error(d)
	}
	whole := n.ask(t, readCall(p, "get_level2_range", number(t, a.Low), number(t, a.High), sui.PureBool(a.IsBid)))
	if len(whole[0]) < len(v.Prices) {
		t.Fatalf("%d levels in the range", len(whole[0]))
	}
	if d := cmp.Diff([][]string{v.Prices, v.Amounts}, [][]string{whole[0][:len(v.Prices)],
		whole[1][:len(v.Prices)]}); d != "" {
		t.Error(d)
	}
}

// TestOfficialReads simulates the transactions that the official DeepBook client builds; all must
// be answered. The registry lists the vectors' manager, which has an order in the pool.
func TestOfficialReads(t *testing.T) {
	raw, err := os.ReadFile("../../../shared/vectors/deepbook-ptb-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		DeepBook struct {
			Vectors []struct {
				Name string `json:"name"`
				Kind string `json:"transaction_kind_bcs"`
			} `json:"vectors"`
		} `json:"deepbook"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	n := startRecorded(t, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	pool, _ := registry.PoolByKey("SUI_USDC")
	if _, err := n.OpenManager(ledger.Manager{
		ID: sui.MustAddress("0x" + strings.Repeat("33", 32)), InitialVersion: 555, Owner: Account, Registered: true,
		Deposits: []ledger.Deposit{{Coin: pool.Quote.Type, Amount: 100_000_000}},
		Orders:   []ledger.RestingOrder{{Pool: pool.Key, IsBid: true, Price: 100_000, Quantity: 10_000_000_000}},
	}); err != nil {
		t.Fatal(err)
	}
	answered := 0
	for _, v := range file.DeepBook.Vectors {
		if !strings.HasPrefix(v.Name, "read ") {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			b, err := base64.StdEncoding.DecodeString(v.Kind)
			if err != nil {
				t.Fatal(err)
			}
			kind, err := sui.DecodeKind(b)
			if err != nil {
				t.Fatal(err)
			}
			tx := &sui.Transaction{
				Inputs: kind.Inputs, Commands: kind.Commands,
				Gas: sui.Gas{Price: gasPrice}, Expiration: sui.NoExpiration{},
			}
			answer, err := n.dry(t, tx, false)
			if err != nil {
				t.Fatal(err)
			}
			if f := answer.GetTransaction().GetEffects().GetStatus(); !f.GetSuccess() ||
				len(answer.GetCommandOutputs()[0].GetReturnValues()) == 0 {
				t.Error(f)
			}
			answered++
		})
	}
	if answered != 14 {
		t.Errorf("%d reads were answered, want 14", answered)
	}
}

// TestOfficialSwap executes the input-fee swap built by the official client, with this chain's
// sender and gas.
func TestOfficialSwap(t *testing.T) {
	n := startRecorded(t, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	raw, err := os.ReadFile("../../../shared/vectors/deepbook-ptb-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(raw), "swap_exact_base_for_quote SUI_USDC 1.5 SUI, zero DEEP")
	_, rest, _ := strings.Cut(string(raw[at:]), `"transaction_data_bcs": "`)
	text, _, _ := strings.Cut(rest, `"`)
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := sui.DecodeTransaction(b)
	if err != nil {
		t.Fatal(err)
	}
	tx.Sender = Account
	tx.Gas = sui.Gas{Owner: Account, Price: gasPrice, Budget: 50_000_000, Payment: []sui.ObjectRef{n.coin(t, sui.SUI, 0)}}
	for i, in := range tx.Inputs {
		if p, ok := in.(sui.PureInput); ok && len(p.Bytes) == 32 {
			tx.Inputs[i] = sui.PureAddress(Account)
		}
		if v, ok := in.(sui.PureInput); ok {
			if min, isU64 := v.U64(); isU64 && min == 2_600_000 {
				tx.Inputs[i] = sui.PureU64(1_800_000) // what 1.4 SUI bring in the recorded book, less a little
			}
		}
	}
	signedRaw, signature := n.signed(t, tx)
	done, err := n.send(t, signedRaw, signature)
	if err != nil || !done.GetTransaction().GetEffects().GetStatus().GetSuccess() {
		t.Fatalf("%v, %v", done, err)
	}
	// 1.5 SUI less fee and lot are 1.4; the best bid is 1.2928.
	if got := changes(done.GetTransaction().GetBalanceChanges())["0x0881 USDC"]; got != "1809920" {
		t.Errorf("USDC gained: %s", got)
	}
}
