package web

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"net/http"

	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// bookRoutes are the page of the address book. Only what a wallet signs makes an entry
// confirmed: a payment, or a message that names it.
func bookRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/book/{id}", open, "", false, (*Server).bookShell},
		{post, "/api/home/book", withActive, pagetoken.Home, true, (*Server).bookLink},
		{post, "/api/book/{id}/view", withToken, pagetoken.Book, true, (*Server).bookView},
		{get, "/api/book/{id}/state", withToken, pagetoken.Book, false, (*Server).pageState},
		{post, "/api/book/{id}/add", withActive, pagetoken.Book, true, (*Server).bookAdd},
		{post, "/api/book/{id}/correct", withActive, pagetoken.Book, true, (*Server).bookCorrect},
		{post, "/api/book/{id}/delete", withActive, pagetoken.Book, true, (*Server).bookDelete},
		{post, "/api/book/{id}/restore", withActive, pagetoken.Book, true, (*Server).bookRestore},
		{post, "/api/book/{id}/own", withActive, pagetoken.Book, true, (*Server).bookOwn},
		{post, "/api/book/{id}/challenge", withActive, pagetoken.Book, true, (*Server).bookChallenge},
		{post, "/api/book/{id}/confirm", withActive, pagetoken.Book, true, (*Server).bookConfirm},
		{post, "/api/book/{id}/forget", withActive, pagetoken.Book, true, (*Server).bookForget},
		{post, "/api/book/{id}/reading", withActive, pagetoken.Book, true, (*Server).bookReading},
		{post, "/api/book/{id}/continue", withContinue, pagetoken.Book, true, (*Server).tabContinue},
	}
}

func (s *Server) bookShell(c *call) error {
	return s.page(c.w, http.StatusOK, s.shell("book", "Address book"))
}

// bookLink returns a link to the page of the book, for the holder of the home page.
func (s *Server) bookLink(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	url, err := s.freshLink(c, pagetoken.Book, pagetoken.BookSubject)
	if err == nil {
		writeJSON(c.w, http.StatusOK, openOut{url})
	}
	return err
}

// How many entries one view of the page has, and how many deleted ones.
const (
	bookPage    = 50
	bookDeleted = 50
)

// bookIn is what the page shows of the book.
type bookIn struct {
	Text  string `json:"text,omitempty"`
	Chain string `json:"chain,omitempty"`
	From  int    `json:"from,omitempty"`
}

type bookLine struct {
	ID, Title, Address, Chain, State, Deleted string
	Alike, AlikeOf                            string // the address that it imitates, and whose that is
	Sure                                      bool
	Chains                                    []chainOption
}

type chainOption struct {
	Name   string
	Chosen bool
}

// ownLine is an own account with what the person calls it.
type ownLine struct{ Address, Wallet, Title string }

// bookPageView is the page of the book in words.
type bookPageView struct {
	Status, Access, Title, Text string
	ReadOnly, OpenedTwice       bool
	Revision                    int64
	Asked                       bookIn
	Chains                      []chainOption // to search in
	Lines, Deleted              []bookLine
	Count                       string
	Earlier, Later              int // where other parts of the list begin; -1: there is none
	Own                         []ownLine
	Paid                        []paidLine // names of SuiNS
	Closed                      bool
	Unsure                      int // entries shown that are not confirmed

	Account, WalletID, WalletName string   // who could confirm them; "" for nobody
	Blank                         bookLine // of the form that adds
}

func chainOptions(chosen string) (list []chainOption) {
	for _, c := range names.Chains() {
		list = append(list, chainOption{c.Name, c.Name == chosen})
	}
	return list
}

