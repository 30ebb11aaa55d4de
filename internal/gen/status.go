package main

import (
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/review/gate"
)

func statusReference() []byte {
	m := &markdown{}
	m.line(generated)
	m.line("# Review statuses\n")
	m.line("`internalStatus` is the stored status, `pollingStatus` (and `status` of the execution tools) the one a polling client sees, and " +
		"`statusCategory` what it waits for.\n")
	m.table("Status", "Polling word", "Category", "Ends a wait", "Can become")
	for _, s := range record.Statuses() {
		var next []record.Status
		for _, to := range record.Statuses() {
			if s.CanMove(to) {
				next = append(next, to)
			}
		}
		stops := "no"
		if s.StopsWait() {
			stops = "yes"
		}
		m.row(code(string(s)), code(s.Polling()), code(s.Category()), stops, codes(next))
	}
	m.line("")
	m.line("```mermaid\nstateDiagram-v2")
	for _, s := range record.Statuses() {
		for _, to := range record.Statuses() {
			if s != to && s.CanMove(to) {
				m.line("    %s --> %s", s, to)
			}
		}
		if s.Terminal() {
			m.line("    %s --> [*]", s)
		}
	}
	m.line("```\n")
	statusReasons(m)
	return m.bytes()
}

// statusReasons explains why a review is blocked or needs a refresh, and lists the rules.
func statusReasons(m *markdown) {
	m.line("## Reasons for `blocked`\n")
	m.line("%s\n", codes(plan.BlockedReasons()))
	m.line("`allowlist_violation` means that a transaction breaks a rule below or one of the user's limits: the maximum of a coin per transaction " +
		"or per 24 hours, the allowed protocols, or the allowed recipients. The check `allowance_per_transaction`, `allowance_per_day`, " +
		"`allowance_protocol` or `allowance_recipient` names the limit and the amount. Only the user can change limits, on the settings page; " +
		"no tool can. They are checked in every computation and again at release. Gas and the fees of an order do not count. A deposit into " +
		"the account's own manager counts, because it leaves the account. Orders count only beyond the deposits of the same 24 hours, so that " +
		"a deposit and the order it pays for count once. A release counts until it is proved that it took nothing; an order counts even if " +
		"it is canceled later.\n")
	m.line("## Reasons for `refresh_required`\n")
	m.line("%s\n", codes(plan.RefreshReasons()))
	m.line("## Open releases\n")
	m.line("A released transaction is open until its effects exist, or proof that it can never execute. All open releases of an account " +
		"are checked together, in the store transaction that releases another one. The same transaction is never released for another " +
		"review. If a transaction spends a coin of an open release, only one of the two can execute. It needs the user's “Replace it” on the " +
		"page, unless the wallet declined the open one. A request for the same thing with other coins could execute twice, so it needs “Yes, again”.\n")
	m.line("Two requests are the same if a step of one equals a step of the other: action, coins, exact amount, recipient or manager, and an " +
		"order's pool, side and price. Slippage, fee mode, venue, notation of amounts, requester and other steps make no difference. A step that " +
		"takes another step's result has no amount yet. Steps that only cancel, revoke or withdraw to the account itself never match, and " +
		"equal steps of one approved bundle are intended. A request is compared with open releases, steps of a running bundle, and anything " +
		"confirmed within 10 minutes. The error is `other_release_open`. Its `reason` is `again`, `replace`, `wait` or `same_transaction`, and it " +
		"names the other review, or the bundle of an approved step. No tool can override it.\n")
	m.line("A repeated request is built on the gas coin of the open release, so that only one of the two can execute. “I want both” on the " +
		"page builds it on other coins. Other requests avoid the coins of open releases if the remaining ones suffice. The checks " +
		"`open_release`, `open_release_may_have_executed` and `open_release_uses_coins` report it. `openReleases` in a review's status, and " +
		"`preflight` of a new review, name the other one.\n")
	m.line("## Rules\n")
	m.line("Every built transaction is checked against these rules. `reviewState.rules` has the result of each. A rule blocks unless it is " +
		"proved, warned or explicitly not checked. A check with `rule` covers only that rule.\n")
	m.table("Rule", "Level", "Violation", "Evidence", "Check")
	for _, r := range gate.Rules() {
		m.row(code(string(r.ID)), string(r.Level), r.Text, r.How, code(r.Proof))
	}
}
