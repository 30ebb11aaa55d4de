package book

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"regexp"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
)

// Change is what a transition does to the book. Delete and Restore name entries by id.
type Change struct {
	Add             []Entry
	Delete, Restore []string
}

// Empty reports whether the change changes nothing.
func (c Change) Empty() bool { return len(c.Add)+len(c.Delete)+len(c.Restore) == 0 }

// Word says in one word what the change does.
func (c Change) Word() string {
	switch {
	case len(c.Add) > 0:
		return "added"
	case len(c.Delete) > 0:
		return "deleted"
	}
	return "restored"
}

// Store keeps the book.
type Store interface {
	// Book returns every entry, the deleted ones too, with Confirmed.
	Book(ctx context.Context) ([]Entry, error)
	// ChangeBook carries out a change of what it hands to the transition, in one
	// transaction, and tells pages of it there.
	ChangeBook(ctx context.Context, transition func(all []Entry) (Change, error)) error
}

// Service is the address book of this machine.
type Service struct {
	store Store
	now   func() time.Time
	rand  io.Reader
}

// NewService returns a book that is kept in a store. Neither argument is nil.
func NewService(store Store, now func() time.Time) *Service {
	return &Service{store: store, now: now, rand: rand.Reader}
}

// Outcome is what became of one entry of a call. Entry is as far as it is known.
type Outcome struct {
	Entry   Entry
	Refused Refusal // "" where it was done
	// Alike is an entry whose address only looks like this one's; zero where there is none.
	Alike Entry
}

// List returns the entries that are not deleted and pass a filter, by title. An unknown
// chain is fault.InputInvalid.
func (s *Service) List(ctx context.Context, chain, query string) ([]Entry, error) {
	if _, ok := FindChain(chain); chain != "" && !ok {
		return nil, fault.New(fault.InputInvalid, "There is no chain %q.", fault.Clip(chain, 40)).
			With("field", "chain").With("reason", string(UnknownChain))
	}
	all, err := s.store.Book(ctx)
	return Search(Live(all), chain, query), err
}

// Live returns the entries that are not deleted.
func Live(all []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(all), func(e Entry) bool { return !e.DeletedAt.IsZero() })
}

// Add stores what of a call can be stored; every entry has its own outcome, in the
// order of the call. A secret in any of the texts refuses the whole call.
func (s *Service) Add(ctx context.Context, source Source, asked []Target) ([]Outcome, error) {
	for i, t := range asked {
		if err := secretIn(i, t); err != nil {
			return nil, err
		}
	}
	var out []Outcome
	err := s.store.ChangeBook(ctx, func(all []Entry) (Change, error) {
		var change Change
		out = nil // the transition may run again
		live := Live(all)
		for _, t := range asked {
			e, refused := New(t.Title, t.Address, t.Chain)
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

// secretIn refuses a text that holds a secret. An address is judged by its form alone.
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

// Delete marks what each target means as deleted; it can be restored for 30 days.
func (s *Service) Delete(ctx context.Context, asked []Target) ([]Outcome, error) {
	var out []Outcome
	err := s.store.ChangeBook(ctx, func(all []Entry) (Change, error) {
		var change Change
		out = nil
		live := Live(all)
		for _, t := range asked {
			e, refused := Match(live, t)
			if refused != "" {
				out = append(out, Outcome{Entry: Entry{ID: t.ID, Title: t.Title, Address: t.Address, Chain: t.Chain}, Refused: refused})
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

// Names returns the titles that the book has for an address on Sui.
func (s *Service) Names(ctx context.Context, address string) ([]string, error) {
	all, err := s.store.Book(ctx)
	return Named(Live(all), SuiChain, address), err
}

var idShape = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// IsID reports whether a text is the id of an entry: a random UUID.
func IsID(s string) bool { return idShape.MatchString(s) }

// Sources lists the sources of entries.
func Sources() []Source { return []Source{Agent, Import} }

func (s *Service) newID() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(s.rand, b[:]); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "This machine gave no random numbers.")
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], nil
}
