package lies_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// reviewed is a computed review and the effects of its bytes on the real chain. Leaves are all
// values that pages and tools show.
type reviewed struct {
	status  record.Status
	reason  plan.Reason
	worst   plan.Check
	facts   *plan.Facts
	state   record.State
	account sui.Address
	bytes   []byte
	tx      *sui.Transaction
	truth   *sui.Simulation // from the honest node; nil if it refuses the bytes
	epoch   sui.Epoch       // from the honest node
	leaves  map[string]string
}

// leavesOf flattens a JSON value into a map from path to value.
func leavesOf(v any) map[string]string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		panic(err)
	}
	out := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, one := range v {
				walk(path+"."+k, one)
			}
		case []any:
			for i, one := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), one)
			}
		default:
			out[strings.TrimPrefix(path, ".")] = fmt.Sprint(v)
		}
	}
	walk("", tree)
	return out
}

// differing lists the leaves in which two answers differ, except noise.
func differing(honest, got map[string]string, noise map[string]bool) []string {
	paths := map[string]bool{}
	for p := range honest {
		paths[p] = honest[p] != got[p]
	}
	for p := range got {
		if _, ok := honest[p]; !ok {
			paths[p] = true
		}
	}
	return slices.Sorted(maps.Keys(selected(paths, func(p string) bool { return paths[p] && !noise[p] })))
}

func selected(m map[string]bool, keep func(string) bool) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		if keep(k) {
			out[k] = true
		}
	}
	return out
}

// bound matches values that follow only from bytes, request and registry, so no node can influence
// them. Every other leaf of a ready review depends on a node, and its source is shown.
var bound = regexp.MustCompile(`^facts\.(sender|gas\.owner|steps\[\d+\]\.(sends|package|function|typeArgs|route|routeId|holder|terms))|` +
	`^state\.(status|humanReadableReview\.(recipients|targets|kind|guarantee|terms|locks|proposedAction))|` +
	`^state\.walletReviewAdapterContract\.(call|gas\.gasOwner|terms)`)

// judgeReview lists what is wrong with a review that was computed while a node lied about one
// field. honest is the review without the lie. The rules:
//
//   - A ready review's decoded values (spends, minimum, recipient, gas, epoch) match its
//     bytes. Executed on the real chain, the bytes give the account at least the minimum,
//     take at most the spends and the gas budget, and give others only the requested
//     payment. They are valid for at most two epochs, at no more than ten times the gas price.
//   - Values that follow from request and registry equal those of the honest review.
//   - A node's values are consistent: the fee is at most a tenth of the trade, the amount
//     returned at most what leaves, the minimum at most what is expected.
//   - With one node, a check states that price, fee, balances, epoch and effects come
//     from one node.
//   - With an honest second node, a ready review equals the honest one.
//   - A missing value is never treated as zero: no message about the account's holdings
//     rests on it.
//   - A message that the account lacks something names the node, and is absent if the
//     node contradicts itself.
func judgeReview(c lieCase, honest, got *reviewed, noise map[string]bool) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	lacks := got.reason == plan.InsufficientBalance || got.reason == plan.InsufficientGas
	switch {
	case strings.HasSuffix(got.worst.ID, "failed_unexpectedly"):
		say("the program's own fault: %s", got.worst.Message)
	case got.status == record.Ready:
	case got.status != record.Blocked && got.status != record.RefreshRequired:
		say("the computation ended as %s", got.status)
	case lacks && honest.reason != got.reason:
		if c.value == "absent" || c.value == "empty" {
			say("what was left out is told as what the account lacks: %s", got.worst.Message)
		} else if c.list() {
			say("a list that contradicts the balance is believed: %s", got.worst.Message)
		} else if !strings.Contains(got.worst.Message, "node") && !strings.Contains(got.worst.Message, "simulation") {
			say("the node's word is told as a fact: %s", got.worst.Message)
		}
		return wrong
	default:
		return wrong
	}
	if !c.second && !strings.Contains(got.leaves["checks.second_provider_not_set.message"], "the word of one node") {
		say("nobody is named whose word the figures are that the bytes do not hold")
	}
	wrong = append(wrong, judgeBytes(honest, got)...)
	changed := differing(honest.leaves, got.leaves, noise)
	if onlyBudget(honest, got) {
		changed = slices.DeleteFunc(changed, func(p string) bool { return ofBudget.MatchString(p) })
	}
	for _, p := range changed {
		switch {
		case c.second && !near(honest.leaves[p], got.leaves[p]) && !aside(p, got.leaves[p]):
			say("ready with an honest second node, and %s is %q instead of %q", p, brief(got.leaves[p]), brief(honest.leaves[p]))
		case bound.MatchString(p) && !follows(p, honest, got):
			say("%s is %q instead of %q", p, brief(got.leaves[p]), brief(honest.leaves[p]))
		}
	}
	if q := got.state.Quote; q != nil {
		wrong = append(wrong, judgeQuote(q, got.facts)...)
	}
	for i, o := range got.state.Outlook {
		wrong = append(wrong, judgeOutlook(o, got, i)...)
	}
	return wrong[:min(len(wrong), 4)]
}

