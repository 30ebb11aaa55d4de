package gate

import (
	"slices"

	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// Level says what breaking a rule means for a review.
type Level string

// The levels, the worst first. Forbidden and Danger both block, because no build of
// this program has a danger that a person could want. Unknown facts block too.
const (
	Forbidden     Level = "forbidden"
	Danger        Level = "danger"
	WarnThenBlock Level = "warning, then danger" // by how much
	Caution       Level = "warning"
	Again         Level = "refresh"
)

// Rule is one thing that no reviewed transaction may do. Proof is the check
// that stands for the rule when it holds.
type Rule struct {
	ID    plan.RuleID
	Level Level
	Text  string // what is refused
	Proof string // id of the check that proves the opposite
	How   string // what is looked at
}

const (
	checkBytes     = "cross_check_bytes"
	checkEffects   = "cross_check_effects"
	checkOwnership = "transaction_object_ownership_verified"
	checkCoins     = "coin_description"
	checkGas       = "gas_budget_proportion"
	checkPrice     = "price_second_source"
	checkSecond    = "second_provider"
	checkMismatch  = "provider_mismatch"
)

// rules is the table. Where a fact that a rule speaks of cannot be had, How
// says what is proved instead.
var rules = []Rule{
	{"C01", Forbidden, "Something goes to another address than the account and the recipient that was asked for.",
		checkBytes,
		"Every recipient in the decoded bytes is the account itself or, in a payment, the address of the request, " +
			"as a whole."},
	{"C02", Danger, "The coin that arrives is not the pinned one of that symbol.", checkBytes,
		"The type arguments of the call and the assets of the decoded amounts are the pinned ones."},
	{"C03", Forbidden, "The guaranteed minimum is missing or lower than quote and slippage allow.", checkBytes,
		"The minimum decoded from the bytes equals the one that our own arithmetic derives."},
	{"C04", WarnThenBlock,
		"The guaranteed minimum is ten to twenty, or more, per cent under the middle price of a second source.",
		checkPrice, "The minimum against the middle price told by the second node. Without one it is said to be " +
			"not checked. " +
			"An order's price limit against the middle price of its market."},
	{"C05", Danger, "Code outside the pinned packages is called.", checkBytes,
		"Every called package is the pinned one of the review. Of the chain's own code three calls pass: an empty " +
			"coin, sending an object, " +
			"and sharing one of the protocol's."},
	{"C06", Danger, "The called code was upgraded a short while ago.", checkBytes,
		"The age of an upgrade is not read. Proved instead: calls name a pinned package id; code at an id never changes, " +
			"and an upgrade has another id, which C05 refuses."},
	{"C07", Forbidden, "There is a command that this kind of review does not have.", checkBytes,
		"The adapter reads the decoded bytes back and accepts its own shape alone; publishing, upgrading and " +
			"lists are refused before."},
	{"C08", Danger, "Somebody else pays for gas.", checkBytes, "The gas owner in the bytes is the account."},
	{"C09", Danger, "The coin that pays for gas is given away, or there is more than one.", checkBytes,
		"The bytes name one gas coin, the chosen one; it is only merged into and split from. They name none where gas comes out of the address balance, or none is paid."},
	{"C10", WarnThenBlock, "The gas budget is out of proportion.", checkGas,
		"Over 0.05 SUI and five times the simulated cost warns; over 1 SUI blocks."},
	{"C11", Forbidden, "Funds of an address balance are withdrawn by another than the sender, or other ones than the review states.", checkOwnership,
		"Every withdrawal in the bytes is the sender's own, of a coin that leaves, and of the amount that the coins do not cover."},
	{"C12", Forbidden, "It does not expire on chain, or later than the next epoch.", checkBytes,
		"The expiration in the bytes is the present epoch and one more; without a gas coin, the present epoch alone."},
	{"C13", Again, "An input object is not at its latest version.", checkOwnership,
		"Every input is read when the review is made, and the coins again before the transaction is handed out."},
	{"C14", Danger, "A shared object could be changed that is only to be read.", checkBytes,
		"Only the pool of the review is taken for change."},
	{"C15", Caution, "The recipient was never paid before.", checkBytes,
		"A payment's recipient against those of earlier reviews of this account that ended in success; imported " +
			"ones do not count. " +
			"Without a payment the only recipient is the account itself."},
	{"C16", Danger, "The recipient looks like a known address and is another one.", checkBytes,
		"A recipient is compared with the account, and with every address that it paid from here, as a whole."},
	{"C17", Danger, "What a coin calls itself is made to deceive.", checkCoins,
		"Hidden, control or mixed-script characters in the told name or symbol. Pages show the pinned symbol " +
			"alone. A coin that is not " +
			"pinned is shown by its whole type beside what it calls itself; one that calls itself like a pinned coin warns."},
	{"C18", Forbidden, "The node tells other decimals of a coin than the pinned ones.", checkCoins,
		"Every coin of the review; one that is not pinned against what was told when the review was prepared."},
	{"C19", Forbidden, "The simulation is missing, failed, or does something else than the bytes say.", checkEffects,
		"The balance changes against the decoded facts, both ways."},
	{"C20", Forbidden, "A second node disagrees.", checkSecond,
		"Chain, objects, coins and simulation asked of the second node. Without one it is said to be not checked."},
}

// Rules lists the twenty rules in their order.
func Rules() []Rule { return slices.Clone(rules) }

// summarise sorts the rules by the checks that were made.
func summarise(checks []plan.Check, notChecked []plan.RuleID) *record.RuleSummary {
	s := &record.RuleSummary{}
	for _, rule := range rules {
		switch reported := func(status plan.CheckStatus) bool {
			return slices.ContainsFunc(checks, func(c plan.Check) bool { return c.Rule == rule.ID && c.Status == status })
		}; {
		case reported(plan.CheckFail):
			s.Failed = append(s.Failed, rule.ID)
		case slices.Contains(notChecked, rule.ID):
			s.NotChecked = append(s.NotChecked, rule.ID)
		case reported(plan.CheckWarning):
			s.Warned = append(s.Warned, rule.ID)
		case slices.ContainsFunc(checks, func(c plan.Check) bool { return c.ID == rule.Proof && c.Status == plan.CheckPass }):
			s.Proved = append(s.Proved, rule.ID)
		default:
			s.NotReached = append(s.NotReached, rule.ID)
		}
	}
	return s
}
