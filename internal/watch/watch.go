package watch

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Coin is an entry of the list. A chain is on an account's list if its native coin is. In JSON,
// Coin is part of a backup, whose decimals are not trusted.
type Coin struct {
	Account  sui.Address  `json:"account"`
	Type     sui.CoinType `json:"coinType"` // SUI for the native coin
	Ticker   string       `json:"ticker"`   // as entered; only Type identifies the coin
	Decimals uint8        `json:"decimals"`
	Source   Source       `json:"-"`
	Logo     string       `json:"logo"` // never fetched
	PriceID  string       `json:"priceId"`
	AddedAt  time.Time    `json:"addedAt"`
}

// Native reports whether the coin pays for gas on its chain.
func (c Coin) Native() bool { return c.Type == sui.SUI }

// Claim validates a coin from an untrusted source, such as a backup, without queries. It sets
// Source: the decimals count as verified only if they match the pinned table. Claim reports whether
// the coin is valid.
func (c *Coin) Claim() bool {
	pinned, known := coins.ByType(c.Type)
	c.Source = Unverified
	//mutant:always ./internal/watch TestClaim
	if known && pinned.Decimals == c.Decimals {
		c.Source = FromRegistry
	}
	t, err := sui.ParseCoinType(string(c.Type))
	return err == nil && t == c.Type && !c.Account.IsZero() && c.Decimals <= sui.MostDecimals && c.Ticker != "" &&
		plain(c.Ticker, MostTicker) && plain(c.Logo, MostLogo) && plain(c.PriceID, MostPrice)
}

// Source is the origin of the decimals.
type Source string

// Sources of decimals.
const (
	FromChain    Source = "chain"
	FromRegistry Source = "registry"   // the pinned table of coins
	Unverified   Source = "unverified" // as entered; never used in calculations
)

// Limits of the list.
const (
	MostCoins  = 50 // coins per account
	MostAtOnce = 32 // entries per call
	MostTicker = 32 // characters of a ticker
	MostLogo   = 2000
	MostPrice  = 100
)

// Refusal is the reason why an entry was rejected. Other entries are still processed.
type Refusal string

// Refusals, as spelled on the wire.
const (
	UnknownChain     Refusal = "unknown_chain"
	UnsupportedChain Refusal = "unsupported_chain"
	NoAccount        Refusal = "active_account_not_set"
	NoContract       Refusal = "contract_address_required"
	InvalidContract  Refusal = "invalid_address"
	InvalidTicker    Refusal = "invalid_ticker"
	InvalidText      Refusal = "invalid_text"
	DecimalsMismatch Refusal = "decimals_mismatch"
	AlreadyExists    Refusal = "already_exists"
	Full             Refusal = "list_full"
)

// Asked is one entry of a call, as requested.
type Asked struct {
	Chain, Ticker, Contract string
	Decimals                int64
	Logo, PriceID           string
	Native                  bool
}

// Outcome is the result for one entry. Chain, Ticker and Contract are as requested, or normalized
// where possible. Account is zero if the chain is not supported.
type Outcome struct {
	Chain, Ticker, Contract string
	Account                 sui.Address
	Refused                 Refusal // "" if it succeeded
	ChainAdded              bool
	Source                  Source // origin of the decimals, if a coin was added
}

// Units provides the decimals of coins.
type Units interface {
	Unit(ctx context.Context, coin sui.CoinType) (assets.Unit, error)
}

// Store stores the lists.
type Store interface {
	Watched(ctx context.Context, account sui.Address) ([]Coin, error)
	Changer
}

// Changer changes lists. It is a store, or a transaction that also changes other data.
type Changer interface {
	// ChangeWatched calls transition with the current list and applies the change that it returns.
	// It notifies pages in the same transaction.
	ChangeWatched(ctx context.Context, account sui.Address, transition func([]Coin) (Change, error)) error
}

// Change is a change of a list. A coin in Put replaces an existing one of the same type.
type Change struct {
	Put  []Coin
	Drop []sui.CoinType
}

// Empty reports whether the change does nothing.
func (c Change) Empty() bool { return len(c.Put)+len(c.Drop) == 0 }

// Service manages the watch lists on this computer.
type Service struct {
	store Store
	units Units
	now   func() time.Time
}

// NewService returns a Service. No argument may be nil.
func NewService(store Store, units Units, now func() time.Time) *Service {
	return &Service{store: store, units: units, now: now}
}

// Judged contains validated entries, with decimals from the chain.
type Judged struct {
	account sui.Address
	entries []entry
}

// entry is an entry in process, with its coin if it may be added.
type entry struct {
	out  Outcome
	coin Coin
}

// Judge validates entries and looks up the decimals of their coins. It is separate from Add so that
// no lock is held during queries. account is zero if no account is active.
func (s *Service) Judge(ctx context.Context, account sui.Address, asked []Asked) (Judged, error) {
	j := Judged{account: account}
	for _, a := range asked {
		e := entry{out: Outcome{Chain: a.Chain, Ticker: a.Ticker, Contract: a.Contract, Account: account}}
		e.coin, e.out.Refused = judge(account, a)
		if e.out.Refused == "" {
			e.out.Chain = book.SuiChain
			var err error
			if e.coin.Source, e.out.Refused, err = s.decimals(ctx, e.coin); err != nil {
				return Judged{}, err
			}
		}
		if e.out.Refused == UnknownChain || e.out.Refused == UnsupportedChain {
			e.out.Account = sui.Address{}
		}
		j.entries = append(j.entries, e)
	}
	return j, nil
}

