package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Shared code of the tools about one review.

// reviews prepares reviews and returns their state. It makes no decision for the user.
type reviews interface {
	preparer
	Get(ctx context.Context, id record.ID) (record.Session, error)
	Related(ctx context.Context, s record.Session) ([]record.Related, error)
	Read(ctx context.Context, in plan.Intent) (record.Session, error)
	Together(ctx context.Context, s record.Session) error
	Wait(ctx context.Context, id record.ID, most time.Duration, stop func(record.Session) bool) (record.Session, bool,
		error)
}

// preparer creates reviews of intents and proposals.
type preparer interface {
	PrepareLooking(ctx context.Context, in plan.Intent) (record.Session, record.Looked, error)
	Preview(s record.Session) (review.Preview, error)
	Venues(in plan.Intent, slug string) (used review.Venue, others []review.Venue)
	PrepareProposal(ctx context.Context, p proposal.Proposal) (record.Session, error)
	InsteadOf(p proposal.Proposal) *proposal.Alternative
}

// reviewStatus is the status of a review as stored.
type reviewStatus record.Status

// Values lists the statuses.
func (reviewStatus) Values() []string {
	return words(func(record.Status) bool { return true }, func(s record.Status) string { return string(s) })
}

// pollingStatus is the status of a review as the execution tools name it.
type pollingStatus string

// Values lists the statuses.
func (pollingStatus) Values() []string {
	return words(func(record.Status) bool { return true }, record.Status.Polling)
}

// statusCategory states what a review with a status waits for.
type statusCategory string

// Values lists the categories.
func (statusCategory) Values() []string {
	return []string{record.CategoryFinal, record.CategoryUserAction, record.CategoryChainResult,
		record.CategoryNonTerminal}
}

