package plan

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Intent is the user's request, as passed on by the AI client. Symbols, amounts and ids are
// unverified text until an adapter's plan has read them. The adapter decides which fields an action
// uses and refuses the others.
type Intent struct {
	Type           string       `json:"type"` // Meta().Action of an adapter, as in "swap"
	From           IntentSource `json:"from,omitzero"`
	To             IntentTarget `json:"to,omitzero"`
	MaxSlippageBps int          `json:"maxSlippageBps,omitempty"` // 1..1000; 100 is one percent
	Protocol       string       `json:"protocol,omitempty"`
	FeeMode        string       `json:"feeMode,omitempty"`   // "input" (default) or "deep"
	Recipient      string       `json:"recipient,omitempty"` // recipient's complete address
	// RecipientName is the SuiNS name that resolved to Recipient when the review was prepared, in
	// its canonical spelling, and RecipientNFT is its registration at that time. A client gives
	// either a recipient or a name; its value for the registration is overwritten.
	RecipientName string `json:"recipientName,omitempty"`
	RecipientNFT  string `json:"recipientNft,omitempty"`

	Manager string `json:"manager,omitempty"` // object id of a balance manager
	// ManagerOf is the number of the earlier step, counted from 1, that makes the balance
	// manager, in place of Manager.
	ManagerOf int `json:"managerOf,omitempty"`
	// Permission is the id of a standing permission's object.
	Permission string `json:"permission,omitempty"`

	Order *Order `json:"order,omitempty"`
	// Own has the fields that adapters declare.
	Own Own `json:"-"`

	// Steps are the intents of several actions in one transaction, in order, each with its
	// protocol. If there are any, the other fields except Type are empty.
	Steps []Intent `json:"steps,omitempty"`

	// Replaces is the ID of the review whose request the user changed to this one, on its
	// page. Only the platform sets it.
	Replaces string `json:"replaces,omitempty"`

	// Asked is the request in one line, in the adapter's words. A client's text is
	// overwritten when the review is prepared.
	Asked string `json:"asked,omitempty"`
}

// Order is a resting order of an order book. Price and Quantity are plain decimal
// text: quote coins per base coin, and base coins.
type Order struct {
	Pool      string `json:"pool"`
	Side      string `json:"side,omitempty"` // buy or sell
	Price     string `json:"price,omitempty"`
	Quantity  string `json:"quantity,omitempty"`
	ExpiresAt string `json:"expiresAt,omitempty"` // RFC 3339; empty: until it is canceled
	PostOnly  bool   `json:"postOnly,omitempty"`
}

// IntentSource is the amount that leaves the account: a symbol of the registry and a plain decimal
// amount. Actions on any coin accept a complete coin type instead of a symbol. With Raw, Amount
// counts the coin's smallest units.
type IntentSource struct {
	Symbol string `json:"symbol"`
	Amount string `json:"amount"`
	Raw    bool   `json:"raw,omitempty"`
	// Share requests a part of the account's balance instead of Amount: "all", a fraction such as
	// "1/2", or a percentage such as "25%". Preparing the review replaces it with the exact amount,
	// so it is never stored.
	Share string `json:"share,omitempty"`
	// ResultOf is the number, counted from 1, of the earlier step whose result is taken instead of
	// Amount: all of it, or the Share of its guaranteed amount. Such a share is stored.
	ResultOf int `json:"resultOf,omitempty"`

	// Unit is the chain's metadata of a coin named by its type, read when the review
	// was prepared; a client's value is overwritten. Every computation reads it again.
	Unit IntentUnit `json:"unit,omitzero"`
}

// IntentUnit is a coin's self-reported number of decimals and symbol, both unverified.
type IntentUnit struct {
	Known    bool   `json:"told"`
	Decimals uint8  `json:"decimals"`
	Symbol   string `json:"symbol,omitempty"`
}

// IntentTarget is the coin that should arrive. Amount is set only for actions that deliver an exact
// amount, such as a withdrawal.
type IntentTarget struct {
	Symbol string `json:"symbol"`
	Amount string `json:"amount,omitempty"`
}

// Each returns the intents of the steps, or the intent itself if it has no steps.
func (i Intent) Each() []Intent {
	if len(i.Steps) == 0 {
		return []Intent{i}
	}
	return i.Steps
}

// Bundle is the type of an intent with several steps.
const Bundle = "bundle"

// The minimum and maximum number of steps in one transaction.
const (
	fewestSteps  = 2
	mostOfBundle = 8
)

// Bundled validates the number and form of an intent's steps, and that each step uses only the
// results and objects of earlier ones. It
// accepts an intent without Steps.
func (i Intent) Bundled() error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.InputInvalid, format, args...).With("field", "intent.steps")
	}
	if err := cmp.Or(i.fed(), i.made()); err != nil {
		return err
	}
	switch n := len(i.Steps); {
	case n == 0: // no action has an empty bundle
		return nil
	case n < fewestSteps || n > mostOfBundle:
		return bad("One transaction has %d to %d steps. For more, use steps: one transaction for each step.", fewestSteps,
			mostOfBundle)
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

// Only returns fault.InputInvalid for the first field of the intent that is set but is neither
// type, protocol nor one of the given fields. Adapters use it so that they ignore no field. Fields
// have their JSON names.
func (i Intent) Only(fields ...string) error {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"from", i.From != IntentSource{}}, {"to", i.To.Symbol != ""}, {"to.amount", i.To.Amount != ""},
		{"maxSlippageBps", i.MaxSlippageBps != 0},
		{"from.raw", i.From.Raw}, {"from.resultOf", i.From.ResultOf != 0}, {"feeMode", i.FeeMode != ""},
		{"recipient", i.Recipient != ""},
		{"recipientName", i.RecipientName != "" || i.RecipientNFT != ""},
		{"manager", i.Manager != ""}, {"managerOf", i.ManagerOf != 0}, {"permission", i.Permission != ""},
		{"order", i.Order != nil}, {"steps", len(i.Steps) > 0},
	} {
		if f.set && !slices.Contains(fields, f.name) {
			return i.without(f.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.Own)) {
		if i.Own[name] != "" && !slices.Contains(fields, name) {
			return i.without(Clip(name))
		}
	}
	return nil
}

func (i Intent) without(field string) error {
	return fault.New(fault.InputInvalid, "An intent of type %q has no %s. Leave it out.", Clip(i.Type), field).
		With("field", "intent."+field)
}

// Asset is a coin with the decimals and the symbol of the pinned registry. For an
// unlisted coin (Foreign) both come from the chain, the symbol in quotation marks, and
// only the type identifies the coin.
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

// Says reports whether text is the decimal form of raw units of the asset.
func (a Asset) Says(text string, raw sui.Raw) bool {
	n, err := sui.Decimal(text).Raw(a.Decimals)
	return err == nil && n == raw
}

// String returns the display amount and the symbol, as in "10 SUI".
func (a Amount) String() string { return string(a.Display) + " " + a.Symbol }

// SUI is the coin that pays for gas.
var SUI = Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}

// ClockPlay is how far the clock may be set back without effect. Corrections by time servers are
// smaller.
const ClockPlay = time.Minute

// SetBack reports whether the clock was set back since at by more than ClockPlay. Anything that
// expires by the clock would otherwise live longer by the difference.
func SetBack(at, now time.Time) bool { return at.Sub(now) > ClockPlay }

// Clip shortens a caller's text that is repeated in a message.
func Clip(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}
