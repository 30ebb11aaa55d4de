package tools

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const toolWatchPrice = "task.watch_price"

// Limits of a price watch.
const (
	watchEvery   = 30 * time.Second
	mostWatch    = 7 * 24 // hours
	stageWatches = "watching"
	stageBlind   = "price_unreadable"
)

// watchHours is how long to watch a price.
type watchHours int64

// Shape implements tool.Shaped.
func (watchHours) Shape() tool.Shape { return tool.Between(1, mostWatch) }

// priceText is a price in display units.
type priceText string

// Shape implements tool.Shaped.
func (priceText) Shape() tool.Shape { return tool.Shape{MaxLength: 40} }

type watchPriceIn struct {
	Pool  poolKey    `json:"poolKey" description:"such as SUI_USDC"`
	Above priceText  `json:"above,omitempty" description:"mid price, quote per base"`
	Below priceText  `json:"below,omitempty" description:"or this"`
	Hours watchHours `json:"hours" default:"24" brief:"" description:"ends after this many hours, even if unfinished"`
}

// watchedPrice is the result of a watch.
type watchedPrice struct {
	Pool    string      `json:"poolKey"`
	Reached bool        `json:"reached"`
	Above   sui.Decimal `json:"above,omitempty"`
	Below   sui.Decimal `json:"below,omitempty"`
	Price   sui.Decimal `json:"price,omitempty"` // last price that was read
	At      *time.Time  `json:"priceAt,omitempty"`
	// Unread means that the price could not be read when the watch ended.
	Unread bool `json:"unreadAtTheEnd,omitempty"`
}

// bound is the price that a watch waits for. raw is in the pool's price units.
type bound struct {
	text  sui.Decimal
	raw   sui.Raw
	above bool
}

func (b bound) reached(m deepbook.Mid) bool {
	//mutant:never ./tools TestWatchPrice
	if b.above {
		return m.Raw >= b.raw
	}
	return m.Raw <= b.raw
}

func (b bound) words() string {
	if b.above {
		return string(b.text) + " or higher"
	}
	return string(b.text) + " or lower"
}

// read returns the bound in the arguments, which must have exactly one.
func (in watchPriceIn) read(pool registry.Pool) (bound, error) {
	if (in.Above == "") == (in.Below == "") {
		return bound{}, fault.New(fault.InputInvalid, "Pass either above or below.").With("field", "above")
	}
	b, field := bound{above: in.Above != ""}, "above"
	given := in.Above
	if !b.above {
		field, given = "below", in.Below
	}
	text, err := sui.ParseDecimal(string(given))
	if err == nil {
		b.text = text
		b.raw, err = text.Raw(pool.PriceDecimals())
	}
	if err != nil || b.raw == 0 {
		return bound{}, fault.New(fault.InputInvalid,
			"%s must be a price above zero with at most %d decimal places, in %s per %s.",
			field, pool.PriceDecimals(), pool.Quote.Symbol, pool.Base.Symbol).With("field", field)
	}
	return b, nil
}

// taskWatchPrice starts a task that waits for a price. It does not trade or prepare a transaction.
func taskWatchPrice(r runner, b book, c conversations, d Deps) tool.Tool {
	every := d.PriceBeat
	if every == 0 {
		every = watchEvery
	}
	return tool.Declare(tool.Spec[watchPriceIn, begunOut]{
		Name:    toolWatchPrice,
		Title:   "Watch a price",
		Summary: "Watches a DeepBook pool's mid price, as a task, until it is high or low enough. Trades nothing.",
		Effect:  tool.AddsLocal,
		Toolset: toolsetBus,
		Errors:  []fault.Code{fault.RegistryMiss, fault.RateLimited},
		Cases:   begunCases("It waits for the price; the result says whether it was reached."),
		Examples: []tool.Example{
			{Name: "above", Given: givenNothing, In: `{"poolKey":"SUI_USDC","above":"1.2"}`, Case: caseBegun},
			{Name: "both", Given: givenNothing, In: `{"poolKey":"SUI_USDC","above":"2","below":"1"}`, Fault: fault.InputInvalid},
			{Name: "no price", Given: givenNothing, In: `{"poolKey":"SUI_USDC","below":"zero"}`, Fault: fault.InputInvalid},
			{Name: "unknown pool", Given: givenNothing, In: `{"poolKey":"NOPE_USDC","below":"1"}`, Fault: fault.RegistryMiss},
			{Name: "too many tasks", Given: givenBusy, In: `{"poolKey":"SUI_USDC","below":"1"}`, Fault: fault.RateLimited},
		},
		Run: func(call tool.Call, in watchPriceIn) (begunOut, error) {
			pool, err := registry.FindPool(string(in.Pool))
			if err != nil {
				return begunOut{}, err
			}
			want, err := in.read(pool)
			if err != nil {
				return begunOut{}, err
			}
			span := time.Duration(in.Hours) * time.Hour
			w := priceWatch{book: b, pool: string(in.Pool), want: want, every: every, now: d.Now, until: d.Now().Add(span)}
			w.look(call.Context())
			t, err := r.Start(call.Context(), worker.Job{Session: c.Bus(call.Context()), Kind: bus.KindWatch,
				Tool:     toolWatchPrice,
				Deadline: span + time.Minute, Message: w.message}, w.run) // the watch itself ends earlier, with the last price
			out := beganAs(call, d.About.Network, t)
			out.Message = w.message()
			return out, err
		},
		Undo: unbegin(c),
	})
}

// priceWatch is one running watch.
type priceWatch struct {
	book  book
	pool  string
	want  bound
	last  deepbook.Mid
	every time.Duration
	now   func() time.Time
	until time.Time

	reached bool   // whether the last reading reached the bound
	stage   string // stage of the task after the last reading
	words   atomic.Pointer[string]
}

// message describes the last reading.
func (w *priceWatch) message() string { return *w.words.Load() }

// run waits until the price is reached, the time is over, or ctx is canceled.
func (w *priceWatch) run(ctx context.Context, tell worker.Tell) (any, error) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	reported := ""
	for { // the first reading was made before the task started
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if w.reached || !w.now().Before(w.until) {
			return w.result(), nil
		}
		// Report a failed reading and the first success after one, but not each price.
		if w.stage != reported {
			if err := tell(w.stage, w.message(), 0); err != nil {
				return nil, err
			}
			reported = w.stage
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
		w.look(ctx)
	}
}

// look reads the price once. A failure is retried at the next tick.
func (w *priceWatch) look(ctx context.Context) {
	next, err := w.book.MidPrice(ctx, w.pool)
	words := ""
	if err != nil {
		w.stage, w.reached = stageBlind, false
		words = "The price is unavailable: " + fault.As(err).Text + " It is tried again every 30 seconds."
	} else {
		w.stage, w.last, w.reached = stageWatches, next, w.want.reached(next)
		words = fmt.Sprintf("%s %s per %s at %s; waits for %s.", next.Price, next.Pool.Quote.Symbol, next.Pool.Base.Symbol,
			readAt(next.At).Format(time.RFC3339), w.want.words())
	}
	w.words.Store(&words)
}

func (w *priceWatch) result() watchedPrice {
	out := watchedPrice{Pool: w.pool, Reached: w.reached, Price: w.last.Price, Unread: w.stage == stageBlind}
	if at := w.last.At.UTC(); w.last.Price != "" {
		out.At = &at
	}
	if w.want.above {
		out.Above = w.want.text
	} else {
		out.Below = w.want.text
	}
	return out
}
