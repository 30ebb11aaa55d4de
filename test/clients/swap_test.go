//go:build clients

package clients_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// poolOf generates the book that the sandbox serves.
func poolOf(t *testing.T, key string) *clob.Pool {
	t.Helper()
	for _, p := range clob.Generate(sandbox.DefaultSeed, present) {
		if p.Key == key {
			return p
		}
	}
	t.Fatalf("no pool %s", key)
	return nil
}

func TestDeepBook(t *testing.T) {
	_, url := serve(t)
	p := poolOf(t, "SUI_USDC")
	now := uint64(present.UnixMilli())
	price := func(raw uint64) string { return string(sui.Raw(raw).Decimal(6)) } // 9 - 9 + 6
	base := func(raw uint64) string { return string(sui.Raw(raw).Decimal(9)) }
	six := func(raw uint64) string { return string(sui.Raw(raw).Decimal(6)) } // USDC and DEEP
	must := func(a, b, c uint64, err *clob.Abort) [3]uint64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return [3]uint64{a, b, c}
	}
	mid, abort := p.MidPrice(now)
	if abort != nil {
		t.Fatal(abort)
	}
	sell, buy := must(p.QuantityOut(10e9, 0, true, now)), must(p.QuantityOut(0, 10e6, true, now))
	sellFee, buyFee := must(p.QuantityOut(10e9, 0, false, now)), must(p.QuantityOut(0, 10e6, false, now))
	quoteIn, baseIn := must(p.QuoteQuantityIn(3e9, true, now)), must(p.BaseQuantityIn(3e6, true, now))
	bids, bidSizes, asks, askSizes, abort := p.Level2TicksFromMid(3, now)
	if abort != nil {
		t.Fatal(abort)
	}
	list := func(show func(uint64) string, raw []uint64) string {
		var out []string
		for _, n := range raw {
			out = append(out, show(n))
		}
		return strings.Join(out, " ")
	}
	want := map[string]string{
		"mid":  price(mid),
		"sell": base(sell[0]) + " " + six(sell[1]) + " " + six(sell[2]), "buy": base(buy[0]) + " " + six(buy[1]) + " " +
			six(buy[2]),
		"sellInputFee": base(sellFee[0]) + " " + six(sellFee[1]) + " 0", "buyInputFee": base(buyFee[0]) + " " +
			six(buyFee[1]) + " 0",
		"out":     base(sell[0]) + " " + six(sell[1]) + " " + six(sell[2]),
		"quoteIn": base(quoteIn[0]) + " " + six(quoteIn[1]) + " " + six(quoteIn[2]),
		"baseIn":  base(baseIn[0]) + " " + six(baseIn[1]) + " " + six(baseIn[2]),
		"depth": list(price, bids) + " | " + list(base, bidSizes) + " | " + list(price, asks) + " | " +
			list(base, askSizes),
		"params": price(p.Tick) + " " + base(p.Lot) + " " + base(p.Min),
		"trade":  base(p.TakerFee) + " " + base(p.MakerFee) + " " + six(p.StakeRequired),
		"id":     p.ID.String(), "whitelisted": "true",
	}
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			var answer map[string]any
			node(t, &answer, nil, "deepbook.mjs", url, format)
			read := func(name string, fields ...string) string {
				var out []string
				for _, f := range fields {
					out = append(out, strings.Trim(fmt.Sprint(answer[name].(map[string]any)[f]), "[]"))
				}
				return strings.Join(out, " ")
			}
			got := map[string]string{"mid": fmt.Sprint(answer["mid"]), "id": fmt.Sprint(answer["id"]),
				"whitelisted": fmt.Sprint(answer["whitelisted"])}
			for _, name := range []string{"sell", "buy", "sellInputFee", "buyInputFee", "out"} {
				got[name] = read(name, "baseOut", "quoteOut", "deepRequired")
			}
			got["quoteIn"] = read("quoteIn", "baseOut", "quoteIn", "deepRequired")
			got["baseIn"] = read("baseIn", "baseIn", "quoteOut", "deepRequired")
			got["depth"] = read("depth", "bid_prices") + " | " + read("depth", "bid_quantities") + " | " +
				read("depth", "ask_prices") + " | " + read("depth", "ask_quantities")
			got["params"] = read("params", "tickSize", "lotSize", "minSize")
			got["trade"] = read("trade", "takerFee", "makerFee", "stakeRequired")
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

type change struct{ CoinType, Address, Amount string }

