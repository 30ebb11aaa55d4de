package home

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/marks"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Limit is a daily limit. Used is the part that is used, "" if unknown.
type Limit struct {
	Symbol, Used, Most string
	Percent            int
}

// Tone returns the color of the meter: "warn" if at least 80 % of the limit is used.
func (l Limit) Tone() string {
	if l.Percent >= 80 {
		return "warn"
	}
	return ""
}

// Limits returns a function that reads the daily limits from the settings.
func Limits(s *settings.Service) func(context.Context) ([]Limit, error) {
	return func(ctx context.Context) (list []Limit, err error) {
		v, err := s.View(ctx)
		for _, l := range v.PerDay {
			if l.Used == "" {
				continue
			}
			one := Limit{Symbol: words.Whole(l.Coin.Symbol), Used: words.Spaced(l.Used), Most: words.Spaced(l.Most)}
			used, _ := strconv.ParseFloat(l.Used, 64)
			most, _ := strconv.ParseFloat(l.Most, 64)
			if one.Percent = 100; most > 0 {
				one.Percent = int(min(100, used/most*100))
			}
			list = append(list, one)
		}
		return list, err
	}
}

// maxWorth is the maximum number of coins that the card lists. worthTimeout is the maximum time for
// its valuation.
const (
	maxWorth     = 5
	worthTimeout = 12 * time.Second
)

// worthView is the card with the account's holdings.
type worthView struct {
	Announce, Problem, Account, Total, At, Without string
	Unread                                         bool
	Parts                                          []marks.Part
	Coins                                          []worthLine
	Places                                         []words.Line
}

type worthLine struct{ Symbol, Share, Value string }

// worth responds with the value of the account in use.
func (p *page) worth(c *web.Call) error {
	used, err := c.Used()
	if err != nil {
		return err
	}
	owner, err := sui.ParseAddress(used.Address)
	if err != nil {
		return fault.New(fault.InvalidSessionTransition, "No account is connected.")
	}
	ctx, stop := context.WithTimeout(c.Ctx(), worthTimeout)
	defer stop()
	w, err := p.Worth(ctx, owner)
	if err != nil {
		return web.Bare(c, "worth", worthView{Account: used.Address, Announce: "The holdings could not be read.",
			Problem: words.Shown(fault.As(err).Text, 200)})
	}
	return web.Bare(c, "worth", worthOf(used.Address, w))
}

func worthOf(account string, w listing.Worth) worthView {
	free, inside, staked, without := w.Totals()
	total := free + inside + staked
	v := worthView{Account: account, Total: listing.USDC(total), At: words.At(w.At), Unread: w.Unread}
	v.Announce = "Holdings: about " + v.Total + " USDC."
	if without > 0 {
		v.Without = words.Plural(without, "coin", "coins")
	}
	for _, c := range w.Coins {
		if len(v.Coins) == maxWorth {
			break
		}
		one := worthLine{Symbol: c.Symbol, Value: "–"}
		if c.Price != "" {
			share := 0.0
			if total > 0 {
				share = float64(c.Value()) / float64(total)
			}
			one.Value, one.Share = listing.USDC(c.Value()), fmt.Sprintf("%.0f%%", share*100)
			v.Parts = append(v.Parts, marks.Part{Symbol: c.Symbol, Share: share})
		}
		v.Coins = append(v.Coins, one)
	}
	v.Places = []words.Line{{Name: "Free", Value: listing.USDC(free)}}
	if inside > 0 {
		v.Places = append(v.Places, words.Line{Name: "In DeepBook", Value: listing.USDC(inside)})
	}
	if staked > 0 {
		v.Places = append(v.Places, words.Line{Name: "Staked", Value: listing.USDC(staked)})
	}
	return v
}
