package tools_test

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// activity reads the past of this world's chain over its wire protocol.
func (w *world) activity() *activity.Service {
	w.t.Helper()
	h, err := rpc.NewHistory(rpc.Config{URL: w.URL + "/graphql", Now: w.Clock.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(h.Close)
	return activity.New(activity.Config{
		Source: pastLiar{h, w}, Chain: w.Node.ChainIdentifier, Store: w.Store, Accounts: w.Accounts, Now: w.Clock.Now,
		Balances: func(ctx context.Context, owner sui.Address) ([]sui.Balance, error) {
			list, _, err := w.Node.Balances(ctx, owner, nil, 100)
			return list, err
		},
		Prove: w.Prover.Prove, Labels: append([]sui.Label{deepbook.Label(), flowx.Label()}, sui.ChainLabels()...),
	})
}

// swapped executes a swap on chain.
func (w *world) swapped() {
	s := w.Ready(tenSUI)
	w.Send(s)
	s = w.Until(s.ID, "the swap is on chain", func(s record.Session) bool { return s.Status == record.Success })
	w.reviewing(s)
	now := w.Clock.Now().UTC()
	day := now.Truncate(24 * time.Hour)
	w.values["txDigest"] = s.Execution.TxDigest
	w.values["dayBegin"], w.values["dayEnd"] = day.Format(time.RFC3339), day.Add(24*time.Hour).Format(time.RFC3339)
}

func (w *world) scanned() { w.must("read.scan_sui_account_activity", `{}`) }

func (w *world) bare() {
	w.swapped()
	w.Inject(sandbox.Fault{Kind: sandbox.NullDetails})
}

func (w *world) unsigned() { w.Inject(sandbox.Fault{Kind: sandbox.NoCertificate}) }

func (w *world) disconnect() {
	if _, _, err := w.Accounts.Clear(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) refusePast() {
	for _, method := range []string{"transactions", "transaction", "serviceConfig"} {
		w.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: method})
	}
}

func (w *world) endless() {
	w.swapped()
	w.liesPast = true
}

// pastLiar is a provider's client that can return more than was requested, or another transaction.
type pastLiar struct {
	*rpc.History
	w *world
}

func (l pastLiar) Transactions(ctx context.Context, q sui.PastQuery) (sui.PastPage, error) {
	page, err := l.History.Transactions(ctx, q)
	for l.w.liesPast && err == nil && len(page.Transactions) <= q.Most {
		page.Transactions = append(page.Transactions, page.Transactions...)
	}
	return page, err
}

func (l pastLiar) Transaction(ctx context.Context, d sui.Digest) (sui.PastTransaction, bool, error) {
	t, ok, err := l.History.Transaction(ctx, d)
	if l.w.liesPast {
		t.Digest[0]++
	}
	if l.w.retells != nil {
		l.w.retells(&t)
	}
	return t, ok, err
}
