package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// mostPending is the maximum number of listed items of each kind.
const mostPending = 5

type interactionIn struct{}

type activeNow struct {
	Status  string       `json:"status" description:"set or none"`
	Account *sui.Address `json:"account,omitempty" description:"address used for reads and reviews"`

	Ownership ownership `json:"ownership,omitempty" description:"whether a signature showed who holds it"`
}

type pendingIdentity struct {
	Session   string    `json:"walletSessionId" description:"id of the wallet identity session"`
	Status    string    `json:"status" description:"current status"`
	UpdatedAt time.Time `json:"lastActivityAt" description:"when it last changed, UTC"`
	ExpiresAt time.Time `json:"expiresAt" description:"when it ends, UTC"`
}

type pendingReview struct {
	Session   string         `json:"reviewSessionId" description:"id of the review"`
	URL       string         `json:"reviewUrl,omitempty" description:"new link for the user; works once"`
	Asked     string         `json:"asked" description:"the request in words"`
	Internal  reviewStatus   `json:"internalStatus" description:"status as stored"`
	Polling   pollingStatus  `json:"pollingStatus" description:"status in the words of the execution tools"`
	Category  statusCategory `json:"statusCategory" description:"what it waits for"`
	Reason    plan.Reason    `json:"reason,omitempty" description:"why it is blocked or must be refreshed"`
	Account   sui.Address    `json:"account" description:"account it is bound to"`
	Action    string         `json:"actionKind" description:"what was prepared"`
	Intent    storedIntent   `json:"intent" description:"the request"`
	UpdatedAt time.Time      `json:"lastActivityAt" description:"when it last changed, UTC"`
	ExpiresAt time.Time      `json:"expiresAt" description:"expiry if unsigned, UTC"`
}

type pendingIdentities struct {
	Limit     int               `json:"limit" description:"max items"`
	Items     []pendingIdentity `json:"items" description:"latest activity first"`
	Truncated bool              `json:"truncated" description:"there are more"`
}

type pendingReviews struct {
	Limit     int             `json:"limit" description:"max items"`
	Items     []pendingReview `json:"items" description:"latest activity first"`
	Truncated bool            `json:"truncated" description:"there are more"`
}

type interactionOut struct {
	Network    string            `json:"network" description:"network of this server"`
	Active     activeNow         `json:"activeAccount" description:"account used for reads and reviews"`
	Identities pendingIdentities `json:"pendingWalletIdentitySessions" description:"unfinished wallet connections"`
	Reviews    pendingReviews    `json:"pendingReviewSessions" description:"unfinished reviews"`
	Frozen     bool              `json:"frozen,omitempty" description:"true while signing is paused"`
}

// sessionGetInteractionStatus lists what waits for the user. Each review has a new link if this
// process can create one.
func sessionGetInteractionStatus(p past, accounts accounts, reviews reviews, link Link, withdraw Withdraw,
	about About) tool.Tool {
	return tool.Declare(tool.Spec[interactionIn, interactionOut]{
		Name:      "session.get_interaction_status",
		Title:     "Get interaction status",
		Summary:   "Returns the active account and the latest unfinished wallet connections and reviews.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Cases:     interactionCases(),
		Examples: []tool.Example{
			{Name: "swapped", Given: givenSwapped, In: `{}`, Case: "nothing waits"},
			{Name: "a connect link", Given: givenLink, In: `{}`, Case: "something waits"},
			{Name: "a review", Given: givenReady, In: `{}`, Case: "something waits"},
		},
		Run: func(c tool.Call, _ interactionIn) (interactionOut, error) {
			return interactionNow(c, p, accounts, reviews, link, about)
		},
		Undo: func(ctx context.Context, out *interactionOut) {
			for _, r := range out.Reviews.Items {
				withdraw.link(ctx, pagetoken.Review, r.Session, r.URL)
			}
		},
	})
}

