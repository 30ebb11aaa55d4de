package evidence

import "slices"

// Claims that answers about past transactions support.
const (
	TransactionFacts Claim = "transaction_facts_as_told_by_provider"
	// A checkpoint that validators signed contains the status, gas and events.
	ProvedTransactionFacts Claim = "transaction_facts_proved_by_validators"
	BoundedActivity        Claim = "bounded_account_activity_page"
	FunctionActivity       Claim = "bounded_sent_function_activity_page"
	AccountCoinFlows       Claim = "requested_account_raw_coin_flows_of_returned_rows"
	ActivityAnalysis       Claim = "deterministic_activity_analysis_of_returned_rows"
	StoredActivity         Claim = "stored_account_activity_facts"
	NetFlowTimeline        Claim = "net_coin_flows_over_time_of_stored_facts"
	HeldBalanceTimeline    Claim = "held_balances_over_time_from_a_present_balance"
	NotKnownToProvider     Claim = "transaction_not_found_at_this_provider"
)

// Claims that answers about past transactions do not support.
const (
	CompleteDappHistory  Claim = "complete_dapp_history"
	GlobalFunction       Claim = "global_function_history"
	NoActivity           Claim = "absence_of_activity"
	InferredAmounts      Claim = "account_amounts_inferred_from_transaction_context"
	PositionInventory    Claim = "position_inventory"
	ProtocolSupport      Claim = "supported_protocol_list"
	UnverifiedDisplay    Claim = "display_conversion_without_verified_decimals"
	TransactionNotExists Claim = "transaction_does_not_exist"
)

var notActivity = Claims{CompleteHistory, CompleteDappHistory, ProfitAndLoss, InferredAmounts, PositionInventory,
	ProtocolSupport, UnverifiedDisplay, BehaviorPattern, RouteRecommendation, TransactionInput, SigningData,
	SigningReadiness}

// NotActivity returns the claims that a limited set of facts about past transactions does not
// support.
func NotActivity() Claims { return slices.Clone(notActivity) }

// ActivitySemantics describes the quantities in an answer about past transactions.
type ActivitySemantics struct {
	Kind       string   `json:"kind" description:"kind of quantities"`
	Balances   string   `json:"balanceAmounts" description:"form of amountRaw, increaseRaw, decreaseRaw and netRaw"`
	RawFields  []string `json:"rawIntegerFields" description:"fields that are raw integers"`
	Gas        string   `json:"gasAmounts" description:"unit of gas fields"`
	GasDisplay string   `json:"gasDisplay" description:"source of the gas display form"`
	Requires   []string `json:"displayConversionRequires" description:"what formatting a coin amount requires"`
	Not        []string `json:"notFor" description:"what the quantities must not be used for"`
}

// RawActivity returns the semantics of quantities in the smallest unit.
func RawActivity() ActivitySemantics {
	return ActivitySemantics{
		Kind: "sui_transaction_activity_facts", Balances: "signed_raw_integer_string",
		RawFields: []string{"amountRaw", "increaseRaw", "decreaseRaw", "netRaw"},
		Gas:       "mist", GasDisplay: "@mysten/sui MIST_PER_SUI",
		Requires: []string{"verified_decimals", "returned_display_amount"},
		Not: []string{string(UnverifiedDisplay), "profit_and_loss", "position_inventory", "transaction_building_input",
			"signing_data"},
	}
}
