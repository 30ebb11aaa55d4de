package main

import (
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

func statusReference() []byte {
	m := &markdown{}
	m.line(generated)
	m.line("# Statuses of a review\n")
	m.line("`internalStatus` is what is stored, `pollingStatus` (and `status` of the execution tools) the word that a client who polls sees, " +
		"`statusCategory` what it waits for.\n")
	m.table("Status", "Polling word", "Category", "A wait stops here", "May become")
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
	m.line("## Reasons of `blocked`\n")
	m.line("%s\n", codes(plan.BlockedReasons()))
	m.line("`allowlist_violation` is a transaction that breaks a rule below, or the person's own limits: the most of a coin that one transaction, " +
		"or all of 24 hours, may take, and the protocols and recipients that are allowed. The check `allowance_per_transaction`, " +
		"`allowance_per_day`, `allowance_protocol` or `allowance_recipient` names the limit and the amount. Only the person changes these, " +
		"on the settings page; no tool can. They are judged in every computation and again when the transaction is handed out. " +
		"Gas does not count towards them, and neither do the fees of an order; a deposit into the account's own manager does, for it leaves the account, and so does what orders offer beyond the deposits of the same 24 hours: a deposit and the order that it pays for count once. " +
		"What was handed out counts until it is proved that it took nothing, an order also when it is cancelled later.\n")
	m.line("## Reasons of `refresh_required`\n")
	m.line("%s\n", codes(plan.RefreshReasons()))
	m.line("## Open releases\n")
	m.line("A transaction that was handed to a wallet is open until there are effects of it, or proof that it can never execute. All open " +
		"releases of the account are judged together, in the database transaction that hands another one out. The very same transaction of another review is refused " +
		"for good. One that uses up a coin of an open release can never execute beside it: it waits for the person's “Replace it” on the page, unless the wallet had answered that it declined. " +
		"What asks for the same on other coins could be done twice: it waits for “Yes, again”.\n")
	m.line("Two requests ask for the same when a step of one equals a step of the other: action, coins, exact amount, recipient or manager, and an order's pool, side and price. " +
		"Slippage, fee mode, venue, how an amount was written, who asked, and what else is in the request make no difference. A step whose amount is the result of another step has " +
		"no amount yet. Steps that only cancel, revoke, or withdraw to the account itself equal nothing, and equal steps of one approved bundle are meant. Compared are open releases, steps " +
		"of a running bundle, and what was confirmed within 10 minutes. A refusal is `other_release_open`; its `reason` is `again`, `replace`, `wait` or `same_transaction`, and it names the other " +
		"review, or the bundle of an approved step. No tool lifts it.\n")
	m.line("What asks for the same is built on the gas coin of the open release, so that only one of the two can happen; “I want both” on the page builds it on other coins. Any other request leaves " +
		"the coins of open releases alone where the rest suffices. The checks `open_release`, `open_release_may_have_executed` and `open_release_uses_coins` tell it; " +
		"`openReleases` of a review's status and `preflight` of a new review name the other one.\n")
	m.line("## Rules\n")
	m.line("Every built transaction is judged by these. `reviewState.rules` says how each came out; what is not proved, not warned of and " +
		"not said to be not checked blocks. A check with `rule` judged that rule alone.\n")
	m.table("Rule", "Level", "Refused", "What is looked at", "Check that proves it")
	for _, r := range gate.Rules() {
		m.row(code(string(r.ID)), string(r.Level), r.Text, r.How, code(r.Proof))
	}
	return m.bytes()
}