func interactionNow(c tool.Call, p past, accounts accounts, reviews reviews, link Link,
	about About) (interactionOut, error) {
	active, ok, err := accounts.Active(c.Context())
	if err != nil {
		return interactionOut{}, err
	}
	out := interactionOut{Network: about.Network, Active: activeNow{Status: accountNone},
		Identities: pendingIdentities{Limit: mostPending}, Reviews: pendingReviews{Limit: mostPending}}
	if ok {
		out.Active = activeNow{accountSet, &active.Account, ownershipOf(active.Proven)}
	}
	if out.Frozen, err = about.frozen(c.Context()); err != nil {
		return interactionOut{}, err
	}
	pending, err := p.Pending(c.Context(), mostPending)
	if err != nil {
		return interactionOut{}, err
	}
	out.Identities.Truncated, out.Reviews.Truncated = pending.MoreIdentities, pending.MoreReviews
	for _, i := range pending.Identities {
		out.Identities.Items = append(out.Identities.Items, waitingIdentity(i))
	}
	for _, w := range pending.Reviews {
		shown, waits, err := waitingReview(c, reviews, link, w)
		if err != nil {
			return interactionOut{}, err
		}
		if waits {
			out.Reviews.Items = append(out.Reviews.Items, shown)
		}
	}
	return out, nil
}

// waitingReview returns a listed review with a new link. It returns false if the review has ended in
// the meantime or is damaged; session.get_review_status reports the damage.
func waitingReview(c tool.Call, reviews reviews, link Link, w history.Waiting) (pendingReview, bool, error) {
	shown := pendingReview{Session: string(w.ID), Account: w.Account, Action: w.Action, Intent: storedIntent{w.Intent},
		UpdatedAt: w.UpdatedAt.UTC(), ExpiresAt: w.ExpiresAt.UTC(), Asked: w.Intent.Asked}
	shown.Intent.Asked = ""
	status, reason := w.Status, w.Reason
	if status == record.Ready {
		// Reading a review expires it if its deadline has passed.
		s, err := reviews.Get(c.Context(), w.ID)
		if err != nil && fault.As(err).Detail.Get("store") == "damaged_row" {
			return shown, false, nil
		}
		if err != nil {
			return shown, false, err
		}
		status, reason, shown.UpdatedAt = s.Status, s.Reason, s.UpdatedAt.UTC()
	}
	if status.Terminal() {
		return shown, false, nil
	}
	shown.Internal, shown.Polling = reviewStatus(status), pollingStatus(status.Polling())
	shown.Category, shown.Reason = statusCategory(status.Category()), reason
	if url, err := link.make(c.Context(), pagetoken.Review, string(w.ID)); err == nil {
		shown.URL = url
	}
	return shown, true, nil
}

func waitingIdentity(i account.Identity) pendingIdentity {
	return pendingIdentity{i.ID, string(i.Status), i.UpdatedAt.UTC(), i.ExpiresAt.UTC()}
}

func interactionCases() []tool.Case[interactionOut] {
	cannot := notDone().And(evidence.NotLogin(), evidence.Claims{evidence.CompleteHistory, evidence.AccountBalance})
	return []tool.Case[interactionOut]{
		{
			Name: "nothing waits",
			When: func(o interactionOut) bool { return len(o.Identities.Items)+len(o.Reviews.Items) == 0 },
			Use: evidence.Use{
				Can: evidence.Claims{evidence.NothingPending}, Cannot: cannot,
				Answer: []string{"activeAccount.status"}, Rules: []string{"frozen"},
			},
		},
		{
			Name: "something waits",
			Use: evidence.Use{
				Can: evidence.Claims{evidence.PendingWork}, Cannot: cannot,
				Answer: []string{"activeAccount.status", "pendingReviewSessions.items", "pendingWalletIdentitySessions.items",
					"pendingReviewSessions.items[].statusCategory"},
				Rules: []string{"frozen", "pendingReviewSessions.truncated", "pendingWalletIdentitySessions.truncated"},
				Next: evidence.Ask(toolReviewState, "It returns one review's checks.").
					With("pendingReviewSessions.items[].reviewSessionId").Reading("internalStatus", "reviewState"),
			},
		},
	}
}
