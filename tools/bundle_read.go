package tools

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Steps parses the steps of bundles for pages and programs, with the same rules as the tool for AI
// clients. It is safe for concurrent use.
type Steps struct {
	shape tool.Tool
	names addressBook
}

// NewSteps returns a parser that looks up recipients in names.
func NewSteps(names addressBook) *Steps {
	return &Steps{agentSignTransactionBundle(nil, nil, names, opener{}, nil, ""), names}
}

// Read parses steps in order. Each is JSON in the form of the tool's transactions. On error it
// returns the first error, with the step as in request.AtStep.
func (s *Steps) Read(ctx context.Context, list []json.RawMessage) (steps []request.Wanted, err error) {
	var read []bundleStep
	for i, raw := range list {
		one, err := s.one(raw)
		if err != nil {
			return nil, request.AtStep(i, idOf(raw), err)
		}
		w, err := one.wanted(ctx, s.names, read)
		if err != nil {
			return nil, request.AtStep(i, string(one.ID), err)
		}
		read, steps = append(read, one), append(steps, w)
	}
	return steps, nil
}

// one parses and validates one step with the tool's schema.
func (s *Steps) one(raw json.RawMessage) (step bundleStep, err error) {
	args, err := json.Marshal(map[string]any{"transactions": []json.RawMessage{raw}})
	if err != nil {
		return step, fault.Wrap(err, fault.InputInvalid, "The step is not valid JSON.")
	}
	if args, err = s.shape.Admit(args); err != nil {
		return step, err
	}
	var in signBundleIn
	if err := json.Unmarshal(args, &in); err != nil {
		return step, fault.Wrap(err, fault.InputInvalid, "A member of the step has an invalid value.")
	}
	return in.Transactions[0], nil
}

// idOf returns the id of a rejected step, or "" if it cannot be read.
func idOf(raw json.RawMessage) string {
	var head struct{ ID any }
	_ = json.Unmarshal(raw, &head)
	id, _ := head.ID.(string)
	return id
}
