package review

import "github.com/sayurintent/sayurintent/internal/sui"

// Intent is what the person asked for, as the AI client passed it on. It is a
// wish, not a fact: symbols and amounts are text until an adapter's plan has
// read them.
type Intent struct {
	Type           string       `json:"type"` // "swap"
	From           IntentSource `json:"from"`
	To             IntentTarget `json:"to"`
	MaxSlippageBps int          `json:"maxSlippageBps"` // 1..1000; 100 is one percent
	Protocol       string       `json:"protocol,omitempty"`
	FeeMode        string       `json:"feeMode,omitempty"` // "input" (default) or "deep"
}

// IntentSource is what leaves: a symbol of the registry and a plain decimal amount.
type IntentSource struct {
	Symbol string `json:"symbol"`
	Amount string `json:"amount"`
}

// IntentTarget is what shall arrive.
type IntentTarget struct {
	Symbol string `json:"symbol"`
}

// Asset is a coin with the decimals of the pinned registry. The symbol is the
// registry's key, never a name that the chain told.
type Asset struct {
	Symbol   string       `json:"symbol"`
	CoinType sui.CoinType `json:"coinType"`
	Decimals uint8        `json:"decimals"`
}

// Amount is a raw quantity of an asset with its exact display form.
type Amount struct {
	Asset
	Raw     sui.Raw     `json:"rawAmount"`
	Display sui.Decimal `json:"displayAmount"`
}

// Of gives raw units of the asset as an Amount.
func (a Asset) Of(raw sui.Raw) Amount {
	return Amount{Asset: a, Raw: raw, Display: raw.Decimal(a.Decimals)}
}

// String gives the display amount and the symbol, as in "10 SUI".
func (a Amount) String() string { return string(a.Display) + " " + a.Symbol }

// FlowPreview is one side of a prepared plan. Amount is display text, "unknown"
// while nothing was quoted; it is never a raw, signable quantity.
type FlowPreview struct {
	Direction  string `json:"direction"` // "outgoing" or "incoming"
	Symbol     string `json:"symbol"`
	Amount     string `json:"amount"`
	AmountKind string `json:"amountKind"` // "display_intent"
	Approx     bool   `json:"approx,omitempty"`
}

// Preview is what a prepared review intends, before anything was read from chain.
type Preview struct {
	PlanID           string        `json:"planId"`
	AdapterID        string        `json:"adapterId"`
	Protocol         string        `json:"protocol"`
	ActionKind       string        `json:"actionKind"`
	Title            string        `json:"title"`
	Summary          string        `json:"summary"`
	AssetFlowPreview []FlowPreview `json:"assetFlowPreview"`
	MaxSlippageBps   int           `json:"maxSlippageBps"`
	FeeMode          string        `json:"feeMode"`
	Checks           []Check       `json:"checks"`
}
