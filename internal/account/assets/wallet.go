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
// balance, or "" if the coin has no verified unit. Pinned is set for coins in the pinned registry,
// and Label for coins that describe themselves.
type Holding struct {
	Balance sui.Balance
	Unit    Unit
	Amount  sui.Decimal
	Pinned  *coins.Coin
	Label   *Label
}

// Page is one page of an account's coin balances. Next is the cursor of the next page, or "" if
// there is none. Stalled reports that the node's list does not advance, so further balances may be
// unreadable.
type Page struct {
	Holdings []Holding
	Next     string
	Stalled  bool
	At       time.Time
}

// Holdings reads up to most (1 to MostHoldings) of owner's coin balances after cursor; "" means the
// beginning. It returns fault.InputInvalid for an invalid cursor or one of another account, and
// fault.MetadataCacheUnavailable if the cache fails.
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
// queries the balance of each coin, because the coin may be on one of them.
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
				continue // listed on an earlier page
			}
		}
		page = append(page, none)
	}
	return page, nil
}

// Unit returns the verified decimals of a coin. If the node does not answer, only the pinned
// registry is used. If the cache fails, Unit returns fault.MetadataCacheUnavailable.
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

// stalled reports whether a list does not advance: the token of the next page is the same, or this
// page is empty although another is announced.
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

// Limits of a scan of all coin balances of an account.
const (
	ScanPages    = 20
	scanPageSize = 1000
)

// Reasons why a scan is blocked.
const (
	PageLimitExceeded = "wallet_balance_page_limit_exceeded"
	DidNotAdvance     = "wallet_balance_pagination_did_not_advance"
)

// scan visits every coin balance of owner and returns the number of pages. If the list exceeds
// ScanPages pages or does not advance, scan returns fault.Blocked, because a partial sum must not
// be reported as the total.
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
		"The Sui node's list of balances repeats itself instead of going on. No total was calculated. Try again, or "+
			"set another node.").
		With("blockedReason", DidNotAdvance)
}
