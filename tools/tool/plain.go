package tool

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// plain is a declaration without type parameters. Arguments and answers are passed as pointers, so
// that the code shared by all tools is compiled only once.
type plain struct {
	in, out  reflect.Type
	run      func(c Call, in any) (out any, err error)
	fits     func(i int, out any) bool
	question func(c Call, out any) *Question // nil if the tool does not ask
	replied  func(c Call, out any, form bool, reply Reply)
	undo     func(ctx context.Context, out any) // nil if there is nothing to undo
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
// undo. The function also works after the call was canceled.
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

// result is the result of a run: the answer as JSON and its case, or a question.
type result struct {
	data  []byte
	fits  int             // index of the case in Cases, or -1
	ask   *Question       // question to return instead of the answer
	state json.RawMessage // state for the call with the reply
	out   any             // what Run returned, even if it also returned an error
}

// execute runs the tool and asks its question. For a call that contains a reply, it continues the
// earlier call instead.
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
	data, err := strictjson.Encode(out)
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
