package tool

import (
	"slices"
	"strings"
)

// Status says how far a planned tool has come.
type Status string

// The statuses. BlockedSigning is implemented and never signs: what it prepares
// can only be signed on the review page. NonSignable is implemented, and what it
// prepares can be read and signed nowhere.
const (
	Implemented    Status = "implemented"
	BlockedSigning Status = "blocked_signing"
	NonSignable    Status = "non_signable_review"
	Planned        Status = "planned"
)

// Entry is one tool of the plan. Purpose is set for tools that do not exist
// yet; those that do say it themselves.
type Entry struct {
	Name    string
	Status  Status
	Purpose string
}

// Live reports whether the tool can be called.
func (e Entry) Live() bool { return e.Status != Planned }

// catalogue is every tool of the plan, grouped by authority. Guidance may name
// any of them.
var catalogue = []Entry{
	{"read.get_server_status", Implemented, ""},
	{"read.list_supported_protocols", Implemented, ""},
	{"read.list_deepbook_pools", Implemented, ""},
	{"read.list_deepbook_tokens", Implemented, ""},
	{"read.inspect_deepbook_orderbook", Implemented, ""},
	{"read.get_deepbook_mid_price", Implemented, ""},
	{"read.quote_deepbook_action", Implemented, ""},
	{"read.quote_deepbook_display_amount", Implemented, ""},
	{"read.get_deepbook_price_history", Implemented, ""},
	{"read.get_deepbook_price_at_time", Implemented, ""},
	{"read.list_flowx_pools", Implemented, ""},
	{"read.quote_flowx_swap", Implemented, ""},
	{"read.summarize_deepbook_account_inventory", Implemented, ""},
	{"read.summarize_wallet_assets", Implemented, ""},
	{"read.classify_wallet_assets", Implemented, ""},
	{"read.list_settlement_asset_groups", Implemented, ""},
	{"read.summarize_settlement_asset_group_parity", Implemented, ""},
	{"read.preview_intent_evidence", Implemented, ""},
	{"read.list_review_activity", Implemented, ""},
	{"read.summarize_review_funnel", Implemented, ""},
	{"read.get_review_session_detail", Implemented, ""},
	{"read.inspect_sui_transaction", Implemented, ""},
	{"read.scan_sui_account_activity", Implemented, ""},
	{"read.summarize_sui_activity_scan", Implemented, ""},
	{"read.scan_sui_function_activity", Implemented, ""},
	{"read.summarize_sui_function_activity_scan", Implemented, ""},
	{"read.summarize_sui_account_activity", Implemented, ""},
	{"read.get_account_asset_timeline", Implemented, ""},
	{"action.prepare_sui_action_review", BlockedSigning, ""},
	{"action.prepare_external_proposal_review", NonSignable, ""},
	{"session.create_wallet_identity", Implemented, ""},
	{"session.get_wallet_identity", Implemented, ""},
	{"session.wait_wallet_identity", Implemented, ""},
	{"session.get_interaction_status", Implemented, ""},
	{"session.get_review_status", Implemented, ""},
	{"session.get_execution_result", Implemented, ""},
	{"session.wait_execution_result", Implemented, ""},
	{"account.get_active_account", Implemented, ""},
	{"account.clear_active_account", Implemented, ""},
	{"settings.create_local_settings_session", Implemented, ""},
	{"settings.get_local_settings", Implemented, ""},
}

// Catalogue lists every tool of the plan in a fixed order.
func Catalogue() []Entry { return slices.Clone(catalogue) }

// Find gives the catalogue's entry of a dotted name.
func Find(name string) (Entry, bool) {
	i := slices.IndexFunc(catalogue, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return catalogue[i], true
}

// Underscored gives the spelling of a name for clients that refuse dots. No two
// names of the catalogue share one.
func Underscored(name string) string { return strings.ReplaceAll(name, ".", "_") }
