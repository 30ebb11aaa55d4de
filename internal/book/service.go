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
	Update          []Entry  // the new contents of an entry, with its ID
	Sign            []string // ids of entries that a wallet stood for, as they are
	Delete, Restore []string
}

// Empty reports whether the change changes nothing.
func (c Change) Empty() bool {
	return len(c.Add)+len(c.Update)+len(c.Sign)+len(c.Delete)+len(c.Restore) == 0
}

// Word names the change in one word.
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

// Store keeps the book.
type Store interface {
	// Book returns every entry, the deleted ones too, with Confirmed.
	Book(ctx context.Context) ([]Entry, error)
	Changer
	// BookPage returns part of a query's results, ordered by title and ID, and their total number.
	BookPage(ctx context.Context, q Query) (Page, error)
	// BookNear returns the entries on Sui with one of the addresses or a similar one, and the
	// user's names for own accounts.
	BookNear(ctx context.Context, addresses []string) (Near, error)
	// NameOwn stores the user's name for an own account, or removes it if it is "". judge is called
	// in the transaction.
	NameOwn(ctx context.Context, address, title string, judge func(context.Context) error) error
	// BookClosed reports whether the user prevents AI clients from reading the book, and CloseBook
	// stores that. judge is called in the transaction.
	BookClosed(ctx context.Context) (bool, error)
	CloseBook(ctx context.Context, closed bool, judge func(context.Context) error) error
}

// Changer changes the book: a store, or a transaction of it that does other things too.
type Changer interface {
	// ChangeBook applies the change that the transition returns for the current book, in one
	// transaction, and notifies pages in it.
	ChangeBook(ctx context.Context, transition func(all []Entry) (Change, error)) error
}

// Query selects entries: those of a chain, "" for any, with a text in title or address,
// and either the deleted ones that can still be restored or the others.
type Query struct {
	Chain, Text string
	Deleted     bool
	From, Most  int
}

// Page is a part of the entries that a query finds, and the number of all of them.
type Page struct {
	Entries []Entry
	Total   int
}

// Near is the book's information about some addresses.
type Near struct {
	Entries []Entry
	Own     map[string]string // titles, by the whole address
}

// Service is the address book of this machine.
type Service struct {
	store Store
	now   func() time.Time
	rand  io.Reader

	mu    sync.Mutex
	asked []Confirmation // sent to wallets to sign, oldest first
}

// NewService returns a book that is kept in a store. Neither argument is nil.
func NewService(store Store, now func() time.Time) *Service {
	return &Service{store: store, now: now, rand: rand.Reader}
}

// Outcome is the result for one entry of a call. Entry is set as far as it is known.
type Outcome struct {
	Entry   Entry
	Refused Refusal // "" if it succeeded
	// Alike is an entry with a similar address; zero if there is none.
	Alike Entry
}

// List returns the entries that are not deleted and pass a filter, by title. An unknown
// chain is fault.InputInvalid.
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

// Imitating returns, by ID, the entries that resemble another entry or an own account, with what
// they imitate.
func (s *Service) Imitating(ctx context.Context, own map[string]string, entries ...Entry) (map[string]Entry, error) {
	all, err := s.store.Book(ctx)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	near := map[string][]Entry{} // similar addresses have the same ends
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

// Find is List of one page. It reads no more than that page.
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

// Add stores what can be stored; every entry has its own outcome, in the order of the call. A
// secret in any of the texts rejects the whole call.
func (s *Service) Add(ctx context.Context, source Source, asked []Target, rights ...Right) ([]Outcome, error) {
	return s.AddIn(ctx, s.store, source, asked, rights...)
}

// AddIn is Add within a transaction.
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

// secretIn rejects a text that contains a secret. An address is checked only by its form.
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

// Delete marks the entries that the targets identify as deleted; they can be restored for 30 days.
func (s *Service) Delete(ctx context.Context, asked []Target, rights ...Right) ([]Outcome, error) {
	return s.DeleteIn(ctx, s.store, asked, rights...)
}

// DeleteIn is Delete within a transaction.
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

// Restore undoes the deletion of entries that are still kept. Other ids change nothing.
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

// Recipient returns the address on Sui of an entry that is not deleted.
func (s *Service) Recipient(ctx context.Context, id string) (Entry, error) {
	all, err := s.store.Book(ctx)
	if err != nil {
		return Entry{}, err
	}
	e, refused := Match(Live(all), Target{ID: id})
	switch {
	case refused != "":
		return Entry{}, fault.New(fault.InputInvalid, "The address book has no entry of this id. "+
			"Read the book again.").With("field", "intent.recipientEntryId").With("reason", string(refused))
	//mutant:never ./internal/book TestRecipient
	case e.Chain != SuiChain:
		return Entry{}, fault.New(fault.InputInvalid, "That entry is an address on %s, and payments go to Sui "+
			"addresses only.", e.Chain).With("field", "intent.recipientEntryId").With("reason", "unsupported_chain")
	}
	return e, nil
}

// Called returns the one Sui address that the book has under a title, in small or capital
// letters. None, and several, are fault.InputInvalid; a book closed to AI
// clients is fault.Blocked.
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

// IsID reports whether a text is the id of an entry: a random UUID.
func IsID(s string) bool { return idShape.MatchString(s) }

// Sources lists the sources of entries.
func Sources() []Source { return []Source{Agent, Person, Import} }

func (s *Service) newID() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(s.rand, b[:]); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "This machine gave no random numbers.")
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], nil
}
