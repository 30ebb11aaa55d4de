package tool

import (
	"slices"
	"strings"
)

// Status says how far a planned tool has come.
type Status string

// The statuses. BlockedSigning is implemented and never signs: what it prepares
// can only be signed on the review page.
const (
	Implemented    Status = "implemented"
	BlockedSigning Status = "blocked_signing"
	Planned        Status = "planned"
)

// Entry is one tool of the plan.
type Entry struct {
	Name   string
	Status Status
}

// Live reports whether the tool can be called.
func (e Entry) Live() bool { return e.Status != Planned }

// catalogue is every tool of the plan, grouped by authority. Guidance may name
// any of them.
var catalogue = []Entry{
	{"read.get_server_status", Implemented},
	{"read.list_supported_protocols", Implemented},
	{"read.list_deepbook_pools", Planned},
	{"read.list_deepbook_tokens", Planned},
	{"read.inspect_deepbook_orderbook", Planned},
	{"read.get_deepbook_mid_price", Implemented},
	{"read.quote_deepbook_action", Implemented},
	{"read.quote_deepbook_display_amount", Implemented},
	{"read.list_flowx_pools", Planned},
	{"read.quote_flowx_swap", Planned},
	{"read.summarize_deepbook_account_inventory", Planned},
	{"read.summarize_wallet_assets", Planned},
	{"read.classify_wallet_assets", Planned},
	{"read.list_settlement_asset_groups", Planned},
	{"read.summarize_settlement_asset_group_parity", Planned},
	{"read.preview_intent_evidence", Planned},
	{"read.list_review_activity", Planned},
	{"read.summarize_review_funnel", Planned},
	{"read.get_review_session_detail", Planned},
	{"read.inspect_sui_transaction", Planned},
	{"read.scan_sui_account_activity", Planned},
	{"read.summarize_sui_activity_scan", Planned},
	{"read.scan_sui_function_activity", Planned},
	{"read.summarize_sui_function_activity_scan", Planned},
	{"read.summarize_sui_account_activity", Planned},
	{"action.prepare_sui_action_review", BlockedSigning},
	{"action.prepare_external_proposal_review", Planned},
	{"session.create_wallet_identity", Implemented},
	{"session.get_wallet_identity", Implemented},
	{"session.wait_wallet_identity", Implemented},
	{"session.get_interaction_status", Planned},
	{"session.get_review_status", Implemented},
	{"session.get_execution_result", Implemented},
	{"session.wait_execution_result", Implemented},
	{"account.get_active_account", Implemented},
	{"account.clear_active_account", Planned},
	{"settings.create_local_settings_session", Planned},
	{"settings.get_local_settings", Planned},
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
