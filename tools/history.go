package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Shared code of the tools that read past local reviews.

// past reads the reviews stored on this machine.
type past interface {
	ReviewActivity(ctx context.Context, s history.Scope, most int) ([]history.Activity, int, error)
	ReviewFunnel(ctx context.Context, s history.Scope) (history.Funnel, error)
	ReviewDetail(ctx context.Context, id record.ID, most int) (history.Detail, error)
	Pending(ctx context.Context, most int) (history.Pending, error)
}

// lowSampleThreshold is the number of records below which counts do not support conclusions.
const lowSampleThreshold = 5

// instant is an ISO 8601 time.
type instant string

// Shape implements tool.Shaped.
func (instant) Shape() tool.Shape { return tool.Shape{MinLength: 20, MaxLength: 40} }

func (i instant) read(field string) (time.Time, error) {
	if i == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, string(i))
	if err != nil || at.Year() < 1970 || at.Year() > 2200 {
		return time.Time{}, fault.New(fault.InputInvalid,
			"%s must be a time between 1970 and 2200 with a time zone, as in 2026-01-30T12:00:00Z.", field).With("field",
			field)
	}
	return at, nil
}

// spanIn selects reviews by account and time.
type spanIn struct {
	Account publicAddress `json:"account,omitempty" brief:"" description:"default: active account"`
	From    instant       `json:"from,omitempty" description:"ISO 8601"`
	To      instant       `json:"to,omitempty" brief:"" description:"ISO 8601, excluded"`
}

// dataScope describes which records an answer covers.
type dataScope struct {
	Kind     string       `json:"kind" description:"what the records are"`
	Account  sui.Address  `json:"account" description:"account of the reviews"`
	From     *time.Time   `json:"from,omitempty" description:"earliest preparation, UTC"`
	To       *time.Time   `json:"to,omitempty" description:"end of the time range, UTC"`
	Status   reviewStatus `json:"status,omitempty" description:"their status"`
	Count    int          `json:"recordCount" description:"how many local records match"`
	Boundary string       `json:"boundary" description:"limits of the records"`
}

// looked is the part that answers about past reviews share.
type looked struct {
	Network   string    `json:"network" description:"network of this server"`
	Scope     dataScope `json:"dataScope" description:"what was checked"`
	Source    string    `json:"accountSource" description:"explicit_public_address or active_account; no proof of ownership"`
	Ownership ownership `json:"accountOwnership,omitempty" description:"whether a signature proved who holds the active account's key"`
	LowSample bool      `json:"lowSampleWarning" description:"true if there are too few records for anything but counts"`
	Threshold int       `json:"lowSampleThreshold" description:"records from which on the warning is false"`
}

// Values of a dataScope, names of tools, and a limit of rows.
const (
	localRecords   = "local_review_records"
	localBoundary  = "records_of_this_machine_not_wallet_history_not_gas_history_not_profit_or_loss"
	toolActivity   = "read.list_review_activity"
	toolFunnel     = "read.summarize_review_funnel"
	toolDetail     = "read.get_review_session_detail"
	mostDetailRows = 100
)

// span returns the scope to read for a call, and the shared part of its answer.
func span(c tool.Call, accounts accounts, in spanIn) (history.Scope, looked, error) {
	scope, err := scopeOf(c, accounts, in.Account)
	if err != nil {
		return history.Scope{}, looked{}, err
	}
	s := history.Scope{Account: scope.Account}
	if s.From, err = in.From.read("from"); err == nil {
		s.To, err = in.To.read("to")
	}
	if err == nil && !s.To.IsZero() && !s.From.Before(s.To) {
		err = fault.New(fault.InputInvalid, "from must be before to.").With("field", "from")
	}
	frame := looked{
		Source: scope.Source, Ownership: scope.Ownership, Threshold: lowSampleThreshold,
		Scope: dataScope{Kind: localRecords, Account: scope.Account, From: shownTime(s.From), To: shownTime(s.To),
			Boundary: localBoundary},
	}
	return s, frame, err
}

// counted returns l with the network and the number of records.
func (l looked) counted(network string, n int) looked {
	l.Network, l.Scope.Count, l.LowSample = network, n, n < lowSampleThreshold
	return l
}

// shownTime returns a time in UTC, or nil for the zero time.
func shownTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// lookedRules returns the fields that limit conclusions from local records.
func lookedRules() []string {
	return []string{"dataScope.boundary", "accountSource", "lowSampleThreshold"}
}

// spanExamples returns the error examples of tools with a time range.
func spanExamples() []tool.Example {
	return []tool.Example{
		{Name: "no account", Given: givenNothing, In: `{}`, Fault: fault.ActiveAccountNotSet},
		{Name: "no time zone", Given: givenConnected, In: `{"from":"2026-01-30T12:00:00"}`, Fault: fault.InputInvalid},
		{Name: "backwards", Given: givenConnected, In: `{"from":"2026-01-30T12:00:00Z","to":"2026-01-29T12:00:00Z"}`,
			Fault: fault.InputInvalid},
	}
}

// someAccount holds the arguments for an account without reviews.
const someAccount = `{"account":"0x00000000000000000000000000000000000000000000000000000000000a11ce"}`

// sparse splits a case in two: from only a few records, no pattern may be inferred.
func sparse[Out any](name string, frame func(Out) looked, use evidence.Use) []tool.Case[Out] {
	few := use
	few.Cannot = use.Cannot.And(evidence.Claims{evidence.BehaviorPattern})
	return []tool.Case[Out]{
		{Name: "few " + name, When: func(o Out) bool { return frame(o).LowSample }, Use: few},
		{Name: name, Use: use},
	}
}
