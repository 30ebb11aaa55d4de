package book

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Right checks, inside the transaction of a change, whether the requesting page may still make
// changes.
type Right = func(context.Context) error

func checkRights(ctx context.Context, rights []Right) error {
	for _, right := range rights {
		if err := right(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Correct replaces the title, address and chain of the entry was. If the stored entry is no longer
// equal to was, which is what the user sees, Correct changes nothing and returns NotFound in the
// Outcome.
func (s *Service) Correct(ctx context.Context, was Entry, to Target, rights ...Right) (Outcome, error) {
	if err := secretIn(0, to); err != nil {
		return Outcome{}, err
	}
	var out Outcome
	err := s.store.ChangeBook(ctx, func(all []Entry) (Change, error) {
		if err := checkRights(ctx, rights); err != nil {
			return Change{}, err
		}
		live := Live(all)
		present, refused := Match(live, Target{ID: was.ID})
		//mutant:never ./internal/book TestCorrect
		if refused == "" && (present.Title != was.Title || present.Address != was.Address || present.Chain != was.Chain) {
			refused = NotFound
		}
		if refused != "" {
			out = Outcome{Entry: was, Refused: refused}
			return Change{}, nil
		}
		e, refused := fresh(to)
		if out = (Outcome{Entry: present, Refused: refused}); refused != "" {
			return Change{}, nil
		}
		present.Title, present.Address, present.Chain = e.Title, e.Address, e.Chain
		others := slices.DeleteFunc(live, func(o Entry) bool { return o.ID == was.ID })
		out.Entry = present
		out.Alike, _ = Lookalike(others, present)
		return Change{Update: []Entry{present}}, nil
	})
	return out, err
}

// Bring undoes the deletion of an entry if it is still possible. It reports whether the entry is in
// the book afterwards.
func (s *Service) Bring(ctx context.Context, id string, rights ...Right) (bool, error) {
	back := false
	err := s.store.ChangeBook(ctx, func(all []Entry) (Change, error) {
		if err := checkRights(ctx, rights); err != nil {
			return Change{}, err
		}
		back = false
		for _, e := range all {
			switch {
			case e.ID != id:
			case e.DeletedAt.IsZero():
				back = true
			case s.now().Sub(e.DeletedAt) < Kept:
				back = true
				return Change{Restore: []string{id}}, nil
			}
		}
		return Change{}, nil
	})
	return back, err
}

// NameOwn stores the user's name for one of their own accounts. "" removes the name.
func (s *Service) NameOwn(ctx context.Context, address, title string, rights ...Right) error {
	if title != "" {
		if err := secretIn(0, Target{Title: title, Address: address, Chain: SuiChain}); err != nil {
			return err
		}
		if _, refused := fresh(Target{Title: title, Address: address, Chain: SuiChain}); refused != "" {
			return fault.New(fault.InputInvalid, "%s", Why(refused)).With("reason", string(refused))
		}
	}
	return s.store.NameOwn(ctx, address, title, func(ctx context.Context) error { return checkRights(ctx, rights) })
}

// Readable returns fault.Blocked if the user keeps the book private from AI clients.
func (s *Service) Readable(ctx context.Context) error {
	closed, err := s.store.BookClosed(ctx)
	//mutant:never ./internal/book TestReadable
	if err == nil && closed {
		return fault.New(fault.Blocked, "The user does not let AI clients read the address book. "+
			"Ask them for the full address. They can change this on the address book page.")
	}
	return err
}

// LetRead stores whether AI clients may read the book.
func (s *Service) LetRead(ctx context.Context, may bool, rights ...Right) error {
	return s.store.CloseBook(ctx, !may, func(ctx context.Context) error { return checkRights(ctx, rights) })
}

// Closed reports whether the user prevents AI clients from reading the book.
func (s *Service) Closed(ctx context.Context) (bool, error) { return s.store.BookClosed(ctx) }

// Why returns a message to the user about the reason for a refusal.
func Why(r Refusal) string {
	switch r {
	case UnknownChain:
		return "Choose one of the chains in the list."
	case InvalidAddress:
		return "This is not a complete address of that chain. Copy all of it from its source."
	case InvalidTitle:
		return "A name has 1 to 64 characters, without hidden ones, double brackets or the name of this program."
	case Full:
		return "The book is full. Delete an entry first."
	case Ambiguous:
		return "Several entries fit. Choose one of them."
	}
	return "This entry was changed or deleted in the meantime. Look at the book again."
}
