package settings

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// Coin is a coin of the pinned registry, by which limits are written.
type Coin struct {
	Symbol   string
	Type     sui.CoinType
	Decimals uint8
}

// Protocol is a protocol that reviews can use.
type Protocol struct{ Slug, Name string }

// How many lines an allowance may have.
const (
	mostLimits     = 64
	mostProtocols  = 32
	mostRecipients = 128
)

// LimitText is one limit as a person writes it: a plain decimal amount of a
// coin of the registry; of any other coin, named by its whole type, smallest
// units.
type LimitText struct {
	Coin sui.CoinType `json:"coin"`
	Most sui.Decimal  `json:"most"`
}

// AllowanceText is an allowance as a person writes it.
type AllowanceText struct {
	PerTransaction []LimitText `json:"perTransaction"`
	PerDay         []LimitText `json:"perDay"`
	Protocols      []string    `json:"protocols"`
	Recipients     []string    `json:"recipients"`
}

// coin gives a coin of the registry; any other one has no decimals and its
// type for a symbol.
func (s *Service) coin(t sui.CoinType) (Coin, bool) {
	i := slices.IndexFunc(s.c.Coins, func(c Coin) bool { return c.Type == t })
	if i < 0 {
		return Coin{Symbol: "smallest units of " + string(t), Type: t}, false
	}
	return s.c.Coins[i], true
}

// read turns what a person wrote into an allowance. A protocol that is neither
// known here nor in the present allowance is refused, with the field.
func (s *Service) read(text AllowanceText, present review.Allowance) (review.Allowance, error) {
	var a review.Allowance
	var err error
	if a.PerTransaction, err = s.readLimits("perTransaction", text.PerTransaction); err != nil {
		return a, err
	}
	if a.PerDay, err = s.readLimits("perDay", text.PerDay); err != nil {
		return a, err
	}
	for _, slug := range text.Protocols {
		known := slices.ContainsFunc(s.c.Protocols, func(p Protocol) bool { return p.Slug == slug })
		if !known && !slices.Contains(present.Protocols, slug) {
			return a, refuseField("protocols", "There is no protocol %q here. Known are: %s.", slug, strings.Join(s.slugs(), ", "))
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
	return a, checkAllowance(a)
}

func (s *Service) slugs() []string {
	var out []string
	for _, p := range s.c.Protocols {
		out = append(out, p.Slug)
	}
	return out
}

func (s *Service) readLimits(field string, lines []LimitText) ([]review.CoinLimit, error) {
	var out []review.CoinLimit
	for _, l := range lines {
		t, err := sui.ParseCoinType(string(l.Coin))
		if err != nil {
			return nil, refuseField(field, "The coin of a limit is one of the list, or named by its whole type, such as 0x…::module::COIN.")
		}
		c, known := s.coin(t)
		if _, err := sui.ParseDecimal(string(l.Most)); err != nil {
			return nil, refuseField(field, "The limit of %s is a plain decimal number such as 10 or 0.25. To have no limit, remove the line.", c.Symbol)
		}
		most, err := l.Most.Raw(c.Decimals)
		switch {
		case err != nil && !known:
			return nil, refuseField(field, "The limit of %s counts its smallest units: a whole number.", t)
		case err != nil:
			return nil, refuseField(field, "%s", fault.As(err).Text)
		}
		out = append(out, review.CoinLimit{CoinType: t, Most: most})
	}
	return out, nil
}

// readRecipient reads an address in full: a short one is padded by Sui to an
// address that nobody has.
func readRecipient(line string) (sui.Address, error) {
	line = strings.TrimSpace(line)
	a, err := sui.ParseAddress(strings.ToLower(line))
	if err != nil || len(line) != len("0x")+2*len(a) || a.IsZero() {
		return a, refuseField("recipients", "A recipient is a whole Sui address: 0x and 64 hexadecimal digits, one on each line.")
	}
	return a, nil
}

// CheckAllowance judges an allowance that was stored.
func CheckAllowance(a review.Allowance) error { return checkAllowance(a) }

// checkAllowance judges an allowance wherever it comes from.
func checkAllowance(a review.Allowance) error {
	for field, list := range map[string][]review.CoinLimit{"perTransaction": a.PerTransaction, "perDay": a.PerDay} {
		if len(list) > mostLimits {
			return refuseField(field, "There are more than %d limits.", mostLimits)
		}
		seen := map[sui.CoinType]bool{}
		for _, l := range list {
			if canonical, err := sui.ParseCoinType(string(l.CoinType)); err != nil || canonical != l.CoinType {
				return refuseField(field, "The limit's coin %q is not a coin type in full.", l.CoinType)
			}
			if seen[l.CoinType] {
				return refuseField(field, "There are two limits for one coin. Keep one of them.")
			}
			seen[l.CoinType] = true
		}
	}
	if len(a.Protocols) > mostProtocols || len(a.Recipients) > mostRecipients {
		return refuseField("recipients", "There are more than %d protocols or %d recipients.", mostProtocols, mostRecipients)
	}
	for i, p := range a.Protocols {
		if len(p) > 40 || strings.Trim(p, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || p == "" || slices.Contains(a.Protocols[:i], p) {
			return refuseField("protocols", "The protocol %q is not the short name of one, or is there twice.", clip(p, 40))
		}
	}
	for i, r := range a.Recipients {
		if r.IsZero() || slices.Contains(a.Recipients[:i], r) {
			return refuseField("recipients", "The recipient %s is there twice, or is no one's address.", r)
		}
	}
	return nil
}

func refuseField(field, format string, args ...any) error {
	return fault.New(fault.InputInvalid, format, args...).With("field", field)
}

// Change is one difference in words. Looser says that more is possible after
// it than before.
type Change struct {
	Name   string `json:"name"`
	Old    string `json:"old"`
	New    string `json:"new"`
	Looser bool   `json:"looser"`
}

const noLimit = "no limit"

// differences names everything that differs between two allowances.
func (s *Service) differences(old, now review.Allowance) []Change {
	out := s.limitChanges("Most of %s in one transaction", old.PerTransaction, now.PerTransaction)
	out = append(out, s.limitChanges("Most of %s in 24 hours", old.PerDay, now.PerDay)...)
	out = append(out, listChanges("Allowed protocols", "every protocol", old.Protocols, now.Protocols)...)
	return append(out, listChanges("Allowed recipients", "every address", addresses(old.Recipients), addresses(now.Recipients))...)
}

func addresses(list []sui.Address) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	return out
}

func (s *Service) limitChanges(name string, old, now []review.CoinLimit) []Change {
	var out []Change
	find := func(list []review.CoinLimit, t sui.CoinType) *review.CoinLimit {
		i := slices.IndexFunc(list, func(l review.CoinLimit) bool { return l.CoinType == t })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	words := func(l *review.CoinLimit) string {
		if l == nil {
			return noLimit
		}
		c, _ := s.coin(l.CoinType)
		return string(l.Most.Decimal(c.Decimals)) + " " + c.Symbol
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
		c, _ := s.coin(t)
		out = append(out, Change{
			Name: strings.Replace(name, "%s", c.Symbol, 1), Old: words(before), New: words(after),
			Looser: before != nil && (after == nil || after.Most > before.Most),
		})
	}
	return out
}

// listChanges compares two lists of what is allowed, of which an empty one
// allows everything.
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

// looser reports whether any of the changes makes more possible.
func looser(changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Looser })
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
