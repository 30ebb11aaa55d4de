package book

import (
	"context"
	"slices"
	"strings"
)

// Name is the book's information about an address. It is shown next to the full address and never
// replaces it.
type Name struct {
	Titles []string // titles of the entries with exactly this address
	ByAI   []string // titles that an AI client chose and no wallet signed
	Own    string   // the user's name for the address, if it is their own account
	Paid   bool     // the address was paid from this computer
	Signed bool     // a wallet signed one of the names
	Alike  Entry    // an entry with a similar address, or zero
}

// byAI follows a name chosen by an AI client, wherever money is sent to it.
const byAI = " (named by your AI client)"

// quoted formats a title for display.
func (n Name) quoted(title string) string {
	//mutant:never ./internal/book TestNamedByAI
	if slices.Contains(n.ByAI, title) {
		return "“" + title + "”" + byAI
	}
	return "“" + title + "”"
}

// Words describes the name for a page. It returns "" if the book has no information. It says
// whether a name is confirmed, and mentions an imitation first.
func (n Name) Words() string { return n.words("you paid it from here before") }

// Afterwards is like Words, for a payment that has been made. It does not mention earlier payments,
// because Paid would include this one.
func (n Name) Afterwards() string { return n.words("") }

func (n Name) words(paid string) string {
	var parts []string
	//mutant:never ./internal/book TestNaming
	if n.Alike.ID != "" {
		parts = append(parts, "Not “"+n.Alike.Title+"” of your address book: it only looks like that address.")
	}
	if n.Own != "" {
		parts = append(parts, "“"+n.Own+"”, your name for this account.")
	}
	if len(n.Titles) > 0 {
		const most = 3
		shown := make([]string, 0, most)
		for _, title := range n.Titles[:min(most, len(n.Titles))] {
			shown = append(shown, n.quoted(title))
		}
		titles := strings.Join(shown, ", ")
		if len(n.Titles) > most {
			titles += " and others"
		}
		sure := "not confirmed by a payment"
		switch {
		case n.Paid:
			sure = paid
		case n.Signed:
			sure = "confirmed by your wallet"
		}
		parts = append(parts, strings.TrimSuffix(titles+" in your address book, "+sure, ", ")+".")
	}
	return strings.Join(parts, " ")
}

// Called returns the shortest name of the address, quoted, or "" if the book has none. It says so
// if the name is not confirmed.
func (n Name) Called() string {
	switch {
	case n.Own != "":
		return "“" + n.Own + "”"
	case len(n.Titles) == 0:
		return ""
	case n.Paid || n.Signed:
		return n.quoted(n.Titles[0])
	}
	return n.quoted(n.Titles[0]) + " (not confirmed)"
}

// Naming names addresses on Sui according to one snapshot of the book. The zero Naming contains no
// names.
type Naming struct{ near Near }

// Naming returns the book's information about addresses. Every page and answer that shows a name
// uses it. Its cost depends on the number of addresses, not on the size of the book.
func (s *Service) Naming(ctx context.Context, addresses ...string) (Naming, error) {
	if len(addresses) == 0 {
		return Naming{}, nil
	}
	near, err := s.store.BookNear(ctx, addresses)
	return Naming{near}, err
}

// Of returns the book's information about an address in its canonical spelling.
func (n Naming) Of(address string) Name {
	name := Name{Own: n.near.Own[address]}
	for _, e := range n.near.Entries {
		if e.Address == address {
			name.Paid, name.Signed = name.Paid || e.Paid, name.Signed || !e.SignedAt.IsZero()
			if !slices.Contains(name.Titles, e.Title) {
				name.Titles = append(name.Titles, e.Title)
			}
			if e.Source == Agent && e.SignedAt.IsZero() {
				name.ByAI = append(name.ByAI, e.Title)
			}
		}
	}
	// An address that is in the book, or is the user's own, is not an imitation.
	if len(name.Titles) > 0 || name.Own != "" {
		return name
	}
	for _, e := range n.near.Entries {
		if LooksLike(e.Address, address) {
			name.Alike = e
			break
		}
	}
	return name
}

// Own returns the user's names for their own accounts, by address.
func (n Naming) Own() map[string]string { return n.near.Own }
