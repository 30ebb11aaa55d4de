package plan

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Intent is what the person asked for, as the AI client passed it on. It is a
// wish, not a fact: symbols, amounts and ids are text until an adapter's plan
// has read them. Which fields an action takes is the adapter's to say; it
// refuses the others.
type Intent struct {
	Type           string       `json:"type"` // Meta().Action of an adapter, as in "swap"
	From           IntentSource `json:"from,omitzero"`
	To             IntentTarget `json:"to,omitzero"`
	MaxSlippageBps int          `json:"maxSlippageBps,omitempty"` // 1..1000; 100 is one percent
	Protocol       string       `json:"protocol,omitempty"`
	FeeMode        string       `json:"feeMode,omitempty"`   // "input" (default) or "deep"
	Recipient      string       `json:"recipient,omitempty"` // whole address of who shall get what leaves
	Manager        string       `json:"manager,omitempty"`   // object id of a balance manager
	Order          *Order       `json:"order,omitempty"`
	OrderID        string       `json:"orderId,omitempty"` // decimal number that names an order of the pool

	// Steps are the intents of several actions that one transaction carries out, in
	// their order, each with its protocol. Where there are any, the fields above but
	// Type are empty.
	Steps []Intent `json:"steps,omitempty"`

	// Asked is the wish in one line, in the adapter's words; a client's is
	// overwritten when the review is prepared.
	Asked string `json:"asked,omitempty"`
}

// Order is an order that shall rest in a book. Price and Quantity are
// plain decimal text: quote coins per base coin, and base coins.
type Order struct {
	Pool      string `json:"pool"`
	Side      string `json:"side,omitempty"` // buy or sell
	Price     string `json:"price,omitempty"`
	Quantity  string `json:"quantity,omitempty"`
	ExpiresAt string `json:"expiresAt,omitempty"` // RFC 3339; empty: until it is cancelled
	PostOnly  bool   `json:"postOnly,omitempty"`
}

// IntentSource is what leaves: a symbol of the registry and a plain decimal
// amount. An action that takes any coin takes its whole type in place of a
// symbol. Raw says that Amount counts the smallest units of such a coin.
type IntentSource struct {
	Symbol string `json:"symbol"`
	Amount string `json:"amount"`
	Raw    bool   `json:"raw,omitempty"`

	// Unit is what the chain told of a coin that is named by its type when the
	// review was prepared; a client's is overwritten. Every computation asks anew.
	Unit IntentUnit `json:"unit,omitzero"`
}

// IntentUnit is what a coin says of itself: how many decimals it has, and a
// symbol, which nobody vouches for.
type IntentUnit struct {
	Told     bool   `json:"told"`
	Decimals uint8  `json:"decimals"`
	Symbol   string `json:"symbol,omitempty"`
}

// IntentTarget is what shall arrive. Amount is there only where the action gives
// exactly that much, as a withdrawal does.
type IntentTarget struct {
	Symbol string `json:"symbol"`
	Amount string `json:"amount,omitempty"`
}

// Each returns the intent of every step: of an intent without steps, itself.
func (i Intent) Each() []Intent {
	if len(i.Steps) == 0 {
		return []Intent{i}
	}
	return i.Steps
}

// Bundle is the type of an intent of several steps.
const Bundle = "bundle"

// The bounds of how many steps one transaction may have.
const (
	fewestSteps  = 2
	mostOfBundle = 8
)

// Bundled reports what is wrong with an intent of several steps, nil where nothing
// is, and for an intent of one.
func (i Intent) Bundled() error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.InputInvalid, format, args...).With("field", "intent.steps")
	}
	switch n := len(i.Steps); {
	case n == 0 && i.Type != Bundle:
		return nil
	case n < fewestSteps || n > mostOfBundle:
		return bad("One transaction has %d to %d steps.", fewestSteps, mostOfBundle)
	case i.Type != Bundle:
		return bad("An intent of type %q has no steps. Leave them out.", Clip(i.Type))
	}
	for _, step := range i.Steps {
		if len(step.Steps) > 0 || step.Type == Bundle {
			return bad("A step has no steps of its own.")
		}
	}
	return i.Only("steps")
}

// Only reports the first field besides type, protocol and those named that the
// intent has, as fault.InputInvalid: an adapter refuses what it would not
// honour. Fields are named as in JSON.
func (i Intent) Only(fields ...string) error {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"from", i.From != IntentSource{}}, {"to", i.To.Symbol != ""}, {"to.amount", i.To.Amount != ""}, {"maxSlippageBps", i.MaxSlippageBps != 0},
		{"from.raw", i.From.Raw}, {"feeMode", i.FeeMode != ""}, {"recipient", i.Recipient != ""}, {"manager", i.Manager != ""},
		{"order", i.Order != nil}, {"orderId", i.OrderID != ""}, {"steps", len(i.Steps) > 0},
	} {
		if f.set && !slices.Contains(fields, f.name) {
			return fault.New(fault.InputInvalid, "An intent of type %q has no %s. Leave it out.", Clip(i.Type), f.name).
				With("field", "intent."+f.name)
		}
	}
	return nil
}

// Asset is a coin with the decimals of the pinned registry, and its key as the
// symbol. Of a coin that is not pinned (Foreign) both are what the chain tells,
// the symbol in quotation marks: it is the type that says which coin it is.
type Asset struct {
	Symbol   string       `json:"symbol"`
	CoinType sui.CoinType `json:"coinType"`
	Decimals uint8        `json:"decimals"`
	Foreign  bool         `json:"symbolUnverified,omitempty"`
}

// Amount is a raw quantity of an asset with its exact display form.
type Amount struct {
	Asset
	Raw     sui.Raw     `json:"rawAmount"`
	Display sui.Decimal `json:"displayAmount"`
}

// Of returns raw units of the asset as an Amount.
func (a Asset) Of(raw sui.Raw) Amount {
	return Amount{Asset: a, Raw: raw, Display: raw.Decimal(a.Decimals)}
}

// Says reports whether text is exactly so many raw units of the asset.
func (a Asset) Says(text string, raw sui.Raw) bool {
	n, err := sui.Decimal(text).Raw(a.Decimals)
	return err == nil && n == raw
}

// String returns the display amount and the symbol, as in "10 SUI".
func (a Amount) String() string { return string(a.Display) + " " + a.Symbol }

// SUI is the coin of gas.
var SUI = Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}

// ClockPlay is how far a clock may be set back without a word: what time servers
// correct.
const ClockPlay = time.Minute

// SetBack reports whether the clock was set back since at by more than that. What
// was to end at a time of that clock could otherwise live on by as much.
func SetBack(at, now time.Time) bool { return at.Sub(now) > ClockPlay }

// Clip bounds text of a caller that is repeated in a message.
func Clip(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}
