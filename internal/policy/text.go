package policy

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Protocol is a protocol that reviews can use.
type Protocol struct{ Slug, Name string }

// Line is one limit in text form.
type Line struct {
	Coin  coins.Coin
	Known bool // the coin is pinned; if not, Most is in raw units
	Raw   string
	Most  string // display amount without the symbol
	// Used and Left are display amounts of the last 24 hours, or "" if unknown.
	Used, Left string

	limit CoinLimit
}

// Since sets Used and Left of a daily limit.
func (l *Line) Since(released []Release, now time.Time) {
	used := UsedOf(released, l.Coin.Type, now)
	left := l.limit.Most - min(used, l.limit.Most)
	l.Used, l.Left = string(used.Decimal(l.Coin.Decimals)), string(left.Decimal(l.Coin.Decimals))
}

// Lines returns limits in text form.
func Lines(limits []CoinLimit) []Line {
	var out []Line
	for _, l := range limits {
		c, known := coinOf(l.CoinType)
		out = append(out, Line{Coin: c, Known: known, Raw: l.Most.String(), Most: string(l.Most.Decimal(c.Decimals)),
			limit: l})
	}
	return out
}

// LimitText is a limit in the form that a user enters: a decimal amount of a pinned coin, or the
// smallest units of another coin, given by its full type.
type LimitText struct {
	Coin sui.CoinType `json:"coin"`
	Most sui.Decimal  `json:"most"`
}

// AllowanceText is an allowance in the form that a user enters.
type AllowanceText struct {
	PerTransaction []LimitText `json:"perTransaction"`
	PerDay         []LimitText `json:"perDay"`
	Protocols      []string    `json:"protocols"`
	Recipients     []string    `json:"recipients"`
	ProvedOnly     bool        `json:"provedOnly"`
	Requests       int         `json:"requests"` // 0 means the default
}

// coinOf returns a pinned coin. For any other type, it returns a coin without decimals whose symbol
// names the type.
func coinOf(t sui.CoinType) (coins.Coin, bool) {
	c, known := coins.ByType(t)
	if !known {
		c = coins.Coin{Symbol: "smallest units of " + string(t), Type: t}
	}
	return c, known
}

// Read parses an allowance. It rejects a protocol that is neither known nor in the present
// allowance. Its errors name the field.
func (text AllowanceText) Read(known []Protocol, present Allowance) (Allowance, error) {
	a := Allowance{ProvedOnly: text.ProvedOnly}
	if text.Requests != UsualRequests { // the default is not stored
		a.Requests = text.Requests
	}
	var err error
	if a.PerTransaction, err = readLimits("perTransaction", text.PerTransaction); err != nil {
		return a, err
	}
	if a.PerDay, err = readLimits("perDay", text.PerDay); err != nil {
		return a, err
	}
	for _, slug := range text.Protocols {
		listed := slices.ContainsFunc(known, func(p Protocol) bool { return p.Slug == slug })
		if !listed && !slices.Contains(present.Protocols, slug) {
			return a, refuseField("protocols", "Unknown protocol %q. Known protocols: %s.", slug, strings.Join(slugs(known),
				", "))
		}
		a.Protocols = append(a.Protocols, slug)
	}
	for _, line := range text.Recipients {
		r, err := readRecipient(line)
		if err != nil {
			return a, err
		}
		a.Recipients = append(a.Recipients, r)
	}
	return a, a.Check()
}

func slugs(known []Protocol) []string {
	var out []string
	for _, p := range known {
		out = append(out, p.Slug)
	}
	return out
}

func readLimits(field string, lines []LimitText) ([]CoinLimit, error) {
	var out []CoinLimit
	for _, l := range lines {
		t, err := sui.ParseCoinType(string(l.Coin))
		if err != nil {
			return nil, refuseField(field,
				"Choose a limit's coin from the list, or enter its full type, such as 0x…::module::COIN.")
		}
		c, known := coinOf(t)
		if _, err := sui.ParseDecimal(string(l.Most)); err != nil {
			return nil, refuseField(field,
				"Enter the limit of %s as a decimal number such as 10 or 0.25. For no limit, remove the line.", c.Symbol)
		}
		limit, err := l.Most.Raw(c.Decimals)
		switch {
		case err != nil && !known:
			return nil, refuseField(field, "The limit of %s is in its smallest units. Enter a whole number.", t)
		case err != nil:
			return nil, refuseField(field, "%s", fault.As(err).Text)
		}
		out = append(out, CoinLimit{CoinType: t, Most: limit})
	}
	return out, nil
}

