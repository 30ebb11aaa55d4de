package plan

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Result says what an executed transaction did, in words for somebody who does not
// know the protocol.
type Result struct {
	Title string   `json:"title"`           // what happened, as in "Swapped 9.9 SUI for 12.797 USDC"
	Where string   `json:"where,omitempty"` // where the money lies now, in sentences
	Next  string   `json:"next,omitempty"`  // what the person can do next, in a sentence
	Holds []Term   `json:"holds,omitempty"` // what holds from now on, in place of the agreed terms
	Steps []string `json:"steps,omitempty"` // of a transaction of several steps, what each did
	// Whole reports that the adapters worded it: what they report of the execution
	// besides is said by it too.
	Whole bool    `json:"whole,omitempty"`
	Moved []Moved `json:"moved,omitempty"` // coins of objects, as the protocol's events report them
	// Fees are what venues took that is no change of its own, by their events.
	Fees []Amount `json:"fees,omitempty"`
	// Each says of every step of a transaction of several steps what it did; empty where
	// the transaction did not do what was asked for.
	Each []StepResult `json:"each,omitempty"`
}

// StepResult is what one step of a transaction of several steps did.
type StepResult struct {
	Title   string   `json:"title"`
	Where   string   `json:"where,omitempty"`
	Amounts []string `json:"amounts,omitempty"` // as in "10 SUI left your account"
	Reports []Term   `json:"reports,omitempty"` // what the adapter reports besides, such as the order number
	Moved   []Moved  `json:"moved,omitempty"`
	Fees    []Amount `json:"fees,omitempty"`
	Out     *Amount  `json:"out,omitempty"` // what arrived in the account, where that is one coin and known
}

// MarketFees lists what venues took: as a change of an object's coins, or by their events.
func MarketFees(moved []Moved, fees []Amount) (list []Amount) {
	for _, m := range moved {
		if m.Why == ForFee {
			list = append(list, m.Of(m.Change.Amount))
		}
	}
	return append(list, fees...)
}

// Moved is one change of the coins that an object holds.
type Moved struct {
	Holder Party `json:"holder"`
	Asset
	Change sui.Delta `json:"changeRaw"`
	Why    Why       `json:"why"`
}

// Text says what changed, as in "5 SUI free again in your balance manager",
// where holder names the object.
func (m Moved) Text(holder string) string {
	amount := m.Of(m.Change.Amount).String()
	switch {
	case m.Why == ForFee:
		return amount + " paid as the market's fee"
	case m.Why == ForRelease:
		return amount + " free again in " + holder
	case m.Change.Negative:
		return amount + " left " + holder
	}
	return amount + " arrived in " + holder
}

// Why says why the coins of an object changed.
type Why string

// The reasons of a change.
const (
	ForTrade   Why = "trade"   // paid or received in a trade
	ForFee     Why = "fee"     // paid for it
	ForRelease Why = "release" // an order had set it aside
	ForMove    Why = "move"    // put in or taken out
)

// ResultReporter is an adapter that words the result of a step itself, because the
// coins of the account do not say it. An empty title leaves it to the promise.
type ResultReporter interface {
	ReportResult(e sui.Executed, s StepFacts) Result
}

// ResultOf words what an executed transaction did. happened is the outcome of its
// promise that was observed; told holds what the adapter of each step says of it, and
// reports what it reports besides. A step without words of its adapter is worded by its
// promise: never by those of another step.
func ResultOf(f Facts, happened Compared, told []Result, reports [][]Term) Result {
	if len(told) != len(f.Steps) {
		told = make([]Result, len(f.Steps))
	}
	sum := Result{Whole: !slices.ContainsFunc(told, func(r Result) bool { return r.Title == "" }), Steps: f.StepResults(happened)}
	if several := len(sum.Steps) > 0; !several && !sum.Whole {
		sum = f.resultByTable(happened)
		for _, r := range told {
			sum.Fees = append(sum.Fees, r.Fees...)
		}
		return sum
	}
	for i, r := range told {
		if r.Title == "" {
			fees := r.Fees
			r = f.stepByTable(i, happened)
			r.Fees = fees
		}
		sum.Title = joined(sum.Title, r.Title, "; ")
		sum.Where = joined(sum.Where, r.Where, " ")
		sum.Next = joined(sum.Next, r.Next, " ")
		for _, t := range r.Holds {
			if sum.Whole || !slices.Contains(sum.Holds, t) {
				sum.Holds = append(sum.Holds, t)
			}
		}
		sum.Moved, sum.Fees = append(sum.Moved, r.Moved...), append(sum.Fees, r.Fees...)
		if len(sum.Steps) > 0 {
			one := StepResult{Title: r.Title, Where: r.Where, Amounts: f.amounts(i, happened), Moved: r.Moved, Fees: r.Fees, Out: f.out(i, happened)}
			if i < len(reports) {
				one.Reports = reports[i]
			}
			sum.Each = append(sum.Each, one)
		}
	}
	return sum
}

