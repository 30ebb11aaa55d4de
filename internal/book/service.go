package book

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
)

// Change is a change of the book. Sign, Delete and Restore identify entries by ID.
type Change struct {
	Add             []Entry
	Update          []Entry  // new contents of entries, with their IDs
	Sign            []string // IDs of entries that a wallet confirmed as they are
	Delete, Restore []string
}

// Empty reports whether the change changes nothing.
func (c Change) Empty() bool {
	return len(c.Add)+len(c.Update)+len(c.Sign)+len(c.Delete)+len(c.Restore) == 0
}

// Word describes the change in one word.
func (c Change) Word() string {
	switch {
	case len(c.Add) > 0:
		return "added"
	case len(c.Update) > 0:
		return "changed"
	case len(c.Sign) > 0:
		return "confirmed"
	case len(c.Delete) > 0:
		return "deleted"
	}
	return "restored"
}

// Store stores the book.
type Store interface {
	// Book returns all entries, including deleted ones, with Paid set.
	Book(ctx context.Context) ([]Entry, error)
	Changer
	// BookPage returns part of a query's results, ordered by title and ID, and their total number.
	BookPage(ctx context.Context, q Query) (Page, error)
	// BookNear returns the entries on Sui that have one of the addresses or a similar one, and the
	// user's names for their own accounts.
	BookNear(ctx context.Context, addresses []string) (Near, error)
	// NameOwn stores the user's name for an own account. "" removes it. NameOwn calls judge inside
	// the transaction.
	NameOwn(ctx context.Context, address, title string, judge func(context.Context) error) error
	// BookClosed reports whether the user prevents AI clients from reading the book. CloseBook
	// stores that, and calls judge inside the transaction.
	BookClosed(ctx context.Context) (bool, error)
	CloseBook(ctx context.Context, closed bool, judge func(context.Context) error) error
}

// Changer changes the book. It is a store, or a transaction that also changes other data.
type Changer interface {
	// ChangeBook calls transition with all entries and applies the change that it returns. It
	// notifies pages in the same transaction.
	ChangeBook(ctx context.Context, transition func(all []Entry) (Change, error)) error
}

// Query selects entries of a chain, or of any if Chain is "", whose title or address contains Text.
// Deleted selects deleted entries that can still be restored, instead of the others.
type Query struct {
	Chain, Text string
	Deleted     bool
	From, Most  int
}

// Page is a part of the entries that match a query, with the number of all matches.
type Page struct {
	Entries []Entry
	Total   int
}

// Near is the book's information about some addresses.
type Near struct {
	Entries []Entry
	Own     map[string]string // titles of own accounts by address
}

// Service is the address book of this computer. It is safe for concurrent use.
type Service struct {
	store Store
	now   func() time.Time
	rand  io.Reader

	mu    sync.Mutex
	asked []Confirmation // waiting for a wallet's signature, oldest first
}

// NewService returns an address book on a store. Neither argument may be nil.
func NewService(store Store, now func() time.Time) *Service {
	return &Service{store: store, now: now, rand: rand.Reader}
}

// Outcome is the result for one entry in a call. Entry contains what is known of it.
type Outcome struct {
	Entry   Entry
	Refused Refusal // "" if it succeeded
	// Alike is an entry with a similar address, or zero if there is none.
	Alike Entry
}

// List returns the entries that match a filter and are not deleted, sorted by title. It returns
// fault.InputInvalid for an unknown chain.
func (s *Service) List(ctx context.Context, chain, query string) ([]Entry, error) {
	if err := knownChain(chain); err != nil {
		return nil, err
	}
	all, err := s.store.Book(ctx)
	return Search(Live(all), chain, query), err
}

func knownChain(name string) error {
	if _, ok := FindChain(name); name != "" && !ok {
		return fault.New(fault.InputInvalid, "There is no chain %q.", fault.Clip(name, 40)).
			With("field", "chain").With("reason", string(UnknownChain))
	}
	return nil
}

