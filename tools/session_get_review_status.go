package tools

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type reviewStatusIn struct {
	Session sessionID   `json:"reviewSessionId" brief:"" description:"id from action.prepare_sui_action_review"`
	Detail  detailLevel `json:"detail,omitempty" brief:"" description:"default: what a signer's tool needs of a ready review, else summary"`
}

type reviewStatusOut struct {
	Session     string         `json:"reviewSessionId" description:"id of the review"`
	URL         string         `json:"reviewUrl,omitempty" description:"new link for the user; works once"`
	Network     string         `json:"network" description:"network the review is for"`
	Internal    reviewStatus   `json:"internalStatus" description:"status as stored"`
	Polling     pollingStatus  `json:"pollingStatus" description:"status in the words of the execution tools"`
	Category    statusCategory `json:"statusCategory" description:"final, or what it waits for"`
	Reason      plan.Reason    `json:"reason,omitempty" description:"why it is blocked or must be refreshed"`
	Account     sui.Address    `json:"account,omitzero" description:"account the review is bound to; a proposal from outside may have none"`
	Intent      storedIntent   `json:"intent" description:"the request"`
	NoURL       string         `json:"reviewUrlNote,omitempty" description:"why there is no link"`
	OpenTarget  string         `json:"openTarget,omitempty" description:"where to open the link"`
	OpenedTwice bool           `json:"openedTwice,omitempty" description:"true if a used link was opened again"`
	Open        []openRelease  `json:"openReleases,omitempty" description:"other requests of the account that matter to this one"`
	ExpiresAt   time.Time      `json:"expiresAt" description:"expiry of the review if unsigned, UTC"`
	Answer      string         `json:"walletAnswer,omitempty" description:"the wallet's action instead of signing"`
	Headline    string         `json:"headline,omitempty" description:"status in the page's words"`
	Frozen      bool           `json:"frozen,omitempty" description:"true while signing is paused"`
	State       *record.State  `json:"reviewState,omitempty" description:"what the last computation found"`
	Omitted     []string       `json:"omitted,omitempty" description:"parts of reviewState that detail: full adds"`
}

// sessionGetReviewStatus returns the status and checks of a review.
func sessionGetReviewStatus(reviews reviews, link Link, withdraw Withdraw, about About) tool.Tool {
	return tool.Declare(tool.Spec[reviewStatusIn, reviewStatusOut]{
		Name:      "session.get_review_status",
		Title:     "Get review status",
		Summary:   "Returns a review's status and checks, and a new link.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Card:      "review",
		Errors:    reviewErrors,
		Cases:     reviewStatusCases(),
		Examples: []tool.Example{
			{Name: "not opened", Given: givenPrepared, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "nothing computed"},
			{Name: "ready", Given: givenReady, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "ready"},
			{Name: "ready, in full", Given: givenReady, In: `{"reviewSessionId":"<reviewSessionId>","detail":"full"}`, Case: "ready"},
			{Name: "blocked", Given: givenBlocked, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "person has to act"},
			{Name: "swapped", Given: givenSwapped, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "signed or ended"},
			{Name: "unknown", Given: givenNothing, In: `{"reviewSessionId":"AAAAAAAAAAAAAAAAAAAAAAAA"}`,
				Fault: fault.SessionNotFound},
		},
		Run: func(c tool.Call, in reviewStatusIn) (reviewStatusOut, error) {
			s, err := reviews.Get(c.Context(), record.ID(in.Session))
			if err != nil {
				return reviewStatusOut{}, err
			}
			out := showReview(s, in.Detail)
			if s.Status.Terminal() {
				return out, nil
			}
			if out.Frozen, err = about.frozen(c.Context()); err != nil {
				return reviewStatusOut{}, err
			}
			if out.Open, err = relatedTo(c.Context(), reviews, s); err != nil {
				return reviewStatusOut{}, err
			}
			url, err := link.make(c.Context(), pagetoken.Review, string(s.ID))
			if err != nil {
				out.NoURL = fault.As(err).Text
				return out, nil
			}
			out.URL, out.OpenTarget = url, systemBrowser
			return out, nil
		},
		Undo: func(ctx context.Context, out *reviewStatusOut) {
			withdraw.link(ctx, pagetoken.Review, out.Session, out.URL)
		},
	})
}

func showReview(s record.Session, detail detailLevel) reviewStatusOut {
	out := reviewStatusOut{
		Session: string(s.ID), Network: s.Network, Internal: reviewStatus(s.Status),
		Polling: pollingStatus(s.Status.Polling()), Category: statusCategory(s.Status.Category()),
		Reason: s.Reason, Account: s.Account, Intent: storedIntent{s.Intent}, OpenedTwice: s.OpenedTwice,
		ExpiresAt: s.ExpiresAt.UTC(),
	}
	out.Answer, out.Headline = s.WalletAnswer(), s.Headline().Sentences()
	if s.State.Computed() {
		out.State, out.Omitted = stateFor(s, detail)
	}
	return out
}

// stateFor returns a review's state in the requested detail. If no level is requested, a review
// that is ready, or that was blocked in its last stage, has everything that the signer's tools
// need, and any other review has a summary. The paths name what only detailFull would add.
func stateFor(s record.Session, asked detailLevel) (*record.State, []string) {
	l := s.State.AdapterLifecycle
	complete := s.Status == record.Ready || s.Status == record.Blocked && l != nil && len(l.MissingStages) == 0
	if asked != "" || !complete {
		return stateOf(s.State, asked), nil
	}
	return withoutDetails(s.State)
}

