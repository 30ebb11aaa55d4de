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

// Coin is one row of the list. The chain of an account is in its list where its native
// coin is. In JSON it is a row of a backup, which vouches for no decimals.
type Coin struct {
	Account  sui.Address  `json:"account"`
	Type     sui.CoinType `json:"coinType"` // SUI for the native coin
	Ticker   string       `json:"ticker"`   // as it was given; only Type says which coin it is
	Decimals uint8        `json:"decimals"`
	Source   Source       `json:"-"`
	Logo     string       `json:"logo"` // text that is never fetched
	PriceID  string       `json:"priceId"`
	AddedAt  time.Time    `json:"addedAt"`
}

// Native reports whether the coin pays the fees of its chain.
func (c Coin) Native() bool { return c.Type == sui.SUI }

// Claim judges a coin that nobody is asked about, as one of a backup: its decimals are
// verified only where the pinned table has them. It reports whether the coin is a whole
// record.
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

// Source says what decimals rest on.
type Source string

// The sources of decimals.
const (
	FromChain    Source = "chain"
	FromRegistry Source = "registry"   // the pinned table of coins
	Unverified   Source = "unverified" // as given: never used in arithmetic
)

// Limits of the list.
const (
	MostCoins  = 50 // of one account
	MostAtOnce = 32 // entries of one call
	MostTicker = 32 // characters
	MostLogo   = 2000
	MostPrice  = 100
)

// Refusal says why one entry was not carried out; the others still are.
type Refusal string

// The refusals, in the spelling of the wire.
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

// Asked is one entry of a call, as it was given.
type Asked struct {
	Chain, Ticker, Contract string
	Decimals                int64
	Logo, PriceID           string
	Native                  bool
}

// Outcome is what became of one entry. Chain, Ticker and Contract are as given where
// nothing better is known. Account is zero where the chain is none of this program's.
type Outcome struct {
	Chain, Ticker, Contract string
	Account                 sui.Address
	Refused                 Refusal // "" where it was done
	ChainAdded              bool
	Source                  Source // of the decimals, where a coin was added
}

// Units says how many decimals a coin has.
type Units interface {
	Unit(ctx context.Context, coin sui.CoinType) (assets.Unit, error)
}

// Store keeps the list.
type Store interface {
	Watched(ctx context.Context, account sui.Address) ([]Coin, error)
	Changer
}

// Changer changes the list: a store, or a transaction of it that does other things too.
type Changer interface {
	// ChangeWatched adds to and takes from what it hands to the transition, in one
	// transaction, and tells pages of it there.
	ChangeWatched(ctx context.Context, account sui.Address, transition func([]Coin) (Change, error)) error
}

// Change is what a transition does to the list. A coin of Put that is there already is
// replaced.
type Change struct {
	Put  []Coin
	Drop []sui.CoinType
}

// Empty reports whether the change changes nothing.
func (c Change) Empty() bool { return len(c.Put)+len(c.Drop) == 0 }

// Service is the watch list of this machine.
type Service struct {
	store Store
	units Units
	now   func() time.Time
}

// NewService returns a list that is kept in a store. No argument is nil.
func NewService(store Store, units Units, now func() time.Time) *Service {
	return &Service{store: store, units: units, now: now}
}

// Judged are entries whose own words were judged, and for which the chain was asked.
type Judged struct {
	account sui.Address
	entries []entry
}

// entry is one entry on its way: the coin where it may be added.
type entry struct {
	out  Outcome
	coin Coin
}

// Judge judges every entry by itself, and asks for the decimals of coins. It writes
// nothing, so that no lock is held while a node is asked. account is zero where no
// wallet account is in use.
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

// JudgeChains is Judge for whole chains, of which the native coin is added.
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

// chainOf returns the chain of a name, and why it cannot be watched.
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

// native is the row of the chain itself.
func native(account sui.Address) Coin {
	c, _ := coins.ByType(sui.SUI)
	return Coin{Account: account, Type: sui.SUI, Ticker: c.Symbol, Decimals: c.Decimals, Source: FromRegistry}
}

// judge judges what an entry says, without asking anybody.
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

// plain accepts one line without hidden characters or what looks like an instruction.
func plain(s string, most int) bool {
	return utf8.RuneCountInString(s) <= most && s == strings.TrimSpace(s) && screen.Text(s, 4*most).Text == s &&
		!strings.Contains(s, "[[") && !strings.Contains(s, "]]")
}

// decimals compares what was given with what the chain, or the pinned table, says. A
// coin that nobody can describe now is taken as it is, and marked.
func (s *Service) decimals(ctx context.Context, c Coin) (Source, Refusal, error) {
	u, err := s.units.Unit(ctx, c.Type)
	switch {
	case err != nil:
		return "", "", err
	case u.Status != assets.UnitAvailable && (u.Reason == assets.DecimalsDisagree || u.Reason == assets.DecimalsOutOfRange):
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

// Add adds what can be added; every entry has its own outcome, in the order of the
// call. What is there already is judged before the side effects of this call: the
// native coin that came with its chain is no duplicate.
func (s *Service) Add(ctx context.Context, j Judged) ([]Outcome, error) {
	return s.AddIn(ctx, s.store, j)
}

// AddIn is Add within a transaction.
func (s *Service) AddIn(ctx context.Context, in Changer, j Judged) ([]Outcome, error) {
	var out []Outcome
	err := in.ChangeWatched(ctx, j.account, func(before []Coin) (Change, error) {
		var change Change
		out = nil // the transition may run again
		has := func(list []Coin, t sui.CoinType) bool {
			return slices.ContainsFunc(list, func(c Coin) bool { return c.Type == t })
		}
		chain := has(before, sui.SUI)
		var asked []Coin // by entries of this call, not as their side effect
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

// List returns the coins that an account watches, the native one first.
func (s *Service) List(ctx context.Context, account sui.Address) ([]Coin, error) {
	return s.store.Watched(ctx, account)
}

// Drop takes coins from the list of an account. Others change nothing.
func (s *Service) Drop(ctx context.Context, account sui.Address, types ...sui.CoinType) error {
	return s.store.ChangeWatched(ctx, account, func([]Coin) (Change, error) { return Change{Drop: types}, nil })
}
