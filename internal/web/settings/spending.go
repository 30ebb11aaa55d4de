package settings

import (
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
)

// limitLine is the limits of one coin. Each and Day are display amounts; "" means no limit.
type limitLine struct {
	Coin       sui.CoinType
	Symbol     string
	Known      bool // a pinned coin; other coins have amounts in smallest units
	Each, Day  string
	Used, Left string // used and left parts of Day; "" if unknown
	Percent    int    // used part of Day in percent
	Tone       string // color of the meter: "warn" if little is left
	Options    []coinOption
}

// littleLeft is the used part of a daily limit, in percent, at which the meter warns.
const littleLeft = 80

type coinOption struct {
	Type   sui.CoinType
	Symbol string
}

// limitLines returns the limits of each coin in the order in which the user entered them.
func limitLines(each, day []policy.Line) (out []*limitLine) {
	of := func(l policy.Line) *limitLine {
		for _, have := range out {
			if have.Coin == l.Coin.Type {
				return have
			}
		}
		out = append(out, &limitLine{Coin: l.Coin.Type, Symbol: l.Coin.Symbol, Known: l.Known})
		return out[len(out)-1]
	}
	for _, l := range each {
		of(l).Each = l.Most
	}
	for _, l := range day {
		line := of(l)
		line.Day, line.Used, line.Left = l.Most, l.Used, l.Left
		if line.Percent = share(l.Used, l.Most); line.Percent >= littleLeft {
			line.Tone = "warn"
		}
	}
	return out
}

// share returns part as a percentage of whole, at most 100.
func share(part, whole string) int {
	p, ok := new(big.Rat).SetString(part)
	w, fine := new(big.Rat).SetString(whole)
	if !ok || !fine || p.Sign() < 0 || w.Sign() <= 0 {
		return 0
	}
	percent, _ := new(big.Rat).Mul(p.Quo(p, w), big.NewRat(100, 1)).Float64()
	return int(min(percent, 100))
}

// blank returns the row for a coin that is not chosen yet.
func blank() *limitLine {
	line := &limitLine{}
	for _, c := range coins.All() {
		line.Options = append(line.Options, coinOption{c.Type, c.Symbol})
	}
	return line
}

type protocolBox struct {
	Slug, Name string
	Checked    bool
}

// protocols lists the known protocols, and allowed ones that are no longer known.
func (p *settingsPage) protocols(v settings.View) {
	p.EveryProtocol = len(v.Allowance.Protocols) == 0
	for _, known := range v.Protocols {
		p.Protocols = append(p.Protocols, protocolBox{known.Slug, known.Name, slices.Contains(v.Allowance.Protocols,
			known.Slug)})
	}
	for _, slug := range v.Allowance.Protocols {
		if !slices.ContainsFunc(p.Protocols, func(b protocolBox) bool { return b.Slug == slug }) {
			p.Protocols = append(p.Protocols, protocolBox{slug, slug + ", which this version does not have", true})
		}
	}
}

type limitsIn struct {
	policy.AllowanceText
	EveryProtocol  bool   `json:"everyProtocol"`
	EveryRecipient bool   `json:"everyRecipient"`
	Confirm        string `json:"confirm,omitempty"`
}

// limits stores limits on amounts, protocols and recipients. An empty list allows everything, so
// the user must confirm it.
func (p *page) limits(c *web.Call, in limitsIn) error {
	if in.Recipients = trimmed(in.Recipients); in.EveryRecipient {
		in.Recipients = nil
	} else if len(in.Recipients) == 0 {
		return fault.New(fault.InputInvalid, "Write at least one recipient, or choose every address.").With("field",
			"recipients")
	}
	if in.EveryProtocol {
		in.Protocols = nil
	} else if len(in.Protocols) == 0 {
		return fault.New(fault.InputInvalid, "Choose at least one protocol, or every protocol.").With("field", "protocols")
	}
	out, err := p.Settings.SetAllowance(c.Ctx(), in.AllowanceText, in.Confirm, c.Right)
	return became(c, out, err)
}

// trimmed removes empty lines and surrounding white space.
func trimmed(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}