// Imitating returns, by ID, the entries that imitate another entry or an own account, each with the
// imitated one.
func (s *Service) Imitating(ctx context.Context, own map[string]string, entries ...Entry) (map[string]Entry, error) {
	all, err := s.store.Book(ctx)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	near := map[string][]Entry{} // similar addresses have equal ends
	for _, e := range all {
		near[ends(e.Address)] = append(near[ends(e.Address)], e)
	}
	found := map[string]Entry{}
	for _, e := range entries {
		if of, imitates := Imitated(near[ends(e.Address)], own, e); imitates {
			found[e.ID] = of
		}
	}
	return found, nil
}

// Find is like List for one page of entries. It reads only that page.
func (s *Service) Find(ctx context.Context, q Query) (Page, error) {
	if err := knownChain(q.Chain); err != nil {
		return Page{}, err
	}
	return s.store.BookPage(ctx, q)
}

// Live returns the entries that are not deleted.
func Live(all []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(all), func(e Entry) bool { return !e.DeletedAt.IsZero() })
}

// Add stores the valid entries. It returns an outcome for each entry, in the order of the call. If
// any text contains a secret, Add rejects the whole call.
func (s *Service) Add(ctx context.Context, source Source, asked []Target, rights ...Right) ([]Outcome, error) {
	return s.AddIn(ctx, s.store, source, asked, rights...)
}

// AddIn is Add as part of a transaction.
func (s *Service) AddIn(ctx context.Context, in Changer, source Source, asked []Target, rights ...Right) ([]Outcome,
	error) {
	var titles []string
	for i, t := range asked {
		if err := secretIn(i, t); err != nil {
			return nil, err
		}
		titles = append(titles, t.Title)
	}
	//mutant:never ./internal/book TestCorpora
	if _, secret := screen.Find("entries", titles, nil); secret {
		return nil, fault.New(fault.InputInvalid, "The titles together hold what looks like a key or a recovery phrase. "+
			"Nothing was stored. Leave it out.").With("field", "entries").With("reason", "secret")
	}
	var out []Outcome
	err := in.ChangeBook(ctx, func(all []Entry) (Change, error) {
		var change Change
		out = nil // the transition may run again
		if err := checkRights(ctx, rights); err != nil {
			return change, err
		}
		live := Live(all)
		for _, t := range asked {
			e, refused := fresh(t)
			if refused == "" && len(all)+len(change.Add) >= MostEntries {
				refused = Full
			}
			if refused != "" {
				out = append(out, Outcome{Entry: Entry{Title: t.Title, Address: t.Address, Chain: t.Chain}, Refused: refused})
				continue
			}
			id, err := s.newID()
			if err != nil {
				return Change{}, err
			}
			e.ID, e.Source, e.CreatedAt = id, source, s.now()
			alike, _ := Lookalike(live, e)
			out = append(out, Outcome{Entry: e, Alike: alike})
			change.Add, live = append(change.Add, e), append(live, e)
		}
		return change, nil
	})
	return out, err
}

// secretIn returns an error if a text contains a secret. A valid address is not searched.
func secretIn(i int, t Target) error {
	c, _ := FindChain(t.Chain)
	_, isAddress := c.Address(t.Address)
	texts := []string{t.Title, t.Chain}
	if !isAddress {
		texts = append(texts, t.Address)
	}
	for _, text := range texts {
		//mutant:never ./internal/book TestAdd
		if _, secret := screen.Find("entries", text, nil); secret {
			return fault.New(fault.InputInvalid, "Entry %d holds what looks like a key or a recovery phrase. "+
				"Nothing was stored. Leave it out.", i).With("field", "entries").With("reason", "secret")
		}
	}
	return nil
}

// Delete marks the entries that the targets identify as deleted. They can be restored for 30 days.
func (s *Service) Delete(ctx context.Context, asked []Target, rights ...Right) ([]Outcome, error) {
	return s.DeleteIn(ctx, s.store, asked, rights...)
}

