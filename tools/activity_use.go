package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Guidance for answers about past transactions.

// Cases of a scan's answer.
const (
	caseRows     = "rows"
	caseBare     = "rows without details"
	caseEmptyAct = "no rows"
)

// requestedFields returns the fields to use for questions about an account, rather than those about
// whole transactions.
func requestedFields() []string {
	return []string{"accountScope.account", "netChanges", "feesPaid", "requestedAccount.coinFlows",
		"requestedAccountTransactionFacts",
		"requestedAccountTransactionFacts[].accountBalanceChanges",
		"requestedAccountTransactionFacts[].requestedAccountEffect.coinFlows",
		"transactions[].requestedAccountEffect"}
}

// scanRules returns the fields that limit which conclusions the rows of a scan allow.
func scanRules() []string {
	return []string{"boundary", "quantitySemantics.displayConversionRequires", "quantitySemantics.rawIntegerFields",
		"windowComplete",
		"orderingVerified", "incompleteReason", "requestedAccount.balanceChangeCompleteness",
		"requestedAccountTransactionFacts[].accountBalanceChangeEvidence",
		"requestedAccountTransactionFacts[].accountBalanceChangeAbsenceProven",
		"requestedAccountTransactionFacts[].accountBalanceChangeInferencePolicy",
		"requestedAccountTransactionFacts[].requestedAccountEffect.accountBalanceChangeInferencePolicy", "unlistedRowCount",
		"transactions[].requestedAccountEffect.limitations"}
}

// scanCases returns the cases of a scan tool. can and answer are the tool's own additions to the
// guidance for rows.
func scanCases[Out any](self string, of func(Out) scanOut, can evidence.Claims, cannot evidence.Claims,
	answer ...string) []tool.Case[Out] {
	rows := evidence.Use{
		Can:    can.And(evidence.Claims{evidence.AccountCoinFlows}),
		Cannot: evidence.NotActivity().And(evidence.Claims{evidence.NoActivity}, cannot),
		Answer: append(append(requestedFields(), "transactions[].digest", "transactions[].what", "transactions[].status",
			"transactions[].transactionContext",
			"transactionDetailAvailability"), answer...),
		Precondition: []string{"windowComplete", "orderingVerified"},
		Rules:        scanRules(),
		Diagnostic:   []string{"source", "persistence", "droppedRowCount", "window"},
		Next: evidence.Ask(toolInspect, "It returns a row's details, one digest at a time.").
			With("transactions[].detailLookup").Reading("transaction.details", "requestedAccountEffect"),
	}
	bare := rows
	bare.Answer = append(append(requestedFields(), "transactions[].digest", "transactions[].what",
		"transactionDetailAvailability"), answer...)
	empty := evidence.Use{
		Can: can, Cannot: rows.Cannot, Answer: append([]string{"accountScope.account", "hasMore"}, answer...),
		Precondition: rows.Precondition, Rules: []string{"boundary", "windowComplete", "orderingVerified",
			"incompleteReason"}, Diagnostic: rows.Diagnostic,
		Next: evidence.Ask(self,
			"Another window or an older page may hold rows.").With("continuationCursor").Reading("transactions"),
	}
	return []tool.Case[Out]{
		{Name: caseEmptyAct, When: func(o Out) bool { return len(of(o).Transactions) == 0 }, Use: empty},
		{Name: caseRows, When: func(o Out) bool { return of(o).Available.All }, Use: rows},
		{Name: caseBare, Use: bare},
	}
}

// scanExamples returns the examples that all scan tools share. with is the start of the arguments:
// empty, or members followed by a comma.
func scanExamples(with string) []tool.Example {
	const someone = `"account":"0x00000000000000000000000000000000000000000000000000000000000a11ce"`
	args := func(more string) string {
		if with != "" && more != "" {
			return "{" + with + "," + more + "}"
		}
		return "{" + with + more + "}"
	}
	refusal := func(name, situation, more string, code fault.Code) tool.Example {
		return tool.Example{Name: name, Given: situation, In: args(more), Fault: code}
	}
	return []tool.Example{
		{Name: "somebody without transactions", Given: givenNothing, In: args(someone), Case: caseEmptyAct},
		{Name: "the latest five", Given: givenSwapped, In: args(`"limit":5`), Case: caseRows},
		{Name: "the latest five in full", Given: givenSwapped, In: args(`"limit":5,"detail":"full"`), Case: caseRows},
		{Name: "without details, in full", Given: givenNoDetails, In: args(`"limit":5,"detail":"full"`), Case: caseBare},
		{Name: "a window of checkpoints", Given: givenSwapped, In: args(`"fromCheckpoint":"0"`), Case: caseRows},
		{Name: "the provider tells no details", Given: givenNoDetails, In: args(`"limit":5`), Case: caseBare},
		refusal("no account", givenNothing, "", fault.ActiveAccountNotSet),
		refusal("a foreign cursor", givenSwapped, `"cursor":"abc"`, fault.InputInvalid),
		refusal("bounds that contradict", givenSwapped, `"fromCheckpoint":"5","toCheckpoint":"4"`, fault.InputInvalid),
		refusal("no time zone", givenSwapped, `"fromTimestamp":"2026-01-30T12:00:00"`, fault.InputInvalid),
		refusal("provider down", givenNodeDown, "", fault.ProviderUnavailable),
		refusal("provider refuses", givenNoPast, "", fault.ProviderRefused),
		refusal("provider lies", givenLyingPast, "", fault.ProviderMismatch),
	}
}