// withoutDetails removes checks that passed, and parts that the wallet contract and the
// human-readable review either repeat or do not refer to. It returns the paths of what it removed.
func withoutDetails(s record.State) (*record.State, []string) {
	omitted := []string{"reviewState.checks[] with status pass"}
	s.Checks = slices.DeleteFunc(slices.Clone(s.Checks), func(c plan.Check) bool { return c.Status == plan.CheckPass })
	if s.Quote != nil {
		s.Quote, omitted = nil, append(omitted, "reviewState.quote")
	}
	if len(s.Outlook) > 0 {
		s.Outlook, omitted = nil, append(omitted, "reviewState.outlook")
	}
	if s.Simulation != nil {
		simulation := *s.Simulation
		simulation.ObjectChanges = nil
		s.Simulation, omitted = &simulation, append(omitted, "reviewState.simulation.objectChanges")
	}
	if s.Visualization != nil {
		drawing := *s.Visualization
		drawing.Mermaid = record.Mermaid{}
		s.Visualization, omitted = &drawing, append(omitted, "reviewState.ptbVisualization.mermaid")
	}
	return &s, omitted
}

// stateOf returns the full state or, for any other level, only its stages and the checks that stop
// or warn.
func stateOf(s record.State, detail detailLevel) *record.State {
	if detail == detailFull {
		return &s
	}
	short := record.State{Status: s.Status, BlockedReason: s.BlockedReason, RefreshReason: s.RefreshReason,
		ComputedAt:       s.ComputedAt,
		AdapterLifecycle: s.AdapterLifecycle}
	for _, c := range s.Checks {
		if k := c.Class(); k == plan.ClassStop || k == plan.ClassCaution {
			short.Checks = append(short.Checks, c)
		}
	}
	return &short
}

func reviewStatusCases() []tool.Case[reviewStatusOut] {
	in := func(fits func(record.Status) bool) func(reviewStatusOut) bool {
		return func(o reviewStatusOut) bool { return fits(record.Status(o.Internal)) }
	}
	return []tool.Case[reviewStatusOut]{
		{
			Name: "ready",
			When: in(func(s record.Status) bool { return s == record.Ready }),
			Use:  readyUse(),
		},
		{
			Name: "person has to act",
			When: func(o reviewStatusOut) bool { return o.Category == record.CategoryUserAction },
			Use: evidence.Use{
				Can:          evidence.Claims{evidence.ReviewStatus, evidence.ReviewBlockers, evidence.ReviewLink},
				Cannot:       notDone(),
				Answer:       []string{"internalStatus", "reason", "headline", "reviewState.checks", "reviewUrl"},
				Precondition: []string{"statusCategory"},
				Rules: []string{"reviewState.adapterLifecycle.missingStages", "reviewState.rules.failed", "frozen", "openedTwice",
					"openReleases", "walletAnswer"},
				Diagnostic: []string{"reviewState.quote", "reviewState.simulation", "reviewUrlNote"},
			},
		},
		{
			Name: "signed or ended",
			When: in(func(s record.Status) bool { return s.Terminal() || s == record.SignedPendingResult }),
			Use: evidence.Use{
				Can:          evidence.Claims{evidence.ReviewStatus},
				Cannot:       evidence.NotExecution().And(evidence.Claims{evidence.ExecutionReceipt}),
				Answer:       []string{"internalStatus", "headline", "statusCategory"},
				Precondition: []string{"statusCategory"},
				Diagnostic:   []string{"reviewState.checks"},
				Next: evidence.Ask("session.get_execution_result", "It returns the result and its receipt.").
					With("reviewSessionId").Reading("status", "executionResult"),
			},
		},
		{
			Name: "nothing computed",
			Use: evidence.Use{
				Can:          evidence.Claims{evidence.ReviewStatus, evidence.ReviewLink},
				Cannot:       notDone().And(evidence.Claims{evidence.ReviewedFacts}),
				Answer:       []string{"internalStatus", "reviewUrl", "openTarget"},
				Precondition: []string{"statusCategory"},
				Rules:        []string{"frozen", "openedTwice", "openReleases"},
				Diagnostic:   []string{"intent", "reviewUrlNote"},
				Next: evidence.Ask(toolWaitResult, "The user opens the link and reads the review.").
					With("reviewSessionId").Reading("status", "executionResult"),
			},
		},
	}
}

// readyUse returns the guidance for a review that the user can sign.
func readyUse() evidence.Use {
	const amounts = "reviewState.humanReadableReview.assetFlow."
	return evidence.Use{
		Can:    evidence.Claims{evidence.ReviewStatus, evidence.ReviewedFacts, evidence.ReviewLink},
		Cannot: notDone().And(evidence.Claims{evidence.PaymentReadiness, evidence.RouteRecommendation}),
		Answer: []string{"internalStatus", "reviewUrl", amounts + "outgoing", amounts + "minimumIncoming",
			amounts + "expectedIncoming", "reviewState.checks"},
		Precondition: []string{"statusCategory", "reviewState.humanReadableReview.freshness"},
		Rules: []string{"reviewState.humanReadableReview.guarantee", "reviewState.humanReadableReview.unsupportedClaims",
			"reviewState.ptbVisualization.unsupportedUse", "reviewState.rules.notChecked", "frozen", "openedTwice", "openReleases",
			"walletAnswer"},
		Diagnostic: []string{"reviewState.adapterLifecycle", "reviewState.simulation", "reviewState.quote",
			"reviewState.outlook",
			"reviewState.walletReviewAdapterContract", "reviewState.ptbVisualization", "reviewUrlNote", "omitted"},
		Next: evidence.Ask(toolWaitResult, "The user signs on the page; the result follows.").
			With("reviewSessionId").Reading("status", "executionResult"),
	}
}
