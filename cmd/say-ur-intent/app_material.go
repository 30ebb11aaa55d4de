package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/material"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/store"
	"github.com/sayurintent/sayurintent/tools"
)

// materials decodes transactions that other programs built, and prepares reviews of their intents.
type materials struct {
	reader  *material.Reader
	reviews *review.Service
	allowed func(context.Context) (bool, error)
	active  func(context.Context) (sui.Address, bool, error)
	now     func() time.Time
	clients store.Conversations // conversations that receive the prepared reviews
}

// conversation returns the newest conversation of a client, or "".
func (m materials) conversation(ctx context.Context, client string) (session string, err error) {
	if client != "" {
		session, _, err = m.clients.Conversation(ctx, client)
	}
	return session, err
}

// openActions creates the executor for programs' actions.
func (a *app) openActions() {
	reader := readerOver(a.node, a.deepbook, a.options.network.answer, a.now, isMeant)
	made := materials{reader, a.reviews, a.takesMaterial, a.activeAddress, a.now, a.db.Conversations}
	a.actions = actions.New(actions.Config{Store: actionRows{a.db.Actions, a.db.AddressBook, a.db.WatchLists},
		Book: a.names, Watch: a.watched, Active: a.activeAddress,
		Now: a.now, Requests: asked{made, a.bundles, tools.NewSteps(a.names)}})
}

// isMeant reports whether an action may be decoded from another program's transaction. These
// actions are payments, and swaps on any venue.
func isMeant(action string) bool { return action == "swap" || action == "transfer" }

// readerOver returns a reader of such transactions. It accepts the actions for which is returns
// true.
func readerOver(node *rpc.Client, pools *deepbook.Reader, network string, now func() time.Time,
	is func(action string) bool) *material.Reader {
	called := []sui.ObjectID{sui.MustAddress("0x2")}
	var understood []plan.Adapter
	for _, a := range adapters.Over(node, nil, pools, nil, now) {
		called = append(called, a.Meta().Packages...)
		if is(a.Meta().Action) {
			understood = append(understood, a)
		}
	}
	return material.New(material.Config{
		Chain: node, Network: network, MostGas: gate.DefaultLimits().MostGasBudget, Adapters: understood,
		Called: func(id sui.ObjectID) bool { return slices.Contains(called, id) },
	})
}

// meaning decodes the intent of a transaction for the active account, and makes every check that
// does not need a review. If the transaction is rejected, the error is an *actions.Refusal.
func (m materials) meaning(ctx context.Context, given actions.Material) (in plan.Intent, err error) {
	account, ok, err := m.active(ctx)
	if err != nil {
		return in, err
	}
	if !ok {
		return in, &actions.Refusal{Word: string(fault.ActiveAccountNotSet),
			Text: "Connect a wallet account first. Each review is for one account."}
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

// digestOf returns a phrase with the digest of a review's transaction, or "" if none was submitted.
func (m materials) digestOf(ctx context.Context, id record.ID) string {
	s, err := m.reviews.Get(ctx, id)
	if err != nil || s.Execution == nil || s.Execution.TxDigest == "" {
		return ""
	}
	return ", digest " + s.Execution.TxDigest
}