// readRecipient parses a full address. It rejects a short one, which Sui would pad to an address
// that nobody owns.
func readRecipient(line string) (sui.Address, error) {
	line = strings.TrimSpace(line)
	a, err := sui.ParseAccount(strings.ToLower(line))
	if err != nil || a.IsZero() {
		return a, refuseField("recipients",
			"Enter each recipient as a full Sui address on its own line: 0x and 64 hexadecimal digits.")
	}
	return a, nil
}

// Change is one difference between two allowances. Looser reports that it permits more.
type Change struct {
	Name   string `json:"name"`
	Old    string `json:"old"`
	New    string `json:"new"`
	Looser bool   `json:"looser"`
}

const noLimit = "no limit"

// Differences lists the differences between two allowances.
func Differences(old, now Allowance) []Change {
	return differences(old, now, func(CoinLimit) string { return "" })
}

// DifferencesSince is like Differences, but includes the used and the remaining amount of each
// daily limit.
func DifferencesSince(old, now Allowance, released []Release, at time.Time) []Change {
	return differences(old, now, func(limit CoinLimit) string {
		l := Lines([]CoinLimit{limit})[0]
		l.Since(released, at)
		return ": " + l.Used + " used, " + l.Left + " left"
	})
}

func differences(old, now Allowance, used func(CoinLimit) string) []Change {
	out := limitChanges("Maximum %s in one transaction", old.PerTransaction, now.PerTransaction,
		func(CoinLimit) string { return "" })
	out = append(out, limitChanges("Maximum %s in 24 hours", old.PerDay, now.PerDay, used)...)
	out = append(out, listChanges("Allowed protocols", "every protocol", old.Protocols, now.Protocols)...)
	out = append(out, listChanges("Allowed recipients", "every address", addresses(old.Recipients),
		addresses(now.Recipients))...)
	if old.ProvedOnly != now.ProvedOnly {
		final := map[bool]string{false: "also results reported by one node", true: "only results signed by validators"}
		out = append(out, Change{Name: "Final results", Old: final[old.ProvedOnly], New: final[now.ProvedOnly],
			Looser: old.ProvedOnly})
	}
	if was, is := old.MostRequests(), now.MostRequests(); was != is {
		out = append(out, Change{Name: "Requests for one account in ten minutes", Old: strconv.Itoa(was),
			New: strconv.Itoa(is), Looser: is > was})
	}
	return out
}

func addresses(list []sui.Address) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	return out
}

func limitChanges(name string, old, now []CoinLimit, used func(CoinLimit) string) []Change {
	var out []Change
	find := func(list []CoinLimit, t sui.CoinType) *CoinLimit {
		i := slices.IndexFunc(list, func(l CoinLimit) bool { return l.CoinType == t })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	words := func(l *CoinLimit) string {
		if l == nil {
			return noLimit
		}
		c, _ := coinOf(l.CoinType)
		return string(l.Most.Decimal(c.Decimals)) + " " + c.Symbol + used(*l)
	}
	var types []sui.CoinType
	for _, l := range slices.Concat(old, now) {
		if !slices.Contains(types, l.CoinType) {
			types = append(types, l.CoinType)
		}
	}
	for _, t := range types {
		before, after := find(old, t), find(now, t)
		if before != nil && after != nil && before.Most == after.Most {
			continue
		}
		c, _ := coinOf(t)
		out = append(out, Change{
			Name: strings.Replace(name, "%s", c.Symbol, 1), Old: words(before), New: words(after),
			Looser: before != nil && (after == nil || after.Most > before.Most),
		})
	}
	return out
}

// listChanges compares two lists of allowed values, where an empty list allows everything.
func listChanges(name, everything string, old, now []string) []Change {
	words := func(list []string) string {
		if len(list) == 0 {
			return everything
		}
		return "only " + strings.Join(list, ", ")
	}
	same := len(old) == len(now)
	added := false
	for _, v := range now {
		added = added || !slices.Contains(old, v)
	}
	if same && !added {
		return nil
	}
	return []Change{{Name: name, Old: words(old), New: words(now), Looser: len(old) > 0 && (len(now) == 0 || added)}}
}

// Looser reports whether any change permits more than before.
func Looser(changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Looser })
}
