// Package evidence describes what an answer is based on and which conclusions it supports: claims
// that an answer supports or rules out, the origin of its numbers, and the kind of its quantities.
//
// It contains no protocol facts and makes no decisions: tools use its vocabulary to declare which
// conclusions an answer supports.
package evidence

// Use tells a client how to use an answer. The paths name fields of the answer itself, such as
// pool.key or plans[].status. It is returned as userAnswerUse.
type Use struct {
	Can          Claims    `json:"canAnswer"`                      // questions this answer supports
	Cannot       Claims    `json:"cannotAnswer"`                   // conclusions it does not support
	Answer       []string  `json:"answerFields"`                   // fields to answer with
	Precondition []string  `json:"preconditionFields,omitempty"`   // fields to check first
	Rules        []string  `json:"conclusionRuleFields,omitempty"` // fields that limit the conclusion
	Diagnostic   []string  `json:"diagnosticOnlyFields,omitempty"` // fields about source and troubleshooting
	Next         *FollowUp `json:"followUp,omitempty"`             // tools to call if this answer is insufficient
}

// FollowUp is the exact next tool. Inputs are fields of this answer to pass on. Answer are fields
// of the next tool's answer to use. Missing means that the tool is planned but cannot be called
// yet, so the question remains unanswered.
type FollowUp struct {
	Tool    string   `json:"tool"`
	Missing bool     `json:"notYetAvailable,omitempty"`
	Inputs  []string `json:"inputFields,omitempty"`
	Answer  []string `json:"answerFields,omitempty"`
	Reason  string   `json:"reason"`
}

// Ask returns the follow-up to tool, for reason.
func Ask(tool, reason string) *FollowUp { return &FollowUp{Tool: tool, Reason: reason} }

// With returns the follow-up with fields of this answer to pass on.
func (f FollowUp) With(fields ...string) *FollowUp {
	f.Inputs = fields
	return &f
}

// Reading returns the follow-up with fields of the next answer to use.
func (f FollowUp) Reading(fields ...string) *FollowUp {
	f.Answer = fields
	return &f
}

// Source is the origin of an answer's numbers. Only applicable fields are set.
type Source struct {
	Kind       string `json:"kind" description:"kind of source"`
	Registry   string `json:"registry,omitempty" description:"pinned registry that names pools, coins and packages"`
	Package    string `json:"packageId,omitempty" description:"package whose function was called"`
	Function   string `json:"moveFunction,omitempty" description:"Move function that was called"`
	Simulation string `json:"simulation,omitempty" description:"how the node was queried"`
	Precision  string `json:"precision,omitempty" description:"how exact the numbers are"`
	Method     string `json:"method,omitempty" description:"query sent to the node"`
}

// Values of a Source that describes a simulated read.
const (
	SimulatedRead    = "sui_simulation_read"
	SimulationMethod = "client.core.simulateTransaction"
	ExactFromRaw     = "exact_decimal_from_raw_u64"
)

// QuantitySemantics describes the quantities of a quote and how they must not be used.
type QuantitySemantics struct {
	Kind                    string `json:"kind" description:"kind of quantities"`
	InputAmountKind         string `json:"inputAmountKind" description:"what the input amount was"`
	AllowedUse              string `json:"allowedUse" description:"only valid use"`
	RawEvidenceField        string `json:"rawEvidenceField" description:"field with the raw integers"`
	ForPayment              bool   `json:"canUseForPaymentAnswer" description:"may count towards a payment"`
	ForShortfall            bool   `json:"canUseForShortfallAnswer" description:"may count towards a shortfall"`
	NotWithPayment          bool   `json:"doNotCombineWithPaymentAnswer" description:"keep out of payment answers"`
	PaymentBlockedReason    string `json:"paymentAnswerUseBlockedReason" description:"why it is no payment answer"`
	RequiredPaymentTool     string `json:"requiredPaymentAnswerTool" description:"tool that answers payment questions"`
	RequiredPaymentField    string `json:"requiredPaymentAnswerField" description:"field of that tool to answer from"`
	IsMinimumOutput         bool   `json:"isMinimumOutput" description:"whether it is a guaranteed minimum"`
	IsTransactionBuildInput bool   `json:"isTransactionBuildInput" description:"may be put into a transaction"`
}

// PriceEstimate returns the semantics of a quote: a current estimate from one pool, not a basis for
// a payment or transaction.
func PriceEstimate(kind, inputKind string) QuantitySemantics {
	return QuantitySemantics{
		Kind: kind, InputAmountKind: inputKind,
		AllowedUse:           "indicative_quote_of_one_pool",
		RawEvidenceField:     "rawQuote",
		NotWithPayment:       true,
		PaymentBlockedReason: "quote_is_a_price_estimate_not_a_payment_answer",
		RequiredPaymentTool:  PaymentTool,
		RequiredPaymentField: PaymentField,
	}
}

// The tool and field that determine whether a payment is covered, and by how much it falls short.
const (
	PaymentTool  = "read.preview_intent_evidence"
	PaymentField = "responseSummary"
)