// joined appends a text to a text that may be empty.
func joined(a, b, between string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}

// resultByTable words the result by the rows of the promise.
func (f Facts) resultByTable(happened Compared) Result {
	p := f.Promise()
	switch {
	//mutant:never ./review/plan TestResult/not as promised
	case slices.ContainsFunc(happened.Lines, func(l Line) bool { return !l.Within }):
		return Result{Title: "Executed, and not as it was promised",
			Where: "Compare what happened with what was promised before you go on."}
	case len(p.Outcomes) > 0 && happened.Outcome.Name != p.Outcomes[0].Name:
		return Result{Title: "Executed, and " + happened.Outcome.Name, Where: "Nothing but gas left your account."}
	}
	var out, in, fees, paid []string // of the account; paid: to others
	r := Result{Holds: f.holderTerms()}
	for _, l := range happened.Lines {
		amount := amountText(l.Change, l.Coin)
		switch {
		case !l.Observed || l.Change.Sign() == 0:
		case l.Party.IsObject():
			if d, err := sui.ParseDelta(l.Change.String()); err == nil {
				r.Moved = append(r.Moved, Moved{l.Party, l.Coin, d, ForMove})
			}
		case !l.Party.IsAccount():
			if l.Role == RolePayment {
				paid = append(paid, amount)
			}
		case l.Role == RoleFee:
			fees = append(fees, amount)
		case l.Change.Sign() < 0:
			out = append(out, amount)
		default:
			in = append(in, amount)
		}
	}
	f.resultWords(&r, p, list(out), list(in), list(fees), paid)
	return r
}

// out is what a step brought to the account, nil where that is not one coin, or not known.
func (f Facts) out(i int, happened Compared) *Amount {
	rows := f.Steps[i].Promise.Of(RoleOutput)
	if len(rows) != 1 || !rows[0].Party.IsAccount() {
		return nil
	}
	n := f.change(rows[0], happened)
	if n == nil || n.Sign() <= 0 || !n.IsUint64() {
		return nil
	}
	out := rows[0].Coin.Of(rawOf(n))
	return &out
}

// stepByTable words what one step of several did by the rows of its own promise.
func (f Facts) stepByTable(i int, happened Compared) Result {
	one := Facts{Sender: f.Sender, Steps: f.Steps[i : i+1]}
	r, p := Result{Holds: one.holderTerms()}, f.Steps[i].Promise
	var out, in, fees, paid []string
	onward := ""
	for _, b := range p.Bounds() {
		if b.Exact() && b.Least.Sign() == 0 || b.Role == RoleReturn {
			continue
		}
		amount := f.observed(b, happened)
		switch {
		case b.Party.IsResult() && b.Role == RoleInput:
			out = append(out, amount)
		case b.Party.IsResult():
			in = append(in, amount)
			onward = joined(onward, fmt.Sprintf("%s went on to step %d.", upperFirst(amount), f.TakerOf(b.Party)), " ")
		case b.Party.IsObject():
			change := f.change(b, happened)
			if change == nil && b.Exact() {
				change = b.Least
			}
			if change == nil {
				continue
			}
			if d, err := sui.ParseDelta(change.String()); err == nil {
				r.Moved = append(r.Moved, Moved{b.Party, b.Coin, d, ForMove})
			}
		case b.Role == RolePayment:
			paid = append(paid, amount)
		case !b.Party.IsAccount():
		case b.Role == RoleFee:
			fees = append(fees, amount)
		case b.Role == RoleOutput:
			in = append(in, amount)
		default:
			out = append(out, amount)
		}
	}
	if len(p.Of(RolePart)) > 0 && len(in) > 1 {
		rest := in[len(in)-1]
		in = []string{f.whole(p, happened)}
		one.resultWords(&r, p, list(out), list(in), list(fees), paid)
		r.Where = onward + " The rest, " + rest + ", arrived in your own account."
		return r
	}
	one.resultWords(&r, p, list(out), list(in), list(fees), paid)
	if onward != "" {
		r.Where = onward
	}
	return r
}

