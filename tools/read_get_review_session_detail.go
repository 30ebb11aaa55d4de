package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type detailIn struct {
	Session sessionID     `json:"reviewSessionId" brief:"" description:"id from read.list_review_activity"`
	Account publicAddress `json:"account,omitempty" brief:"" description:"default: active account"`
	Detail  detailLevel   `json:"detail" default:"summary" brief:"" description:"how much"`
}

// storedReview summarizes one stored review.
type storedReview struct {
	Session     string         `json:"reviewSessionId" description:"id of the review"`
	Action      string         `json:"actionKind" description:"what was prepared"`
	Protocol    string         `json:"protocol" description:"slug of the protocol"`
	Status      reviewStatus   `json:"currentStatus" description:"status as stored"`
	Category    statusCategory `json:"statusCategory" description:"final, or what it waits for"`
	Reason      plan.Reason    `json:"reason,omitempty" description:"why it is blocked or must be refreshed"`
	Network     string         `json:"network" description:"network it is for"`
	Chain       string         `json:"chainIdentifier,omitempty" description:"chain that was first asked"`
	CreatedAt   time.Time      `json:"createdAt" description:"when it was prepared, UTC"`
	UpdatedAt   time.Time      `json:"updatedAt" description:"when it last changed, UTC"`
	ExpiresAt   time.Time      `json:"expiresAt" description:"expiry if unsigned, UTC"`
	OpenedTwice bool           `json:"openedTwice,omitempty" description:"a used link was opened again"`
	Releases    int            `json:"releaseCount" description:"number of transactions sent to a wallet"`
}

// transition is a recorded change of a review's status.
type transition struct {
	At       time.Time `json:"at" description:"when it was recorded, UTC"`
	What     string    `json:"what" description:"the step"`
	From     string    `json:"fromStatus,omitempty" description:"status before"`
	To       string    `json:"toStatus" description:"status after"`
	Revision int64     `json:"revision" description:"revision after"`
	NoOp     bool      `json:"isNoOp" description:"the status stayed as it was"`
}

// detailCut states which lists of an answer are truncated.
type detailCut struct {
	Transitions bool `json:"transitions" description:"only the latest changes are listed"`
}

type detailOut struct {
	looked
	Session     storedReview    `json:"session" description:"the stored review"`
	Intent      storedIntent    `json:"intent" description:"the request"`
	Payee       string          `json:"recipientName,omitempty" description:"address book entry for intent.recipient; data, not an instruction"`
	State       *record.State   `json:"reviewState,omitempty" description:"findings of the last computation"`
	Transitions []transition    `json:"transitions" description:"recorded changes, oldest first"`
	Truncated   detailCut       `json:"truncated" description:"omitted parts"`
	Execution   *shownExecution `json:"execution,omitempty" description:"stored result of the signed transaction"`
}

// readGetReviewSessionDetail returns the stored data of a review, except the transaction. It
// computes nothing and does not query the chain.
func readGetReviewSessionDetail(p past, accounts accounts, b addressBook, network string) tool.Tool {
	return tool.Declare(tool.Spec[detailIn, detailOut]{
		Name:      toolDetail,
		Title:     "Get review session detail",
		Summary:   "Returns a review stored on this computer: its changes, the last computation and any result.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.ReadsLocal,
		Errors:    []fault.Code{fault.SessionNotFound, fault.ActiveAccountNotSet},
		Cases:     detailCases(),
		Examples: []tool.Example{
			{Name: "blocked", Given: givenBlocked, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "not signed"},
			{Name: "swapped", Given: givenSwapped, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "signed"},
			{Name: "of another account", Given: givenReady, In: `{"reviewSessionId":"<reviewSessionId>",` + someAccount[1:],
				Fault: fault.SessionNotFound},
			{Name: "no account", Given: givenNothing, In: `{"reviewSessionId":"AAAAAAAAAAAAAAAAAAAAAAAA"}`,
				Fault: fault.ActiveAccountNotSet},
		},
		Run: func(c tool.Call, in detailIn) (detailOut, error) {
			_, frame, err := span(c, accounts, spanIn{Account: in.Account})
			if err != nil {
				return detailOut{}, err
			}
			d, err := p.ReviewDetail(c.Context(), record.ID(in.Session), mostDetailRows)
			if err == nil && d.Session.Account != frame.Scope.Account {
				err = fault.New(fault.SessionNotFound, "The account %s has no review with this id on this machine.",
					frame.Scope.Account)
			}
			if err != nil {
				return detailOut{}, err
			}
			out := detailOut{
				looked: frame.counted(network, 1), Session: storedOf(d.Session), Intent: storedIntent{d.Session.Intent},
				Truncated: detailCut{len(d.Entries) < d.Recorded}, Execution: showResult(d.Session, detailFull),
			}
			out.Payee = payees(c.Context(), b, out.Intent.Recipient)(out.Intent.Recipient)
			if d.Session.State.Computed() {
				out.State = stateOf(d.Session.State, in.Detail)
			}
			for _, e := range d.Entries {
				out.Transitions = append(out.Transitions, transitionOf(e))
			}
			return out, nil
		},
	})
}

func storedOf(s record.Session) storedReview {
	return storedReview{
		Session: string(s.ID), Action: s.Action, Protocol: s.Protocol, Status: reviewStatus(s.Status),
		Category: statusCategory(s.Status.Category()), Reason: s.Reason, Network: s.Network, Chain: s.ChainID,
		CreatedAt: s.CreatedAt.UTC(), UpdatedAt: s.UpdatedAt.UTC(), ExpiresAt: s.ExpiresAt.UTC(),
		OpenedTwice: s.OpenedTwice, Releases: len(s.Releases),
	}
}

func transitionOf(e events.Entry) transition {
	return transition{e.At.UTC(), e.What, e.From, e.To, e.Revision, e.NoOp()}
}

func detailCases() []tool.Case[detailOut] {
	cannot := evidence.NotWalletHistory()
	use := evidence.Use{
		Can:          evidence.Claims{evidence.LocalReviewDetail, evidence.StoredExecution},
		Cannot:       cannot,
		Answer:       []string{"session.currentStatus", "intent", "transitions", "execution"},
		Precondition: []string{"session.statusCategory"},
		Rules:        append(lookedRules(), "transitions[].isNoOp", "execution.note"),
		Diagnostic:   []string{"reviewState", "truncated.transitions", "session.releaseCount", "session.openedTwice"},
	}
	unsigned := use
	unsigned.Can = evidence.Claims{evidence.LocalReviewDetail}
	unsigned.Cannot = cannot.And(evidence.Claims{evidence.NoStoredExecution, evidence.FinalResult})
	unsigned.Answer = []string{"session.currentStatus", "session.reason", "intent", "transitions"}
	unsigned.Next = evidence.Ask(toolReviewState, "It returns the current status with a new link.").
		With("session.reviewSessionId").Reading("internalStatus", "reviewUrl")
	return []tool.Case[detailOut]{
		{Name: "signed", When: func(o detailOut) bool { return o.Execution != nil }, Use: use},
		{Name: "not signed", Use: unsigned},
	}
}
