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

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// reviewed is what a computation ended with, and what its bytes do on the real
// chain. Leaves are every figure and text that page and tools are made from.
type reviewed struct {
	status  record.Status
	reason  plan.Reason
	worst   plan.Check
	facts   *plan.Facts
	state   record.State
	account sui.Address
	bytes   []byte
	tx      *sui.Transaction
	truth   *sui.Simulation // by the honest node; nil where it refuses the bytes
	epoch   sui.Epoch       // by the honest node
	leaves  map[string]string
}

// leavesOf flattens a JSON value: one entry for every leaf, by its path.
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

// differing lists the leaves in which two answers differ, those of noise left out.
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

// bound names figures that follow from bytes, request and registry alone: what
// they say is told by nobody. Every other leaf of a ready review is somebody's
// word and stands where its source is named.
var bound = regexp.MustCompile(`^facts\.(sender|gas\.owner|steps\[\d+\]\.(sends|package|function|typeArgs|route|routeId|holder|terms))|` +
	`^state\.(status|humanReadableReview\.(recipients|targets|kind|guarantee|terms|locks|proposedAction))|` +
	`^state\.walletReviewAdapterContract\.(call|gas\.gasOwner|terms)`)

// judgeReview lists what is wrong with a review that was computed while a node
// lied about one field. honest is the same without the lie. The law:
//
//   - a ready review's decoded figures (spends, minimum, recipient, gas, epoch) are
//     those of its bytes; executed on the real chain those bytes give the account at
//     least the minimum, take at most the spends and the gas budget, and give nobody
//     else anything but the payment that was asked for; they are usable for no more
//     than two epochs, at no more than ten times the price of gas;
//   - figures that follow from request and registry are those of the honest review;
//   - what a node told keeps within its own arithmetic: the fee within a tenth of
//     what is traded, what comes back within what leaves, the minimum within what is
//     expected;
//   - with one node a check says that price, fee, balances, epoch and effects are the
//     word of one node;
//   - with an honest second node a ready review is the honest one, figure by figure;
//   - what is missing is never told as nothing: a value that was left out ends in no
//     sentence about what the account holds;
//   - a sentence about what the account lacks names the node, and is none where the
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

// ofBudget names what changes with the gas budget: it is what the bytes say, and
// what names the bytes.
var ofBudget = regexp.MustCompile(`(?i)commitment|gas\.budget|gasBudgetRaw|gas_budget_proportion\.message`)

// onlyBudget reports whether the bytes differ from the honest ones in nothing but
// a budget that is at most twice theirs.
func onlyBudget(honest, got *reviewed) bool {
	if bytes.Equal(honest.bytes, got.bytes) || got.tx.Gas.Budget > 2*honest.tx.Gas.Budget {
		return false
	}
	same := *got.tx
	same.Gas.Budget = honest.tx.Gas.Budget
	raw, err := same.Encode()
	return err == nil && bytes.Equal(raw, honest.bytes)
}

// aside reports whether a leaf is no figure that a build or promise rests on: which
// objects a simulation touches moves with the market, a sentence about what the second
// node tells says whose word it is, and the price of another venue or market is left out
// where it did not come in time or only one node has it. The class of the check on prices
// is no such leaf: a price that warns counts on one node's word.
func aside(path, text string) bool {
	return strings.HasPrefix(path, "state.simulation.objectChanges") ||
		text == "" && (strings.HasPrefix(path, "checks.price_other_venue.") ||
			strings.HasPrefix(path, "state.outlook[") && strings.Contains(path, "].other.")) ||
		strings.HasPrefix(path, "checks.price_compared.") ||
		path == "checks.price_against_middle.message" && strings.Contains(text, "the market’s middle price") ||
		strings.HasPrefix(path, "checks.") && strings.Contains(text, "second node tells")
}

// near reports whether two figures are within a hundredth: the market moves
// between the questions to two nodes.
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

// follows reports whether a sentence differs from the honest one in nothing but
// figures of the bytes, which are judged apart.
func follows(path string, honest, got *reviewed) bool {
	if !strings.HasSuffix(path, "guarantee") && !strings.Contains(path, "locks") && !strings.Contains(path,
		"proposedAction") {
		return false
	}
	if len(spends(honest.facts)) != len(spends(got.facts)) {
		return true // another fee is attached, or none: it stands in the bytes
	}
	was, is := honest.leaves[path], got.leaves[path]
	if strings.Contains(is, "the node reports") {
		return digits.ReplaceAllString(was, "") == digits.ReplaceAllString(is, "") // the sentence says whose word it is
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

// judgeBytes holds what a review says against its bytes, and those against the
// real chain.
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
		return wrong // the chain refuses it: nothing happens
	}
	return append(wrong, judgeEffects(f, tx, got)...)
}

// judgeEffects holds what the bytes do on the real chain against what the page
// promises.
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

// judgeQuote holds a quote against its own arithmetic.
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
		say("a middle price of nothing")
	}
	return wrong
}

// judgeOutlook holds what is told of a market and of a trade in it against its own
// arithmetic and against the bytes.
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
		say("a middle price of %s between %s and %s", m.Middle, m.Bid, m.Ask)
	}
	if o.Trade != nil && (m == nil || m.Middle == "") || o.Other != nil && (m == nil || m.Middle == "") {
		say("a comparison with no middle price")
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

// ours is whose account it is.
var ours = sandbox.Account

// spends lists what leaves the account, the input first; minimum is what arrives at
// least, zero where nothing does.
func spends(f *plan.Facts) []plan.Amount {
	return f.Promise().Amounts(plan.RoleInput, plan.RoleFee)
}

func minimum(f *plan.Facts) plan.Amount { return f.Promise().Amount(plan.RoleOutput) }