// whole is all that a step resulted in whose parts went to later steps, and of which the
// rest arrived in the account.
func (f Facts) whole(p Promise, happened Compared) string {
	sum, least := new(big.Int), ""
	var coin Asset
	for _, b := range p.Of(RolePart, RoleOutput) {
		coin = b.Coin
		n := f.change(b, happened)
		switch {
		case n != nil:
		case b.Exact():
			n = b.Least
		default:
			n, least = b.Least, "at least "
		}
		if n != nil {
			sum.Add(sum, n)
		}
	}
	return least + amountText(sum, coin)
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// resultWords picks the words for what left the account and what arrived.
func (f Facts) resultWords(r *Result, p Promise, out, in, fees string, paid []string) {
	const own = "It is in your own account."
	holder := f.HolderName()
	switch {
	case len(p.Of(RolePayment)) > 0 && in != "" && out != "":
		r.Title = out + " left your account, " + in + " arrived, and " + list(paid) + " was sent"
		r.Where = "What arrived is in your own account. What was sent is at the address " + p.Payee().String() +
			" now, which is not yours. Only its owner can send it back."
	case len(p.Of(RolePayment)) > 0:
		r.Title = "Sent " + list(paid)
		r.Where = "It is at the address " + p.Payee().String() + " now, which is not yours. Only its owner can send it back."
	case out != "" && in != "":
		r.Title, r.Where = "Swapped "+out+" for "+in, "The "+in+" arrived in your own account."
		if fees != "" {
			r.Where += " The fee took " + fees + "."
		}
	case len(p.Of(RoleHolding)) > 0 && out != "":
		r.Title = "Put " + out + " into " + holder
		r.Where = "It is in " + holder + " now, not in your account."
		r.Next = "To have it back, ask your AI client to withdraw it from " + holder + "."
	case len(p.Of(RoleHolding)) > 0 && in != "":
		r.Title, r.Where = "Took "+in+" out of "+holder, own
	case out != "" && f.Recipient() != f.Sender:
		r.Title = "Swapped " + out
		r.Where = "What came out is at the address " + f.Recipient().String() + ", which is not your account."
	case out != "":
		r.Title = out + " left your account"
	case in != "":
		r.Title, r.Where = in+" arrived", own
	default:
		r.Title = "The chain executed it"
		if !f.Holder().IsZero() {
			r.Where = "What changed in " + holder + " was not reported. Look there before you go on."
		}
	}
}

// holderTerms are the terms that name the objects that take part: they hold whatever
// happened.
func (f Facts) holderTerms() (terms []Term) {
	for _, s := range f.Steps {
		for _, t := range s.Terms {
			if s.Holder != nil && t.Name == s.Holder.Term && !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		}
	}
	return terms
}

// HolderName is what the object that takes part is called in a sentence, as in "your
// balance manager".
func (f Facts) HolderName() string {
	for _, s := range f.Steps {
		if s.Holder != nil && s.Holder.Term != "" {
			return "your " + strings.ToLower(s.Holder.Term)
		}
	}
	return "the object that holds it"
}

// amountText writes a change without its sign.
func amountText(change *big.Int, coin Asset) string {
	return SignedText(new(big.Int).Abs(change).String(), coin)
}

// list writes texts as people do: "a", "a and b", "a, b and c".
func list(texts []string) string {
	switch n := len(texts); n {
	case 0:
		return ""
	case 1:
		return texts[0]
	default:
		return strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]
	}
}

// StepResults says of every step of an executed transaction what it did, where the
// transaction did what was asked for. An amount is the one that was observed where no
// other step changed the same coin of the same holder; otherwise it is the promised one.
func (f Facts) StepResults(happened Compared) (out []string) {
	p := f.Promise()
	whole := len(f.Steps) > 1 && len(p.Outcomes) > 0 && happened.Outcome.Name == p.Outcomes[0].Name
	if !whole || slices.ContainsFunc(happened.Lines, func(l Line) bool { return !l.Within }) {
		return nil
	}
	for i := range f.Steps {
		did := f.amounts(i, happened)
		if len(did) == 0 {
			did = []string{"carried out"}
		}
		out = append(out, fmt.Sprintf("Step %d: %s.", i+1, strings.Join(did, "; ")))
	}
	return out
}

