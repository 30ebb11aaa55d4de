package web

import (
	"context"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/draw"
)

// Pictures provides the market data that the page of a review draws. A market is identified by its
// key in the registry and its object id. If there is an error, the page draws nothing. The data
// affects no decision.
type Pictures interface {
	// Book returns the offers nearest to the mid price, best first on each side.
	Book(ctx context.Context, key string, id sui.ObjectID) (draw.Book, error)
	// Past returns prices of the last 24 hours, oldest first.
	Past(ctx context.Context, key string, id sui.ObjectID) (draw.PastPrices, error)
}

// Limits of the drawings: the time to wait for data, how long data is reused for other tabs, and
// the number of markets kept.
const (
	pictureTime = 3 * time.Second
	bookLife    = 4 * time.Second
	pastLife    = time.Minute
	mostMarkets = 64
)

// pictured caches the latest data for a short time, so that many tabs cause only one query.
type pictured struct {
	books kept[draw.Book]
	past  kept[draw.PastPrices]
}

// picture responds with the drawing of the market, or with nothing.
func (p *Reviews) picture(c *web.Call) error {
	v, err := p.Reviews.View(c.Ctx(), record.ID(c.ID))
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(c.Ctx(), pictureTime)
	defer stop()
	drawn := p.pictures(ctx, look{View: v})
	if drawn == "" {
		c.W.WriteHeader(http.StatusNoContent)
		return nil
	}
	return c.HTML([]byte(drawn))
}

// picturePath returns the path of the page's drawing, or "" if there can be none.
func picturePath(l look) string {
	if _, _, ok := l.pictured(); !ok {
		return ""
	}
	return "/api/review/" + string(l.Session.ID) + "/picture"
}

// ladder responds with an order among the offers of its market, or with nothing. It uses the same
// book as the drawing. Once the transaction was released, it responds with nothing.
func (p *Reviews) ladder(c *web.Call) error {
	v, err := p.Reviews.View(c.Ctx(), record.ID(c.ID))
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(c.Ctx(), pictureTime)
	defer stop()
	if step, m, ok := (look{View: v}).ordered(); ok {
		b, err := p.book(ctx, step)
		if drawn, ok := draw.LadderOf(b, m); err == nil && ok {
			return web.Bare(c, "ladder.html", drawn)
		}
	}
	c.W.WriteHeader(http.StatusNoContent)
	return nil
}

// ordered returns the order that the review can still place, and its mark.
func (l look) ordered() (plan.StepFacts, draw.Mark, bool) {
	step, m, ok := l.pictured()
	return step, m, ok && m.Order() && l.stage() == stageReady
}

// ladderPath returns the path of the offers around an order, or "" if there are none.
func ladderPath(l look) string {
	if _, _, ok := l.ordered(); !ok {
		return ""
	}
	return "/api/review/" + string(l.Session.ID) + "/ladder"
}

// book returns the offers in the market of a step.
func (p *Reviews) book(ctx context.Context, step plan.StepFacts) (draw.Book, error) {
	return p.pictured.books.get(ctx, p.Now, step.RouteID, bookLife, func(ctx context.Context) (draw.Book, error) {
		return p.Pictures.Book(ctx, step.Route, step.RouteID)
	})
}

// pictured returns the first step that trades in a market, and its mark.
func (l look) pictured() (plan.StepFacts, draw.Mark, bool) {
	f, each := l.facts(), l.Session.Intent.Each()
	if stage := l.stage(); f == nil || stage != stageReady && stage != stageReleased || len(each) != len(f.Steps) {
		return plan.StepFacts{}, draw.Mark{}, false
	}
	for i, step := range f.Steps {
		if m, ok := draw.MarkOf(each[i], step, l.Session.State.Quote); ok && step.Route != "" {
			return step, m, true
		}
	}
	return plan.StepFacts{}, draw.Mark{}, false
}

// pictures requests book and past prices concurrently, and draws those that arrive.
func (p *Reviews) pictures(ctx context.Context, l look) template.HTML {
	step, m, ok := l.pictured()
	if !ok {
		return ""
	}
	var figures [2]template.HTML
	var both sync.WaitGroup
	both.Go(func() {
		if b, err := p.book(ctx, step); err == nil {
			figures[0] = draw.BookChart(b, m)
		}
	})
	both.Go(func() {
		p, err := p.pictured.past.get(ctx, p.Now, step.RouteID, pastLife, func(ctx context.Context) (draw.PastPrices, error) {
			return p.Pictures.Past(ctx, step.Route, step.RouteID)
		})
		if err == nil {
			figures[1] = draw.PastChart(p, m)
		}
	})
	both.Wait()
	if figures == ([2]template.HTML{}) {
		return ""
	}
	return `<section class="card pictures" aria-labelledby="h-pictures"><h2 id="h-pictures">The market</h2><div class="drawn">` +
		figures[0] + figures[1] + `</div><p class="fine">Reported, not guaranteed.</p></section>`
}

// kept caches one result per market. Concurrent calls share one query.
type kept[T any] struct {
	mu      sync.Mutex
	answers map[sui.ObjectID]*keptAnswer[T]
}

type keptAnswer[T any] struct {
	here  chan struct{} // closed when the other fields are set
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
		// The query continues for other tabs if one is closed.
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
