package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/tools"
)

// asked makes the bundles that programs ask for. A step of theirs is read as one of an AI
// client; of one that they built, its meaning is.
type asked struct {
	materials
	bundles *request.Service
	steps   *tools.Steps
}

// Judge implements actions.Bundles.
func (a asked) Judge(ctx context.Context, in actions.Asked) (func(context.Context) (string, error), error) {
	if err := a.understand(ctx, in.Steps); err != nil {
		return nil, err
	}
	var list []json.RawMessage
	for _, s := range in.Steps {
		raw, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		list = append(list, raw)
	}
	steps, err := a.steps.Read(ctx, list)
	if err != nil {
		return nil, refusedBy(err)
	}
	b, prior, err := a.bundles.Draft(ctx, in.Label, in.Skip, steps)
	if err != nil {
		return nil, refusedBy(err)
	}
	if b.Session, err = a.conversation(ctx, in.Client); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (string, error) {
		made, err := a.bundles.Create(ctx, b, prior)
		return string(made.ID), refusedBy(err)
	}, nil
}

// mostRead is how many steps are read at once.
const mostRead = 4

// understand puts what the steps mean that somebody else built in the place of their
// bytes. Every one of them is read, so that all that are refused are named.
func (a asked) understand(ctx context.Context, steps []actions.Wish) error {
	var all actions.Refusals
	read := make([]func() (plan.Intent, error), len(steps))
	var wait sync.WaitGroup
	atOnce := make(chan struct{}, mostRead)
	for i, s := range steps {
		if s.Material != nil {
			wait.Go(func() {
				atOnce <- struct{}{}
				defer func() { <-atOnce }()
				in, err := a.meaning(ctx, *s.Material)
				read[i] = func() (plan.Intent, error) { return in, err }
			})
		}
	}
	wait.Wait()
	for i := range steps {
		s := &steps[i]
		if s.Material = nil; read[i] == nil {
			continue
		}
		in, err := read[i]()
		if why := (*actions.Refusal)(nil); errors.As(err, &why) {
			why.Step = s.ID
			if i > 0 && (why.Word == "simulation_failed" || why.Word == "object_resolution_failed") {
				why.Text += " If it needs what an earlier step brings, ask for it as an intent with resultOf."
			}
			all = append(all, why)
			continue
		}
		if err != nil {
			return err
		}
		if s.Intent, err = json.Marshal(in); err != nil {
			return err
		}
	}
	if len(all) > 0 {
		return all
	}
	return nil
}

// refusedBy is what a program is told of a bundle that is not taken. An error of this
// program stays one.
func refusedBy(err error) error {
	if err == nil {
		return nil
	}
	f := fault.As(err)
	word := string(f.Code)
	switch f.Code {
	case fault.InternalError:
		return err
	case fault.InputInvalid:
		word = actions.InvalidParams
	case fault.InvalidSessionTransition:
		word = cmp.Or(f.Detail.Get("reason"), word)
	}
	return &actions.Refusal{Word: word, Text: f.Text, Step: f.Detail.Get("step")}
}

// Over implements actions.Bundles.
func (a asked) Over(ctx context.Context, id string) (actions.BundleEnd, error) {
	b, err := a.bundles.Get(ctx, request.ID(id))
	if fault.Is(err, fault.SessionNotFound) {
		none := actions.BundleData{Transactions: []actions.StepResult{}}
		return actions.BundleEnd{Data: none, Why: "bundle_not_found", Over: true, Final: true}, nil
	}
	if err != nil || !b.State.Over() {
		return actions.BundleEnd{}, err
	}
	data := b.Data()
	why := b.Reason
	if !data.Success && why == "" {
		why = string(request.TimedOut)
		if n := len(data.Transactions); n > 0 && data.Transactions[n-1].Error != nil {
			why = *data.Transactions[n-1].Error
		}
	}
	return actions.BundleEnd{Data: data, Why: why, Over: true, Final: !b.Live(a.now())}, nil
}
