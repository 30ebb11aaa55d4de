package web

import (
	"context"
	"html/template"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// Pictures is asked for what the page of a review draws of the market of a step, named
// by its key in the registry and its object id. An error means that there is nothing to
// draw. Nothing is decided by the answers.
type Pictures interface {
	// Book returns the offers nearest to the middle price, best first on each side.
	Book(ctx context.Context, key string, id sui.ObjectID) (Book, error)
	// Past returns prices of the last 24 hours, oldest first.
	Past(ctx context.Context, key string, id sui.ObjectID) (PastPrices, error)
}

// Book is a part of an order book in one reading. Prices are coins Quote for one Base.
type Book struct {
	Source      string // as in "the market SUI_USDC"
	Base, Quote plan.Asset
	Middle      sui.Decimal
	Bids, Asks  []Offer
	At          time.Time
}

// Offer is a price with the amount of the base coin that is wanted or offered at it.
type Offer struct{ Price, Amount sui.Decimal }

// PastPrices are prices between two moments, in coins Quote for one Base.
type PastPrices struct {
	Source      string // as in "the indexer"
	Base, Quote plan.Asset
	From, To    time.Time
	Points      []PastPrice
	At          time.Time // when this machine had the answer
}

// PastPrice is one price. Apart reports that nothing is known between it and the one
// before.
type PastPrice struct {
	At    time.Time
	Price sui.Decimal
	Apart bool
}

// Bounds of the pictures: how long an answer is awaited, how long one is drawn again
// for other tabs, and how many markets are kept.
const (
	pictureTime = 3 * time.Second
	bookLife    = 4 * time.Second
	pastLife    = time.Minute
	mostMarkets = 64
)

// pictured keeps the latest answers of Pictures for a moment, so that many tabs ask a
// node once.
type pictured struct {
	books kept[Book]
	past  kept[PastPrices]
}

// reviewPicture answers with the drawing of the market, or with nothing.
func (s *Server) reviewPicture(c *call) error {
	v, err := s.Reviews.View(c.ctx(), record.ID(c.id))
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(c.ctx(), pictureTime)
	defer stop()
	drawn := s.pictures(ctx, look{View: v})
	if drawn == "" {
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	write(c.w, http.StatusOK, "text/html; charset=utf-8", []byte(drawn))
	return nil
}

// picturePath is where the page finds its drawing; "" where there can be none.
func (l look) picturePath() string {
	if _, _, ok := l.pictured(); !ok {
		return ""
	}
	return "/api/review/" + string(l.Session.ID) + "/picture"
}

// pictured returns the first step that trades in a market, with what is marked of it.
func (l look) pictured() (plan.StepFacts, mark, bool) {
	f, each := l.facts(), l.Session.Intent.Each()
	if stage := l.stage(); f == nil || stage != stageReady && stage != stageReleased || len(each) != len(f.Steps) {
		return plan.StepFacts{}, mark{}, false
	}
	for i, step := range f.Steps {
		if m, ok := markOf(each[i], step, l.Session.State.Quote); ok && step.Route != "" {
			return step, m, true
		}
	}
	return plan.StepFacts{}, mark{}, false
}

// pictures asks for book and past at the same time and draws what arrives.
func (s *Server) pictures(ctx context.Context, l look) template.HTML {
	step, m, ok := l.pictured()
	if !ok || s.Pictures == nil {
		return ""
	}
	var figures [2]template.HTML
	var both sync.WaitGroup
	both.Go(func() {
		b, err := s.pictured.books.get(ctx, s.Now, step.RouteID, bookLife, func(ctx context.Context) (Book, error) {
			return s.Pictures.Book(ctx, step.Route, step.RouteID)
		})
		if err == nil {
			figures[0] = drawBook(b, m)
		}
	})
	both.Go(func() {
		p, err := s.pictured.past.get(ctx, s.Now, step.RouteID, pastLife, func(ctx context.Context) (PastPrices, error) {
			return s.Pictures.Past(ctx, step.Route, step.RouteID)
		})
		if err == nil {
			figures[1] = drawPast(p, m)
		}
	})
	both.Wait()
	if figures == ([2]template.HTML{}) {
		return ""
	}
	return `<section class="card pictures" aria-labelledby="h-pictures"><h2 id="h-pictures">The market</h2><div class="drawn">` +
		figures[0] + figures[1] + `</div><p class="fine">Reported, not guaranteed.</p></section>`
}

// mark is what of the person's own is marked: the limit of an order, or how far an
// amount goes.
type mark struct {
	limit  *big.Rat     // nil for a swap
	buys   bool         // of an order
	pays   sui.CoinType // of a swap
	amount *big.Rat     // base coin of an order, what is paid of a swap
}

// markOf reads what a step would trade. A step that trades nothing has no mark.
func markOf(in plan.Intent, step plan.StepFacts, q *plan.QuoteEvidence) (m mark, ok bool) {
	if o := in.Order; o != nil && o.Price != "" {
		var priced bool
		m.limit, priced = positive(sui.Decimal(o.Price))
		m.amount, ok = positive(sui.Decimal(o.Quantity))
		m.buys = o.Side == "buy"
		return m, ok && priced
	}
	pays := step.Promise.Amount(plan.RoleInput)
	if pays.Raw == 0 || step.Promise.Amount(plan.RoleOutput).Raw == 0 {
		return mark{}, false
	}
	if q != nil && q.RouteID == step.RouteID.String() && q.Input == pays {
		pays = spent(q)
		if q.Fee.CoinType == pays.CoinType { // the fee is not traded
			pays = pays.Of(pays.Raw - min(pays.Raw, q.Fee.Raw))
		}
	}
	m.pays = pays.CoinType
	m.amount, ok = positive(pays.Display)
	return m, ok
}

// mostDigits is the most digits before and after the point of a number that is drawn:
// nothing on the chain has more.
const mostDigits = 20

// positive reads a number above zero that can be drawn.
func positive(d sui.Decimal) (*big.Rat, bool) {
	whole, fraction, _ := strings.Cut(string(d), ".")
	if _, err := sui.ParseDecimal(string(d)); err != nil || len(whole) > mostDigits || len(fraction) > mostDigits {
		return nil, false
	}
	n, ok := new(big.Rat).SetString(string(d))
	return n, ok && n.Sign() > 0
}

// exactly prints a number that has at most a few digits more than those that were read.
func exactly(n *big.Rat) string {
	text := n.FloatString(mostDigits + 4)
	return spaced(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}

// kept keeps one answer for each market. A question that is under way is shared.
type kept[T any] struct {
	mu      sync.Mutex
	answers map[sui.ObjectID]*keptAnswer[T]
}

type keptAnswer[T any] struct {
	here  chan struct{} // closed when the rest is there
	value T
	err   error
	until time.Time
}

func (k *kept[T]) get(ctx context.Context, now func() time.Time, id sui.ObjectID, life time.Duration,
	ask func(context.Context) (T, error)) (T, error) {
	k.mu.Lock()
	for other, a := range k.answers {
		if a.over(now()) {
			delete(k.answers, other)
		}
	}
	a := k.answers[id]
	if a == nil {
		if len(k.answers) >= mostMarkets {
			k.mu.Unlock()
			var none T
			return none, fault.New(fault.RateLimited, "Too many markets are drawn at once.")
		}
		if k.answers == nil {
			k.answers = map[sui.ObjectID]*keptAnswer[T]{}
		}
		a = &keptAnswer[T]{here: make(chan struct{})}
		k.answers[id] = a
		// A tab that goes away takes nothing from the others.
		bounded, stop := context.WithTimeout(context.WithoutCancel(ctx), pictureTime)
		go func() {
			defer stop()
			defer close(a.here)
			defer func() { a.until = now().Add(life) }()
			defer fault.Recover(&a.err)
			a.value, a.err = ask(bounded)
		}()
	}
	k.mu.Unlock()
	select {
	case <-a.here:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func (a *keptAnswer[T]) over(now time.Time) bool {
	select {
	case <-a.here:
		return !now.Before(a.until)
	default:
		return false
	}
}
