package assets

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// IntentKind is the kind of question about settlement assets.
type IntentKind string

// Kinds of questions.
const (
	CoverPayment IntentKind = "cover_payment_like_amount"
	BalanceTotal IntentKind = "summarize_settlement_asset_group_balance"
)

// SelectionSource states where the user chose a target coin. An AI client's own choice is not a
// valid source.
type SelectionSource string

// Sources of a selection.
const (
	UserExplicit  SelectionSource = "user_explicit"
	PriorExplicit SelectionSource = "prior_user_explicit_context"
)

// Question is a question about settlement assets. Required is a display amount in the denomination;
// Target and Accepted are symbols of the group. A nil Accepted means every coin of the group.
type Question struct {
	Kind         IntentKind
	Denomination string
	Required     string
	Target       string
	TargetSource SelectionSource
	Accepted     []string
}

// intent is a validated Question.
type intent struct {
	kind     IntentKind
	group    Group
	required *big.Rat // nil for a total
	target   *coins.Coin
	source   SelectionSource
	accepted map[sui.CoinType]bool // nil means all
}

func invalid(field, format string, args ...any) error {
	return fault.New(fault.InputInvalid, format, args...).With("field", field)
}

// understand validates a question without any request. It returns fault.InputInvalid for the first
// invalid field.
func understand(q Question) (intent, error) {
	g, err := GroupOf(q.Denomination)
	if err != nil {
		return intent{}, err
	}
	in := intent{kind: q.Kind, group: g, source: q.TargetSource}
	switch q.Kind {
	case BalanceTotal:
		return in, in.onlyTotal(q)
	case CoverPayment:
	default:
		return in, invalid("intentKind", "The kind of question is %s or %s.", CoverPayment, BalanceTotal)
	}
	if err := in.amount(q.Required); err != nil {
		return in, err
	}
	if err := in.choose(q); err != nil {
		return in, err
	}
	return in, in.accept(q.Accepted)
}

// onlyTotal rejects fields that do not apply to a question for a total.
func (in *intent) onlyTotal(q Question) error {
	for _, a := range []struct {
		field string
		given bool
	}{
		{"requiredDisplayAmount", q.Required != ""}, {"targetAssetSymbol", q.Target != ""},
		{"targetAssetSelectionSource", q.TargetSource != ""}, {"acceptedSourceAssetSymbols", q.Accepted != nil},
	} {
		if a.given {
			return invalid(a.field, "%s does not apply to a question about a total. Omit it, or use intentKind %s.",
				a.field, CoverPayment)
		}
	}
	return nil
}

func (in *intent) amount(text string) error {
	const field = "requiredDisplayAmount"
	if text == "" {
		return invalid(field, "%s is missing: the amount to cover, such as 1000.", field)
	}
	d, err := sui.ParseDecimal(text)
	if err != nil {
		return fault.As(err).With("field", field)
	}
	in.required = number(d)
	if in.required.Sign() == 0 {
		return invalid(field, "The amount must be more than zero.")
	}
	if exact := number(decimal(in.required, in.group.places())); exact.Cmp(in.required) != 0 {
		return invalid(field, "The amount %s has more than %d decimals, more than any asset of the group.", d,
			in.group.places())
	}
	return nil
}

func (in *intent) choose(q Question) error {
	switch {
	case q.Target == "" && q.TargetSource == "":
		return nil
	case q.TargetSource == "":
		return invalid("targetAssetSelectionSource",
			"targetAssetSymbol needs targetAssetSelectionSource: %s or %s, by who chose the coin. "+
				"Omit both unless the user chose one.", UserExplicit, PriorExplicit)
	case q.Target == "":
		return invalid("targetAssetSymbol", "targetAssetSelectionSource needs the targetAssetSymbol that the person chose.")
	case q.TargetSource != UserExplicit && q.TargetSource != PriorExplicit:
		return invalid("targetAssetSelectionSource", "A target is chosen by %s or %s.", UserExplicit, PriorExplicit)
	}
	coin, err := in.group.member(q.Target, "targetAssetSymbol")
	in.target = &coin
	return err
}

func (in *intent) accept(symbols []string) error {
	const field = "acceptedSourceAssetSymbols"
	if symbols == nil {
		return nil
	}
	if len(symbols) == 0 {
		return invalid(field, "%s names at least one asset, or is left out for all of the group.", field)
	}
	in.accepted = map[sui.CoinType]bool{}
	for _, s := range symbols {
		coin, err := in.group.member(s, field)
		if err != nil {
			return err
		}
		if in.accepted[coin.Type] {
			return invalid(field, "%s names %s twice.", field, coin.Symbol)
		}
		in.accepted[coin.Type] = true
	}
	return nil
}
