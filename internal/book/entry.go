package book

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Source identifies who created an entry.
type Source string

// The sources of entries.
const (
	Agent  Source = "agent"  // an AI client, by a call
	Person Source = "page"   // the user, on the address book page
	Import Source = "import" // the user, by importing a backup
)

// Entry is a name for an address. An address may have several names, and a name several addresses.
// In JSON, Entry is part of a backup, which does not prove that an entry was confirmed.
type Entry struct {
	ID        string    `json:"id"`      // UUID, version 4
	Title     string    `json:"title"`   // as entered
	Address   string    `json:"address"` // complete, in canonical spelling
	Chain     string    `json:"chain"`   // Chain.Name
	Source    Source    `json:"-"`
	NamedBy   string    `json:"-"` // client name reported by the AI client; "" if unknown
	CreatedAt time.Time `json:"createdAt"`
	DeletedAt time.Time `json:"-"` // zero if the entry is not deleted

	// Paid reports that a payment to the address was signed and executed from this computer. It is
	// derived from the payments and never stored.
	Paid bool `json:"-"`
	// SignedAt is when a wallet signed that this name belongs to this address, or zero. Changing
	// the entry resets it.
	SignedAt time.Time `json:"-"`
}

// Confirmed reports whether a payment or a wallet's signature confirmed the entry.
func (e Entry) Confirmed() bool { return e.Paid || !e.SignedAt.IsZero() }

// Limits of the book.
const (
	MostTitle   = 64 // characters
	MostEntries = 10_000
	MostAtOnce  = 32                  // entries in a call
	Kept        = 30 * 24 * time.Hour // how long a deletion can be undone
)

// Refusal is the reason why one entry in a call was rejected. Other entries are still processed.
type Refusal string

// The refusals, as spelled on the wire.
const (
	UnknownChain   Refusal = "unknown_chain"
	InvalidAddress Refusal = "invalid_address"
	InvalidTitle   Refusal = "invalid_title"
	NotFound       Refusal = "not_found"
	Ambiguous      Refusal = "ambiguous_match"
	Full           Refusal = "book_full"
)

// New validates an entry. It returns the entry with the canonical spelling of its chain and
// address, or the reason why it is invalid. The entry has no ID and no time.
func New(title, address, chain string) (Entry, Refusal) {
	c, ok := FindChain(chain)
	if !ok {
		return Entry{}, UnknownChain
	}
	if !goodTitle(title) {
		return Entry{}, InvalidTitle
	}
	spelled, ok := c.Address(address)
	//mutant:never ./internal/book TestAddresses
	if !ok {
		return Entry{}, InvalidAddress
	}
	return Entry{Title: title, Address: spelled, Chain: c.Name}, ""
}

// fresh is like New, for a new entry. It also rejects titles that contain this program's name,
// which stored entries may have.
func fresh(t Target) (Entry, Refusal) {
	//mutant:never ./internal/book TestTitlesThatNameUs
	if screen.NamesUs(t.Title) {
		return Entry{}, InvalidTitle
	}
	return New(t.Title, t.Address, t.Chain)
}

// goodTitle reports whether a title is acceptable: not blank, not too long, and without hidden
// characters or double brackets, which could mark an instruction.
func goodTitle(s string) bool {
	return strings.TrimSpace(s) != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= MostTitle &&
		!strings.Contains(s, "[[") && !strings.Contains(s, "]]") && screen.Text(s, 4*MostTitle).Text == s
}

// Search returns the entries that match a filter, sorted by title in the order of code points. An
// empty chain or query matches everything. The query is searched for in titles and addresses,
// ignoring case.
func Search(all []Entry, chain, query string) []Entry {
	query = strings.ToLower(query)
	found := []Entry{}
	for _, e := range all {
		if chain != "" && !strings.EqualFold(e.Chain, chain) {
			continue
		}
		if query != "" && !strings.Contains(strings.ToLower(e.Title), query) &&
			!strings.Contains(strings.ToLower(e.Address), query) {
			continue
		}
		found = append(found, e)
	}
	slices.SortFunc(found, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID))
	})
	return found
}

// Target identifies the entry to delete. Empty fields are ignored.
type Target struct{ ID, Title, Address, Chain string }

// Match returns the only entry that a target identifies. Without an ID, it tries title and chain,
// then address and chain, then, if no chain is given, the title. The first of these with a match
// decides. If several entries match, Match returns Ambiguous; it never guesses.
func Match(all []Entry, t Target) (Entry, Refusal) {
	of := func(fits func(Entry) bool) []Entry {
		var list []Entry
		for _, e := range all {
			if fits(e) {
				list = append(list, e)
			}
		}
		return list
	}
	chain := func(e Entry) bool { return t.Chain != "" && strings.EqualFold(e.Chain, t.Chain) }
	address := func(e Entry) bool {
		c, _ := FindChain(e.Chain)
		spelled, ok := c.Address(t.Address)
		return ok && spelled == e.Address
	}
	var rules []func(Entry) bool
	if t.ID != "" {
		rules = append(rules, func(e Entry) bool { return e.ID == t.ID })
	} else {
		if t.Title != "" && t.Chain != "" {
			rules = append(rules, func(e Entry) bool { return e.Title == t.Title && chain(e) })
		}
		if t.Address != "" && t.Chain != "" {
			rules = append(rules, func(e Entry) bool { return address(e) && chain(e) })
		}
		// If a chain is given, it must match.
		//mutant:always ./internal/book TestDelete
		if t.Title != "" && t.Chain == "" {
			rules = append(rules, func(e Entry) bool { return e.Title == t.Title })
		}
	}
	for _, fits := range rules {
		switch list := of(fits); len(list) {
		case 0:
		case 1:
			return list[0], ""
		default:
			return Entry{}, Ambiguous
		}
	}
	return Entry{}, NotFound
}

// Imitated returns the entry or own account whose address e resembles. Only an unconfirmed entry
// can be an imitation, and only of a confirmed or older one. own maps addresses to titles.
func Imitated(all []Entry, own map[string]string, e Entry) (Entry, bool) {
	if e.Confirmed() {
		return Entry{}, false
	}
	if e.Chain == SuiChain {
		for address, title := range own {
			if LooksLike(address, e.Address) {
				return Entry{Title: title, Address: address, Chain: SuiChain}, true
			}
		}
	}
	earlier := slices.DeleteFunc(Live(all), func(o Entry) bool {
		//mutant:never ./internal/book TestImitated
		return !o.Confirmed() && !o.CreatedAt.Before(e.CreatedAt)
	})
	return Lookalike(earlier, e)
}

// Lookalike returns an entry whose address resembles that of e and is on a chain of the same kind.
// It ignores which of the two is older.
func Lookalike(all []Entry, e Entry) (Entry, bool) {
	c, _ := FindChain(e.Chain)
	for _, other := range all {
		if o, _ := FindChain(other.Chain); o.Kind == c.Kind && LooksLike(other.Address, e.Address) {
			return other, true
		}
	}
	return Entry{}, false
}
