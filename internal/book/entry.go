package book

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Source is the origin of an entry.
type Source string

// The sources of entries.
const (
	Agent  Source = "agent"  // a call of an AI client
	Person Source = "page"   // the user, on the address book page
	Import Source = "import" // a copy of local data
)

// Entry is one name for one address. The same address may have several names, and
// one name several addresses. In JSON it is an entry of a backup, which vouches for
// nothing.
type Entry struct {
	ID        string    `json:"id"`      // UUID, version 4
	Title     string    `json:"title"`   // as given
	Address   string    `json:"address"` // whole, in the one spelling of its chain
	Chain     string    `json:"chain"`   // Chain.Name
	Source    Source    `json:"-"`
	NamedBy   string    `json:"-"` // the name that the AI client gave itself; "" if unknown
	CreatedAt time.Time `json:"createdAt"`
	DeletedAt time.Time `json:"-"` // zero: it is not deleted

	// Paid means that a payment to the address was signed and executed from this machine. It is
	// derived from the payments and never stored.
	Paid bool `json:"-"`
	// SignedAt is when a wallet signed that this name belongs to this address, or zero. A change of
	// the entry resets it.
	SignedAt time.Time `json:"-"`
}

// Confirmed reports whether a wallet stood for the entry: by a payment, or by a signature.
func (e Entry) Confirmed() bool { return e.Paid || !e.SignedAt.IsZero() }

// The limits of the book.
const (
	MostTitle   = 64 // characters
	MostEntries = 10_000
	MostAtOnce  = 32                  // entries of one call
	Kept        = 30 * 24 * time.Hour // how long a deletion can be undone
)

// Refusal is the reason why an entry of a call was rejected; the others are still processed.
type Refusal string

// The refusals, in the spelling of the wire.
const (
	UnknownChain   Refusal = "unknown_chain"
	InvalidAddress Refusal = "invalid_address"
	InvalidTitle   Refusal = "invalid_title"
	NotFound       Refusal = "not_found"
	Ambiguous      Refusal = "ambiguous_match"
	Full           Refusal = "book_full"
)

// New judges an entry before it is stored: it returns the entry with its chain and
// address in their one spelling, or why it is none. It has no id and no time.
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

// fresh is New for a new text: a title with this program's name is rejected, although a stored one
// can still be read.
func fresh(t Target) (Entry, Refusal) {
	//mutant:never ./internal/book TestTitlesThatNameUs
	if screen.NamesUs(t.Title) {
		return Entry{}, InvalidTitle
	}
	return New(t.Title, t.Address, t.Chain)
}

// goodTitle reports whether a title can be kept: something to read, not too long,
// without hidden characters and not an instruction between brackets.
func goodTitle(s string) bool {
	return strings.TrimSpace(s) != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= MostTitle &&
		!strings.Contains(s, "[[") && !strings.Contains(s, "]]") && screen.Text(s, 4*MostTitle).Text == s
}

// Search returns the entries that a filter leaves, sorted by title, in the order
// of code points. An empty chain or
// query filters nothing; query is searched in titles and addresses, whatever its case.
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

// Match returns the one entry that a target identifies. Without an ID, the first of these with a
// match decides: title and chain, address and chain, or title only if no chain is given. It never
// guesses: several matches are Ambiguous.
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
		// A given chain must match.
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

// Imitated returns the entry or own account that an entry resembles, if the entry is the later one
// and no wallet confirmed it. own maps addresses to titles.
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

// Lookalike returns an entry whose address, of the same kind of chain, resembles the given one. An
// older address in the book is not an imitation.
func Lookalike(all []Entry, e Entry) (Entry, bool) {
	c, _ := FindChain(e.Chain)
	for _, other := range all {
		if o, _ := FindChain(other.Chain); o.Kind == c.Kind && LooksLike(other.Address, e.Address) {
			return other, true
		}
	}
	return Entry{}, false
}
