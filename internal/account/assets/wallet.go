package assets

import (
	"bytes"
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MostHoldings is the maximum number of coin types on one page.
const MostHoldings = 200

// Holding is an account's balance of one coin. Amount is the exact display form of the whole
// balance, "" without a verified unit. Pinned is set for coins of the pinned registry, Label if the
// coin describes itself.
type Holding struct {
	Balance sui.Balance
	Unit    Unit
	Amount  sui.Decimal
	Pinned  *coins.Coin
	Label   *Label
}

// Page is one page of an account's coin balances. Next continues after it, "" at the end. Stalled
// means that the node's list does not advance, so there may be balances that cannot be read.
type Page struct {
	Holdings []Holding
	Next     string
	Stalled  bool
	At       time.Time
}

// Holdings reads up to most (1 to MostHoldings) of owner's coin balances after cursor, "" for the
// beginning. An invalid cursor, or one of another account, is fault.InputInvalid; a failing cache
// is fault.MetadataCacheUnavailable.
func (s *Service) Holdings(ctx context.Context, owner sui.Address, cursor string, most int) (Page, error) {
	token, err := readCursor(owner, cursor)
	if err != nil {
		return Page{}, err
	}
	var chain sui.Digest
	var unreachable error
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		defer fault.Recover(&unreachable)
		chain, unreachable = s.c.Chain.ChainIdentifier(ctx)
	}()
	balances, next, err := s.c.Chain.Balances(ctx, owner, token, min(max(most, 1), MostHoldings))
	at := s.c.Now()
	<-asked
	if err == nil {
		err = unreachable
	}
	if err != nil {
		return Page{}, err
	}
	page := Page{At: at, Stalled: stalled(balances, token, next)}
	if next != nil && !page.Stalled {
		page.Next = writeCursor(owner, next)
	}
	if page.Next == "" && !page.Stalled {
		if balances, err = s.addWatched(ctx, owner, token != nil, balances); err != nil {
			return page, err
		}
	}
	page.Holdings, err = s.hold(ctx, chain, balances)
	return page, err
}

// addWatched adds watched coins without a balance to the last page. If there were earlier pages, it
// queries each coin, because it may be on one of them.
func (s *Service) addWatched(ctx context.Context, owner sui.Address, further bool, page []sui.Balance) ([]sui.Balance,
	error) {
	if s.c.Watched == nil {
		return page, nil
	}
	watched, err := s.c.Watched(ctx, owner)
	if err != nil {
		return nil, err
	}
	listed := map[sui.CoinType]bool{}
	for _, b := range page {
		listed[b.Type] = true
	}
	for _, t := range watched {
		if listed[t] {
			continue
		}
		none := sui.Balance{Type: t}
		if further {
			b, err := s.c.Chain.Balance(ctx, owner, t)
			if err != nil {
				return nil, err
			}
			//mutant:never ./internal/account/assets TestWatched
			if b.Total != 0 {
				continue // it is on an earlier page
			}
		}
		page = append(page, none)
	}
	return page, nil
}

// Unit returns the decimals of a coin as far as they are verified. A cache that fails
// is fault.MetadataCacheUnavailable; a node that does not answer leaves the pinned
// table, or nothing.
func (s *Service) Unit(ctx context.Context, coin sui.CoinType) (Unit, error) {
	if err := coins.Check(); err != nil {
		return Unit{}, err
	}
	var pinned *coins.Coin
	if c, ok := coins.ByType(coin); ok {
		pinned = &c
	}
	chain, err := s.c.Chain.ChainIdentifier(ctx)
	if err != nil {
		return unitOf(Described{}, false, pinned), nil
	}
	known, err := s.describe(ctx, chain, []sui.CoinType{coin})
	if err != nil {
		return Unit{}, err
	}
	d, asked := known[coin]
	return unitOf(d, asked, pinned), nil
}

// stalled reports whether a list does not advance: the next page would be the
// same one again, or there is nothing on this one although more is promised.
func stalled(page []sui.Balance, token, next []byte) bool {
	return next != nil && (len(page) == 0 || bytes.Equal(token, next))
}

// hold adds units and labels to balances.
func (s *Service) hold(ctx context.Context, chain sui.Digest, balances []sui.Balance) ([]Holding, error) {
	if err := coins.Check(); err != nil {
		return nil, err
	}
	types := make([]sui.CoinType, len(balances))
	for i, b := range balances {
		types[i] = b.Type
	}
	known, err := s.describe(ctx, chain, types)
	if err != nil {
		return nil, err
	}
	list := make([]Holding, len(balances))
	for i, b := range balances {
		d, asked := known[b.Type]
		h := Holding{Balance: b}
		if c, ok := coins.ByType(b.Type); ok {
			h.Pinned = &c
		}
		h.Unit = unitOf(d, asked, h.Pinned)
		h.Label = s.labelOf(d, h.Pinned)
		if h.Unit.Status == UnitAvailable {
			h.Amount = b.Total.Decimal(h.Unit.Decimals)
		}
		list[i] = h
	}
	return list, nil
}

// The limits of a scan over all balances of an account.
const (
	ScanPages    = 20
	scanPageSize = 1000
)

// Why a scan is blocked.
const (
	PageLimitExceeded = "wallet_balance_page_limit_exceeded"
	DidNotAdvance     = "wallet_balance_pagination_did_not_advance"
)

// scan visits every coin balance of owner, and says on how many pages. A list
// longer than ScanPages pages, or one that does not advance, is fault.Blocked:
// a sum over a part would be reported as a sum.
func (s *Service) scan(ctx context.Context, owner sui.Address, visit func(sui.Balance)) (pages int, err error) {
	seen := map[sui.CoinType]bool{}
	var token []byte
	for pages = 1; pages <= ScanPages; pages++ {
		page, next, err := s.c.Chain.Balances(ctx, owner, token, scanPageSize)
		if err != nil {
			return pages, err
		}
		for _, b := range page {
			if seen[b.Type] {
				return pages, notAdvancing()
			}
			seen[b.Type] = true
			visit(b)
		}
		if next == nil {
			return pages, nil
		}
		if stalled(page, token, next) {
			return pages, notAdvancing()
		}
		token = next
	}
	return ScanPages, fault.New(fault.Blocked,
		"The account has more than %d pages of coin types, more than are read for one answer. Nothing was summed up.",
		ScanPages).
		With("blockedReason", PageLimitExceeded)
}

func notAdvancing() error {
	return fault.New(fault.Blocked,
		"The Sui node's list of balances repeats itself instead of going on. Nothing was summed up; try again, or set another node.").
		With("blockedReason", DidNotAdvance)
}
