// Package tool turns a typed declaration into an MCP tool. It checks arguments and answers, lists
// and documents tools before anything runs, and adds guidance for the model on how to use an
// answer.
//
// It knows no protocol, account or review, and keeps no state between calls.
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

// Effect is what a call can change or reach. The MCP hints follow from it.
type Effect string

// The effects.
const (
	Static       Effect = "static"        // the same answer while the process runs
	ReadsLocal   Effect = "reads local"   // reads this machine's store
	ReadsChain   Effect = "reads chain"   // queries a Sui node, changes nothing
	FillsCache   Effect = "fills cache"   // queries a Sui node and stores the result
	KeepsTime    Effect = "keeps time"    // reads a session, which may expire by that
	OpensSession Effect = "opens session" // creates a local session and its link
	AddsLocal    Effect = "adds local"    // stores something new on this machine
	ClearsLocal  Effect = "clears local"  // removes something stored on this machine
	ChangesFiles Effect = "changes files" // changes the user's files, which can be undone
)

// Spec declares a tool. Name is the dotted canonical name. Title and Summary are for users and
// models; Summary has one or two literal sentences without instructions. Errors are the tool's own
// codes; do not list the codes that every tool shares (input_invalid, request_aborted,
// internal_error, too_large). Cases are tried in order, and the first match supplies userAnswerUse.
type Spec[In, Out any] struct {
	Name    string
	Title   string
	Summary string
	Effect  Effect
	// Untrusted lists the other authors of text in an answer.
	Untrusted []Origin
	Errors    []fault.Code
	Cases     []Case[Out]
	Examples  []Example
	Run       func(Call, In) (Out, error)
	Asking    *Asking[Out] // nil means that the user is not asked
	// Undo undoes what Run made if the client does not get the answer, because the call was
	// canceled or failed. It gets what Run returned even with an error, so Run must return what it
	// made. nil means that the tool makes nothing that lasts.
	Undo func(ctx context.Context, out *Out)
	// Waits means that a call mostly waits for something outside, so that it is counted separately.
	Waits bool
	// Status is Implemented by default.
	Status Status
	// Card is the name of the card that shows the answer in clients with cards, or "".
	Card string
	// Toolset is the group of tools that is served or omitted together. "" means core, which is
	// always served.
	Toolset string
}

// Case is one kind of answer and its guidance. A nil When always matches.
type Case[Out any] struct {
	Name string
	When func(Out) bool
	Use  evidence.Use
}

// Example is a call that documents the tool and that tests replay. Given is its situation. In is
// the arguments in JSON; a value in angle brackets, such as "<reviewSessionId>", stands for what
// the situation created. Fault is the expected error code, Case the expected case.
type Example struct {
	Name  string
	Given string
	In    string
	Case  string
	Fault fault.Code
}

// Arguments returns the example's arguments with values inserted for the names in angle brackets.
func (e Example) Arguments(values map[string]string) json.RawMessage {
	args := e.In
	for name, value := range values {
		args = strings.ReplaceAll(args, "<"+name+">", value)
	}
	return json.RawMessage(args)
}

// Recorded returns the example whose answer the reference shows: the first without an error.
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

// Tool is a declared tool. It may be copied.
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

	in, out node // answer, as far as the advertised schema shows it
	gates   *gates
	plain   plain
}

// Declare returns a tool. It panics if the arguments, or the advertised part of the answer, have no
// schema, which is a programming error. Lint finds such an error deeper in an answer.
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

// declare does what needs no type parameter, so that it is compiled only once.
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

// whole returns the complete schema of an answer's data. Calls do not need it.
func (t Tool) whole() node {
	n, err := objectOf(t.plain.out, maxDepth)
	if err != nil {
		panic(fmt.Sprintf("tool %s: the output: %v", t.Name, err))
	}
	return n
}

// unfit explains why arguments that match the schema do not decode: a type that parses its own text
// returned an error.
func unfit(err error) error {
	if own := fault.As(err); own.Code == fault.InputInvalid {
		return own
	}
	return fault.Wrap(err, fault.InputInvalid, "An argument has an invalid value.")
}

// fillSlices replaces nil slices in the answer's own fields by empty ones, so that lists are never
// null. It does not follow pointers or list elements, which may be shared.
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

// compact encodes v as JSON without HTML escapes or a final newline.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
