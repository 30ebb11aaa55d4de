package actions

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/watch"
)

// Row is a stored action. Action is set only while the action waits for the user, Review while its
// request is open, and Result once there is one. Review and Result are both set if the result may
// still change. Seq orders a caller's results.
type Row struct {
	Caller, ID, Type string
	Digest           [32]byte
	Ticket           string
	Action, Result   json.RawMessage
	Review           json.RawMessage
	Seq              int64
	At               time.Time
}

// Store stores actions.
type Store interface {
	Tx
	// Act calls law with the row of an action, or nil if there is none, and stores the row that law
	// returns unless it is nil. All changes that law makes through tx are stored in the same
	// transaction as the row.
	Act(ctx context.Context, caller, id string, law func(tx Tx, before *Row) (*Row, error)) error
	// Action returns the row with an ID, or nil if there is none.
	Action(ctx context.Context, caller, id string) (*Row, error)
	// Ticket returns the row with a ticket, or nil if there is none.
	Ticket(ctx context.Context, ticket string) (*Row, error)
	// WaitingActions lists up to most of the actions that wait for the user, in order of arrival,
	// starting after a position.
	WaitingActions(ctx context.Context, after int64, most int) ([]Row, error)
	// ReviewedActions lists a caller's actions whose reviews are still open.
	ReviewedActions(ctx context.Context, caller string) ([]Row, error)
	// ActionResults lists up to most of a caller's results, in order of completion, starting after
	// a position.
	ActionResults(ctx context.Context, caller string, after int64, most int) ([]Row, error)
}

// Tx changes the lists that actions modify. A Store used as a Tx runs one transaction per change.
type Tx interface {
	book.Changer
	watch.Changer
}

// Book is the address book.
type Book interface {
	List(ctx context.Context, chain, query string) ([]book.Entry, error)
	AddIn(ctx context.Context, in book.Changer, source book.Source, asked []book.Target,
		rights ...book.Right) ([]book.Outcome, error)
	DeleteIn(ctx context.Context, in book.Changer, asked []book.Target, rights ...book.Right) ([]book.Outcome, error)
	// Readable returns fault.Blocked if the user keeps the book private.
	Readable(ctx context.Context) error
}

// Watch is the watch list.
type Watch interface {
	Judge(ctx context.Context, account sui.Address, asked []watch.Asked) (watch.Judged, error)
	JudgeChains(account sui.Address, chains []string) watch.Judged
	AddIn(ctx context.Context, in watch.Changer, j watch.Judged) ([]watch.Outcome, error)
}

// Config configures an Executor. All fields are required except Requests, without which no
// transactions can be requested.
type Config struct {
	Requests Requests

	Store Store
	Book  Book
	Watch Watch
	// Active returns the active account, or false.
	Active func(ctx context.Context) (sui.Address, bool, error)
	Now    func() time.Time
}

// Executor executes actions. It is safe for concurrent use.
type Executor struct{ c Config }

// New returns an Executor.
func New(c Config) *Executor { return &Executor{c} }

// Answer is the immediate response to an action. If Accepted is set, the result follows on the
// stream, and Result contains only the action's type and ID.
type Answer struct {
	Result   Result
	Accepted bool
}

func (e *Executor) account(ctx context.Context) (sui.Address, error) {
	a, ok, err := e.c.Active(ctx)
	if err != nil || !ok {
		return sui.Address{}, err
	}
	return a, nil
}

// Do executes an action of this process's AI client. It returns fault.InputInvalid if the action
// contains a secret.
func (e *Executor) Do(ctx context.Context, kind string, params json.RawMessage) (Result, error) {
	b, err := json.Marshal(Action{Type: kind, Params: params, AutoExecute: true})
	if err != nil {
		return Result{}, err
	}
	if err := Screen(b); err != nil {
		return Result{}, err
	}
	a, err := e.Execute(ctx, Local(), b)
	return a.Result, err
}

