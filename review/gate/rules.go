package gate

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Level is the consequence of breaking a rule.
type Level string

// The levels, worst first. Forbidden and Danger both block, because no user can want a danger in a
// transaction that this program built. Unknown facts also block.
const (
	Forbidden     Level = "forbidden"
	Danger        Level = "danger"
	WarnThenBlock Level = "warning, then danger" // depends on the amount
	Caution       Level = "warning"
	Again         Level = "refresh"
)

// Rule is something that no reviewed transaction may do.
type Rule struct {
	ID    plan.RuleID
	Level Level
	Text  string // what is not allowed
	Proof string // id of the check that proves the rule is kept
	How   string // how it is checked
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

// rules lists all rules. If the fact for a rule is unavailable, How states what is proved instead.
var rules = []Rule{
	{"C01", Forbidden, "Something is sent to an address other than the account and the requested recipient.", checkBytes,
		"Every recipient in the decoded bytes is the account or, in a payment, the complete requested address."},
	{"C02", Danger, "The received coin is not the pinned one with that symbol.", checkBytes,
		"The type arguments of the call and the coins of the decoded amounts are the pinned ones."},
	{"C03", Forbidden, "The guaranteed minimum is missing or below the quote minus slippage.", checkBytes,
		"The minimum decoded from the bytes equals the one we calculate."},
	{"C04", WarnThenBlock,
		"The guaranteed minimum is at least 10 % (warning) or 20 % (danger) below a second source's mid price.", checkPrice,
		"The minimum is compared with the second node's mid price; without a second node, the rule is not checked. An order's limit " +
			"price is compared with its market's mid price."},
	{"C05", Danger, "Code outside the pinned packages is called.", checkBytes,
		"Every called package is the pinned one of the review. Three calls of the chain's own code are allowed: creating an empty " +
			"coin, sending an object, and sharing an object of the protocol."},
	{"C06", Danger, "The called code was upgraded recently.", checkBytes,
		"The age of an upgrade is not read. Instead, calls name a pinned package ID. Code at an ID never changes, and an upgrade " +
			"has another ID, which C05 rejects."},
	{"C07", Forbidden, "It contains a command that this kind of review does not have.", checkBytes,
		"The adapter reads the decoded bytes back and accepts only its own shape. Publishing, upgrading and lists are rejected earlier."},
	{"C08", Danger, "Someone else pays for gas.", checkBytes, "The gas owner in the bytes is the account."},
	{"C09", Danger, "The gas coin is given away, or there is more than one.", checkBytes,
		"The bytes name only the chosen gas coin, which is only merged into and split from. They name none if gas comes from the " +
			"address balance or is zero."},
	{"C10", WarnThenBlock, "The gas budget is out of proportion.", checkGas,
		"More than 0.05 SUI and five times the simulated cost warns; more than 1 SUI blocks."},
	{"C11", Forbidden, "Funds of an address balance are withdrawn by someone other than the sender, or differ from the review.", checkOwnership,
		"Every withdrawal in the bytes belongs to the sender, takes an outgoing coin, and has the amount that the coins do not cover."},
	{"C12", Forbidden, "It does not expire on chain, or expires after the next epoch.", checkBytes,
		"The expiration in the bytes is the current epoch plus one; without a gas coin, only the current epoch."},
	{"C13", Again, "An input object is not at its latest version.", checkOwnership,
		"Every input is read when the review is built, and the coins again before release."},
	{"C14", Danger, "A read-only shared object could be changed.", checkBytes,
		"Only the pool of the review is used mutably."},
	{"C15", Caution, "The recipient has never been paid before.", checkBytes,
		"A payment's recipient is compared with those of this account's earlier successful reviews. " +
			"Without a payment, the only recipient is the account."},
	{"C16", Danger, "The recipient resembles a known address but differs from it.", checkBytes,
		"The complete recipient is compared with the account and with every address that it paid from here."},
	{"C17", Danger, "A coin's name or symbol is deceptive.", checkCoins,
		"Hidden, control or mixed-script characters in the reported name or symbol. Pages show only the pinned symbol. An unpinned " +
			"coin is shown with its full type next to its own name, and warns if that imitates a pinned coin."},
	{"C18", Forbidden, "The node reports different decimals for a coin than the pinned ones.", checkCoins,
		"Every coin of the review; an unpinned one is compared with the decimals reported when the review was prepared."},
	{"C19", Forbidden, "The simulation is missing, failed, or differs from the bytes.", checkEffects,
		"The balance changes are compared with the decoded facts, in both directions."},
	{"C20", Forbidden, "A second node disagrees.", checkSecond,
		"Chain, objects, coins and simulation are also read from the second node. Without one, the rule is not checked."},
}

// Rules lists the twenty rules in their order.
func Rules() []Rule { return slices.Clone(rules) }

// summarise groups the rules by the results of the checks.
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