func (s *Server) bookView(c *call) error {
	in, err := body[bookIn](c)
	if err != nil {
		return err
	}
	v := bookPageView{Access: string(c.pass.Access), ReadOnly: c.pass.Access != pagetoken.Active, Title: "Address book", Asked: in,
		Text: "Names for addresses. A name only stands beside the whole address, and makes nobody trusted.", Earlier: -1, Later: -1,
		Chains: chainOptions(in.Chain), Blank: bookLine{Chains: chainOptions(names.SuiChain)}}
	if v.OpenedTwice, err = s.Desk.OpenedTwice(c.ctx(), c.pass.Kind, c.pass.Subject); err != nil {
		return err
	}
	// Read first: a change in between makes the page load again.
	if v.Revision, err = s.bookRevision(c.ctx()); err != nil {
		return err
	}
	if v.Closed, err = s.Names.Closed(c.ctx()); err != nil {
		return err
	}
	if err := s.bookLists(c.ctx(), &v); err != nil {
		return err
	}
	if v.Own, err = s.ownLines(c.ctx()); err != nil {
		return err
	}
	if v.Paid, err = s.paidLines(c.ctx()); err != nil {
		return err
	}
	if used, ok, err := s.Accounts.Active(c.ctx()); err != nil {
		return err
	} else if ok {
		v.Account, v.WalletID, v.WalletName = used.Account.String(), used.WalletID, used.WalletName
	}
	return s.fragment(c, "book.html", v)
}

func (s *Server) bookLists(ctx context.Context, v *bookPageView) error {
	from := min(max(v.Asked.From, 0), names.MostEntries)
	found, err := s.Names.Find(ctx, names.Query{Chain: v.Asked.Chain, Text: v.Asked.Text, From: from, Most: bookPage})
	if err != nil {
		return err
	}
	cards, err := s.cards(ctx)
	if err != nil {
		return err
	}
	own := map[string]string{}
	for _, k := range cards {
		own[k.Address] = "your own account"
	}
	imitate, err := s.Names.Imitating(ctx, own, found.Entries...)
	if err != nil {
		return err
	}
	for _, e := range found.Entries {
		line := lineOfEntry(e)
		of, alike := imitate[e.ID]
		if alike {
			line.Alike, line.AlikeOf = of.Address, whole(of.Title)
		}
		v.Lines = append(v.Lines, line)
		//mutant:always `!alike` ./review/web TestLookalikeInTheBook
		if !e.Confirmed() && !alike {
			v.Unsure++
		}
	}
	v.Count = plural(found.Total, "name", "names")
	if from > 0 {
		v.Earlier = max(from-bookPage, 0)
	}
	if next := from + len(found.Entries); len(found.Entries) > 0 && next < found.Total {
		v.Later = next
	}
	gone, err := s.Names.Find(ctx, names.Query{Deleted: true, Most: bookDeleted})
	for _, e := range gone.Entries {
		line := lineOfEntry(e)
		line.Deleted = at(e.DeletedAt)
		v.Deleted = append(v.Deleted, line)
	}
	return err
}

// lineOfEntry says of an entry who wrote it and whether its address was paid.
func lineOfEntry(e names.Entry) bookLine {
	l := bookLine{ID: e.ID, Title: whole(e.Title), Address: e.Address, Chain: e.Chain, Sure: e.Confirmed(), Chains: chainOptions(e.Chain)}
	switch l.State = "Not confirmed: no payment to it was made from here."; {
	case e.Paid:
		l.State = "Confirmed: you paid this address from here."
	case e.Confirmed():
		l.State = "Confirmed: your wallet signed that this name is of this address."
	}
	switch e.Source {
	case names.Agent:
		l.State += " Named by your AI client."
	case names.Import:
		l.State += " From a copy that was put in."
	}
	return l
}

func (s *Server) ownLines(ctx context.Context) ([]ownLine, error) {
	cards, err := s.cards(ctx)
	if err != nil || len(cards) == 0 {
		return nil, err
	}
	naming, err := s.Names.Naming(ctx, cards[0].Address)
	var out []ownLine
	for _, k := range cards {
		out = append(out, ownLine{Address: k.Address, Wallet: k.Wallet, Title: naming.Own()[k.Address]})
	}
	return out, err
}

// bookRevision is the fingerprint of what the page shows: every change of the book is
// in its journal.
func (s *Server) bookRevision(ctx context.Context) (int64, error) {
	seq, err := s.Journal(ctx, events.Book, "")
	if err != nil {
		return 0, err
	}
	cards, err := s.cards(ctx)
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal([]any{seq, cards})
	hash := fnv.New32a()
	_, _ = hash.Write(text)
	return int64(hash.Sum32()), err
}

// bookOut is what became of a wish.
type bookOut struct {
	Says string `json:"says"`
}

