package review

import (
	"context"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// unit adds the chain's metadata for a coin that an intent names by its type. If the decimals are
// known, it converts an amount in smallest units to whole coins.
func (s *Service) unit(ctx context.Context, a plan.Adapter, from plan.IntentSource) (plan.IntentSource, error) {
	from.Unit = plan.IntentUnit{}
	if !a.Meta().AnyCoin || !strings.Contains(from.Symbol, "::") {
		return from, nil
	}
	t, err := sui.ParseCoinType(from.Symbol)
	if err != nil {
		return from, plan.AtField("intent.from.symbol", err)
	}
	from.Symbol = string(t)
	m, err := s.c.Chain.Metadata(ctx, t)
	switch {
	case (node.Undescribed(err) || m.Decimals > sui.MostDecimals) && from.Raw:
		return from, nil
	case err == nil && m.Decimals > sui.MostDecimals:
		return from, fault.New(fault.InputInvalid,
			"The node says that the coin %s has %d decimals, more than %d, so its amounts are counted in "+
				"its smallest units only. Ask the user for the amount in those, and give that whole number with "+
				"intent.from.raw set to true.",
			t, m.Decimals, sui.MostDecimals).With("field", "intent.from.amount")
	case node.Undescribed(err):
		return from, fault.New(fault.InputInvalid,
			"The chain has no description of the coin %s, so nobody knows how many decimals it has. "+
				"Ask the user for the amount in its smallest units, and give that whole number with "+
				"intent.from.raw set to true.", t).
			With("field", "intent.from.amount")
	case err != nil:
		return from, err
	}
	from.Unit = plan.IntentUnit{Known: true, Decimals: m.Decimals, Symbol: screen.Text(m.Symbol, plan.MostSymbol).Text}
	if from.Raw {
		raw, err := sui.Decimal(from.Amount).Raw(0)
		if err != nil {
			return from, plan.AtField("intent.from.amount", err)
		}
		from.Amount, from.Raw = string(raw.Decimal(m.Decimals)), false
	}
	return from, nil
}
