package registry

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// maxNamed bounds how much of an unknown name an error repeats.
const maxNamed = 60

// FindPool is PoolByKey with an error that helps: fault.RegistryMiss names the
// pools that look alike, else all of them, in its details.
func FindPool(key string) (Pool, error) {
	if err := Check(); err != nil {
		return Pool{}, err
	}
	if p, ok := PoolByKey(key); ok {
		return p, nil
	}
	keys := make([]string, len(pinned.pools))
	for i, p := range pinned.pools {
		keys[i] = p.Key
	}
	return Pool{}, miss("DeepBook pool", key, keys)
}

// FindCoin finds a coin by symbol, or by type text that holds "::". An unknown
// one is fault.RegistryMiss that names the symbols that look alike, else all of
// them; text that is no type is fault.InputInvalid.
func FindCoin(name string) (Coin, error) {
	if err := Check(); err != nil {
		return Coin{}, err
	}
	symbols := make([]string, len(pinned.coins))
	for i, c := range pinned.coins {
		symbols[i] = c.Symbol
	}
	if !strings.Contains(name, "::") {
		if c, ok := CoinBySymbol(name); ok {
			return c, nil
		}
		return Coin{}, miss("coin", name, symbols)
	}
	t, err := sui.ParseCoinType(name)
	if err != nil {
		return Coin{}, err
	}
	if c, ok := CoinByType(t); ok {
		return c, nil
	}
	return Coin{}, miss("coin", name, symbols)
}

// Direct finds the pool that trades from against to, and the direction in which
// from is paid. Two equal coins are fault.InputInvalid; a pair without a pinned
// pool is fault.RegistryMiss with the pools of each coin in its details.
func Direct(from, to Coin) (Pool, Direction, error) {
	if err := Check(); err != nil {
		return Pool{}, "", err
	}
	if from.Type == to.Type {
		return Pool{}, "", fault.New(fault.InputInvalid, "A swap needs two different coins; both are %s.", from.Symbol)
	}
	for _, p := range pinned.pools {
		if p.Base.Type == from.Type && p.Quote.Type == to.Type {
			return p, BaseToQuote, nil
		}
		if p.Quote.Type == from.Type && p.Base.Type == to.Type {
			return p, QuoteToBase, nil
		}
	}
	return Pool{}, "", fault.New(fault.RegistryMiss,
		"No pinned DeepBook pool trades %s directly against %s. Choose another pair; routes over several pools are not built.",
		from.Symbol, to.Symbol).
		WithList("poolsOf"+from.Symbol, keysOf(from)).
		WithList("poolsOf"+to.Symbol, keysOf(to))
}

func keysOf(c Coin) []string {
	keys := []string{}
	for _, p := range PoolsOf(c.Type) {
		keys = append(keys, p.Key)
	}
	return keys
}

func miss(kind, name string, all []string) error {
	shown := strings.ToValidUTF8(name, "\uFFFD")
	if runes := []rune(shown); len(runes) > maxNamed {
		shown = string(runes[:maxNamed]) + "…"
	}
	if near := nearest(name, all); len(near) > 0 {
		return fault.New(fault.RegistryMiss, "There is no pinned %s %q. Did you mean %s?",
			kind, shown, strings.Join(near, " or ")).WithList("near", near)
	}
	return fault.New(fault.RegistryMiss, "There is no pinned %s %q. Available: %s.",
		kind, shown, strings.Join(all, ", ")).WithList("available", all)
}

// nearest gives at most four names that contain the asked one, are contained in
// it, or differ from it by at most two letters.
func nearest(name string, all []string) []string {
	asked := letters(name)
	if len(asked) < 2 || len(name) > maxNamed {
		return nil
	}
	var near []string
	for _, n := range all {
		known := letters(n)
		alike := strings.Contains(known, asked) || strings.Contains(asked, known)
		if alike || fault.Edits(asked, known) <= min(2, len(known)/3) || sameParts(name, n) {
			near = append(near, n)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int {
		return fault.Edits(asked, letters(a)) - fault.Edits(asked, letters(b))
	})
	return near[:min(len(near), 4)]
}

// letters folds case and drops separators, so that sui/usdc is SUI_USDC.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// sameParts reports whether two pool keys name the same coins in another order.
func sameParts(a, b string) bool {
	split := func(s string) []string {
		parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == '_' || r == '-' || r == '/' || r == ' ' })
		slices.Sort(parts)
		return parts
	}
	pa, pb := split(a), split(b)
	return len(pa) > 1 && slices.Equal(pa, pb)
}
