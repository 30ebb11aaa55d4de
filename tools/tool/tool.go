// Package tool turns a typed declaration into an MCP tool that checks what goes
// in and what comes out, can be listed, linted and documented before anything
// runs, and tells the model what an answer may be used for.
//
// It knows no protocol, account or review, and holds no state between calls.
package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// Effect says what a call can change or reach; the MCP hints follow from it.
type Effect string

// The effects.
const (
	Static       Effect = "static"        // the same answer for the life of the process
	ReadsLocal   Effect = "reads local"   // reads this machine's store
	ReadsChain   Effect = "reads chain"   // asks a Sui node, changes nothing
	FillsCache   Effect = "fills cache"   // asks a Sui node and keeps what it says
	KeepsTime    Effect = "keeps time"    // reads a session and may mark it expired
	OpensSession Effect = "opens session" // makes a new local session and its link
	ClearsLocal  Effect = "clears local"  // takes something back that this machine remembers
)

// Spec declares one tool. Name is the dotted canonical name; Title and Summary
// are for people and models, Summary one literal sentence or two without
// instructions. Errors are the codes that are this tool's own; the codes every
// tool shares (input_invalid, request_aborted, internal_error, too_large) need
// no mention. Cases are tried in order and the first that fits supplies
// userAnswerUse.
type Spec[In, Out any] struct {
	Name     string
	Title    string
	Summary  string
	Effect   Effect
	Errors   []fault.Code
	Cases    []Case[Out]
	Examples []Example
	Run      func(Call, In) (Out, error)
	Asking   *Asking[Out] // nil: the person is not asked anything
}

// Case is one kind of answer and how to use it. When nil fits always.
type Case[Out any] struct {
	Name string
	When func(Out) bool
	Use  evidence.Use
}

// Example is one call that documents the tool and is replayed by tests. Given
// names the situation it runs in. In is the JSON arguments; a value in angle
// brackets, as in "<reviewSessionId>", stands for what that situation made.
// Fault is the code of a refusal, Case the name of the case that answers.
type Example struct {
	Name  string
	Given string
	In    string
	Case  string
	Fault fault.Code
}

// Arguments gives the example's arguments with what stands in angle brackets
// replaced by the value of that name.
func (e Example) Arguments(values map[string]string) json.RawMessage {
	args := e.In
	for name, value := range values {
		args = strings.ReplaceAll(args, "<"+name+">", value)
	}
	return json.RawMessage(args)
}

// CaseInfo is a case without its condition.
type CaseInfo struct {
	Name   string
	Always bool
	Use    evidence.Use
}

// Tool is a declared tool. It is a value: copying it is fine.
type Tool struct {
	Name     string
	Title    string
	Summary  string
	Effect   Effect
	Errors   []fault.Code
	Cases    []CaseInfo
	Examples []Example

	in, out node
	outType reflect.Type
	inType  reflect.Type
	gates   *gates
	run     func(Call, json.RawMessage) (result, error)
}

// result is a successful run: the answer as JSON, and the case that fits.
type result struct {
	data  []byte
	fits  int             // index into Cases, -1 for none
	ask   *Question       // instead of an answer: what the client is to ask
	state json.RawMessage // what the call that brings the reply needs
}

// Declare makes a tool of a declaration. A declaration whose types cannot be
// told as a schema is a mistake of the programmer and panics.
func Declare[In, Out any](s Spec[In, Out]) Tool {
	in, err := nodeOf(reflect.TypeFor[In]())
	if err == nil && in.kind != object {
		err = fmt.Errorf("the input is not an object")
	}
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", s.Name, err))
	}
	out, err := nodeOf(reflect.TypeFor[Out]())
	if err == nil && out.kind != object {
		err = fmt.Errorf("the output is not an object")
	}
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", s.Name, err))
	}
	t := Tool{
		Name: s.Name, Title: s.Title, Summary: s.Summary, Effect: s.Effect,
		Errors: s.Errors, Examples: s.Examples,
		in: in, out: out, inType: reflect.TypeFor[In](), outType: reflect.TypeFor[Out](),
		run: func(c Call, args json.RawMessage) (result, error) { return execute(s, c, args) },
	}
	for _, c := range s.Cases {
		t.Cases = append(t.Cases, CaseInfo{c.Name, c.When == nil, c.Use})
	}
	t.gates = &gates{input: t.WholeInputSchema(), output: t.OutputSchema()}
	return t
}

func execute[In, Out any](s Spec[In, Out], c Call, args json.RawMessage) (result, error) {
	var in In
	if err := json.Unmarshal(args, &in); err != nil {
		return result{}, unfit(err)
	}
	out, err := s.carry(c, in)
	if err != nil {
		return result{}, err
	}
	if out.ask != nil {
		return result{ask: out.ask, state: out.state}, nil
	}
	return s.finish(out.value)
}

// carried is an answer, or a question that stands in its place.
type carried[Out any] struct {
	value Out
	ask   *Question
	state json.RawMessage
}

// carry runs the tool and asks the person what it wants to ask; a call that
// brings a reply goes on where the one that asked stopped.
func (s Spec[In, Out]) carry(c Call, in In) (out carried[Out], err error) {
	if c.resumed != nil && s.Asking != nil {
		return out, s.Asking.resume(c, &out.value)
	}
	if out.value, err = s.Run(c, in); err != nil {
		return out, err
	}
	out.ask, out.state, err = s.Asking.settle(c, &out.value)
	return out, err
}

// finish writes an answer and finds its case.
func (s Spec[In, Out]) finish(out Out) (result, error) {
	fillSlices(reflect.ValueOf(&out).Elem())
	data, err := compact(out)
	if err != nil {
		return result{}, err
	}
	for i, k := range s.Cases {
		if k.When == nil || k.When(out) {
			return result{data: data, fits: i}, nil
		}
	}
	return result{data: data, fits: -1}, nil
}

// unfit explains why arguments that passed the schema do not decode: a type
// that reads its own text refused it.
func unfit(err error) error {
	if own := fault.As(err); own.Code == fault.InputInvalid {
		return own
	}
	return fault.Wrap(err, fault.InputInvalid, "An argument has a value that cannot be read.")
}

// fillSlices makes nil slices of the answer's own fields empty, so that lists
// are never null. It does not reach through pointers or into list elements:
// those may be shared.
func fillSlices(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Kind() == reflect.Struct:
			fillSlices(f)
		case f.Kind() == reflect.Slice && f.IsNil() && f.CanSet():
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
}

// compact writes v as JSON without HTML escapes and without a final newline.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
