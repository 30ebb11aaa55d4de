// Package evidence defines how tools describe the evidence in an answer: the claims that the answer
// supports or rules out, the source of its numbers, and the meaning of its quantities.
//
// The package only defines the vocabulary. Each tool declares what applies to its answers.
package evidence

// Use tells a client how to use an answer, which contains it as userAnswerUse. The lists of fields
// are paths in the answer, such as pool.key or plans[].status.
type Use struct {
	Can          Claims    `json:"canAnswer"`                      // questions this answer supports
	Cannot       Claims    `json:"cannotAnswer"`                   // conclusions it does not support
	Answer       []string  `json:"answerFields"`                   // fields to answer with
	Precondition []string  `json:"preconditionFields,omitempty"`   // fields to check first
	Rules        []string  `json:"conclusionRuleFields,omitempty"` // fields that limit the conclusion
	Diagnostic   []string  `json:"diagnosticOnlyFields,omitempty"` // fields about source and troubleshooting
	Next         *FollowUp `json:"followUp,omitempty"`             // tools to call if this answer is insufficient
}

// FollowUp names the next tool to call. Inputs lists fields of this answer to pass to it, and
// Answer lists fields to use from its answer. Missing means that the tool is planned but not
// available yet, so the question cannot be answered.
type FollowUp struct {
	Tool    string   `json:"tool"`
	Missing bool     `json:"notYetAvailable,omitempty"`
	Inputs  []string `json:"inputFields,omitempty"`
	Answer  []string `json:"answerFields,omitempty"`
	Reason  string   `json:"reason"`
}

// Ask returns a FollowUp that names tool and the reason to call it.
func Ask(tool, reason string) *FollowUp { return &FollowUp{Tool: tool, Reason: reason} }

// With returns f with the fields of this answer to pass to the tool.
func (f FollowUp) With(fields ...string) *FollowUp {
	f.Inputs = fields
	return &f
}

// Reading returns f with the fields to use from the tool's answer.
func (f FollowUp) Reading(fields ...string) *FollowUp {
	f.Answer = fields
	return &f
}

// Source describes where an answer's numbers come from. Fields that do not apply are empty.
type Source struct {
	Kind       string `json:"kind" description:"kind of source"`
	Registry   string `json:"registry,omitempty" description:"pinned registry that names pools, coins and packages"`
	Package    string `json:"packageId,omitempty" description:"package whose function was called"`
	Function   string `json:"moveFunction,omitempty" description:"Move function that was called"`
	Simulation string `json:"simulation,omitempty" description:"how the node was queried"`
	Precision  string `json:"precision,omitempty" description:"how exact the numbers are"`
	Method     string `json:"method,omitempty" description:"query sent to the node"`
}

// Values for a Source that is a simulated call.
const (
	SimulatedRead    = "sui_simulation_read"
	SimulationMethod = "client.core.simulateTransaction"
	ExactFromRaw     = "exact_decimal_from_raw_u64"
)

// QuantitySemantics describes the quantities of a quote and what they must not be used for.
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

// PriceEstimate returns the semantics of a quote that is a current estimate from one pool. It must
// not be the basis of a payment or a transaction.
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

// PaymentTool and PaymentField are the tool and its field that state whether a payment is covered,
// and how much is missing.
const (
	PaymentTool  = "read.preview_intent_evidence"
	PaymentField = "responseSummary"
)
