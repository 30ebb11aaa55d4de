package lies_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// reading is a tool call that queries a node or another service.
type reading struct{ name, args string }

// readings lists the calls. digest is a transaction of the account.
func readings(digest string) []reading {
	call := func(name, format string, args ...any) reading {
		return reading{"read." + name, fmt.Sprintf(format, args...)}
	}
	swaps := "0x0e735f8c93a95722efd73521aca7a7652c0bb71ed1daf41b26dfd7d1ff71f748::pool::swap_exact_base_for_quote"
	return []reading{
		call("get_deepbook_mid_price", `{"poolKey":"SUI_USDC"}`),
		call("inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC","ticks":10}`),
		call("quote_deepbook_action", `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":"10000000000"}`),
		call("quote_deepbook_display_amount",
			`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"10","feeMode":"input"}`),
		call("quote_flowx_swap", `{"sourceSymbol":"SUI","targetSymbol":"USDC","amountDisplay":"10"}`),
		call("summarize_deepbook_account_inventory", `{"poolKey":"SUI_USDC","managerAddress":%q}`, manager),
		call("summarize_wallet_assets", `{"account":%q}`, sandbox.Account),
		call("classify_wallet_assets", `{"account":%q}`, sandbox.Account),
		call("list_validators", `{}`),
		call("summarize_settlement_asset_group_parity", `{"denomination":"dollar"}`),
		call("preview_intent_evidence",
			`{"account":%q,"intentKind":"cover_payment_like_amount","denomination":"dollar","requiredDisplayAmount":"1000"}`,
			sandbox.Account),
		call("inspect_sui_transaction", `{"digest":%q}`, digest),
		call("scan_sui_account_activity", `{}`),
		call("scan_sui_function_activity", `{"function":%q}`, swaps),
		call("get_deepbook_price_history", `{"poolKey":"SUI_USDC","interval":"1m","limit":10}`),
	}
}

// readAll tests every reading with every lie about its untested fields.
func (w *teller) readAll(list []reading) {
	w.t.Helper()
	for _, r := range list {
		before := w.cases
		seen, answers := map[string]lies.Seen{}, heard{}
		w.liar.Watch(func(s lies.Seen) {
			w.known[lies.Plain(s.Field)] = true
			answers[s.Answer] = true
			if key, worth := keyOf(s); worth && !w.tried[key] {
				seen[key] = s
			}
		})
		w.anew()
		honest := w.call(r.name, r.args)
		w.liar.Watch(nil)
		if honest.Fault != nil {
			w.t.Fatalf("%s: %s", r.name, honest.Text)
		}
		w.anew()
		noise := map[string]bool{}
		truth := leavesOfAnswer(honest)
		for _, p := range differing(truth, leavesOfAnswer(w.call(r.name, r.args)), nil) {
			noise[p] = true
		}
		for _, key := range slices.Sorted(maps.Keys(seen)) {
			w.tried[key] = true
			for _, value := range lies.WordsFor(seen[key].Kind) {
				c := lieCase{field: seen[key].Field, value: value, kind: seen[key].Kind}
				if !w.skip() && !w.idle(answers, c) {
					w.read(r, c, truth, noise)
				}
			}
		}
		w.t.Logf("%s: %d cases", r.name, w.cases-before)
	}
}

func (w *teller) read(r reading, c lieCase, honest map[string]string, noise map[string]bool) {
	w.anew()
	w.liar.Tell(lies.Lie{Field: c.field, Value: c.value})
	got := w.call(r.name, r.args)
	told := w.liar.Changed()
	w.liar.Tell()
	if told == 0 {
		return
	}
	w.cases++
	for _, wrong := range judgeReading(c, got.Fault, honest, leavesOfAnswer(got), noise) {
		w.wrong(r.name, fmt.Sprintf("%s: %s", c, wrong))
	}
}

// leavesOfAnswer flattens the data of a tool's answer.
func leavesOfAnswer(a tool.Answer) map[string]string {
	var v struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(a.Text, &v) != nil || v.Data == nil {
		return nil
	}
	return leavesOf(v.Data)
}

// named matches leaves in which an answer names its source.
var named = regexp.MustCompile(`(?i)source|provider|evidence|quotedBy|discovery`)

// judgeReading lists what is wrong with a tool's answer while a node lied about one field. A single
// node's plausible value cannot be detected. The rules:
//
//   - The call returns an answer or a reasoned refusal, never an internal error.
//   - The answer names the same source as without the lie.
//   - If a field was omitted or emptied, its value is unknown, never zero.
//   - No amount, price or rate is negative where it cannot be, and no fee exceeds a tenth
//     of the trade.
func judgeReading(c lieCase, refused *fault.Error, honest, got map[string]string,
	noise map[string]bool) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if refused != nil {
		if refused.Code == fault.InternalError {
			say("the program's own fault: %v", refused)
		}
		return wrong
	}
	sources := 0
	for p := range got {
		if named.MatchString(p) {
			sources++
		}
	}
	if sources == 0 {
		say("the answer names no source")
	}
	for _, p := range differing(honest, got, noise) {
		was, is := honest[p], got[p]
		switch {
		case c.missing() && nothing(is) && figure(was) && !nothing(was) && !counts.MatchString(p):
			say("%s is %q, and nobody told so; it was %q", p, is, brief(was))
		case strings.HasPrefix(is, "-") && figure(is) && figure(was) && !strings.HasPrefix(was, "-") &&
			amounts.MatchString(p) && !ofGas.MatchString(p):
			say("%s is %q; it was %q", p, brief(is), brief(was))
		}
	}
	return wrong
}

// missing reports whether the lie omits a single value.
func (c lieCase) missing() bool {
	return (c.value == lies.Absent || c.value == lies.Empty) && c.kind != lies.List && !strings.HasSuffix(c.field, "]")
}

var (
	// counts matches counts of the answer itself, which remain true.
	counts = regexp.MustCompile(`(?i)count|total(Items|Rows)|limit|returned|scanned|\[\d+\]$`)
	// ofGas matches values that may be negative: changes, and gas costs after storage rebates.
	ofGas   = regexp.MustCompile(`(?i)gas|change|flow|effect|net`)
	amounts = regexp.MustCompile(`(?i)raw$|amount|price|fee|quantity|balance`)
)

func figure(s string) bool { _, ok := new(big.Rat).SetString(s); return ok }

func nothing(s string) bool {
	n, ok := new(big.Rat).SetString(s)
	return ok && n.Sign() == 0
}
