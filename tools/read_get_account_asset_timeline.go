package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type timelineIn struct {
	Account  wholeAddress    `json:"account,omitempty" brief:"" description:"default: active account"`
	From     when            `json:"from" description:"ISO 8601"`
	To       when            `json:"to" brief:"" description:"not included"`
	Interval activity.Bucket `json:"interval" default:"1d" brief:"" description:"length of a bar"`
	Held     bool            `json:"heldBalances" default:"true" description:"false: only stored flows"`
}

// timelineCoverage states how much of a time range the stored scans cover.
type timelineCoverage struct {
	Status    activity.Coverage `json:"status" description:"complete, partial or no_stored_scans"`
	Count     int               `json:"transactionCount" description:"stored transactions of the time range"`
	Uncertain int               `json:"uncertainTransactionCount" description:"of these, the number with incomplete balance changes"`
}

type timelineOut struct {
	Network   string                     `json:"network" description:"network of this server"`
	Scope     accountScope               `json:"accountScope" description:"account of the coins"`
	Known     bool                       `json:"accountKnown" description:"false if no wallet connected the account here, so nothing is stored"`
	Semantics evidence.ActivitySemantics `json:"quantitySemantics" description:"meaning and limits of the quantities"`
	Start     time.Time                  `json:"start" description:"start of the time range, UTC"`
	End       time.Time                  `json:"end" description:"end of the time range, UTC"`
	Interval  activity.Bucket            `json:"interval" description:"length of one bar"`
	Coverage  timelineCoverage           `json:"coverage" description:"part of the time range that stored facts prove"`
	Flows     []activity.FlowBar         `json:"netFlowBars" description:"inflow and outflow, by bar and coin, in raw units"`
	Status    activity.HeldStatus        `json:"heldBalanceStatus" description:"whether held balances could be reconstructed, or why not"`
	Held      []activity.HeldBar         `json:"heldBalanceBars" description:"balance at the end of each bar, in raw units"`
	Anchor    *time.Time                 `json:"balanceAnchorAt,omitempty" description:"chain time of the current balances, from which the earlier ones are computed"`
	Source    evidence.Source            `json:"source" description:"where the facts came from"`
	Boundary  string                     `json:"boundary" description:"limits of the bars"`
}

// readGetAccountAssetTimeline returns net flows of coins over time from stored scans. If these are
// complete until now, it also returns past balances.
func readGetAccountAssetTimeline(d activityReader, a accounts, network string) tool.Tool {
	flows := evidence.Use{
		Can:          evidence.Claims{evidence.NetFlowTimeline},
		Cannot:       evidence.NotActivity().And(evidence.Claims{evidence.NoActivity, evidence.HeldBalanceTimeline}),
		Answer:       []string{"accountScope.account", "netFlowBars", "interval", "heldBalanceStatus"},
		Precondition: []string{"coverage.status"},
		Rules: []string{"boundary", "coverage.uncertainTransactionCount",
			"quantitySemantics.displayConversionRequires", "accountKnown"},
		Diagnostic: []string{"source", "coverage.transactionCount"},
		Next: evidence.Ask(toolScan, "Scans of the time range store missing rows, and prove completeness.").
			With("accountScope.account").Reading("windowComplete", "persistence"),
	}
	held := flows
	held.Can = flows.Can.And(evidence.Claims{evidence.HeldBalanceTimeline})
	held.Cannot = evidence.NotActivity()
	held.Answer = append([]string{"heldBalanceBars", "balanceAnchorAt"}, flows.Answer...)
	held.Next = nil
	return tool.Declare(tool.Spec[timelineIn, timelineOut]{
		Name:    toolTimeline,
		Toolset: toolsetTimeline,
		Title:   "Get account asset timeline",
		Summary: "Returns an account's net coin flows per interval from stored transactions, and held balances if " +
			"complete up to now.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.FillsCache,
		Errors:    activityErrors(),
		Cases: []tool.Case[timelineOut]{
			{Name: "held balances", When: func(o timelineOut) bool { return o.Status == activity.HeldReconstructed }, Use: held},
			{Name: "flows alone", Use: flows},
		},
		Examples: timelineExamples(),
		Run: func(c tool.Call, in timelineIn) (timelineOut, error) {
			scope, span, err := storedSpan(c, a, in.Account, in.From, in.To)
			if err != nil {
				return timelineOut{}, err
			}
			var anchor *activity.Anchor
			if in.Held {
				if anchor, err = d.Anchor(c.Context(), scope.Account); err != nil {
					return timelineOut{}, err
				}
			}
			t, err := d.Timeline(c.Context(), span, in.Interval, anchor)
			out := timelineOut{Network: network, Scope: scope, Known: t.Known, Semantics: evidence.RawActivity(),
				Start: t.Start.UTC(), End: t.End.UTC(),
				Interval: t.Bucket, Coverage: timelineCoverage{t.Coverage, t.Count, t.Uncertain}, Flows: t.Flows,
				Status: t.HeldStatus,
				Held:   t.Held, Source: storedSource(), Boundary: storedBoundary}
			if anchor != nil {
				out.Anchor = shownTime(anchor.At)
			}
			return out, err
		},
	})
}

func timelineExamples() []tool.Example {
	const span = `"from":"<dayBegin>","to":"<dayEnd>"`
	refusal := func(name, situation, in string, code fault.Code) tool.Example {
		return tool.Example{Name: name, Given: situation, In: in, Fault: code}
	}
	return []tool.Example{
		{Name: "unknown owner", Given: givenNothing, In: `{"account":"` + exampleAccount +
			`","from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`, Case: "flows alone"},
		{Name: "today, with what was held", Given: givenSwapped, In: `{` + span + `,"interval":"1h"}`, Case: "held balances"},
		{Name: "stored flows alone", Given: givenScanned, In: `{` + span + `,"heldBalances":false}`, Case: "flows alone"},
		refusal("no account", givenNothing, `{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`,
			fault.ActiveAccountNotSet),
		refusal("too many bars", givenConnected,
			`{"from":"2026-01-01T00:00:00Z","to":"2026-12-31T00:00:00Z","interval":"15m","heldBalances":false}`,
			fault.InputInvalid),
		refusal("backwards", givenConnected, `{"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}`,
			fault.InputInvalid),
		refusal("provider down", givenNodeDown, `{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`,
			fault.ProviderUnavailable),
		refusal("provider refuses", givenNoPast, `{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`,
			fault.ProviderRefused),
		refusal("provider lies", givenLyingPast, `{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`,
			fault.ProviderMismatch),
	}
}