// words returns the words for the matching statuses, in order and without duplicates.
func words(fits func(record.Status) bool, word func(record.Status) string) []string {
	var list []string
	seen := map[string]bool{}
	for _, s := range record.Statuses() {
		if w := word(s); fits(s) && !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	return list
}

// executionInterval is the recommended polling interval.
const executionInterval = 3 * time.Second

// executionPolling describes how to poll for a result and what the statuses mean.
type executionPolling struct {
	NonTerminal  []string `json:"nonTerminalStatuses" description:"statuses at which a wait continues"`
	WaitStopping []string `json:"waitStoppingStatuses" description:"statuses at which a wait ends early"`
	Final        []string `json:"finalStatuses" description:"statuses that are a final result"`
	UserAction   []string `json:"userActionRequiredStatuses" description:"statuses that wait for the user"`
	Interval     int64    `json:"recommendedIntervalSeconds" description:"seconds between two polls"`
}

func executionHint() executionPolling {
	category := func(c string) []string {
		return words(func(s record.Status) bool { return s.Category() == c }, record.Status.Polling)
	}
	return executionPolling{
		NonTerminal:  words(func(s record.Status) bool { return !s.StopsWait() }, record.Status.Polling),
		WaitStopping: words(record.Status.StopsWait, record.Status.Polling),
		Final:        category(record.CategoryFinal),
		UserAction:   category(record.CategoryUserAction),
		Interval:     int64(executionInterval.Seconds()),
	}
}

type executionIn struct {
	Session sessionID `json:"reviewSessionId" brief:"" description:"id from action.prepare_sui_action_review"`
}

// executionOut is the state of a review's execution. Result is nil until a transaction is signed or
// the review ends without a signature.
type executionOut struct {
	Session  string            `json:"reviewSessionId" description:"id of the review"`
	Network  string            `json:"network" description:"network the review is for"`
	Status   pollingStatus     `json:"status" description:"status of the execution"`
	Category statusCategory    `json:"statusCategory" description:"final, or what it waits for"`
	Reason   plan.Reason       `json:"reason,omitempty" description:"why it is blocked or must be refreshed"`
	Headline string            `json:"headline,omitempty" description:"status in the page's words"`
	Problems []problem         `json:"problems,omitempty" description:"failed checks, if the user must act"`
	Result   *shownExecution   `json:"executionResult,omitempty" description:"known facts about the signed transaction"`
	Answer   string            `json:"walletAnswer,omitempty" description:"the wallet's action instead of signing"`
	Polling  *executionPolling `json:"pollingHint,omitempty" description:"how to poll, and which statuses are final; absent in a final summary"`
}

// problem is a failed check, with what the user can do about it.
type problem struct {
	Check   string `json:"check" description:"which check"`
	Message string `json:"message" description:"what it found"`
	Do      string `json:"do,omitempty" description:"what the user can do"`
}

// mostProblems is the maximum number of failed checks in an answer.
const mostProblems = 8

// problemsOf returns the failed checks of a review that waits for the user.
func problemsOf(s record.Session) (list []problem) {
	if s.Status.Category() != record.CategoryUserAction {
		return nil
	}
	for _, c := range plan.WorstFirst(s.State.Checks) {
		if c.Status == plan.CheckFail && len(list) < mostProblems {
			list = append(list, problem{c.ID, c.Message, c.Do})
		}
	}
	return list
}

func showExecution(s record.Session, detail detailLevel) executionOut {
	out := executionOut{
		Session: string(s.ID), Network: s.Network, Status: pollingStatus(s.Status.Polling()),
		Category: statusCategory(s.Status.Category()), Reason: s.Reason, Result: showResult(s, detail),
		Problems: problemsOf(s),
	}
	if detail == detailFull || !s.Status.Terminal() {
		hint := executionHint()
		out.Polling = &hint
	}
	out.Answer, out.Headline = s.WalletAnswer(), s.Headline().Sentences()
	if detail != detailFull && s.Execution != nil && s.Execution.Receipt != nil && s.Execution.Receipt.Result != nil {
		out.Headline = s.Headline().Title // the receipt contains the rest
	}
	return out
}

var reviewErrors = []fault.Code{fault.SessionNotFound}

// Guidance for a review's results.

func doneUse() evidence.Use {
	return evidence.Use{
		Can:          evidence.Claims{evidence.ExecutionStatus, evidence.FinalResult, evidence.ExecutionReceipt},
		Cannot:       evidence.Claims{evidence.FiatCashOut, evidence.ProfitAndLoss, evidence.CostBasis},
		Answer:       []string{"headline", "status", "executionResult.txDigest", "executionResult.receipt"},
		Precondition: []string{"statusCategory"},
		Rules:        []string{"executionResult.note", "walletAnswer"},
		Diagnostic:   []string{"executionResult.receipt.fetchedAt", "executionResult.submission"},
	}
}

func failedUse() evidence.Use {
	return evidence.Use{
		Can:    evidence.Claims{evidence.ExecutionStatus, evidence.FinalResult, evidence.ExecutionFailure},
		Cannot: evidence.NotSignable().And(evidence.Claims{evidence.TransactionExecuted, evidence.ProfitAndLoss}),
		Answer: []string{"headline", "status", "executionResult.failureReason", "executionResult.txDigest",
			"executionResult.note", "executionResult.receipt.gas"},
		Precondition: []string{"statusCategory"},
		Rules:        []string{"walletAnswer"},
		Diagnostic:   []string{"executionResult.receipt.failureKind", "executionResult.refusal"},
		Next:         evidence.Ask(toolPrepare, "A new review is needed to try again.").Reading("reviewUrl"),
	}
}

func changedUse() evidence.Use {
	u := failedUse()
	u.Answer = []string{"headline", "status", "executionResult.note", "executionResult.replacedBy"}
	u.Next = evidence.Ask(toolWaitResult,
		"The user changed the request; the review in replacedBy has the result. Do not prepare another one.").Reading("status",
		"executionResult")
	return u
}

func chainUse() evidence.Use {
	return evidence.Use{
		Can: evidence.Claims{evidence.ExecutionStatus, evidence.TransactionSigned},
		Cannot: evidence.NotExecution().And(evidence.Claims{evidence.FinalResult, evidence.TransactionExecuted,
			evidence.ExecutionReceipt}),
		Answer:       []string{"headline", "status", "executionResult.txDigest", "executionResult.note"},
		Precondition: []string{"statusCategory"},
		Rules:        []string{"pollingHint.finalStatuses", "walletAnswer"},
		Diagnostic:   []string{"executionResult.submission", "executionResult.refusal"},
		Next: evidence.Ask(toolWaitResult,
			"The result is not known yet.").With("reviewSessionId").Reading("status", "executionResult"),
	}
}

func actionUse() evidence.Use {
	return evidence.Use{
		Can:          evidence.Claims{evidence.ExecutionStatus, evidence.ReviewBlockers},
		Cannot:       notDone(),
		Answer:       []string{"headline", "status", "reason", "problems"},
		Precondition: []string{"statusCategory"},
		Rules:        []string{"pollingHint.userActionRequiredStatuses", "pollingHint.finalStatuses", "walletAnswer"},
		Next: evidence.Ask(toolReviewState,
			"It returns a new link for the user.").With("reviewSessionId").Reading("reviewUrl"),
	}
}

func pendingUse() evidence.Use {
	return evidence.Use{
		Can:          evidence.Claims{evidence.ExecutionStatus},
		Cannot:       notDone(),
		Answer:       []string{"headline", "status"},
		Precondition: []string{"statusCategory"},
		Rules:        []string{"pollingHint.waitStoppingStatuses", "walletAnswer"},
		Next: evidence.Ask(toolWaitResult, "The user has not finished.").With("reviewSessionId").Reading("status",
			"executionResult"),
	}
}

// notDone lists conclusions that cannot be drawn before a transaction is signed.
func notDone() evidence.Claims {
	return evidence.NotExecution().And(evidence.NotSignable(), evidence.Claims{evidence.WalletAuthorization,
		evidence.TransactionSigned, evidence.TransactionExecuted, evidence.FinalResult})
}

// endedExamples returns the examples of ended reviews that both execution tools share.
func endedExamples() []tool.Example {
	const in = `{"reviewSessionId":"<reviewSessionId>"}`
	return []tool.Example{
		{Name: "swapped", Given: givenSwapped, In: in, Case: "success"},
		{Name: "failed on chain", Given: givenFailed, In: in, Case: "ended without success"},
		{Name: "declined", Given: givenDeclined, In: in, Case: "ended without success"},
		{Name: "changed", Given: givenChanged, In: in, Case: "changed by the user"},
		{Name: "unknown", Given: givenNothing, In: `{"reviewSessionId":"AAAAAAAAAAAAAAAAAAAAAAAA"}`,
			Fault: fault.SessionNotFound},
	}
}

// executionCases returns the cases of answers that contain an execution. get returns the execution,
// and use completes the guidance of a case.
func executionCases[Out any](get func(Out) executionOut, use func(evidence.Use) evidence.Use) []tool.Case[Out] {
	status := func(fits func(executionOut) bool) func(Out) bool {
		return func(o Out) bool { return fits(get(o)) }
	}
	return []tool.Case[Out]{
		{Name: "success", Use: use(doneUse()),
			When: status(func(o executionOut) bool { return o.Status == pollingStatus(record.Success) })},
		{Name: "changed by the user", Use: use(changedUse()),
			When: status(func(o executionOut) bool { return o.Result != nil && o.Result.Replaced != "" })},
		{Name: "ended without success", Use: use(failedUse()),
			When: status(func(o executionOut) bool { return o.Category == record.CategoryFinal })},
		{Name: "signed, result unknown", Use: use(chainUse()),
			When: status(func(o executionOut) bool { return o.Category == record.CategoryChainResult })},
		{Name: "person has to act", Use: use(actionUse()),
			When: status(func(o executionOut) bool { return o.Category == record.CategoryUserAction })},
		{Name: "not signed", Use: use(pendingUse())},
	}
}
