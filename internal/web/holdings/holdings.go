// Package holdings is the page of one account: its holdings on chain, its permissions, and its past
// reviews.
package holdings

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"hash/fnv"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

//go:embed account.html account.js
var files embed.FS

// Config configures the page. All fields are required.
type Config struct {
	Lists   *listing.Lists
	OnChain OnChain
	// Past lists at most most reviews of a scope, latest first, and returns their total number.
	Past func(ctx context.Context, s history.Scope, most int) ([]history.Activity, int, error)
	// Prices values coins. DayBefore returns the value of a coin in USDC 24 hours ago, or false if
	// that is unknown.
	Prices    Prices
	DayBefore func(ctx context.Context, coin coins.Coin) (sui.Decimal, bool)
	// OnDevice reports whether the user marked an account as being on a hardware wallet, and Mark
	// stores that. Mark checks right in the same transaction.
	OnDevice func(ctx context.Context, account sui.Address) (bool, error)
	Mark     func(ctx context.Context, account sui.Address, on bool, right func(context.Context) error) error
	// Changes returns the stored changes of an account's coins as CSV, with a line of column names.
	// more means that some changes are not included.
	Changes func(ctx context.Context, owner sui.Address) (text []byte, more bool, err error)
}

type page struct{ Config }

// New returns the page.
func New(c Config) web.Page {
	p := &page{c}
	reads := func(path string, run web.Handler) web.Route {
		return web.Post("/api/account/{id}/"+path, web.WithToken, pagetoken.Account, run)
	}
	return web.Page{
		Kind: pagetoken.Account, Name: "account", Entry: "holdings", Title: "Holdings", Path: "/account/{id}",
		API:   "/api/account/{id}",
		Files: files,
		View:  p.view,
		Live: &web.Live{
			// The page lists reviews, so it changes with the home page.
			Subject: func(string) events.Subject { return events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject} },
			State:   p.state,
		},
		Routes: []web.Route{
			reads("holdings", p.holdings), reads("more", p.more), reads("permissions", p.permissions),
			reads("staked", p.staked), reads("inside", web.Reads(p.inside)), reads("changes", web.Empty(p.changes)),
			web.Post("/api/account/{id}/prepare", web.WithActive, pagetoken.Account, web.Reads(p.prepare)),
			web.Post("/api/account/{id}/hardware", web.WithActive, pagetoken.Account, web.Reads(p.mark)),
		},
	}
}

func (p *page) state(ctx context.Context, id string) (web.State, error) {
	owner, err := sui.ParseAddress(id)
	if err != nil {
		return web.State{}, err
	}
	f, err := p.facts(ctx, owner)
	return web.State{Revision: f.revision}, err
}

// maxPast is the maximum number of past reviews on the account page.
const maxPast = 20

// accountView is the account page as text, from data on this machine. The parts from the chain are
// loaded separately.
type accountView struct {
	web.Head
	Title, Text      string
	Address, Network string
	Card             listing.Card
	Others           []listing.Card // the other remembered accounts
	Reviews          []listing.Line
	Count            string
	Changes          bool // the page offers the table of stored changes
	OnDevice         bool // the account is marked as being on a hardware wallet
}

// accountFacts is this machine's data about an account. revision is its fingerprint.
type accountFacts struct {
	card     listing.Card
	others   []listing.Card
	lines    []listing.Line
	all      int // number of stored reviews
	revision int64
}

func (p *page) facts(ctx context.Context, owner sui.Address) (accountFacts, error) {
	cards, err := p.Lists.Cards(ctx)
	if err != nil {
		return accountFacts{}, err
	}
	waiting, err := p.Lists.Waiting(ctx, p.Lists.Now(), listing.MaxWaiting+1)
	if err != nil {
		return accountFacts{}, err
	}
	past, all, err := p.Past(ctx, history.Scope{Account: owner}, maxPast)
	if err != nil {
		return accountFacts{}, err
	}
	f := accountFacts{all: all}
	for _, card := range cards {
		if card.Address == owner.String() {
			f.card = card
		} else {
			f.others = append(f.others, card)
		}
	}
	waits := map[record.ID]record.Waiting{}
	for _, w := range waiting {
		waits[w.ID] = w
	}
	for _, a := range past {
		state := endState(a)
		if w, ok := waits[a.ID]; ok {
			state = p.Lists.StateOf(w)
		}
		one := listing.Line{ID: string(a.ID), Asked: words.UpperFirst(listing.Asked(a.Intent)), State: state.Words,
			Tone: state.Tone,
			At:   words.At(a.CreatedAt), Class: "second"}
		if a.Status.Terminal() {
			one.Receipt = a.TxDigest
		}
		f.lines = append(f.lines, one)
	}
	var marks []listing.Mark
	for i, a := range past {
		if a.Intent.Recipient != "" {
			marks = append(marks, listing.Mark{Address: a.Intent.Recipient, Words: &f.lines[i].Named})
		}
	}
	p.Lists.Name(ctx, marks)
	hash := fnv.New32a()
	fmt.Fprintln(hash, f.card, f.others, f.lines, all)
	f.revision = int64(hash.Sum32())
	return f, nil
}

// endState describes how a review ended. Details about a pending review are only on its own page.
func endState(a history.Activity) listing.State {
	switch a.Status {
	case record.Success:
		return listing.State{Words: words.Sentence(cmp.Or(words.Grouped(words.Whole(a.Result)),
			"Done: the chain executed it")), Tone: "good"}
	case record.Failure:
		return listing.State{Words: words.Sentence(cmp.Or(record.FailureTitle(a.FailureReason, a.Released),
			"Ended without success")), Tone: "bad"}
	case record.Expired:
		return listing.State{Words: "Expired. Nothing was signed."}
	case record.SignedPendingResult:
		return listing.State{Words: "Signed. The result on chain is not known yet.", Tone: "warn"}
	}
	return listing.State{Words: "Not over. Its page says where it stands."}
}

func (p *page) view(c *web.Call) error {
	owner, err := sui.ParseAddress(c.ID)
	if err != nil {
		return err
	}
	f, err := p.facts(c.Ctx(), owner)
	if err != nil {
		return err
	}
	v := accountView{Address: owner.String(), Network: c.Network(), Card: f.card, Others: f.others, Reviews: f.lines,
		Count: words.Plural(f.all, "review", "reviews"), Changes: f.card.Address != ""}
	if v.Head, err = c.Head(); err != nil {
		return err
	}
	v.Revision = f.revision
	if v.OnDevice, err = p.OnDevice(c.Ctx(), owner); err != nil {
		return err
	}
	if f.all > len(f.lines) {
		v.Count = fmt.Sprintf("the latest %d of %d", len(f.lines), f.all)
	}
	v.Title = "Holdings"
	switch {
	case f.card.InUse:
	case f.card.Address != "":
		v.Text = "This is a remembered account. Another one is in use now, or none: what your AI client reads and prepares is not about this one."
	default:
		v.Text = "No wallet gave this account here, or it was forgotten. What is public about it can still be read."
	}
	return web.Fragment(c, "account.html", v)
}