// ofBudget matches leaves that depend on the gas budget: the budget itself and identifiers of the
// bytes.
var ofBudget = regexp.MustCompile(`(?i)commitment|gas\.budget|gasBudgetRaw|gas_budget_proportion\.message`)

// onlyBudget reports whether the bytes differ from the honest ones only in a gas budget of at most
// twice the honest one.
func onlyBudget(honest, got *reviewed) bool {
	if bytes.Equal(honest.bytes, got.bytes) || got.tx.Gas.Budget > 2*honest.tx.Gas.Budget {
		return false
	}
	same := *got.tx
	same.Gas.Budget = honest.tx.Gas.Budget
	raw, err := same.Encode()
	return err == nil && bytes.Equal(raw, honest.bytes)
}

// aside reports whether a leaf is irrelevant to what is built and promised. Objects touched by a
// simulation change with the market. Messages about the second node name it. Prices of other venues are
// omitted if they are late or from only one node. The class of the price check does matter, because a
// price warning may rest on a single node's report.
func aside(path, text string) bool {
	return strings.HasPrefix(path, "state.simulation.objectChanges") ||
		text == "" && (strings.HasPrefix(path, "checks.price_other_venue.") ||
			strings.HasPrefix(path, "state.outlook[") && strings.Contains(path, "].other.")) ||
		strings.HasPrefix(path, "checks.price_compared.") ||
		path == "checks.price_against_middle.message" && strings.Contains(text, "the market’s mid price") ||
		strings.HasPrefix(path, "checks.") && strings.Contains(text, "second node reports")
}

// near reports whether two values are within one percent: the market moves between the questions to
// two nodes.
func near(a, b string) bool {
	x, ok := new(big.Rat).SetString(a)
	y, both := new(big.Rat).SetString(b)
	if !ok || !both || x.Sign() != y.Sign() {
		return false
	}
	apart := new(big.Rat).Sub(x, y)
	return apart.Abs(apart).Mul(apart, big.NewRat(100, 1)).Cmp(x.Abs(x)) <= 0
}

func brief(s string) string { return s[:min(len(s), 160)] }

// follows reports whether a message differs from the honest one only in values from the bytes, which
// are judged separately.
func follows(path string, honest, got *reviewed) bool {
	if !strings.HasSuffix(path, "guarantee") && !strings.Contains(path, "locks") && !strings.Contains(path,
		"proposedAction") {
		return false
	}
	if len(spends(honest.facts)) != len(spends(got.facts)) {
		return true // the bytes contain another fee, or none
	}
	was, is := honest.leaves[path], got.leaves[path]
	if strings.Contains(is, "the node reports") {
		return digits.ReplaceAllString(was, "") == digits.ReplaceAllString(is, "") // the message names its source
	}
	if minimum(got.facts).CoinType != "" {
		was = strings.ReplaceAll(was, minimum(honest.facts).String(), "MINIMUM")
		is = strings.ReplaceAll(is, minimum(got.facts).String(), "MINIMUM")
	}
	for i := range min(len(spends(honest.facts)), len(spends(got.facts))) {
		was = strings.ReplaceAll(was, spends(honest.facts)[i].String(), "SPEND")
		is = strings.ReplaceAll(is, spends(got.facts)[i].String(), "SPEND")
	}
	return was == is
}

