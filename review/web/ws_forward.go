package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/instance"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/wschat"
)

const (
	// ForwardPath is where another process of this installation asks for a call of an
	// editor that is connected here.
	ForwardPath = "/api/workspace/forward"
	// MaxForward bounds such a request and its answer.
	MaxForward = wschat.MaxMessage + 64<<10
)

// Forward is a call for the editor of a project, or without a tool the question whether
// one is connected.
type Forward struct {
	Project string         `json:"project"`
	Tool    string         `json:"tool"`
	Params  map[string]any `json:"params"`
}

// Forwarded is what became of it. Kind is empty for a success, and says else which of the
// errors of wschat it was.
type Forwarded struct {
	Connected bool   `json:"connected"`
	Text      string `json:"text"`
	Kind      string `json:"kind"`
	Error     string `json:"error"`
}

// The kinds of errors of a call.
const (
	forwardReported   = "reported"
	forwardUnanswered = "unanswered"
	forwardRefused    = "refused"
)

// CallEditor sends a call to the editor that is connected here for a project. See
// wschat.Hub.Forward.
func (s *Server) CallEditor(ctx context.Context, f Forward) (text string, connected bool, err error) {
	if f.Tool == "" {
		return "", s.sockets.Connected(f.Project), nil
	}
	return s.sockets.Forward(ctx, f.Project, f.Tool, f.Params)
}

// forward does so for another process of this installation, which shows that it knows
// the card.
func (s *Server) forward(c *call) error {
	b, err := io.ReadAll(c.r.Body) // it is here already
	if err != nil {
		return err
	}
	//mutant:never ./review/web TestForwardBetweenProcesses
	if s.Sealed == nil || !s.Sealed(ForwardPath, b, c.r.Header.Get(instance.SealHeader)) {
		_, err := s.Desk.Check(c.ctx(), "")
		return err
	}
	in, err := strictjson.Decode[Forward](b)
	if err != nil {
		return err
	}
	s.unhurried(c) // the call has an end of its own
	text, connected, err := s.CallEditor(c.ctx(), in)
	writeJSON(c.w, http.StatusOK, forwarded(text, connected, err))
	return nil
}

func forwarded(text string, connected bool, err error) Forwarded {
	out := Forwarded{Connected: connected, Text: text}
	if err == nil {
		return out
	}
	out.Error = err.Error()
	switch {
	case errors.As(err, new(*wschat.Reported)):
		out.Kind = forwardReported
	case errors.As(err, new(*wschat.Unanswered)):
		out.Kind = forwardUnanswered
	default:
		out.Kind = forwardRefused
		var f *fault.Error
		if errors.As(err, &f) {
			out.Error = f.Text
		}
	}
	return out
}

// Result returns what the call returned in the process that serves the pages.
func (f Forwarded) Result() (text string, connected bool, err error) {
	switch f.Kind {
	case "":
	case forwardReported:
		err = &wschat.Reported{Text: f.Error}
	case forwardUnanswered:
		err = &wschat.Unanswered{Reason: f.Error}
	default:
		err = fault.New(fault.InputInvalid, "%s", f.Error)
	}
	return f.Text, f.Connected, err
}

// ReadForwarded reads the answer of the process that serves the pages.
func ReadForwarded(status int, answer []byte) (Forwarded, error) {
	var out Forwarded
	if status != http.StatusOK {
		return out, fault.New(fault.ProviderUnavailable, "The process that serves the pages did not pass the call on (%d).", status)
	}
	err := json.Unmarshal(answer, &out)
	return out, err
}
