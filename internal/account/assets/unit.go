package assets

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MetadataLife is how long a stored description of a coin is used before the chain is queried
// again.
const MetadataLife = 24 * time.Hour

// lookupTime limits the time of all description queries of one call.
const lookupTime = 10 * time.Second

// UnitStatus states whether a coin's decimals are verified.
type UnitStatus string

// The statuses of a unit.
const (
	UnitAvailable   UnitStatus = "available"
	UnitUnavailable UnitStatus = "unavailable"
)

// Sources of decimals.
const (
	FromMetadata     = "sui_coin_metadata"
	FromPinnedScalar = "pinned_deepbook_scalar"
)

// Reasons for missing verified decimals.
const (
	MetadataNotFound   = "metadata_not_found"
	MetadataFailed     = "metadata_lookup_failed"
	DecimalsDisagree   = "decimals_disagree_with_pinned_registry"
	DecimalsOutOfRange = "decimals_out_of_range"
)

// Unit is the number of decimal places by which a raw amount is shifted for display. Decimals and
// Source are set if the unit is available, otherwise Reason. CheckedAt is when the chain was
// queried; it is zero for decimals from the pinned registry.
type Unit struct {
	Status    UnitStatus
	Decimals  uint8
	Source    string
	Reason    string
	CheckedAt time.Time
}

// Label is a coin's name and symbol as its unknown creator chose them, made safe for display. Flags
// report suspicious features of the text.
type Label struct {
	Symbol, Name string
	Flags        []screen.Flag
}

// TakesPinnedSymbol marks a coin that has the exact symbol of a pinned coin but is a different
// coin.
const TakesPinnedSymbol screen.Flag = "same_symbol_as_registered_coin"

// unitOf determines a coin's unit from the chain's description, or else from the pinned registry.
// If the two disagree, the unit is unavailable, because an amount that is wrong by a power of ten
// is worse than none.
func unitOf(d Described, asked bool, pinned *coins.Coin) Unit {
	reason := MetadataFailed
	if asked && !d.Found {
		reason = MetadataNotFound
	}
	switch {
	case d.Found && pinned != nil && d.Decimals != pinned.Decimals:
		return Unit{Status: UnitUnavailable, Reason: DecimalsDisagree, CheckedAt: d.At}
	case d.Found && d.Decimals > sui.MostDecimals:
		return Unit{Status: UnitUnavailable, Reason: DecimalsOutOfRange, CheckedAt: d.At}
	case d.Found:
		return Unit{Status: UnitAvailable, Decimals: d.Decimals, Source: FromMetadata, CheckedAt: d.At}
	case pinned != nil:
		return Unit{Status: UnitAvailable, Decimals: pinned.Decimals, Source: FromPinnedScalar}
	}
	return Unit{Status: UnitUnavailable, Reason: reason, CheckedAt: d.At}
}

// labelOf returns a coin's own name and symbol in a safe form, or nil if it has neither.
func (s *Service) labelOf(d Described, pinned *coins.Coin) *Label {
	if !d.Found || d.Symbol == "" && d.Name == "" {
		return nil
	}
	name := screen.Name(d.Name)
	symbol := screen.Text(d.Symbol, screen.MostSymbol)
	if pinned == nil {
		symbol = s.known.Symbol(d.Symbol)
		if slices.Contains(s.symbols, d.Symbol) {
			symbol.Flags = append(symbol.Flags, TakesPinnedSymbol)
		}
	}
	l := &Label{Symbol: symbol.Text, Name: name.Text, Flags: symbol.Flags}
	for _, f := range name.Flags {
		if !slices.Contains(l.Flags, f) {
			l.Flags = append(l.Flags, f)
		}
	}
	return l
}

// describe returns the chain's descriptions of coins, from the cache if they are recent. A coin
// missing from the result could not be queried. If the cache fails, describe returns
// fault.MetadataCacheUnavailable, because units are never guessed and a broken cache must not look
// like a coin without a unit.
func (s *Service) describe(ctx context.Context, chain sui.Digest, coins []sui.CoinType) (map[sui.CoinType]Described,
	error) {
	since := s.c.Now().Add(-MetadataLife)
	cached, err := s.c.Cache.Descriptions(ctx, chain, coins, since)
	if err != nil {
		return nil, cacheFault(err, "read")
	}
	known := make(map[sui.CoinType]Described, len(coins))
	for _, d := range cached {
		known[d.Coin] = d
	}
	var missing []sui.CoinType
	for _, c := range coins {
		if _, ok := known[c]; !ok {
			missing = append(missing, c)
		}
	}
	if len(missing) == 0 {
		return known, nil
	}
	reported, err := s.lookUp(ctx, missing)
	if err != nil {
		return nil, err
	}
	if len(reported) > 0 {
		if err := s.c.Cache.KeepDescriptions(ctx, chain, reported, since); err != nil {
			return nil, cacheFault(err, "written")
		}
	}
	for _, d := range reported {
		known[d.Coin] = d
	}
	return known, nil
}

// lookUp queries the node about several coins concurrently. If the node is unreachable, the
// remaining coins are not queried.
func (s *Service) lookUp(ctx context.Context, coins []sui.CoinType) ([]Described, error) {
	bounded, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	answers := make([]*Described, len(coins))
	var down atomic.Bool
	each(len(coins), func(i int) {
		if down.Load() {
			return
		}
		m, found, err := s.c.Chain.CoinInfo(bounded, coins[i])
		if err != nil {
			if fault.Is(err, fault.ProviderUnavailable) || bounded.Err() != nil {
				down.Store(true)
			}
			return
		}
		answers[i] = &Described{Coin: coins[i], Found: found, Decimals: m.Decimals, Symbol: m.Symbol, Name: m.Name,
			At: s.c.Now()}
	})
	if ctx.Err() != nil {
		return nil, fault.Wrap(ctx.Err(), fault.RequestAborted, "The call was cancelled.")
	}
	var reported []Described
	for _, d := range answers {
		if d != nil {
			reported = append(reported, *d)
		}
	}
	return reported, nil
}

func cacheFault(err error, done string) error {
	if fault.Is(err, fault.RequestAborted) {
		return err
	}
	return fault.Wrap(err, fault.MetadataCacheUnavailable,
		"The local cache of coin metadata could not be %s, so no amounts can be shown. Check the data directory's disk space and "+
			"permissions, then try again.", done)
}