// Execute validates an action completely. It then executes the action, or stores it until the user
// decides:
//
//	get_address_book          immediately, if the caller may read the book
//	changes of local lists    immediately, if the action has auto_execute and the caller
//	                          may act without asking; otherwise the user is asked
//	sign_transaction_bundle   never by auto_execute; the stream returns its result
//
// If the ID was used before, Execute returns the first result, or an error result if the action
// differs. It returns an error only for failures of this program; errors of the action are in its
// result.
func (e *Executor) Execute(ctx context.Context, c Caller, raw json.RawMessage) (Answer, error) {
	a, named, wrong := read(raw)
	r := Result{Action: named, ActionID: a.ID}
	if r.ActionID == "" {
		r.ActionID = "act_" + rand.Text()
		a.ID = r.ActionID
	}
	if wrong != "" {
		r.Error = wrong
		return Answer{Result: r}, nil
	}
	w, ok := validate(a)
	//mutant:never ./internal/actions TestBadInput
	if !ok {
		r.Error = InvalidParams
		return Answer{Result: r}, nil
	}
	if w.caller != nil {
		*w.caller = c
	}
	if a.Type == GetBook {
		if !c.Reads {
			r.Error = NotAllowed
			return Answer{Result: r}, nil
		}
		// The result of a read is not stored, because the copied names would outlive their
		// deletion.
		data, err := w.do(ctx, e, e.c.Store)
		return Answer{Result: r.with(data, err)}, internal(err)
	}
	row := Row{Caller: c.ID, ID: a.ID, Type: named, Digest: digest(a), Ticket: "act_" + rand.Text(), At: e.c.Now()}
	if c.ID != "" {
		before, err := e.c.Store.Action(ctx, c.ID, a.ID)
		if err != nil || before != nil {
			return answerOf(before, row, r), err
		}
	}
	//mutant:never ./internal/actions TestAutoExecute
	if a.Type != SignBundle && !(c.Acts && a.AutoExecute) {
		return e.ask(ctx, a, row, r)
	}
	if a.Type == SignBundle {
		if many, err := e.tooMany(ctx, c.ID); err != nil || many {
			r.Error = TooMany
			return Answer{Result: r}, err
		}
	}
	return e.carryOut(ctx, w, row, r, a.Type == SignBundle)
}

// answerOf returns the response to an ID that was used before.
func answerOf(before *Row, row Row, r Result) Answer {
	switch {
	case before == nil:
		return Answer{}
	//mutant:never ./internal/actions TestOnce
	case before.Digest != row.Digest:
		r.Error = IDReused
		return Answer{Result: r}
	case before.Result == nil:
		return Answer{Result: r, Accepted: true}
	}
	var stored Result
	if err := json.Unmarshal(before.Result, &stored); err != nil {
		r.Error = Failed
		return Answer{Result: r}
	}
	return Answer{Result: stored}
}

// ask stores an action until the user decides about it.
func (e *Executor) ask(ctx context.Context, a Action, row Row, r Result) (answer Answer, err error) {
	if row.Action, err = json.Marshal(a); err != nil {
		return Answer{}, err
	}
	waiting, err := e.c.Store.WaitingActions(ctx, 0, MostKept)
	if err != nil {
		return Answer{}, err
	}
	own := 0
	for _, w := range waiting {
		if w.Caller == row.Caller {
			own++
		}
	}
	if own >= MostWaiting {
		r.Error = TooMany
		return Answer{Result: r}, nil
	}
	err = e.c.Store.Act(ctx, row.Caller, row.ID, func(_ Tx, before *Row) (*Row, error) {
		answer = Answer{Result: r, Accepted: true}
		if before != nil {
			answer = answerOf(before, row, r)
			return nil, nil
		}
		return &row, nil
	})
	return answer, err
}

// carryOut executes the work and stores its result in one transaction. If an ID is executed twice
// at the same time, even by two processes, only one does the work and both return its result.
func (e *Executor) carryOut(ctx context.Context, w work, row Row, r Result, deferred bool) (answer Answer, err error) {
	if w.prepare != nil {
		if err := w.prepare(ctx, e); err != nil {
			return Answer{Result: r.with(nil, err)}, internal(err)
		}
	}
	law := func(tx Tx, before *Row) (*Row, error) {
		//mutant:never ./internal/actions TestOnce
		if before != nil && (before.Result != nil || before.Review != nil || before.Digest != row.Digest) {
			answer = answerOf(before, row, r)
			return nil, nil
		}
		data, err := w.do(ctx, e, tx)
		if waits := (*requested)(nil); errors.As(err, &waits) {
			answer, row.Action = Answer{Result: r, Accepted: true}, nil
			row.Review, err = json.Marshal(waits)
			return &row, err
		}
		if err := internal(err); err != nil {
			return nil, err
		}
		done := r.with(data, err)
		answer = Answer{Result: done}
		if deferred && row.Caller != "" {
			answer = Answer{Result: r, Accepted: true}
		}
		row.Action = nil
		if row.Result, err = json.Marshal(done); err != nil {
			return nil, err
		}
		return &row, nil
	}
	if row.Caller == "" {
		_, err = law(e.c.Store, nil)
		return answer, err
	}
	err = e.c.Store.Act(ctx, row.Caller, row.ID, law)
	return answer, err
}

