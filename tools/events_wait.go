package tools

import (
	"context"
	"errors"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type eventsWaitIn struct {
	Cursor  string      `json:"cursor,omitempty" description:"from an earlier result; default: from now on"`
	After   *int64      `json:"after_seq,omitempty" description:"instead of a cursor"`
	Task    taskID      `json:"task_id,omitempty" brief:"" description:"only events of this task"`
	Types   []eventType `json:"types,omitempty" brief:"" description:"only these, such as ToolResult; default: results and answers of the user"`
	Bus     busName     `json:"bus,omitempty" description:"default: this conversation"`
	Timeout waitMillis  `json:"timeoutMs" default:"45000" brief:"" description:"milliseconds; at most 45000"`
}

type eventsWaitOut struct {
	waited
	Network string `json:"network" description:"network of this server"`
	place
	Events []busEvent `json:"events" description:"oldest first"`
}

// eventsWait waits for an event after a cursor. It does not move the stored cursor.
func eventsWait(c conversations, network string) tool.Tool {
	return tool.Declare(tool.Spec[eventsWaitIn, eventsWaitOut]{
		Name:      toolWaitEvents,
		Title:     "Wait for an event",
		Summary:   "Waits up to 45 seconds for the next result or answer of this conversation, or for selected events.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Toolset:   toolsetBus,
		Waits:     true,
		Cases: []tool.Case[eventsWaitOut]{
			{Name: "events", When: func(o eventsWaitOut) bool { return len(o.Events) > 0 }, Use: withOutcome(
				busUse(evidence.BusEvents, "events[].type", "events[].text", "cursor", "truncated"))},
			{Name: "nothing", Use: withOutcome(busUse(evidence.BusEvents, "cursor", "truncated"))},
		},
		Examples: []tool.Example{
			{Name: "nothing comes", Given: givenNothing, In: `{"timeoutMs":20}`, Case: "nothing"},
			{Name: "a result is there", Given: givenSwapped, In: `{"after_seq":0}`, Case: "events"},
		},
		Run: func(call tool.Call, in eventsWaitIn) (eventsWaitOut, error) {
			session := in.Bus.or(call.Context(), c)
			out := eventsWaitOut{Network: network, place: place{Bus: busName(session)}, Events: []busEvent{}}
			from, err := waitFrom(call.Context(), c, session, in)
			if err != nil {
				return out, err
			}
			f := bus.Filter{Session: session, Sees: bus.Agent, Types: typesOf(in.Types), Subject: taskSubject(in.Task)}
			if len(f.Types) > 0 {
				f.Sees |= bus.UI
			}
			span, note := in.Timeout.span()
			page, reached, err := await(call, span, busWaitStep,
				func(ctx context.Context, most time.Duration) (bus.Page, bool, error) {
					return nextPage(ctx, c, from, f, most)
				})
			if err != nil {
				return out, err
			}
			out.waited, out.Events = ended(reached, span, note), eventsOf(page)
			out.Cursor, out.Truncated, out.More = page.Next.String(), page.Truncated, page.More
			return out, nil
		},
	})
}

// waitFrom returns the cursor to wait from: the given one, or the end of the log.
func waitFrom(ctx context.Context, c conversations, session string, in eventsWaitIn) (bus.Cursor, error) {
	if in.Cursor != "" || in.After != nil {
		return cursorOf(ctx, c, in.Cursor, in.After)
	}
	state, err := c.Snapshot(ctx, session)
	return state.Cursor, err
}

// nextPage returns the events after a cursor, and waits for one if there are none. It returns after
// most without events, or immediately if events after the cursor were lost.
func nextPage(ctx context.Context, c bus.Reader, from bus.Cursor, f bus.Filter, most time.Duration) (bus.Page, bool,
	error) {
	page, err := c.Since(ctx, from, f, mostListed)
	if err != nil || len(page.Events) > 0 || page.Truncated {
		return page, err == nil, err
	}
	waiting, stop := context.WithTimeout(ctx, most)
	defer stop()
	if err := c.Wait(waiting, f, from.Seq); err != nil && !errors.Is(waiting.Err(), context.DeadlineExceeded) {
		return page, false, err
	}
	page, err = c.Since(ctx, from, f, mostListed)
	return page, err == nil && (len(page.Events) > 0 || page.Truncated), err
}
