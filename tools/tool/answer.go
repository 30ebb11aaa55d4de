package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Answer is the result of a call. Text is the complete envelope as compact JSON; on success it is
// also the structured content. Case is the case that determined the guidance, or "".
//
// Ask is a question that is returned instead of the answer; see Client.AsksByResult. State is what
// the call with the reply needs to continue. Tells lists facts in the answer that the accompanying
// lines need not repeat.
type Answer struct {
	Text  json.RawMessage
	Case  string
	Tells []Fact
	Fault *fault.Error
	Ask   *Question
	State json.RawMessage
}

// Call runs the tool. It validates the arguments and fills in defaults, validates the answer and
// adds its guidance. It never panics and always returns an envelope.
func (t Tool) Call(c Call, args json.RawMessage) Answer {
	return t.call(c, strictjson.Value{Raw: args})
}

// Admit validates the arguments against the tool's schema and returns them with defaults filled in.
// Interfaces other than MCP use it for the same arguments. Errors are fault.InputInvalid or
// fault.TooLarge.
func (t Tool) Admit(args json.RawMessage) (json.RawMessage, error) {
	return t.admit(strictjson.Value{Raw: args})
}

// call is like Call, but the arguments may have been parsed already.
func (t Tool) call(c Call, given strictjson.Value) (answer Answer) {
	var broken error
	defer func() {
		if broken != nil {
			answer = refuse(fault.As(broken))
		}
	}()
	defer fault.Recover(&broken)
	args, err := t.admit(given)
	if err != nil {
		return refuse(fault.As(err))
	}
	//mutant:never ./cmd/say-ur-intent TestAddressOfOneClient
	if c.session.Refuse != nil {
		if err := c.session.Refuse(t); err != nil {
			return refuse(fault.As(err))
		}
	}
	if t.Effect == Static {
		return t.gates.remember(func() Answer { return t.answer(c, args) })
	}
	return t.answer(c, args)
}

// remember caches the answer of a static tool, unless it is an error.
func (g *gates) remember(compute func() Answer) Answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.static == nil {
		answer := compute()
		if answer.Fault != nil {
			return answer
		}
		g.static = &answer
	}
	return *g.static
}

// answer runs the tool. If the answer does not reach the client, the call is undone.
func (t Tool) answer(c Call, args json.RawMessage) (answer Answer) {
	res, err := t.execute(c, args)
	if undo := t.plain.undone(c, res.out); undo != nil {
		defer func() {
			if answer.Fault != nil {
				undo()
				return
			}
			c.unsent(undo)
		}()
	}
	if err != nil {
		return refuse(runFault(c.ctx, err))
	}
	if res.ask != nil {
		return Answer{Ask: res.ask, State: res.state}
	}
	value, err := tree(res.data)
	if err == nil {
		err = scan(value)
	}
	if err == nil {
		err = t.gates.out.Validate(map[string]any{"ok": true, "data": value})
	}
	if err != nil {
		return refuse(fault.As(fmt.Errorf("the answer of %s breaks its contract: %w", t.Name, err)))
	}
	data, name := res.data, ""
	if res.fits >= 0 {
		name = t.Cases[res.fits].Name
		guidance, err := t.guidance(res.fits, value)
		if err != nil {
			return refuse(fault.As(err))
		}
		data = add(data, "userAnswerUse", guidance)
	}
	answer = Answer{Text: append(append([]byte(`{"ok":true,"data":`), data...), '}'), Case: name}
	if says, ok := res.out.(Teller); ok {
		answer.Tells = says.Tells()
	}
	return answer
}

// guidance returns a case's guidance as JSON, without paths that are missing in value. The JSON is
// cached for answers in which no path is missing, which are most.
func (t Tool) guidance(i int, value any) ([]byte, error) {
	whole := t.Cases[i].Use
	use := prune(whole, value)
	complete := len(use.Answer) == len(whole.Answer) && len(use.Precondition) == len(whole.Precondition) &&
		len(use.Rules) == len(whole.Rules) && len(use.Diagnostic) == len(whole.Diagnostic) &&
		(whole.Next == nil || len(use.Next.Inputs) == len(whole.Next.Inputs))
	if kept := t.gates.guidance[i].Load(); complete && kept != nil {
		return *kept, nil
	}
	text, err := strictjson.Encode(use)
	if complete && err == nil {
		t.gates.guidance[i].Store(&text)
	}
	return text, err
}

// runFault converts the error of a run to a fault. If the call was canceled, that is
// fault.RequestAborted.
func runFault(ctx context.Context, err error) *fault.Error {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return fault.Wrap(err, fault.RequestAborted,
			"The call was canceled before it had an answer. Nothing was changed.")
	}
	return fault.As(err)
}

// add appends a member to an encoded JSON object.
func add(data []byte, name string, value []byte) []byte {
	open := data[:len(data)-1]
	out := append([]byte{}, open...)
	if len(open) > 1 {
		out = append(out, ',')
	}
	out = append(append(append(out, '"'), name...), `":`...)
	return append(append(out, value...), '}')
}

type failure struct {
	OK    bool  `json:"ok"`
	Error cause `json:"error"`
}

type cause struct {
	Kind    fault.Code   `json:"kind"`
	Message string       `json:"message"`
	Details fault.Detail `json:"details,omitempty"`
}

// mostRefusal is the maximum length of an error's text and of each detail, in code points.
const mostRefusal = 4096

// fit shortens and cleans an error's text, because it may repeat text from the client.
func fit(text string) string { return screen.Text(text, mostRefusal).Text }

func refuse(e *fault.Error) Answer {
	detail := slices.Clone(e.Detail)
	for i, f := range detail {
		detail[i].Value, detail[i].List = fit(f.Value), slices.Clone(f.List)
		for j, value := range f.List {
			detail[i].List[j] = fit(value)
		}
	}
	data, err := strictjson.Encode(failure{Error: cause{e.Code, fit(e.Text), detail}})
	if err != nil {
		data = json.RawMessage(`{"ok":false,"error":{"kind":"internal_error","message":"The error could not be encoded."}}`)
	}
	return Answer{Text: data, Fault: e}
}

// prune removes the paths that do not exist in value. The claims stay, because they concern every
// answer of this case.
func prune(u evidence.Use, value any) evidence.Use {
	keep := func(paths []string) []string {
		kept := []string{}
		for _, p := range paths {
			if present(value, p) {
				kept = append(kept, p)
			}
		}
		return kept
	}
	if u.Can == nil {
		u.Can = evidence.Claims{}
	}
	if u.Cannot == nil {
		u.Cannot = evidence.Claims{}
	}
	u.Answer, u.Precondition = keep(u.Answer), keep(u.Precondition)
	u.Rules, u.Diagnostic = keep(u.Rules), keep(u.Diagnostic)
	if u.Next != nil {
		next := *u.Next
		next.Inputs = keep(next.Inputs)
		u.Next = &next
	}
	return u
}
