package web

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/history"
	"github.com/sayurintent/sayurintent/review/record"
)

// maxPast is how many reviews the account page lists.
const maxPast = 20

// accountView is the account page in words, as far as this machine knows it. What
// the chain says of the account comes in parts of its own.
type accountView struct {
	Status, Access, Title, Text string
	ReadOnly, OpenedTwice       bool
	Revision                    int64
	Address, Network            string
	Card                        accountCard
	Reviews                     []homeLine
	Count                       string
	Changes                     bool // a table of stored changes is offered
}

// accountCard is one account in words, for every page that lists some.
type accountCard struct {
	Address, Wallet, Standing, Since string
	Named                            string // what the person calls it
	InUse, Proven                    bool
}

// standing says what the link between a person and an address rests on.
func (k *accountCard) standing(proven bool, provenAt string) {
	k.Proven = proven
	k.Standing = "Claimed: the wallet said so, and nothing was signed to prove it."
	if proven {
		k.Standing = "Proven: its wallet signed a message for this program"
		if provenAt != "" {
			k.Standing += " on " + provenAt
		}
		k.Standing += "."
	}
}

func cardOf(k account.Known) accountCard {
	card := accountCard{Address: k.Account.String(), Wallet: whole(k.WalletName),
		Since: "Connected " + at(k.FirstConnectedAt)}
	if !k.LastConnectedAt.Equal(k.FirstConnectedAt) {
		card.Since = "Connected first " + at(k.FirstConnectedAt) + ", last " + at(k.LastConnectedAt)
	}
	card.Since += "."
	card.standing(k.Proven, at(k.ProvenAt))
	return card
}

// cards lists the account in use and then those that are remembered.
func (s *Server) cards(ctx context.Context) ([]accountCard, error) {
	active, used, err := s.Accounts.Active(ctx)
	if err != nil {
		return nil, err
	}
	known, err := s.Accounts.Known(ctx)
	if err != nil {
		return nil, err
	}
	var first, rest []accountCard
	for _, k := range known {
		card := cardOf(k)
		if used && k.Account == active.Account {
			card.InUse = true
			first = append(first, card)
			continue
		}
		rest = append(rest, card)
	}
	if used && len(first) == 0 {
		card := accountCard{Address: active.Account.String(), Wallet: whole(active.WalletName), InUse: true,
			Since: "In use since " + at(active.ConnectedAt) + "."}
		card.standing(active.Proven, at(active.ProvenAt))
		first = append(first, card)
	}
	list := append(first, rest...)
	var marks []namedAt
	for i := range list {
		marks = append(marks, namedAt{list[i].Address, &list[i].Named})
	}
	s.name(ctx, marks)
	return list, nil
}

func (s *Server) accountShell(c *call) error {
	return s.page(c.w, http.StatusOK, s.shell("account", "An account"))
}

// accountFacts is what this machine knows of an account; revision is its
// fingerprint.
type accountFacts struct {
	card     accountCard
	lines    []homeLine
	all      int // reviews on record
	revision int64
}

func (s *Server) accountFacts(ctx context.Context, owner sui.Address) (accountFacts, error) {
	home, err := s.homeFacts(ctx)
	if err != nil {
		return accountFacts{}, err
	}
	past, all, err := s.Past(ctx, history.Scope{Account: owner}, maxPast)
	if err != nil {
		return accountFacts{}, err
	}
	f := accountFacts{all: all}
	for _, card := range home.accounts {
		if card.Address == owner.String() {
			f.card = card
		}
	}
	waits := map[record.ID]record.Waiting{}
	for _, w := range home.waiting {
		waits[w.ID] = w
	}
	for _, a := range past {
		state := endState(a)
		if w, ok := waits[a.ID]; ok {
			state = s.stateOf(w)
		}
		one := homeLine{ID: string(a.ID), Asked: upperFirst(asked(a.Intent)), State: state.words, Tone: state.tone,
			At: at(a.CreatedAt), Class: "second"}
		if s.Receipts != nil && a.Status.Terminal() {
			one.Receipt = a.TxDigest
		}
		f.lines = append(f.lines, one)
	}
	var marks []namedAt
	for i, a := range past {
		if a.Intent.Recipient != "" {
			marks = append(marks, namedAt{a.Intent.Recipient, &f.lines[i].Named})
		}
	}
	s.name(ctx, marks)
	hash := fnv.New32a()
	fmt.Fprintln(hash, f.card, f.lines, all)
	f.revision = int64(hash.Sum32())
	return f, nil
}

