package activity_test

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	deepbook "github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/store"
)

var (
	alice = sui.MustAddress("0xa11ce")
	bob   = sui.MustAddress("0xb0b")
	noon  = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
)

const usdc sui.CoinType = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"

// provider is a chain of one transaction a minute, one checkpoint each, told page
// by page; edit makes it misbehave.
type provider struct {
	list  []sui.PastTransaction // newest first
	edit  func(asked int, q sui.PastQuery, p *sui.PastPage) error
	blind bool // about times of checkpoints
	asked []sui.PastQuery
	first uint64 // the oldest checkpoint that it still has
}

func digest(n int) sui.Digest {
	var d sui.Digest
	binary.BigEndian.PutUint64(d[:], uint64(n)+1)
	return d
}

// at returns when checkpoint n was made.
func at(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

// sent is transaction n: alice pays one SUI's thousandth and takes n USDC units.
func sent(n int) sui.PastTransaction {
	sender, cp := alice, uint64(n)
	return sui.PastTransaction{
		Digest: digest(n), Sender: &sender, Kind: "ProgrammableTransaction", Status: sui.PastSuccess, Checkpoint: &cp,
		Timestamp: at(n),
		Gas:       &sui.GasCost{Computation: 1_000_000, Storage: 2_000_000, Rebate: 500_000},
		Balances: sui.Listed[sui.PastBalance]{Known: true, Items: []sui.PastBalance{
			{Owner: &sender, Coin: sui.SUI, Amount: sui.Delta{Negative: true, Amount: 2_500_000}},
			{Owner: &sender, Coin: usdc, Amount: sui.Delta{Amount: sui.Raw(n)}},
			{Owner: owner(bob), Coin: usdc, Amount: sui.Delta{Negative: true, Amount: sui.Raw(n)}},
		}},
		Objects: sui.Listed[sui.PastObject]{Known: true, Items: []sui.PastObject{{ID: bob,
			Type: "0x2::coin::Coin<0x2::sui::SUI>", Change: "mutated"}}},
		Calls: sui.Listed[sui.PastCall]{Known: true, Items: []sui.PastCall{{Package: deepbook.Packages()[2].ID,
			Module: "pool", Function: "swap_exact_quantity"}}},
		Events: sui.Listed[sui.PastEvent]{Known: true, Items: []sui.PastEvent{{Package: deepbook.Packages()[0].ID,
			Module: "pool", Type: deepbook.OriginalPackage.String() + "::pool::OrderFilled", Sender: owner(bob)}}},
		Shared: sui.Listed[sui.ObjectID]{Known: true},
	}
}

func owner(a sui.Address) *sui.Address { return &a }

// chainOf returns a provider of n transactions.
func chainOf(n int) *provider {
	p := &provider{}
	for i := n - 1; i >= 0; i-- {
		p.list = append(p.list, sent(i))
	}
	return p
}

func (p *provider) Transactions(_ context.Context, q sui.PastQuery) (sui.PastPage, error) {
	p.asked = append(p.asked, q)
	var fits []sui.PastTransaction
	for _, t := range p.list {
		if (q.From == nil || *t.Checkpoint >= *q.From) && (q.To == nil || *t.Checkpoint <= *q.To) {
			fits = append(fits, t)
		}
	}
	begin := 0
	if q.Cursor != "" {
		n, err := strconv.Atoi(q.Cursor)
		if err != nil {
			return sui.PastPage{}, fault.New(fault.ProviderRefused, "The cursor is not known.")
		}
		begin = n
	}
	end := min(len(fits), begin+q.Most)
	page := sui.PastPage{Transactions: slices.Clone(fits[min(begin, len(fits)):end])}
	if end < len(fits) {
		page.Cursor = strconv.Itoa(end)
	}
	if p.edit != nil {
		if err := p.edit(len(p.asked), q, &page); err != nil {
			return sui.PastPage{}, err
		}
	}
	return page, nil
}

func (p *provider) Transaction(_ context.Context, d sui.Digest) (sui.PastTransaction, bool, error) {
	for _, t := range p.list {
		if t.Digest == d {
			return t, true, nil
		}
	}
	return sui.PastTransaction{}, false, nil
}

func (p *provider) CheckpointAt(_ context.Context, when time.Time) (before, after *uint64, err error) {
	if p.blind {
		return nil, nil, fault.New(fault.ProviderRefused, "It does not tell.")
	}
	for n := range uint64(len(p.list)) {
		if at := at(int(n)); !at.After(when) {
			before = &n
		}
		if at := at(int(n)); !at.Before(when) {
			return before, &n, nil
		}
	}
	return before, nil, nil
}

func (p *provider) Range(context.Context) (sui.PastRange, error) {
	if p.blind {
		return sui.PastRange{}, fault.New(fault.ProviderRefused, "It does not tell.")
	}
	last := len(p.list) - 1
	first := int(p.first)
	return sui.PastRange{First: sui.PastCheckpoint{Number: p.first, Time: at(first)},
		Last: sui.PastCheckpoint{Number: uint64(last), Time: at(last)}}, nil
}

// house is a service over a provider and a real store.
type house struct {
	*activity.Service
	db       *store.DB
	accounts *account.Service
	t        testing.TB
	now      time.Time
	chain    sui.Digest
}

func open(t testing.TB, p activity.Source) *house {
	t.Helper()
	h := &house{t: t, now: noon.Add(24 * time.Hour), chain: sui.Digest{7, 7, 7, 7}}
	clock := h.clock
	hub := &events.Hub{}
	dir := filepath.Join(double.Dir(t), "data")
	storekit.Make(t, dir)
	db, err := store.Open(context.Background(), store.Config{Dir: dir, Now: clock, Hub: hub})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h.db = db
	h.accounts = account.New(account.Config{Store: db, Hub: hub, Now: clock, Chain: "sui:localnet"})
	h.Service = activity.New(activity.Config{Source: p, Chain: func(context.Context) (sui.Digest, error) {
		return h.chain,
			nil
	}, Store: db, Accounts: h.accounts, Now: clock,
		Labels: append([]sui.Label{deepbook.Label(), flowx.Label()}, sui.ChainLabels()...)})
	return h
}

func (h *house) clock() time.Time { return h.now }

// connect makes an account known and active.
func (h *house) connect(a sui.Address) {
	h.t.Helper()
	ctx := context.Background()
	i, err := h.accounts.Create(ctx)
	if err == nil {
		err = h.accounts.Opened(ctx, i.ID)
	}
	for _, s := range []account.IdentityStatus{account.Connecting, account.Connected} {
		r := account.Report{Status: s, WalletName: "W", WalletID: "w"}
		if s == account.Connected {
			r.Account, r.Chain = a.String(), "sui:localnet"
		}
		if err == nil {
			_, err = h.accounts.Report(ctx, i.ID, r)
		}
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) scan(q activity.Query) activity.Scan {
	h.t.Helper()
	s, err := h.Scan(context.Background(), whole(q))
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// whole sets the defaults that a tool sets.
func whole(q activity.Query) activity.Query {
	if q.Account.IsZero() {
		q.Account = alice
	}
	if q.Relationship == "" {
		q.Relationship = activity.Affected
	}
	if q.Limit == 0 {
		q.Limit = activity.MostRows
	}
	return q
}

func wantFault(t testing.TB, err error, code fault.Code, words string) {
	t.Helper()
	if !fault.Is(err, code) || !containsWords(err, words) {
		t.Errorf("got %v, want %s with %q", err, code, words)
	}
}
