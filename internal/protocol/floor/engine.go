package floor

import (
	"errors"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// engine tracks the values of a transaction from command to command, for one function.
type engine struct {
	r     *readback.Reader
	f     *Function
	newer *Newer // newer version that may be called instead of the pinned one
	whole bool   // the transaction consists only of this use
	types bindings
	live  map[sui.Argument]*value
	order []sui.Argument
	marks []*Leaving // parallel to out.Leaves
	step  int        // index of the next step
	count int        // how often that step was called
	out   *Reading
}

// system is the chain's own staking package.
var system = sui.MustAddress("0x3")

// Read reads a transaction that consists of one use of a protocol. It returns a *Refused for any other
// transaction.
func (c *Catalog) Read(tx *sui.Transaction) (*Reading, error) {
	if tx.Gas.Owner != tx.Sender {
		return nil, refuse(GasOwner, "Another account, %s, pays for gas.", tx.Gas.Owner)
	}
	r := readback.New(tx)
	out, err := c.read(r, nil, true)
	if err != nil {
		return nil, err
	}
	if err := r.End(); err != nil {
		return nil, shaped(err)
	}
	return out, nil
}

// ReadStep reads the next commands of a transaction with several steps as one use of a function for
// which only returns true.
func (c *Catalog) ReadStep(r *readback.Reader, only func(*Function) bool) (*Reading, error) {
	return c.read(r, only, false)
}

// read tries the functions that begin with the first call of a protocol. If all fail, it returns the
// error of the attempt that got furthest.
func (c *Catalog) read(r *readback.Reader, only func(*Function) bool, whole bool) (*Reading, error) {
	first, ok := firstCall(r)
	if !ok {
		return nil, refuse(OtherCall, "It calls no protocol.")
	}
	var failed error
	furthest := -1
	for _, p := range c.Protocols {
		for i := range p.Functions {
			f := &p.Functions[i]
			if f.Steps[0].Fn != first || only != nil && !only(f) {
				continue
			}
			e := newEngine(r.Clone(), f, whole)
			e.newer = c.newer
			err := e.run()
			if err == nil {
				*r = *e.r
				return e.out, nil
			}
			if e.r.At() > furthest {
				failed, furthest = err, e.r.At()
			}
		}
	}
	if failed == nil {
		return nil, refuse(OtherCall, "It calls %s, which no description covers.", first)
	}
	return nil, failed
}

// firstCall returns the name of the next call outside the framework.
func firstCall(r *readback.Reader) (string, bool) {
	for _, c := range r.Ahead(r.Left()) {
		if call, ok := c.(sui.MoveCall); ok && !framework(call) {
			return call.Module + "::" + call.Function, true
		}
	}
	return "", false
}

func newEngine(r *readback.Reader, f *Function, whole bool) *engine {
	return &engine{r: r, f: f, whole: whole,
		types: bindings{"sui": sui.SUI.Tag()}, live: map[sui.Argument]*value{},
		out: &Reading{Function: f, Account: r.Sender(), Shared: map[string]sui.SharedInput{},
			Values: map[string]string{}}}
}

// shaped converts an error of the reader to a Refused.
func shaped(err error) error {
	var r *Refused
	if err == nil || errors.As(err, &r) {
		return err
	}
	return &Refused{Shape, err.Error()}
}

// run reads commands until the function is complete and no result is left to use.
func (e *engine) run() error {
	for !e.done() {
		if err := e.command(); err != nil {
			return shaped(err)
		}
	}
	if e.whole && e.r.Left() > 0 {
		if err := e.command(); err != nil {
			return shaped(err)
		}
		return refuse(ExtraCall, "It has too many commands.")
	}
	return shaped(e.finish())
}

// done reports whether all commands of this use were read.
func (e *engine) done() bool {
	if e.r.Left() == 0 {
		return true
	}
	if !e.complete() || len(e.left()) > 0 {
		return false
	}
	call, ok := e.r.Peek().(sui.MoveCall)
	return !ok || !e.follows(call)
}

// complete reports whether every required step was called.
func (e *engine) complete() bool {
	for i := e.step; i < len(e.f.Steps); i++ {
		s := e.f.Steps[i]
		if !s.Optional && !(s.Repeat && i == e.step && e.count > 0) {
			return false
		}
	}
	return true
}

// follows reports whether a call is one of the remaining steps.
func (e *engine) follows(call sui.MoveCall) bool {
	for i := e.step; i < len(e.f.Steps); i++ {
		if s := e.f.Steps[i]; s.Fn == call.Module+"::"+call.Function {
			return true
		} else if !s.Optional {
			return false
		}
	}
	return false
}

// started reports whether the first call was read.
func (e *engine) started() bool { return len(e.out.Calls) > 0 }

// command reads one command, or the two commands of a floor.
func (e *engine) command() error {
	switch c := e.r.Peek().(type) {
	case sui.SplitCoins:
		if v, ok := e.get(c.Coin); ok && v.returned() {
			return e.floor(c, v)
		}
		return e.fund(c.Amounts)
	case sui.MergeCoins:
		for _, s := range c.Sources {
			if v, ok := e.get(s); ok && v.returned() {
				return refuse(MergedAway, "The result is merged into another coin.")
			}
		}
		if v, ok := e.get(c.Into); ok && v.returned() {
			return refuse(MergedAway, "Another coin is merged into the result, so a minimum would include it.")
		}
		return e.fund(nil)
	case sui.TransferObjects:
		return e.send(c)
	case sui.MakeMoveVec:
		return e.vector(c)
	case sui.MoveCall:
		switch {
		case readback.IsRedeem(c):
			return e.fund(nil)
		case framework(c):
			return e.frameworkCall(c)
		}
		return e.call(c)
	}
	return refuse(Shape, "It has a command that no use of a protocol has.")
}

// fund reads commands that split an amount off coins of the account. They must precede the first call.
func (e *engine) fund(amounts []sui.Argument) error {
	//mutant:never ./internal/protocol/floor TestHostileVectors
	if e.started() {
		return refuse(OwnAfter, "It splits an amount off a coin of the account after the call.")
	}
	for _, a := range amounts {
		//mutant:never ./internal/protocol/floor TestAmountsAreNumbers
		if a.Kind != sui.ArgInput {
			return refuse(ResultAmount, "An amount is the result of a command instead of a number.")
		}
	}
	f, err := e.r.Funded()
	if err != nil {
		return err
	}
	e.funded(f)
	return nil
}

func (e *engine) funded(f readback.Funding) {
	e.out.Funded = append(e.out.Funded, f)
	e.note(NoteFunds, "", len(e.out.Funded)-1)
	e.put(&value{form: formCoin, arg: f.Result, place: Place{Step: -1}, funds: f, split: -1,
		own: &Leaving{Most: f.Amount, Source: f.Source}})
}

// vector reads a command that makes a vector of whole coins of the account.
func (e *engine) vector(c sui.MakeMoveVec) error {
	at := e.r.At()
	e.r.Next()
	if e.started() || len(c.Elements) == 0 {
		return refuse(Shape, "It makes a vector that no use of a protocol makes.")
	}
	e.note(NoteOther, "", at)
	own := &Leaving{}
	for _, a := range c.Elements {
		in, err := e.r.Owned(a)
		if err != nil {
			return err
		}
		own.Whole = append(own.Whole, in.Ref)
	}
	e.put(&value{form: formWhole, arg: sui.ResultArg(at), place: Place{Step: -1}, own: own, split: -1})
	return nil
}

// floor reads the two commands of a floor: they split one part off a call's result and merge it back.
func (e *engine) floor(c sui.SplitCoins, v *value) error {
	if v.split >= 0 && !e.whole && e.complete() {
		return e.keep(v) // the split is for later steps
	}
	at := e.r.At()
	e.r.Next()
	switch {
	//mutant:never ./internal/protocol/floor TestHostileVectors
	case v.split >= 0:
		return refuse(FloorAgain, "The result is split again after its minimum.")
	//mutant:never ./internal/protocol/floor TestHostileVectors
	case len(c.Amounts) != 1:
		return refuse(FloorParts, "More than one part is split off the result.")
	//mutant:never ./internal/protocol/floor TestAmountsAreNumbers
	case c.Amounts[0].Kind != sui.ArgInput:
		return refuse(ResultAmount, "The minimum is the result of a command instead of a number.")
	}
	n, err := e.r.U64(c.Amounts[0])
	if err != nil {
		return err
	}
	//mutant:never ./internal/protocol/floor TestHostileVectors
	if n == 0 {
		return refuse(FloorZero, "The minimum is zero, which checks nothing.")
	}
	merge, ok := e.r.Next().(sui.MergeCoins)
	//mutant:never ./internal/protocol/floor TestHostileVectors
	if !ok || key(merge.Into) != key(c.Coin) || len(merge.Sources) != 1 || key(merge.Sources[0]) != sui.NestedArg(at, 0) {
		return refuse(FloorNotBack, "The part that is split off for the minimum is not merged back into the same coin.")
	}
	v.least, v.split = sui.Raw(n), at
	e.note(NoteFloor, "", at)
	return nil
}

func (e *engine) note(kind NoteKind, coin sui.CoinType, at int) {
	e.out.Notes = append(e.out.Notes, Note{kind, coin, at})
}

// send reads a transfer, whose recipient must be the account.
func (e *engine) send(c sui.TransferObjects) error {
	e.r.Next()
	e.note(NoteSend, "", 0)
	for _, a := range c.Objects {
		v, ok := e.get(a)
		//mutant:never ./internal/protocol/floor TestHostileVectors
		if !ok || v.form != formCoin && v.form != formObject {
			return refuse(OwnObject, "It sends something other than the result.")
		}
		e.home(v, false)
	}
	if c.Recipient.Kind != sui.ArgInput {
		return refuse(NotHome, "The recipient is the result of a command.")
	}
	to, err := e.r.Address(c.Recipient)
	if err != nil {
		return err
	}
	//mutant:never ./internal/protocol/floor TestHostileVectors
	if to != e.r.Sender() {
		return refuse(NotHome, "It sends the result to another address, %s.", to)
	}
	return nil
}

// keep leaves the result for later steps of the transaction, after parts of it were split off.
func (e *engine) keep(v *value) error {
	out := readback.Result{Value: v.arg, Coin: sui.CoinType(v.typ.String()), Least: v.least}
	to, err := e.r.SentOrKept(out, v.arg)
	if err != nil {
		return err
	}
	if to != e.r.Sender() {
		return refuse(NotHome, "It sends the result to another address, %s.", to)
	}
	_, kept := e.r.Kept()
	e.home(v, kept)
	return nil
}

// home records that the account receives a value.
func (e *engine) home(v *value, kept bool) {
	e.use(v)
	switch {
	case v.form == formObject:
		e.out.Gives = append(e.out.Gives, v.typ.String())
	case v.returned():
		e.arrive(v, -1, kept)
	case v.own != nil:
		v.own.back = true
	}
}

func (e *engine) arrive(v *value, into int, kept bool) {
	e.out.Arrives = append(e.out.Arrives, Arrival{Place: v.place, Coin: sui.CoinType(v.typ.String()), Least: v.least,
		Command: v.command, Split: v.split, Into: into, Kept: kept})
}

// finish checks that nothing is left over, and derives conclusions from what was read.
func (e *engine) finish() error {
	if !e.complete() {
		return refuse(OtherCall, "It ends before %s is called.", e.f.Steps[e.step].Fn)
	}
	//mutant:never ./internal/protocol/floor TestHostileVectors
	if left := e.left(); len(left) > 0 {
		return refuse(Unused, "The result of command %d is not used.", left[0].command)
	}
	e.out.Types = e.types
	e.exact()
	if err := e.claim(); err != nil {
		return err
	}
	e.warn()
	return e.bounded()
}

// exact sets Exact on amounts of which nothing is returned.
func (e *engine) exact() {
	for i := range e.out.Leaves {
		l := &e.out.Leaves[i]
		l.Exact = len(l.Whole) == 0 && !e.marks[i].back && !e.returns(l.Coin)
	}
}

// returns reports whether the account receives a coin of a type.
func (e *engine) returns(of sui.CoinType) bool {
	for _, a := range e.out.Arrives {
		if a.Coin == of {
			return true
		}
	}
	return false
}