// JudgeChains is like Judge, for chains instead of coins.
func (s *Service) JudgeChains(account sui.Address, chains []string) Judged {
	j := Judged{account: account}
	for _, name := range chains {
		e := entry{out: Outcome{Chain: name, Account: account}}
		c, refused := chainOf(account, name)
		if e.out.Ticker = c.Ticker; refused != "" {
			e.out.Refused = refused
			if refused != NoAccount {
				e.out.Account = sui.Address{}
			}
		} else {
			e.out.Chain, e.coin = c.Name, native(account)
		}
		j.entries = append(j.entries, e)
	}
	return j
}

// chainOf returns the chain with a name, or the reason why it cannot be watched.
func chainOf(account sui.Address, name string) (book.Chain, Refusal) {
	c, ok := book.FindChain(name)
	switch {
	case !ok:
		return c, UnknownChain
	//mutant:never ./internal/watch TestAdd
	case c.Name != book.SuiChain:
		return c, UnsupportedChain
	case account.IsZero():
		return c, NoAccount
	}
	return c, ""
}

// native returns the entry of the native coin.
func native(account sui.Address) Coin {
	c, _ := coins.ByType(sui.SUI)
	return Coin{Account: account, Type: sui.SUI, Ticker: c.Symbol, Decimals: c.Decimals, Source: FromRegistry}
}

// judge validates an entry without queries.
func judge(account sui.Address, a Asked) (Coin, Refusal) {
	c := Coin{Account: account, Ticker: a.Ticker, Logo: a.Logo, PriceID: a.PriceID}
	if _, refused := chainOf(account, a.Chain); refused != "" {
		return c, refused
	}
	c.Type = sui.SUI
	if a.Contract != "" {
		t, err := sui.ParseCoinType(a.Contract)
		if c.Type = t; err != nil || a.Native && t != sui.SUI {
			return c, InvalidContract
		}
	}
	switch {
	case a.Contract == "" && !a.Native:
		return c, NoContract
	case !plain(a.Ticker, MostTicker) || a.Ticker == "":
		return c, InvalidTicker
	case !plain(a.Logo, MostLogo), !plain(a.PriceID, MostPrice):
		return c, InvalidText
	case a.Decimals < 0 || a.Decimals > sui.MostDecimals:
		return c, DecimalsMismatch
	}
	c.Decimals = uint8(a.Decimals)
	return c, ""
}

// plain reports whether s is a single line within the limit, without hidden characters or double
// brackets.
func plain(s string, limit int) bool {
	return utf8.RuneCountInString(s) <= limit && s == strings.TrimSpace(s) && screen.Text(s, 4*limit).Text == s &&
		!strings.Contains(s, "[[") && !strings.Contains(s, "]]")
}

// decimals verifies a coin's decimals with the chain or the pinned table. If the coin cannot be
// looked up now, its decimals are accepted and marked as unverified.
func (s *Service) decimals(ctx context.Context, c Coin) (Source, Refusal, error) {
	u, err := s.units.Unit(ctx, c.Type)
	switch {
	case err != nil:
		return "", "", err
	case u.Status != assets.UnitAvailable && (u.Reason == assets.DecimalsDisagree ||
		u.Reason == assets.DecimalsOutOfRange):
		return "", DecimalsMismatch, nil
	case u.Status != assets.UnitAvailable:
		return Unverified, "", nil
	//mutant:never ./internal/watch TestAdd
	case u.Decimals != c.Decimals:
		return "", DecimalsMismatch, nil
	case u.Source == assets.FromPinnedScalar:
		return FromRegistry, "", nil
	}
	return FromChain, "", nil
}

// Add adds the valid entries. It returns an outcome for each entry, in the order of the call.
// Adding a coin also adds the native coin of its chain; if a later entry requests that native coin,
// it does not count as a duplicate.
func (s *Service) Add(ctx context.Context, j Judged) ([]Outcome, error) {
	return s.AddIn(ctx, s.store, j)
}

// AddIn is Add as part of a transaction.
func (s *Service) AddIn(ctx context.Context, in Changer, j Judged) ([]Outcome, error) {
	var out []Outcome
	err := in.ChangeWatched(ctx, j.account, func(before []Coin) (Change, error) {
		var change Change
		out = nil // the transition may be retried
		has := func(list []Coin, t sui.CoinType) bool {
			return slices.ContainsFunc(list, func(c Coin) bool { return c.Type == t })
		}
		chain := has(before, sui.SUI)
		var asked []Coin // coins requested by this call, without native coins that were added implicitly
		for _, e := range j.entries {
			switch {
			case e.out.Refused != "":
			//mutant:never ./internal/watch TestAdd
			case has(before, e.coin.Type) || has(asked, e.coin.Type):
				e.out.Refused = AlreadyExists
			case len(before)+len(change.Put) >= MostCoins:
				e.out.Refused = Full
			default:
				e.coin.AddedAt, e.out.Source = s.now(), e.coin.Source
				if e.out.ChainAdded = !chain; !chain && !e.coin.Native() {
					n := native(j.account)
					n.AddedAt = s.now()
					change.Put = append(change.Put, n)
				}
				chain = true
				change.Put, asked = append(change.Put, e.coin), append(asked, e.coin)
			}
			out = append(out, e.out)
		}
		return change, nil
	})
	return out, err
}

// List returns the coins that an account watches, native coin first.
func (s *Service) List(ctx context.Context, account sui.Address) ([]Coin, error) {
	return s.store.Watched(ctx, account)
}

// Drop removes coins from an account's list. It ignores coins that are not on it.
func (s *Service) Drop(ctx context.Context, account sui.Address, types ...sui.CoinType) error {
	return s.store.ChangeWatched(ctx, account, func([]Coin) (Change, error) { return Change{Drop: types}, nil })
}