func TestSwap(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	_, url := serve(t)
	p := poolOf(t, "SUI_USDC")
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			done, abort := p.SwapExact(10_050_000_000, 0, 2_000_000, 1, uint64(present.UnixMilli()))
			if abort != nil {
				t.Fatal(abort)
			}
			type executed struct {
				Digest         string
				Checkpoint     *string
				Status         struct{ Success bool }
				BalanceChanges []change
				Events         []struct{ EventType, Bcs string }
				Effects        struct {
					GasUsed struct{ ComputationCost, StorageCost, StorageRebate string }
				}
				Bcs string
			}
			var got struct {
				Bytes, Signature, Digest string
				Executed, Read           executed
				Parsed                   struct {
					V2 struct {
						TransactionDigest string
						Status            struct{ Success bool }
						ChangedObjects    []any
					}
				}
				Unbuilt  *problem
				Sent     struct{ Success bool }
				Received struct{ Balance balance }
			}
			node(t, &got, nil, "swap.mjs", url, format)
			if !got.Executed.Status.Success || got.Executed.Checkpoint != nil || got.Read.Checkpoint == nil {
				t.Errorf("executed %+v", got.Executed)
			}
			raw, signature := decode(t, got.Bytes), decode(t, got.Signature)
			if d := sui.TransactionDigest(raw).String(); d != got.Digest || d != got.Read.Digest || got.Read.Bcs != got.Bytes {
				t.Errorf("digests: ours %s, theirs %s, read %s", d, got.Digest, got.Read.Digest)
			}
			if signer, err := sui.VerifyTransactionSignature(raw, signature); err != nil || signer != sandbox.Account {
				t.Errorf("signer %s, %v", signer, err)
			}
			if v := got.Parsed.V2; v.TransactionDigest != got.Digest || !v.Status.Success || len(v.ChangedObjects) < 6 {
				t.Errorf("effects as the client reads them: %+v", v)
			}
			gained := map[string]string{}
			for _, c := range got.Read.BalanceChanges {
				gained[c.CoinType[strings.LastIndex(c.CoinType, ":")+1:]] = c.Amount
			}
			if gained["USDC"] != fmt.Sprint(done.QuoteOut) || gained["DEEP"] != fmt.Sprint(-int64(done.Fee)) {
				t.Errorf("gained %v, the book gives %d for a fee of %d", gained, done.QuoteOut, done.Fee)
			}
			if got.Unbuilt == nil || !strings.Contains(got.Unbuilt.Message, "abort code: 12") {
				t.Errorf("a swap below its minimum: %+v", got.Unbuilt)
			}
			if !got.Sent.Success || got.Received.Balance.Balance == "0" {
				t.Errorf("the transfer: %+v, %+v", got.Sent, got.Received)
			}
			var list []map[string]string
			for _, e := range got.Read.Events {
				list = append(list, map[string]string{"name": e.EventType[strings.LastIndex(e.EventType, ":")+1:], "bcs": e.Bcs})
			}
			checkEvents(t, list, done)
		})
	}
}

// readEvent is an event as the official layouts read it; Same says that it writes
// back to the same bytes.
type readEvent struct {
	Name  string
	Same  bool
	Value map[string]any
}

// readEvents decodes events, given by name and bytes in base64.
func readEvents(t *testing.T, list []map[string]string) (got []readEvent) {
	t.Helper()
	stdin, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	node(t, &got, stdin, "events.mjs")
	return got
}

// checkEvents decodes the events with the official layouts.
func checkEvents(t *testing.T, list []map[string]string, done clob.Swap) {
	t.Helper()
	got := readEvents(t, list)
	if len(got) != 9+len(done.Fills) { // the manager, three deposits, the order, its fills, its end, three withdrawals
		t.Fatalf("%d events for %d fills", len(got), len(done.Fills))
	}
	for _, e := range got {
		if !e.Same {
			t.Errorf("%s does not read back", e.Name)
		}
		switch e.Name {
		case "OrderInfo":
			if fmt.Sprint(e.Value["executed_quantity"]) != fmt.Sprint(done.Base) ||
				fmt.Sprint(e.Value["cumulative_quote_quantity"]) != fmt.Sprint(done.Quote) ||
				fmt.Sprint(e.Value["paid_fees"]) != fmt.Sprint(done.Fee) {
				t.Errorf("%v, want %d for %d", e.Value, done.Base, done.Quote)
			}
		case "OrderFilled":
			if fmt.Sprint(e.Value["price"]) != fmt.Sprint(done.Fills[0].Price) {
				t.Errorf("%v, want the price %d", e.Value, done.Fills[0].Price)
			}
		case "BalanceManagerEvent":
			if e.Value["owner"] != sandbox.Account.String() {
				t.Errorf("%v", e.Value)
			}
		}
	}
}

func decode(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