// endState says how a review ended. Of one that is not over only its own page
// knows more.
func endState(a history.Activity) homeState {
	switch a.Status {
	case record.Success:
		return homeState{words: sentence(cmp.Or(grouped(whole(a.Result)), "Done: the chain executed it")), tone: "good"}
	case record.Failure:
		return homeState{words: sentence(cmp.Or(record.FailureTitle(a.FailureReason, a.Released), "Ended without success")), tone: "bad"}
	case record.Expired:
		return homeState{words: "Expired. Nothing was signed."}
	case record.SignedPendingResult:
		return homeState{words: "Signed. The result on chain is not known yet.", tone: "warn"}
	}
	return homeState{words: "Not over. Its page says where it stands."}
}

func (s *Server) accountView(c *call) error {
	owner, err := sui.ParseAddress(c.id)
	if err != nil {
		return err
	}
	twice, err := s.Desk.OpenedTwice(c.ctx(), c.pass.Kind, c.pass.Subject)
	if err != nil {
		return err
	}
	f, err := s.accountFacts(c.ctx(), owner)
	if err != nil {
		return err
	}
	v := accountView{Access: string(c.pass.Access), ReadOnly: c.pass.Access != pagetoken.Active, OpenedTwice: twice, Revision: f.revision,
		Address: owner.String(), Network: s.Network, Card: f.card, Reviews: f.lines, Count: plural(f.all, "review", "reviews")}
	v.Changes = s.Changes != nil && f.card.Address != ""
	if f.all > len(f.lines) {
		v.Count = fmt.Sprintf("the latest %d of %d", len(f.lines), f.all)
	}
	switch {
	case f.card.InUse:
		v.Title, v.Text = "Your account", "What this account has, and what you reviewed with it. Nothing can be signed or moved from this page."
	case f.card.Address != "":
		v.Title = "A remembered account"
		v.Text = "Another account is in use now, or none: what your AI client reads and prepares is not about this one."
	default:
		v.Title = "An account"
		v.Text = "No wallet gave this account here, or it was forgotten. What is public about it can still be read."
	}
	return s.fragment(c, "account.html", v)
}

// accountLink returns a fresh link to the page of an account. Only an account that
// is in use or remembered has one.
func (s *Server) accountLink(c *call, address sui.Address) (string, error) {
	list, err := s.cards(c.ctx())
	if err != nil {
		return "", err
	}
	for _, card := range list {
		if card.Address == address.String() {
			return s.freshLink(c, pagetoken.Account, card.Address)
		}
	}
	return "", fault.New(fault.InputInvalid, "No wallet gave this account here, or it was forgotten. Connect it first.")
}

// freshLink makes a one-time link to a page of this server. A page that leads hands the
// lead on to it.
func (s *Server) freshLink(c *call, kind pagetoken.Kind, subject string) (string, error) {
	make := s.Desk.Lead
	//mutant:never ./review/web TestLeadIsHandedOn
	if c.pass.Access != pagetoken.Active {
		make = func(ctx context.Context, kind pagetoken.Kind, subject string) (pagetoken.Code, error) {
			return s.Desk.Link(ctx, kind, subject, 0)
		}
	}
	code, err := make(c.ctx(), kind, subject)
	if err != nil {
		return "", err
	}
	return s.origin + "/" + string(kind) + "/" + subject + "#" + code.Reveal(), nil
}

type accountIn struct {
	ID sui.Address `json:"id"`
}

// homeAccount returns a link to the page of an account that home lists.
func (s *Server) homeAccount(c *call) error {
	in, err := body[accountIn](c)
	if err != nil {
		return err
	}
	return s.writeAccountLink(c, in.ID)
}

// walletAccount returns a link to the page of the account that a connect page
// connected.
func (s *Server) walletAccount(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	i, err := s.Accounts.Identity(c.ctx(), c.id)
	if err != nil {
		return err
	}
	if i.Account == nil {
		return fault.New(fault.InvalidSessionTransition, "No account was connected on this page.")
	}
	return s.writeAccountLink(c, *i.Account)
}

func (s *Server) writeAccountLink(c *call, address sui.Address) error {
	url, err := s.accountLink(c, address)
	if err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, openOut{url})
	return nil
}

// homeUse makes a remembered account the one in use again.
func (s *Server) homeUse(c *call) error {
	in, err := body[accountIn](c)
	if err != nil {
		return err
	}
	if _, err := s.Accounts.Use(c.ctx(), in.ID); err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, struct{}{})
	return nil
}

// accountOpen returns a fresh link to a review of this account, over or not.
func (s *Server) accountOpen(c *call) error {
	return s.openReview(c, func(r record.Session) error {
		if r.Account.String() != c.id {
			return fault.New(fault.SessionNotFound, "This account has no such review.")
		}
		return nil
	})
}
