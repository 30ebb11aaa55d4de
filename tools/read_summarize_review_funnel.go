package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type funnelIn struct{ spanIn }

// statusCount is the number of reviews that now have a status.
type statusCount struct {
	Status reviewStatus `json:"status" description:"a status"`
	Count  int          `json:"count" description:"reviews that have it now"`
}

// lag is the average time that reviews took for a step.
type lag struct {
	Reviews int    `json:"reviews" description:"reviews that made the step"`
	Seconds *int64 `json:"averageSeconds,omitempty" description:"average, to the second"`
}

// funnelSummary counts distinct reviews.
type funnelSummary struct {
	Total    int           `json:"total" description:"prepared"`
	Opened   int           `json:"opened" description:"page was opened"`
	Bound    int           `json:"walletConnected" description:"account was bound"`
	Computed int           `json:"stateComputed" description:"computed at least once"`
	Ready    int           `json:"everReady" description:"ready to be signed at some time"`
	Refresh  int           `json:"everRefreshRequired" description:"was in refresh_required at some time"`
	Blocked  int           `json:"everBlocked" description:"blocked at some time"`
	Signed   int           `json:"signed" description:"signed"`
	Success  int           `json:"success" description:"ended in success"`
	Failure  int           `json:"failure" description:"ended in failure"`
	Expired  int           `json:"expiredBeforeResult" description:"expired without a signature"`
	Present  []statusCount `json:"currentStatusCounts" description:"reviews by their current status"`
	Created  lag           `json:"createdToSigned" description:"from preparing to signing"`
	Opening  lag           `json:"openedToSigned" description:"from opening the page to signing"`
}

type funnelOut struct {
	looked
	Summary funnelSummary `json:"summary" description:"distinct reviews by the stage they reached"`
}

// readSummarizeReviewFunnel counts an account's reviews on this machine by the stage they reached.
// It does not query the chain.
func readSummarizeReviewFunnel(p past, accounts accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[funnelIn, funnelOut]{
		Name:    toolFunnel,
		Title:   "Summarize review funnel",
		Summary: "Counts an account's reviews stored on this computer by the stage they reached, with timing.",
		Effect:  tool.ReadsLocal,
		Errors:  []fault.Code{fault.ActiveAccountNotSet},
		Cases: sparse("counts", func(o funnelOut) looked { return o.looked }, evidence.Use{
			Can:    evidence.Claims{evidence.LocalReviewFunnel},
			Cannot: evidence.NotWalletHistory(),
			Answer: []string{"summary.total", "summary.opened", "summary.stateComputed", "summary.signed", "summary.success",
				"summary.failure", "summary.expiredBeforeResult", "summary.currentStatusCounts"},
			Precondition: []string{"lowSampleWarning"},
			Rules:        lookedRules(),
			Diagnostic:   []string{"summary.createdToSigned", "summary.openedToSigned"},
			Next:         evidence.Ask(toolActivity, "It lists the individual reviews.").Reading("activities"),
		}),
		Examples: append([]tool.Example{
			{Name: "another account", Given: givenNothing, In: someAccount, Case: "few counts"},
			{Name: "swapped", Given: givenSwapped, In: `{}`, Case: "few counts"},
			{Name: "several", Given: givenSeveral, In: `{}`, Case: "counts"},
		}, spanExamples()...),
		Run: func(c tool.Call, in funnelIn) (funnelOut, error) {
			scope, frame, err := span(c, accounts, in.spanIn)
			if err != nil {
				return funnelOut{}, err
			}
			f, err := p.ReviewFunnel(c.Context(), scope)
			if err != nil {
				return funnelOut{}, err
			}
			return funnelOut{frame.counted(network, f.Total), funnelOf(f)}, nil
		},
	})
}

func funnelOf(f history.Funnel) funnelSummary {
	s := funnelSummary{
		Total: f.Total, Opened: f.Opened, Bound: f.Connected, Computed: f.Computed, Ready: f.Ready,
		Refresh: f.RefreshRequired, Blocked: f.Blocked, Signed: f.Signed, Success: f.Succeeded, Failure: f.Failed,
		Expired: f.Expired, Present: []statusCount{}, Created: lagOf(f.CreatedToSigned), Opening: lagOf(f.OpenedToSigned),
	}
	for _, status := range record.Statuses() {
		if n := f.Present[status]; n > 0 {
			s.Present = append(s.Present, statusCount{reviewStatus(status), n})
		}
	}
	return s
}

func lagOf(l history.Lag) lag {
	shown := lag{Reviews: l.Reviews}
	if mean, ok := l.Mean(); ok {
		seconds := int64(mean.Seconds())
		shown.Seconds = &seconds
	}
	return shown
}