var digits = regexp.MustCompile(`[\d.]`)

// judgeBytes compares a review with its bytes, and the bytes with the real chain.
func judgeBytes(honest, got *reviewed) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	f, tx := got.facts, got.tx
	if f == nil || tx == nil {
		return []string{"ready without facts or bytes"}
	}
	last, ok := tx.Expiration.(sui.EpochExpiration)
	if !ok || last.Epoch != f.LastEpoch || last.Epoch > got.epoch.Number+2 {
		say("usable until epoch %d of %d, which the page calls %d", last.Epoch, got.epoch.Number, f.LastEpoch)
	}
	if uint64(f.Gas.Budget) != tx.Gas.Budget || uint64(f.Gas.Price) != tx.Gas.Price || tx.Gas.Owner != got.account ||
		f.Gas.Owner != tx.Gas.Owner {
		say("gas is %+v, told as %+v", tx.Gas, f.Gas)
	}
	if tx.Gas.Budget > 1_000_000_000 || tx.Gas.Price > max(10*got.epoch.GasPrice, 10_000) {
		say("gas costs up to %d at %d", tx.Gas.Budget, tx.Gas.Price)
	}
	if c := got.state.Contract; c == nil || uint64(c.Gas.Budget) != tx.Gas.Budget || c.Expiry.LastEpoch != last.Epoch ||
		got.state.Quote != nil && c.MinOut.MinOutRaw != minimum(f).Raw {
		say("the contract says something else than the bytes")
	}
	if h := got.state.HumanReview; h == nil || minimum(f).Raw > 0 && !strings.Contains(h.Guarantee, minimum(f).String()) {
		say("the guarantee does not name the minimum of the bytes, %s", minimum(f))
	}
	if f.Sender != got.account || f.Recipient() != honest.facts.Recipient() || tx.Sender != got.account {
		say("sender %s, recipient %s", f.Sender, f.Recipient())
	}
	if was := spends(honest.facts); len(spends(f)) == 0 != (len(was) == 0) || len(was) > 0 &&
		spends(f)[0].Raw != was[0].Raw && !was[0].Foreign {
		say("spends %v instead of %v", spends(f), spends(honest.facts))
	}
	if got.truth == nil || !got.truth.Status.OK {
		return wrong // the chain refuses the bytes, so nothing happens
	}
	return append(wrong, judgeEffects(f, tx, got)...)
}

// judgeEffects compares the effects of the bytes on the real chain with what the page promises.
func judgeEffects(f *plan.Facts, tx *sui.Transaction, got *reviewed) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	least := map[sui.CoinType]*big.Int{sui.SUI: new(big.Int).Neg(number(sui.Raw(tx.Gas.Budget)))}
	at := func(c sui.CoinType) *big.Int {
		if least[c] == nil {
			least[c] = new(big.Int)
		}
		return least[c]
	}
	for _, a := range spends(f) {
		at(a.CoinType).Sub(at(a.CoinType), number(a.Raw))
	}
	got1 := map[sui.CoinType]*big.Int{}
	if minimum(f).CoinType != "" {
		at(minimum(f).CoinType).Add(at(minimum(f).CoinType), number(minimum(f).Raw))
		got1[minimum(f).CoinType] = new(big.Int)
	}
	for _, b := range got.truth.Balances {
		switch {
		case b.Owner == got.account:
			if got1[b.Coin] == nil {
				got1[b.Coin] = new(big.Int)
			}
			got1[b.Coin].Add(got1[b.Coin], b.Amount.Big())
		case b.Amount.Big().Sign() > 0 && (b.Owner != f.Recipient() || len(spends(f)) == 0 ||
			b.Coin != spends(f)[0].CoinType ||
			b.Amount.Big().Cmp(number(spends(f)[0].Raw)) != 0):
			say("%s gets %s of %s", b.Owner, b.Amount.Big(), b.Coin)
		}
	}
	for coin, n := range got1 {
		if n.Cmp(at(coin)) < 0 {
			say("the account's %s changes by %s, and the page says by no less than %s", coin, n, at(coin))
		}
	}
	return wrong
}

func number(r sui.Raw) *big.Int { return new(big.Int).SetUint64(uint64(r)) }

