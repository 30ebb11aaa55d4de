package tools

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Steps reads the steps of bundles for other doors, exactly as the tool for AI clients
// takes them. It is safe for concurrent use.
type Steps struct {
	shape tool.Tool
	names addressBook
}

// NewSteps returns a reader over the address book.
func NewSteps(names addressBook) *Steps {
	return &Steps{agentSignTransactionBundle(nil, nil, names, opener{}, nil, ""), names}
}

// Read reads steps that are in their order, each as JSON of the tool's transactions. The
// first one that is refused is the error, which names it as request.AtStep does.
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

// one reads one step by the schema of the tool.
func (s *Steps) one(raw json.RawMessage) (step bundleStep, err error) {
	args, err := json.Marshal(map[string]any{"transactions": []json.RawMessage{raw}})
	if err != nil {
		return step, fault.Wrap(err, fault.InputInvalid, "The step is no JSON.")
	}
	if args, err = s.shape.Admit(args); err != nil {
		return step, err
	}
	var in signBundleIn
	if err := json.Unmarshal(args, &in); err != nil {
		return step, fault.Wrap(err, fault.InputInvalid, "A member of the step has a value that cannot be read.")
	}
	return in.Transactions[0], nil
}

// idOf returns the id of a step that was refused, as far as it has one.
func idOf(raw json.RawMessage) string {
	var head struct{ ID any }
	_ = json.Unmarshal(raw, &head)
	id, _ := head.ID.(string)
	return id
}