// with returns the result completed with data or an error code.
func (r Result) with(data any, err error) Result {
	var f *failure
	word, refused := wordOf(err)
	switch {
	case errors.As(err, &f):
		r.Error, data = f.word, f.data
	case refused:
		r.Error, data = word, nil
	case err != nil:
		r.Error, data = Failed, nil
	default:
		r.Success = true
	}
	if data != nil {
		b, err := json.Marshal(data)
		if err != nil {
			return Result{Action: r.Action, ActionID: r.ActionID, Error: Failed}
		}
		r.Data = b
	}
	return r
}

// internal returns err if this program caused it, or nil if the action did.
func internal(err error) error {
	var f *failure
	if _, refused := wordOf(err); refused || errors.As(err, &f) {
		return nil
	}
	return err
}

// Offered is a waiting action as shown by a frontend. Its ID is assigned by this program, because
// the IDs of different callers may be equal.
type Offered struct {
	Seq    int64
	Action Action
}

// Waiting lists the actions that wait for the user, starting after a position.
func (e *Executor) Waiting(ctx context.Context, after int64) ([]Offered, error) {
	if err := e.expire(ctx); err != nil {
		return nil, err
	}
	rows, err := e.c.Store.WaitingActions(ctx, after, MostAtOnce)
	var list []Offered
	for _, row := range rows {
		o := Offered{Seq: row.Seq}
		if err := json.Unmarshal(row.Action, &o.Action); err != nil {
			continue
		}
		o.Action.ID, o.Action.AutoExecute = row.Ticket, false
		list = append(list, o)
	}
	return list, err
}

// expire ends actions that have waited too long.
func (e *Executor) expire(ctx context.Context) error {
	rows, err := e.c.Store.WaitingActions(ctx, 0, MostKept)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if e.c.Now().Sub(row.At) >= AskedFor {
			if _, err := e.end(ctx, row, Expired); err != nil {
				return err
			}
		}
	}
	return nil
}

// end ends a waiting action without executing it.
func (e *Executor) end(ctx context.Context, row Row, why string) (Result, error) {
	r := Result{Action: row.Type, ActionID: row.ID, Error: why}
	err := e.c.Store.Act(ctx, row.Caller, row.ID, func(_ Tx, before *Row) (*Row, error) {
		if before == nil || before.Result != nil {
			if before != nil {
				r = answerOf(before, row, r).Result
			}
			return nil, nil
		}
		b, err := json.Marshal(r)
		row.Action, row.Result = nil, b
		return &row, err
	})
	return r, err
}

// Report handles the user's decision on a waiting action. If report.Success is set, the action is
// executed; otherwise it ends with UserRejected. Other fields of the reported result are ignored,
// because results are created here. Report returns fault.InputInvalid if no waiting action has this
// ID and type.
func (e *Executor) Report(ctx context.Context, report Result) (Result, error) {
	if err := e.expire(ctx); err != nil {
		return Result{}, err
	}
	row, err := e.c.Store.Ticket(ctx, report.ActionID)
	if err != nil {
		return Result{}, err
	}
	var a Action
	if row != nil && row.Action != nil {
		if err := json.Unmarshal(row.Action, &a); err != nil {
			return Result{}, fault.Wrap(err, fault.InternalError, "A stored action cannot be read.")
		}
	}
	switch {
	// A request that is signed on this program's own page cannot be decided by a frontend.
	//mutant:never `row.Review != nil` ./internal/actions TestSteps
	case row == nil || row.Review != nil || report.Action != row.Type && report.Action != a.Type:
		return Result{}, fault.New(fault.InputInvalid, "No waiting action has this type and ID.").With("field",
			"action_result.action_id")
	case row.Result != nil:
		return own(answerOf(row, *row, Result{}).Result, *row), nil
	case !report.Success:
		r, err := e.end(ctx, *row, UserRejected)
		return own(r, *row), err
	}
	w, ok := validate(a)
	if !ok {
		return Result{}, fault.New(fault.InternalError, "A stored action cannot be read.")
	}
	answer, err := e.carryOut(ctx, w, *row, Result{Action: row.Type, ActionID: row.ID}, false)
	return own(answer.Result, *row), err
}

// own replaces the ID of a result with the one that frontends use.
func own(r Result, row Row) Result {
	r.ActionID = row.Ticket
	return r
}

// Results lists a caller's results, starting after a position. It first ends actions that have
// expired and stores the results of requests that have ended.
func (e *Executor) Results(ctx context.Context, caller string, after int64) ([]Row, error) {
	if err := e.expire(ctx); err != nil {
		return nil, err
	}
	if err := e.settle(ctx, caller); err != nil {
		return nil, err
	}
	return e.c.Store.ActionResults(ctx, caller, after, MostAtOnce)
}
