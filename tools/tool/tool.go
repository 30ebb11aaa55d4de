// Package tool turns a typed declaration into an MCP tool that checks what goes
// in and what comes out, can be listed, linted and documented before anything
// runs, and tells the model what an answer may be used for.
//
// It knows no protocol, account or review, and holds no state between calls.
package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

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
	AddsLocal    Effect = "adds local"    // keeps something new on this machine
	ClearsLocal  Effect = "clears local"  // takes something back that this machine remembers
	ChangesFiles Effect = "changes files" // changes files of the user's, which can be undone
)

// Spec declares one tool. Name is the dotted canonical name; Title and Summary
// are for people and models, Summary one literal sentence or two without
// instructions. Errors are the codes that are this tool's own; the codes every
// tool shares (input_invalid, request_aborted, internal_error, too_large) need
// no mention. Cases are tried in order and the first that fits supplies
// userAnswerUse.
type Spec[In, Out any] struct {
	Name    string
	Title   string
	Summary string
	Effect  Effect
	// Untrusted says whose words an answer may hold, other than this program's.
	Untrusted []Origin
	Errors    []fault.Code
	Cases     []Case[Out]
	Examples  []Example
	Run       func(Call, In) (Out, error)
	Asking    *Asking[Out] // nil: the user is not asked anything
	// Undo takes back what Run made, of a call whose answer the client does not get: it was
	// canceled at whatever moment, or it failed. It is given what Run returned beside an error too,
	// so Run names there what it made. nil: the tool makes nothing that lasts.
	Undo func(ctx context.Context, out *Out)
	// Waits says that a call mostly waits for something outside, so that it is
	// counted apart from calls that work.
	Waits bool
	// Status is Implemented where nothing else is said.
	Status Status
	// Card names the card that shows the answer in clients that have cards; "" is none.
	Card string
	// Toolset names the group of tools that is served or left out together; "" is
	// the core, which is always served.
	Toolset string
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

// Arguments returns the example's arguments with what stands in angle brackets
// replaced by the value of that name.
func (e Example) Arguments(values map[string]string) json.RawMessage {
	args := e.In
	for name, value := range values {
		args = strings.ReplaceAll(args, "<"+name+">", value)
	}
	return json.RawMessage(args)
}

// Recorded returns the example whose answer the reference shows: the first that is not refused.
func (t Tool) Recorded() (Example, bool) {
	i := slices.IndexFunc(t.Examples, func(e Example) bool { return e.Fault == "" })
	if i < 0 {
		return Example{}, false
	}
	return t.Examples[i], true
}

// CaseInfo is a case without its condition.
type CaseInfo struct {
	Name   string
	Always bool
	Use    evidence.Use
}

// Tool is a declared tool. It is a value: copying it is fine.
type Tool struct {
	Name      string
	Title     string
	Summary   string
	Effect    Effect
	Untrusted []Origin
	Errors    []fault.Code
	Cases     []CaseInfo
	Examples  []Example
	Waits     bool
	Status    Status
	Toolset   string
	Card      string

	in, out node // out as far as the advertised schema shows it
	gates   *gates
	plain   plain
}

// Declare makes a tool of a declaration. A declaration whose arguments, or the
// advertised part of whose answers, has no schema is a mistake of
// the programmer and panics; Lint finds one deeper in an answer.
func Declare[In, Out any](s Spec[In, Out]) Tool {
	t := Tool{
		Name: s.Name, Title: s.Title, Summary: s.Summary, Effect: s.Effect, Untrusted: s.Untrusted,
		Errors: s.Errors, Examples: s.Examples, Waits: s.Waits, Status: cmp.Or(s.Status, Implemented), Toolset: s.Toolset,
		Card:  s.Card,
		Cases: make([]CaseInfo, len(s.Cases)),
	}
	for i, c := range s.Cases {
		t.Cases[i] = CaseInfo{c.Name, c.When == nil, c.Use}
	}
	return t.declare(s.plain())
}

// declare does what needs no type parameter, so that it is compiled once and not
// for every tool.
func (t Tool) declare(p plain) Tool {
	var err error
	if t.in, err = objectOf(p.in, maxDepth); err != nil {
		panic(fmt.Sprintf("tool %s: the input: %v", t.Name, err))
	}
	if t.out, err = objectOf(p.out, outputDepth-1); err != nil {
		panic(fmt.Sprintf("tool %s: the output: %v", t.Name, err))
	}
	t.plain, t.gates = p, &gates{guidance: make([]atomic.Pointer[[]byte], len(t.Cases))}
	return t
}

// whole returns the schema of an answer's data with nothing left out. Calls do not need it.
func (t Tool) whole() node {
	n, err := objectOf(t.plain.out, maxDepth)
	if err != nil {
		panic(fmt.Sprintf("tool %s: the output: %v", t.Name, err))
	}
	return n
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
