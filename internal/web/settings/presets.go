package settings

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
)

// preset is a choice of limits that fills in the form. It takes effect when the user saves.
type preset struct {
	Name   string
	Chosen bool // it equals the stored limits
}

// presetLimits are in whole coins, per transaction and per 24 hours. Every other listed coin gets
// limits of the same value as those of USDC, if it has a price.
var presetLimits = []struct{ symbol, carefulEach, carefulDay, everydayEach, everydayDay string }{
	{"USDC", "50", "100", "200", "500"},
	{"SUI", "20", "50", "100", "300"},
	{"WAL", "100", "300", "500", "1000"},
	{"DEEP", "500", "1000", "2000", "5000"},
}

// Names of the presets.
const (
	presetCareful  = "Careful"
	presetEveryday = "Everyday"
	presetNone     = "No limit"
)

// presets returns all presets. It marks the one that equals the stored limits.
func presets(set []*limitLine) []preset {
	list := []preset{{Name: presetCareful}, {Name: presetEveryday}, {Name: presetNone, Chosen: len(set) == 0}}
	for i := range list[:2] {
		list[i].Chosen = !slices.ContainsFunc(fixed(list[i].Name), func(l limitLine) bool {
			return !slices.ContainsFunc(set, func(s *limitLine) bool {
				return s.Coin == l.Coin && s.Each == l.Each &&
					s.Day == l.Day
			})
		})
	}
	return list
}

// fixed returns the limits of a preset that do not depend on prices.
func fixed(name string) (list []limitLine) {
	for _, l := range presetLimits {
		c, ok := coins.BySymbol(l.symbol)
		if !ok {
			continue
		}
		line := limitLine{Coin: c.Type, Symbol: c.Symbol, Known: true}
		switch name {
		case presetCareful:
			line.Each, line.Day = l.carefulEach, l.carefulDay
		case presetEveryday:
			line.Each, line.Day = l.everydayEach, l.everydayDay
		default:
			return nil
		}
		list = append(list, line)
	}
	return list
}

// listed returns an empty line for every listed coin.
func listed() (list []limitLine) {
	for _, c := range coins.All() {
		list = append(list, limitLine{Coin: c.Type, Symbol: c.Symbol, Known: true})
	}
	return list
}

type presetIn struct {
	Name string `json:"name"`
}

type presetLine struct {
	Coin sui.CoinType `json:"coin"`
	Each string       `json:"each"`
	Day  string       `json:"day"`
}

type presetOut struct {
	Limits []presetLine `json:"limits"`
	Says   string       `json:"says"` // which coins have no price and therefore no limit; "" for none
}

// priceTime is the maximum time to wait for prices.
const priceTime = 4 * time.Second

// preset returns the limits of a preset for every listed coin.
func (p *page) preset(c *web.Call, in presetIn) error {
	out, without := presetOut{Limits: []presetLine{}}, []string{}
	lines := fixed(in.Name)
	for _, l := range lines {
		out.Limits = append(out.Limits, presetLine{l.Coin, l.Each, l.Day})
	}
	if len(lines) == 0 {
		return web.JSON(c, 200, out)
	}
	each, _ := strconv.ParseFloat(lines[0].Each, 64)
	day, _ := strconv.ParseFloat(lines[0].Day, 64)
	all := slices.DeleteFunc(coins.All(), func(c coins.Coin) bool {
		return slices.ContainsFunc(lines, func(l limitLine) bool { return l.Coin == c.Type })
	})
	for i, price := range p.pricesOf(c.Ctx(), all) {
		line := presetLine{all[i].Type, worth(each, price, all[i].Decimals), worth(day, price, all[i].Decimals)}
		if line.Each == "" || line.Day == "" {
			without = append(without, all[i].Symbol)
			continue
		}
		out.Limits = append(out.Limits, line)
	}
	if len(without) > 0 {
		out.Says = "Without a price, so without a limit: " + strings.Join(without, ", ") + "."
	}
	return web.JSON(c, 200, out)
}

// pricesOf returns the price of each coin in USDC, or 0 if unknown.
func (p *page) pricesOf(ctx context.Context, list []coins.Coin) []float64 {
	ctx, stop := context.WithTimeout(ctx, priceTime)
	defer stop()
	prices := make([]float64, len(list))
	var reading sync.WaitGroup
	for i, c := range list {
		reading.Go(func() {
			if found, ok := p.Prices.InUSDC(ctx, c); ok {
				prices[i], _ = strconv.ParseFloat(string(found.USDC), 64)
			}
		})
	}
	reading.Wait()
	return prices
}

// worth returns the amount of a coin that is worth usdc, rounded down to one significant digit. It
// returns "" if the coin has too few decimals for that.
func worth(usdc, price float64, decimals uint8) string {
	if price <= 0 {
		return ""
	}
	n := usdc / price
	digits := int(math.Floor(math.Log10(n)))
	if -digits > int(decimals) {
		return ""
	}
	unit := math.Pow10(digits)
	return strconv.FormatFloat(math.Floor(n/unit+1e-9)*unit, 'f', max(0, -digits), 64)
}
