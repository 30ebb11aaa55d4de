package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/material"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	deepswap "github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	flowxregistry "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	flowxswap "github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
	"github.com/sayurintent/sayurintent/store"
	"github.com/sayurintent/sayurintent/tools"
)

// materials makes reviews of what transactions of other programs mean.
type materials struct {
	reader  *material.Reader
	reviews *review.Service
	allowed func(context.Context) (bool, error)
	active  func(context.Context) (sui.Address, bool, error)
	now     func() time.Time
	db      *store.DB // which takes what is prepared
}

// conversation is the newest of a client, "" for none.
func (m materials) conversation(ctx context.Context, client string) (session string, err error) {
	if client != "" {
		session, _, err = m.db.Conversation(ctx, client)
	}
	return session, err
}

// openActions makes the executor of what programs ask for.
func (a *app) openActions() {
	reader := readerOver(a.node, a.deepbook, a.options.network.answer, a.now)
	made := materials{reader, a.reviews, a.settings.Material, a.activeAddress, a.now, a.db}
	a.actions = actions.New(actions.Config{Store: a.db, Book: a.names, Watch: a.watched, Active: a.activeAddress,
		Now: a.now, Materials: made, Bundles: asked{made, a.bundles, tools.NewSteps(a.names)}})
}

// readerOver reads such transactions over one node.
func readerOver(node *rpc.Client, pools *deepbook.Reader, network string, now func() time.Time) *material.Reader {
	return material.New(material.Config{
		Chain: node, Network: network, MostGas: gate.DefaultLimits().MostGasBudget,
		Swaps: []plan.Adapter{deepswap.New(pools), flowxswap.New(flowx.New(node, now), nil)},
		Called: func(id sui.ObjectID) bool {
			return id == sui.MustAddress("0x2") || id == flowxregistry.Package || registry.Published(id)
		},
	})
}

// Allowed implements actions.Materials.
func (m materials) Allowed(ctx context.Context) (bool, error) { return m.allowed(ctx) }

// Read implements actions.Materials.
func (m materials) Read(ctx context.Context, client string,
	given actions.Material) (func(context.Context) (string, error), error) {
	in, err := m.meaning(ctx, given)
	if err != nil {
		return nil, err
	}
	session, earlier, err := m.reviews.PrepareOnce(ctx, in)
	switch f := fault.As(err); {
	case err != nil && f.Code == fault.InternalError:
		return nil, err
	case err != nil:
		return nil, &actions.Refusal{Word: string(f.Code), Text: f.Text}
	case earlier != nil:
		return nil, &actions.Refusal{Word: "duplicate_intent", Text: fmt.Sprintf("%s asks for the same%s; %s%s. "+
			"Only the person can want it again, on a page.", earlier.Named(), earlier.Where(len(in.Each())), earlier.Known(), m.digestOf(ctx, earlier.Review))}
	}
	into, err := m.conversation(ctx, client)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (string, error) {
		return string(session.ID), m.db.CreateReview(bus.WithConversation(ctx, into), session)
	}, nil
}

// meaning is what a transaction means for the account in use, after all checks that need
// no review. What is not taken is a *actions.Refusal.
func (m materials) meaning(ctx context.Context, given actions.Material) (in plan.Intent, err error) {
	account, ok, err := m.active(ctx)
	if err != nil {
		return in, err
	}
	if !ok {
		return in, &actions.Refusal{Word: string(fault.ActiveAccountNotSet),
			Text: "Connect a wallet account first: a review is made for one account."}
	}
	in, err = m.reader.Meaning(ctx, account, material.Given{
		Hex: given.Hex, ChainID: given.ChainID, Kind: given.Kind, Payload: given.Payload,
		Details: material.Details{From: given.From, To: given.To, Value: given.Value, Symbol: given.Symbol,
			Amount: given.Amount},
	})
	if r := (*material.Refused)(nil); errors.As(err, &r) {
		err = &actions.Refusal{Word: r.Word, Text: r.Text}
	}
	return in, err
}

// digestOf names the transaction of a review, where one was submitted.
func (m materials) digestOf(ctx context.Context, id record.ID) string {
	s, err := m.reviews.Get(ctx, id)
	if err != nil || s.Execution == nil || s.Execution.TxDigest == "" {
		return ""
	}
	return ", digest " + s.Execution.TxDigest
}

// Ended implements actions.Materials.
func (m materials) Ended(ctx context.Context, id string) (actions.Ending, bool, error) {
	s, err := m.reviews.Get(ctx, record.ID(id))
	if fault.Is(err, fault.SessionNotFound) {
		return actions.Ending{Status: "failed", Error: "review_not_found"}, true, nil
	}
	if err != nil || !s.Status.Terminal() {
		return actions.Ending{}, false, err
	}
	end := actions.Ending{Status: "confirmed"}
	if s.Execution != nil {
		end.Digest = s.Execution.TxDigest
	}
	switch {
	case s.Status == record.Success:
		return end, true, nil
	case s.Status == record.Expired:
		end.Error = actions.Expired
	case s.Execution != nil && s.Execution.FailureReason == record.FailureWalletRejected:
		end.Error = actions.UserRejected
	case s.Execution != nil && s.Execution.FailureReason != "":
		end.Error = string(s.Execution.FailureReason)
	default:
		end.Error = actions.Failed
	}
	end.Status = "failed"
	return end, true, nil
}