// judgeQuote checks that a quote is consistent.
func judgeQuote(q *plan.QuoteEvidence, f *plan.Facts) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if q.Fee.CoinType == q.Input.CoinType && uint64(q.Fee.Raw) > uint64(q.Input.Raw)/10+1 {
		say("a fee of %s of %s", q.Fee, q.Input)
	}
	if q.Fee.CoinType != q.Input.CoinType && len(spends(f)) > 1 && q.Fee.Raw > spends(f)[1].Raw {
		say("a fee of %s, and at most %s leaves for it", q.Fee, spends(f)[1])
	}
	if q.Unspent.Raw > q.Input.Raw {
		say("%s comes back of %s", q.Unspent, q.Input)
	}
	if q.Minimum.Raw > q.Expected.Raw || q.Minimum.Raw == 0 || q.Minimum != minimum(f) {
		say("at least %s of %s expected, and the bytes say %s", q.Minimum, q.Expected, minimum(f))
	}
	if q.MidPrice == "0" {
		say("a mid price of nothing")
	}
	return wrong
}

// judgeOutlook checks that an estimate is consistent, and agrees with the bytes.
func judgeOutlook(o plan.Outlook, got *reviewed, step int) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !o.Written() {
		say("the outlook is written as none: %+v", o)
	}
	price := func(d sui.Decimal) *big.Rat {
		if r, ok := plan.Rational(d); ok {
			return r
		}
		return new(big.Rat)
	}
	m := o.Market
	if m != nil && m.Middle != "" && (m.Bid != "" && price(m.Bid).Cmp(price(m.Middle)) > 0 || m.Ask != "" &&
		price(m.Ask).Cmp(price(m.Middle)) < 0) {
		say("a mid price of %s between %s and %s", m.Middle, m.Bid, m.Ask)
	}
	if o.Trade != nil && (m == nil || m.Middle == "") || o.Other != nil && (m == nil || m.Middle == "") {
		say("a comparison with no mid price")
	}
	if q := got.state.Quote; q != nil && o.Trade != nil && m != nil && price(m.Middle).Sign() > 0 {
		worth := new(big.Rat).SetFrac(number(q.Input.Raw-q.Unspent.Raw), number(sui.Raw(ten(q.Input.Decimals))))
		if q.Direction == "base_to_quote" {
			worth.Mul(worth, price(m.Middle))
		} else {
			worth.Quo(worth, price(m.Middle))
		}
		worth.Mul(worth, new(big.Rat).SetInt(number(sui.Raw(ten(q.Minimum.Decimals)))))
		under := new(big.Rat).Sub(worth, new(big.Rat).SetInt(number(minimum(got.facts).Raw)))
		under.Quo(under, worth).Mul(under, big.NewRat(10_000, 1)).Sub(big.NewRat(o.Trade.Guaranteed.Bps, 1), under)
		if under.Sign() < 0 || under.Cmp(big.NewRat(1, 1)) >= 0 {
			say("the guaranteed minimum is told to be %d hundredths of a percent under %s", o.Trade.Guaranteed.Bps, m.Middle)
		}
	}
	if w := o.Order; w != nil {
		sum := new(big.Int).Add(number(w.Fills.Raw), number(w.Rests.Raw))
		if offered := got.facts.Steps[step].Promise.Amounts(plan.RoleOffer); !w.Buys && (len(offered) != 1 ||
			sum.Cmp(number(offered[0].Raw)) > 0) {
			say("%s trades at once and %s rests, of %v", w.Fills, w.Rests, offered)
		}
		if (w.Fills.Raw == 0) != (o.Trade == nil) && m.Middle != "" {
			say("%s trades at once, compared as %+v", w.Fills, o.Trade)
		}
	}
	return wrong
}

func ten(n uint8) uint64 {
	out := uint64(1)
	for range n {
		out *= 10
	}
	return out
}

// ours is the account under test.
var ours = sandbox.Account

// spends lists what leaves the account, the input first.
func spends(f *plan.Facts) []plan.Amount {
	return f.Promise().Amounts(plan.RoleInput, plan.RoleFee)
}

func minimum(f *plan.Facts) plan.Amount { return f.Promise().Amount(plan.RoleOutput) }
