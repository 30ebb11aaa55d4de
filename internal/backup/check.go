package backup

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/watch"
)

// checker validates a backup and converts it to data that may be imported. The result contains no
// proofs or confirmations, and no text with a secret.
type checker struct {
	now time.Time
	own []sui.Address // accounts whose private keys must not occur in any text
}

// check validates a whole backup. It checks the network first, because the meaning of all other
// data depends on the chain.
func (c checker) check(f *File, network string) error {
	if f.Network != network {
		return fault.New(fault.NetworkMismatch, "This backup is for %s, but this program uses %s. Nothing was changed.",
			fault.Clip(f.Network, 40), network).With("import", "network")
	}
	if err := f.Settings.Check(); err != nil {
		return damaged(err, "settings")
	}
	c.times(&f.CreatedAt)
	for _, a := range f.Accounts {
		c.own = append(c.own, a.Account)
	}
	used := []Active{}
	if f.Active != nil {
		used, c.own = append(used, *f.Active), append(c.own, f.Active.Account)
		c.times(&f.Active.ConnectedAt)
	}
	err := rows(c, "activeAccount", used, 1, func(a *Active) (sui.Address, []string, bool) {
		return a.Account, []string{a.WalletName, a.WalletID}, validWallet(a.Account, a.Chain, a.WalletName, a.WalletID)
	})
	if err != nil {
		return err
	}
	err = rows(c, "accounts", f.Accounts, account.MostKnown, func(a *Account) (sui.Address, []string, bool) {
		c.times(&a.FirstConnectedAt, &a.LastConnectedAt)
		members := a.MultiSig == nil || a.MultiSig.Check() == nil && a.MultiSig.Address() == a.Account
		return a.Account, []string{a.WalletName, a.WalletID},
			members && validWallet(a.Account, a.Chain, a.WalletName, a.WalletID)
	})
	if err != nil {
		return err
	}
	return c.lists(f)
}

// lists validates the address book and the watch lists.
func (c checker) lists(f *File) error {
	err := rows(c, "book", f.Book, book.MostEntries, func(e *book.Entry) (string, []string, bool) {
		c.times(&e.CreatedAt)
		e.Source = book.Import
		spelled, refused := book.New(e.Title, e.Address, e.Chain)
		whole := book.IsID(e.ID) && refused == "" && spelled.Address == e.Address && spelled.Chain == e.Chain
		return e.ID, []string{e.Title}, whole
	})
	if err != nil {
		return err
	}
	err = rows(c, "ownNames", f.OwnNames, book.MostEntries, func(n *OwnName) (string, []string, bool) {
		spelled, refused := book.New(n.Title, n.Address, book.SuiChain)
		return n.Address, []string{n.Title}, refused == "" && spelled.Address == n.Address
	})
	if err != nil {
		return err
	}
	type key struct {
		account sui.Address
		coin    sui.CoinType
	}
	of := map[sui.Address]int{}
	return rows(c, "watched", f.Watched, len(f.Watched), func(w *watch.Coin) (key, []string, bool) {
		c.times(&w.AddedAt)
		of[w.Account]++
		sound := w.Claim()
		return key{w.Account, w.Type}, []string{w.Ticker, w.Logo, w.PriceID}, sound && of[w.Account] <= watch.MostCoins
	})
}

// rows validates the rows of a list. look returns a row's key, its texts, and whether the row is
// valid.
func rows[T any, K comparable](c checker, list string, all []T, most int, look func(*T) (K, []string, bool)) error {
	seen := map[K]bool{}
	for i := range all {
		at := fmt.Sprintf("%s[%d]", list, i)
		key, texts, whole := look(&all[i])
		if !whole || seen[key] || i >= most {
			bad := fault.New(fault.InputInvalid, "It is incomplete, a duplicate, or one too many.")
			return damaged(bad, at)
		}
		seen[key] = true
		for _, text := range texts {
			if found, ok := screen.Find(at, text, c.own); ok {
				return fault.New(fault.InputInvalid,
					"In this backup, %s contains what looks like %s. This program never stores that, so someone changed this "+
						"backup. Nothing was changed, and the text was neither kept nor shown. If the secret is yours, move what "+
						"it protects to a new key.", at, found.Class.Words()).
					With("import", "secret").With("field", at).With("class", string(found.Class))
			}
		}
	}
	return nil
}

// times replaces times that are missing or in the future. Future times would sort first in every
// list.
func (c checker) times(all ...*time.Time) {
	for _, t := range all {
		if t.Unix() <= 0 || t.After(c.now) {
			*t = c.now
		}
	}
}

// validWallet reports whether an account's address is valid and the texts about its wallet are
// well-formed.
func validWallet(address sui.Address, chain, name, id string) bool {
	valid := func(s string, most int) bool {
		return len(s) <= most && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
	}
	return !address.IsZero() && valid(chain, 40) && valid(name, 2000) && valid(id, 2000)
}
