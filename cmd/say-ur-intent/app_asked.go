package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/tools"
)

// asked creates requests on behalf of other programs. It reads their steps like those of an AI
// client. If a step contains a transaction, asked uses only the decoded intent, never the
// transaction itself.
type asked struct {
	materials
	bundles *request.Service
	steps   *tools.Steps
}

// TakesMaterial implements actions.Requests.
func (a asked) TakesMaterial(ctx context.Context) (bool, error) { return a.allowed(ctx) }

// Judge implements actions.Requests.
func (a asked) Judge(ctx context.Context, in actions.Asked) (func(context.Context, actions.Tx) (string, error), error) {
	into, err := a.conversation(ctx, in.Client)
	if err != nil {
		return nil, err
	}
	d, err := a.draft(ctx, in)
	if err != nil {
		return nil, err
	}
	d.Request.Session = into
	return func(ctx context.Context, tx actions.Tx) (string, error) {
		made, err := tx.(request.Creator).CreateRequest(ctx, d) // in the store, every transaction implements it
		return string(made.ID), refusedBy(err)
	}, nil
}

func (a asked) draft(ctx context.Context, in actions.Asked) (d request.Drafted, err error) {
	if len(in.Steps) == 1 && in.Steps[0].Material != nil {
		return a.single(ctx, in.Steps[0])
	}
	if err := a.resolveMaterial(ctx, in.Steps); err != nil {
		return d, err
	}
	var list []json.RawMessage
	for _, s := range in.Steps {
		raw, err := json.Marshal(s)
		if err != nil {
			return d, err
		}
		list = append(list, raw)
	}
	steps, err := a.steps.Read(ctx, list)
	for i := range steps {
		steps[i].Key = in.Steps[i].Key
	}
	if err == nil {
		d, err = a.bundles.Draft(ctx, in.Label, in.Skip, steps)
	}
	return d, refusedBy(err)
}

// single drafts a request from one transaction that another program built. The user signs it
// directly, without approving a bundle first.
func (a asked) single(ctx context.Context, s actions.Wish) (d request.Drafted, err error) {
	in, err := a.meaning(ctx, *s.Material)
	if err != nil {
		return d, err
	}
	session, earlier, err := a.reviews.PrepareOnce(ctx, in)
	switch {
	case err != nil:
		return d, refusedBy(err)
	case earlier != nil:
		return d, &actions.Refusal{Word: request.Duplicate, Text: fmt.Sprintf("%s asks for the same%s; %s%s. "+
			"Only the user can request it again, on a page.", earlier.Named(), earlier.Where(len(in.Each())), earlier.Known(),
			a.digestOf(ctx, earlier.Review))}
	}
	d.Review = &session
	d.Request.Steps = []request.Step{{ID: s.ID, Sequence: s.Sequence, Chain: s.Chain, Key: s.Key}}
	return d, nil
}

// maxRead limits how many transactions are decoded concurrently.
const maxRead = 4

// resolveMaterial replaces transactions that other programs built with their intents. It decodes
// all of them, so that the error lists every rejected one.
func (a asked) resolveMaterial(ctx context.Context, steps []actions.Wish) error {
	var all actions.Refusals
	read := make([]func() (plan.Intent, error), len(steps))
	var wait sync.WaitGroup
	atOnce := make(chan struct{}, maxRead)
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
				why.Text += " If it needs the result of an earlier step, request it as an intent with resultOf."
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

// refusedBy converts err to a refusal that a program can read. Internal errors are returned
// unchanged.
func refusedBy(err error) error {
	if err == nil {
		return nil
	}
	f := fault.As(err)
	word := string(f.Code)
	var slugs []string
	for _, d := range f.Detail {
		if d.Name == "availableProtocols" {
			slugs = d.List
		}
	}
	switch f.Code {
	case fault.InternalError:
		return err
	case fault.InputInvalid:
		word = actions.InvalidParams
		// The fault's detail says whether the protocol is missing or unknown.
		if slugs != nil {
			word = f.Detail.Get("reason")
		}
	case fault.InvalidSessionTransition:
		word = cmp.Or(f.Detail.Get("reason"), word)
	}
	return &actions.Refusal{Word: word, Text: f.Text, Step: f.Detail.Get("step"), Protocols: slugs}
}

// Over implements actions.Requests.
func (a asked) Over(ctx context.Context, id string) (actions.End, error) {
	b, err := a.bundles.Get(ctx, request.ID(id))
	if fault.Is(err, fault.SessionNotFound) {
		none := actions.BundleData{Transactions: []actions.StepResult{}}
		return actions.End{Data: none, Why: "request_not_found", Over: true, Final: true}, nil
	}
	if err != nil || !b.State.Over() {
		return actions.End{}, err
	}
	data := b.Data()
	why := b.Reason
	if !data.Success && why == "" {
		why = string(request.TimedOut)
		if n := len(data.Transactions); n > 0 && data.Transactions[n-1].Error != nil {
			why = *data.Transactions[n-1].Error
		}
	}
	return actions.End{Data: data, Why: why, Over: true, Final: !b.Live(a.now())}, nil
}
