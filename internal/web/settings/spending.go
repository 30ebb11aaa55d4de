package settings

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
)

// limitForm is the form of one list of limits.
type limitForm struct {
	Name, Title, Hint string
	Lines             []limitLine
}

// limitLine is one limit: an amount, the coins to choose from, and the type of
// another one. Used is what of a limit of a day is used and left, "" where that is not known.
type limitLine struct {
	Most    string
	Used    string
	Options []coinOption
	Other   sui.CoinType
}

type coinOption struct {
	Type   sui.CoinType
	Symbol string
	Chosen bool
}

type protocolBox struct {
	Slug, Name string
	Checked    bool
}

func limitLines(lines []policy.Line) []limitLine {
	var out []limitLine
	for _, l := range lines {
		out = append(out, lineOf(l))
	}
	return out
}

// lineOf returns a limit with every pinned coin to choose from, and with its own
// where that is not pinned.
func lineOf(l policy.Line) limitLine {
	f := limitLine{Most: l.Most}
	if l.Left != "" {
		f.Used = l.Used + " " + l.Coin.Symbol + " used in the last 24 hours, " + l.Left + " " + l.Coin.Symbol + " left"
	}
	if !l.Known {
		f.Other = l.Coin.Type
	}
	for _, c := range coins.All() {
		f.Options = append(f.Options, coinOption{c.Type, c.Symbol, l.Known && c.Type == l.Coin.Type})
	}
	return f
}

// protocols lists those that are known, and those that are allowed and are not.
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

// limits stores what may be spent, on what and to whom. An empty list
// allows everything, so it has to be meant.
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

// trimmed drops empty lines.
func trimmed(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}
