// Package tool turns typed declarations into MCP tools. It validates arguments and answers, derives
// schemas and documentation from Go types, and adds guidance for models on how to use an answer.
//
// The package does not depend on any protocol, account or review, and keeps no state between calls.
package tool

import (
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

// Effect describes what a call can change or access. It determines the MCP hints.
type Effect string

// The effects.
const (
	Static       Effect = "static"        // same answer for the life of the process
	ReadsLocal   Effect = "reads local"   // reads the store on this machine
	ReadsChain   Effect = "reads chain"   // queries a Sui node, changes nothing
	FillsCache   Effect = "fills cache"   // queries a Sui node and stores the result
	KeepsTime    Effect = "keeps time"    // reads a session; the read may expire it
	OpensSession Effect = "opens session" // creates a local session and its link
	AddsLocal    Effect = "adds local"    // stores something new on this machine
	ClearsLocal  Effect = "clears local"  // removes something stored on this machine
	ChangesFiles Effect = "changes files" // changes the user's files, which can be undone
)

// Spec declares a tool. Name is the canonical name, with a dot. Title and Summary are for users and
// models; Summary is one or two literal sentences without instructions. Errors lists the tool's own
// codes, without those of [Shared]. The first of Cases that matches an answer supplies its
// userAnswerUse.
type Spec[In, Out any] struct {
	Name    string
	Title   string
	Summary string
	Effect  Effect
	// Untrusted lists who else wrote text in an answer.
	Untrusted []Origin
	Errors    []fault.Code
	Cases     []Case[Out]
	Examples  []Example
	Run       func(Call, In) (Out, error)
	Asking    *Asking[Out] // nil if the tool does not ask the user
	// Undo undoes what Run created if the client does not get the answer, because the call was
	// canceled or failed. It gets the value that Run returned, even together with an error. nil
	// means that Run creates nothing permanent.
	Undo func(ctx context.Context, out *Out)
	// Waits means that a call mostly waits for something outside the server. Such calls are limited
	// separately.
	Waits bool
	// Status defaults to Implemented.
	Status Status
	// Card is the name of the card that shows the answer in clients that support cards, or "".
	Card string
	// Toolset is the group of tools that users can enable or disable together. "" means the core,
	// which is always enabled.
	Toolset string
}

// Case is one kind of answer and its guidance. A nil When always matches.
type Case[Out any] struct {
	Name string
	When func(Out) bool
	Use  evidence.Use
}

// Example is a call that documents the tool; tests replay it. Given names the situation in which it
// is made. In is the arguments in JSON. A placeholder such as "<reviewSessionId>" stands for a
// value that the situation created. Case and Fault are the expected case and error code.
type Example struct {
	Name  string
	Given string
	In    string
	Case  string
	Fault fault.Code
}

// Arguments returns the example's arguments with its placeholders replaced by values.
func (e Example) Arguments(values map[string]string) json.RawMessage {
	args := e.In
	for name, value := range values {
		args = strings.ReplaceAll(args, "<"+name+">", value)
	}
	return json.RawMessage(args)
}

// Recorded returns the example whose answer the reference shows: the first one that succeeds.
func (t Tool) Recorded() (Example, bool) {
	i := slices.IndexFunc(t.Examples, func(e Example) bool { return e.Fault == "" })
	if i < 0 {
		return Example{}, false
	}
	return t.Examples[i], true
}

// CaseInfo is a Case without its condition.
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

	in, out node // the advertised levels of the answer
	gates   *gates
	plain   plain
}

// Declare returns the tool declared by s. It panics if the arguments or the advertised part of the
// answer have no schema, which is a programming error. Lint finds such errors in the rest of the
// answer.
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

// declare completes Declare with the code that does not depend on type parameters.
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

// whole returns the complete schema of an answer's data. Only documentation needs it.
func (t Tool) whole() node {
	n, err := objectOf(t.plain.out, maxDepth)
	if err != nil {
		panic(fmt.Sprintf("tool %s: the output: %v", t.Name, err))
	}
	return n
}

// unfit returns the error for arguments that match the schema but cannot be decoded, because a type
// that parses its own text rejected it.
func unfit(err error) error {
	if own := fault.As(err); own.Code == fault.InputInvalid {
		return own
	}
	return fault.Wrap(err, fault.InputInvalid, "An argument has an invalid value.")
}

// fillSlices replaces nil slices in the answer's fields with empty ones, so that lists are encoded
// as [] and not as null. It does not follow pointers or list elements, which may be shared.
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
