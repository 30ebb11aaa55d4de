package listing

import (
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Row is a request in a list: its headline, its state, and the link to its page.
type Row struct {
	ID, Kind string // Kind is the first element of the path of its page
	Mark     Picture
	Headline string
	Label    string // title given by the client, not verified
	Named    string // name of the recipient in the address book
	Tag      Tag
	Note     string // further detail of its state, in one clause
	At       string // when it was requested, or ended
	Until    string // when its quote expires, in RFC 3339
	Link     string // state of its link
	Receipt  string // digest of the executed transaction
	Button   string
	Cancel   Wish // cancels the order, if the row is an order
	Needs    bool // it waits for the user
	Over     bool
}

// Look returns the class of its button. The first row of a page overrides it.
func (r Row) Look() string {
	if r.Over {
		return "go"
	}
	return "second"
}

// Tag is the state of a request in two or three words.
type Tag struct{ Tone, Icon, Words string }

// Picture is the picture of a row: an icon, or else the pattern of an address, or else coins.
type Picture struct {
	Icon, Tone, Address string
	Coins               []Coin
}

// Coin is the mark of a coin. A coin that is not Listed has no color.
type Coin struct {
	Symbol string
	Listed bool
}

// row describes a pending review.
func (l *Lists) row(w record.Waiting, s record.Session) Row {
	r := Row{ID: string(w.ID), Kind: "review", Headline: l.Headline(s), At: words.At(w.CreatedAt), Button: "Review",
		Link: LinkWords(w), Mark: pictureOf(s), Needs: true}
	switch {
	case w.Status == record.SignedPendingResult:
		r.Tag, r.Note, r.Needs, r.Button = Tag{"info", "clock", "Signed"}, "The result on chain is not known yet",
			false, "Open"
	case w.Released:
		r.Tag, r.Note = Tag{"warn", "warn", "With your wallet"}, "It is not known whether it was signed"
	case w.Status == record.Blocked:
		r.Tag, r.Note = blockedTag(s), words.Whole(s.StopTitle())
	case w.Status == record.Ready && l.Now().Before(w.BuildExpiresAt):
		r.Tag, r.Until = readyTag(s.State.Checks), w.BuildExpiresAt.UTC().Format(time.RFC3339Nano)
	case w.Status == record.Ready:
		r.Tag = Tag{"", "clock", "Needs a new price"}
	case w.Status == record.RefreshRequired:
		r.Tag = Tag{"", "clock", "Needs a new price"}
		if answer, ok := s.Answered(); ok {
			r.Tag, r.Note = Tag{string(answer.Tone), "cross", "Not signed"}, words.Whole(answer.Title)
		}
	default:
		r.Tag = Tag{"accent", "client", "New"}
	}
	return r
}

// blockedTag returns the tag of a blocked review. It is "Do not sign" only if signing would do
// harm.
func blockedTag(s record.Session) Tag {
	if Harmless(s) {
		return Tag{"warn", "warn", "Nothing to sign"}
	}
	return Tag{"bad", "stop", "Do not sign"}
}

// readyTag returns the verdict of the checks of a review that can be signed.
func readyTag(checks []plan.Check) Tag {
	things, compared := 0, true
	for _, c := range checks {
		switch {
		case c.Class() == plan.ClassStop || c.Typed() != "":
			return Tag{"bad", "stop", "Do not sign"}
		case c.Class() == plan.ClassCaution:
			things++
		case c.ID == plan.CheckCompared && c.Status != plan.CheckPass:
			compared = false
		}
	}
	switch {
	case things > 0:
		return Tag{"warn", "warn", "Look at " + words.Plural(things, "thing", "things")}
	case !compared:
		return Tag{"warn", "warn", "Price not compared"}
	}
	return Tag{"good", "check", "Ready to sign"}
}

// ended describes a finished review.
func (l *Lists) ended(s record.Session) Row {
	r := Row{ID: string(s.ID), Kind: "review", At: words.At(s.UpdatedAt), Button: "Open", Over: true}
	headline := words.LowerFirst(l.Headline(s))
	if s.Execution != nil {
		r.Receipt = s.Execution.TxDigest
	}
	switch h := s.Headline(); {
	case s.Status == record.Success:
		r.Mark, r.Headline, r.At, r.Note = Picture{Icon: "check", Tone: "good"}, words.Grouped(words.Whole(h.Title)),
			words.At(s.ExecutedAt()), proofWords(s.Execution.Proof())
		if h.Tone == record.ToneBad {
			r.Mark = Picture{Icon: "warn", Tone: "bad"}
		}
	case s.Status == record.Failure && s.Execution != nil && s.Execution.FailureReason == record.FailureWalletRejected:
		r.Mark, r.Headline = Picture{Icon: "cross"}, "You declined: "+headline
	case s.Status == record.Failure:
		r.Mark, r.Headline, r.Note = Picture{Icon: "cross", Tone: "bad"}, "Failed: "+headline,
			words.LowerFirst(words.Whole(h.Title))
	case s.Status == record.RefreshRequired:
		r.Mark, r.Headline = Picture{Icon: "cross"}, "You declined: "+headline
	default:
		r.Mark, r.Headline, r.Note = Picture{Icon: "clock"}, "Expired: "+headline, "nothing was signed"
	}
	return r
}

// proofWords describes how a result is known.
func proofWords(p record.Proof) string {
	switch p.State {
	case record.Proved:
		return "proved"
	case record.Mismatched:
		return "the node contradicts the validators"
	}
	return "reported by one node"
}

// pictureOf returns the recipient's pattern, or the coins that leave and arrive.
func pictureOf(s record.Session) (m Picture) {
	in := s.Intent
	if m.Address = in.Recipient; m.Address != "" {
		return m
	}
	add := func(c coins.Coin, listed bool) {
		if len(m.Coins) < 2 && (len(m.Coins) == 0 || m.Coins[0].Symbol != c.Symbol) {
			m.Coins = append(m.Coins, Coin{c.Symbol, listed})
		}
	}
	if s.Facts == nil {
		for _, symbol := range []string{in.From.Symbol, in.To.Symbol} {
			if symbol == "" {
				continue
			}
			c, err := coins.Find(symbol)
			add(c, err == nil)
		}
	} else {
		for _, b := range s.Facts.Promise().Of(plan.RoleInput, plan.RoleOutput) {
			c, ok := coins.ByType(b.Coin.CoinType)
			add(c, ok)
		}
	}
	if len(m.Coins) == 0 {
		m.Icon = "reviews"
	}
	return m
}

// rowOfBundle describes a pending request with several transactions.
func rowOfBundle(b Bundle) Row {
	r := Row{ID: b.ID, Kind: "bundle", Headline: b.Title, Label: b.Label, At: b.At, Button: "Review", Needs: b.Needs,
		Mark: Picture{Icon: "reviews", Tone: "accent"}, Note: strings.TrimSuffix(b.State, ".")}
	switch {
	case !b.Runs:
		r.Tag, r.Note = Tag{"accent", "client", "New"}, ""
	case b.Needs:
		r.Tag = Tag{"good", "check", "Next step ready"}
	default:
		r.Tag, r.Button = Tag{"info", "clock", "Running"}, "Open"
	}
	return r
}

// Order is an order that waits in a market. Price is in Quote for one Base. The zero Expires means
// never.
type Order struct {
	Account          string
	Manager          string
	Pool, ID         string
	Bid              bool
	Remaining, Price sui.Decimal
	Base, Quote      string
	Expires          time.Time
}

// rowOfOrder describes an order. The row links to the page of its account. If that account is in
// use, a button cancels the order.
func rowOfOrder(o Order, used string) Row {
	verb := "Sell "
	if o.Bid {
		verb = "Buy "
	}
	r := Row{ID: o.Account, Kind: "account", Button: "Open", Tag: Tag{"info", "clock", "Waits for the market"},
		Headline: verb + words.Spaced(string(o.Remaining)) + " " + o.Base + " at " + words.Spaced(string(o.Price)) + " " +
			o.Quote,
		Mark: Picture{Coins: []Coin{{o.Base, true}, {o.Quote, true}}}}
	if o.ID != "" && o.Account == used {
		r.Cancel = Wish{Do: "cancel", Account: o.Account, Manager: o.Manager, Pool: o.Pool, Order: o.ID}
	}
	if !o.Expires.IsZero() {
		r.Note = "until " + words.At(o.Expires)
	}
	return r
}

// Headline states how many requests need the user.
func Headline(n int, more bool) string {
	switch {
	case more:
		return fmt.Sprintf("More than %d things need you", n)
	case n == 0:
		return "Nothing needs you"
	case n == 1:
		return "1 thing needs you"
	}
	return fmt.Sprintf("%d things need you", n)
}