// DeleteIn is Delete as part of a transaction.
func (s *Service) DeleteIn(ctx context.Context, in Changer, asked []Target, rights ...Right) ([]Outcome, error) {
	var out []Outcome
	err := in.ChangeBook(ctx, func(all []Entry) (Change, error) {
		var change Change
		out = nil
		if err := checkRights(ctx, rights); err != nil {
			return change, err
		}
		live := Live(all)
		for _, t := range asked {
			e, refused := Match(live, t)
			if refused != "" {
				out = append(out, Outcome{Entry: Entry{ID: t.ID, Title: t.Title, Address: t.Address, Chain: t.Chain},
					Refused: refused})
				continue
			}
			live = slices.DeleteFunc(live, func(o Entry) bool { return o.ID == e.ID })
			change.Delete = append(change.Delete, e.ID)
			out = append(out, Outcome{Entry: e})
		}
		return change, nil
	})
	return out, err
}

// Restore undoes the deletion of entries if that is still possible. It ignores all other IDs.
func (s *Service) Restore(ctx context.Context, ids ...string) error {
	return s.store.ChangeBook(ctx, func(all []Entry) (Change, error) {
		var change Change
		for _, e := range all {
			if slices.Contains(ids, e.ID) && !e.DeletedAt.IsZero() && s.now().Sub(e.DeletedAt) < Kept {
				change.Restore = append(change.Restore, e.ID)
			}
		}
		return change, nil
	})
}

// Recipient returns the entry with an ID if it is not deleted and its address is on Sui.
func (s *Service) Recipient(ctx context.Context, id string) (Entry, error) {
	all, err := s.store.Book(ctx)
	if err != nil {
		return Entry{}, err
	}
	e, refused := Match(Live(all), Target{ID: id})
	switch {
	case refused != "":
		return Entry{}, fault.New(fault.InputInvalid, "The address book has no entry with this ID. "+
			"Read it again.").With("field", "intent.recipientEntryId").With("reason", string(refused))
	//mutant:never ./internal/book TestRecipient
	case e.Chain != SuiChain:
		return Entry{}, fault.New(fault.InputInvalid, "That entry is an address on %s, and payments go to Sui "+
			"addresses only.", e.Chain).With("field", "intent.recipientEntryId").With("reason", "unsupported_chain")
	}
	return e, nil
}

// Called returns the entry on Sui with a title, ignoring case. It returns fault.InputInvalid if
// none or several match, and fault.Blocked if AI clients may not read the book.
func (s *Service) Called(ctx context.Context, title string) (Entry, error) {
	if err := s.Readable(ctx); err != nil {
		return Entry{}, err
	}
	all, err := s.List(ctx, SuiChain, "")
	if err != nil {
		return Entry{}, err
	}
	var found []Entry
	var ids []string
	for _, e := range all {
		if e.Chain == SuiChain && strings.EqualFold(e.Title, title) {
			found, ids = append(found, e), append(ids, e.ID)
		}
	}
	no := func(why Refusal, format string) error {
		return fault.New(fault.InputInvalid, format, screen.Line(title, screen.MostName)).With("field",
			"intent.recipientName").
			With("reason", string(why))
	}
	switch len(found) {
	case 0:
		return Entry{}, no(NotFound, "The address book has no Sui address called “%s”. SuiNS names look like alice.sui.")
	case 1:
		return found[0], nil
	}
	return Entry{}, fault.As(no(Ambiguous,
		"The address book has several Sui addresses called “%s”. Ask the user which one, and give its recipientEntryId.")).
		WithList("entries", ids)
}

var idShape = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// IsID reports whether s has the form of an entry's ID, a random UUID.
func IsID(s string) bool { return idShape.MatchString(s) }

// Sources returns all sources that an entry can have.
func Sources() []Source { return []Source{Agent, Person, Import} }

func (s *Service) newID() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(s.rand, b[:]); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "This machine provided no random numbers.")
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], nil
}
