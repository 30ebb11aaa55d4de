package tool

import (
	"context"
	"encoding/json"
	"reflect"
	"time"
)

// plain is a declaration without its type parameters: arguments and answers are passed as pointers.
// Code that all tools share uses it, so that it is compiled once.
type plain struct {
	in, out  reflect.Type
	run      func(c Call, in any) (out any, err error)
	fits     func(i int, out any) bool
	question func(c Call, out any) *Question // nil means that nothing is asked
	replied  func(c Call, out any, form bool, reply Reply)
	undo     func(ctx context.Context, out any) // nil means that there is nothing to undo
}

func (s Spec[In, Out]) plain() plain {
	p := plain{
		in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		run: func(c Call, in any) (any, error) {
			out, err := s.Run(c, *in.(*In))
			return &out, err
		},
		fits: func(i int, out any) bool { return s.Cases[i].When(*out.(*Out)) },
	}
	if s.Asking != nil {
		p.question = func(c Call, out any) *Question { return s.Asking.Question(c, out.(*Out)) }
		p.replied = func(c Call, out any, form bool, reply Reply) { s.Asking.Replied(c, out.(*Out), form, reply) }
	}
	if s.Undo != nil {
		p.undo = func(ctx context.Context, out any) { s.Undo(ctx, out.(*Out)) }
	}
	return p
}

// undoMost is the time limit for an undo.
const undoMost = 20 * time.Second

// undone returns a function that undoes the call that returned out, or nil if there is nothing to
// undo. It works although the call was canceled.
func (p plain) undone(c Call, out any) func() {
	if p.undo == nil || out == nil {
		return nil
	}
	return func() {
		ctx, stop := context.WithTimeout(context.WithoutCancel(c.ctx), undoMost)
		defer stop()
		p.undo(ctx, out)
	}
}

// result is a successful run: the answer as JSON, and the matching case.
type result struct {
	data  []byte
	fits  int             // index in Cases, or -1
	ask   *Question       // a question to the client instead of an answer
	state json.RawMessage // what the call with the reply needs
	out   any             // what the run created, even if it also returned an error
}

// execute runs the tool and asks the user its question. A call with a reply continues the call that
// asked.
func (t Tool) execute(c Call, args json.RawMessage) (result, error) {
	in := reflect.New(t.plain.in).Interface()
	if err := json.Unmarshal(args, in); err != nil {
		return result{}, unfit(err)
	}
	if c.resumed != nil && t.plain.question != nil {
		out, err := t.plain.resume(c)
		if err != nil {
			return result{}, err
		}
		return t.finish(out)
	}
	out, err := t.plain.run(c, in)
	if err != nil {
		return result{out: out}, err
	}
	ask, state, err := t.plain.settle(c, out)
	if err != nil || ask != nil {
		return result{ask: ask, state: state, out: out}, err
	}
	return t.finish(out)
}

// finish encodes an answer and finds its case.
func (t Tool) finish(out any) (result, error) {
	fillSlices(reflect.ValueOf(out).Elem())
	data, err := compact(out)
	if err != nil {
		return result{out: out}, err
	}
	for i, k := range t.Cases {
		if k.Always || t.plain.fits(i, out) {
			return result{data: data, fits: i, out: out}, nil
		}
	}
	return result{data: data, fits: -1, out: out}, nil
}