// entryIn is an entry as the person writes it. Was is what the page showed: what
// another tab changed in the meantime is not written over.
type entryIn struct {
	ID      string `json:"id,omitempty"`
	Title   string `json:"title"`
	Address string `json:"address"`
	Chain   string `json:"chain"`
	Was     struct {
		Title   string `json:"title"`
		Address string `json:"address"`
		Chain   string `json:"chain"`
	} `json:"was,omitzero"`
}

// saidOf answers with what was done, or refuses with the reason in words.
func saidOf(c *call, o names.Outcome, err error, done string) error {
	switch {
	case err != nil:
		return err
	case o.Refused != "":
		return fault.New(fault.InputInvalid, "%s Nothing was changed.", names.Why(o.Refused)).With("reason", string(o.Refused))
	case o.Alike.ID != "":
		done += " Careful: its address only looks like that of “" + whole(o.Alike.Title) + "”, which is " + o.Alike.Address +
			". Such addresses are made to be mistaken. Compare all of it."
	}
	writeJSON(c.w, http.StatusOK, bookOut{done})
	return nil
}

// firstOf returns the outcome of a call of one entry.
func firstOf(list []names.Outcome) (o names.Outcome) {
	if len(list) > 0 {
		o = list[0]
	}
	return o
}

func (s *Server) bookAdd(c *call) error {
	in, err := body[entryIn](c)
	if err != nil {
		return err
	}
	list, err := s.Names.Add(c.ctx(), names.Person, []names.Target{{Title: in.Title, Address: in.Address, Chain: in.Chain}}, c.right)
	return saidOf(c, firstOf(list), err, "Added. Your wallet can confirm it.")
}

func (s *Server) bookCorrect(c *call) error {
	in, err := body[entryIn](c)
	if err != nil {
		return err
	}
	was := names.Entry{ID: in.ID, Title: in.Was.Title, Address: in.Was.Address, Chain: in.Was.Chain}
	o, err := s.Names.Correct(c.ctx(), was, names.Target{Title: in.Title, Address: in.Address, Chain: in.Chain}, c.right)
	return saidOf(c, o, err, "Changed.")
}

type entryID struct {
	ID string `json:"id"`
}

func (s *Server) bookDelete(c *call) error {
	in, err := body[entryID](c)
	if err != nil {
		return err
	}
	list, err := s.Names.Delete(c.ctx(), []names.Target{{ID: in.ID}}, c.right)
	return saidOf(c, firstOf(list), err, "Deleted. You can restore it for 30 days.")
}

func (s *Server) bookRestore(c *call) error {
	in, err := body[entryID](c)
	if err != nil {
		return err
	}
	back, err := s.Names.Bring(c.ctx(), in.ID, c.right)
	o := names.Outcome{}
	if !back {
		o.Refused = names.NotFound
	}
	return saidOf(c, o, err, "Restored.")
}

type ownIn struct {
	Address sui.Address `json:"address"`
	Title   string      `json:"title"`
}

// bookOwn names an account of the person's: one that a wallet gave here.
func (s *Server) bookOwn(c *call) error {
	in, err := body[ownIn](c)
	if err != nil {
		return err
	}
	cards, err := s.cards(c.ctx())
	if err != nil {
		return err
	}
	own := false
	for _, k := range cards {
		own = own || k.Address == in.Address.String()
	}
	//mutant:never ./review/web TestBookPage
	if !own {
		return fault.New(fault.InputInvalid, "No wallet gave this account here, or it was forgotten.")
	}
	said := "Named."
	if in.Title == "" {
		said = "It has no name any more."
	}
	return saidOf(c, names.Outcome{}, s.Names.NameOwn(c.ctx(), in.Address.String(), in.Title, c.right), said)
}

type readingIn struct {
	May bool `json:"may"`
}

func (s *Server) bookReading(c *call) error {
	in, err := body[readingIn](c)
	if err != nil {
		return err
	}
	said := "AI clients cannot read the book any more. They can still add to it."
	if in.May {
		said = "AI clients may read the book again."
	}
	return saidOf(c, names.Outcome{}, s.Names.LetRead(c.ctx(), in.May, c.right), said)
}