// amounts says how much a step moved, row by row.
func (f Facts) amounts(i int, happened Compared) (did []string) {
	for _, b := range f.Steps[i].Promise.Bounds() {
		if text := f.did(i+1, b, happened); text != "" {
			did = append(did, text)
		}
	}
	return did
}

// did words one row of a step that was carried out.
func (f Facts) did(step int, b Bound, happened Compared) string {
	amount := f.observed(b, happened)
	switch {
	case b.Party.IsResult() && b.Role == RoleInput:
		return fmt.Sprintf("took %s, %s", f.TakenOf(b.Party, "", "resulted"), amount)
	case b.Party.IsResult():
		return fmt.Sprintf("%s went on to step %d", amount, f.TakerOf(b.Party))
	case b.Role == RoleInput:
		return amount + " left your account"
	case b.Role == RoleOutput:
		return amount + " arrived in your account"
	case b.Role == RolePayment:
		return amount + " went to " + b.Party.ID.String()
	case b.Role == RoleHolding && b.Least != nil && b.Least.Sign() > 0:
		return amount + " went into " + f.HolderName()
	}
	return ""
}

// TakerOf is the number of the step that takes a result, 0 for none.
func (f Facts) TakerOf(result Party) int {
	return 1 + slices.IndexFunc(f.Steps, func(s StepFacts) bool { return s.ResultOf == result.Step() && s.Part == result.Part() })
}

// TakenOf names in a sentence what a step takes of the result of another one, as in "all
// USDC that step 1 results in". symbol may be "".
func (f Facts) TakenOf(result Party, symbol, verb string) string {
	step := result.Step()
	of := strings.TrimPrefix(fmt.Sprintf("%s that step %d %s in", symbol, step, verb), " ")
	switch {
	case result.Part() > 0:
		return strings.Replace("a part of the "+of, "the that", "what", 1)
	case step <= len(f.Steps) && len(f.Steps[step-1].Promise.Of(RolePart)) > 0:
		return strings.Replace("all that is left of the "+of, "the that", "what", 1)
	}
	return "all " + of
}

// observed is the amount of a row: as observed where the row is the only one of its coin
// and holder, else as promised.
func (f Facts) observed(b Bound, happened Compared) string {
	if b.Party.IsResult() {
		// What moves on as a whole arrives where its taker says.
		for _, t := range f.Steps[f.TakerOf(b.Party)-1].Promise.Bounds() {
			moved := t.Role == RolePayment || t.Role == RoleHolding
			if moved && t.Coin.CoinType == b.Coin.CoinType {
				return f.observed(t, happened)
			}
		}
		return promised(b)
	}
	if change := f.change(b, happened); change != nil {
		return amountText(change, b.Coin)
	}
	return promised(b)
}

// change is the observed change of a row that is the only one of its coin and holder, nil
// where that is not known.
func (f Facts) change(b Bound, happened Compared) *big.Int {
	rows := 0
	for _, s := range f.Steps {
		for _, o := range s.Promise.Bounds() {
			if o.Party == b.Party && o.Coin.CoinType == b.Coin.CoinType {
				rows++
			}
		}
	}
	i := slices.IndexFunc(happened.Lines, func(l Line) bool { return l.Party == b.Party && l.Coin.CoinType == b.Coin.CoinType })
	if rows != 1 || i < 0 || !happened.Lines[i].Observed {
		return nil
	}
	return happened.Lines[i].Change
}

// promised is the amount of a row as it was promised.
func promised(b Bound) string {
	switch {
	case b.Exact():
		return b.Amount().String()
	case b.Party.IsAccount() && b.Least != nil && b.Least.Sign() < 0:
		return "at most " + b.Amount().String()
	}
	return "at least " + b.Amount().String()
}

// Promised is the amount of a row as the page says it: exactly, at most or at least.
func (b Bound) Promised() string {
	if b.Exact() {
		return "exactly " + promised(b)
	}
	return promised(b)
}
