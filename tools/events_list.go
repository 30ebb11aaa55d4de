package tools

import (
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// eventLimit is the maximum number of events in an answer.
type eventLimit int64

// Shape implements tool.Shaped.
func (eventLimit) Shape() tool.Shape { return tool.Between(1, mostListed) }

type eventsListIn struct {
	Cursor string      `json:"cursor,omitempty" description:"of an earlier answer"`
	After  *int64      `json:"after_seq,omitempty" description:"instead of a cursor"`
	Task   taskID      `json:"task_id,omitempty" brief:"" description:"only events of this task"`
	Types  []eventType `json:"types,omitempty" brief:"" description:"only these, such as ToolResult"`
	Bus    busName     `json:"bus,omitempty" description:"default: this conversation"`
	Limit  eventLimit  `json:"limit" default:"20" brief:"" description:"max events"`
}

type eventsListOut struct {
	Network string `json:"network" description:"network of this server"`
	place
	Events   []busEvent `json:"events" description:"oldest first"`
	Tasks    []taskView `json:"tasks,omitempty" description:"unfinished tasks, if no cursor was passed"`
	Requests int64      `json:"openWalletRequests" description:"number of reviews waiting for the wallet, if no cursor was passed"`
}

// eventsList returns a conversation's events, including those already delivered. It does not move
// the stored cursor.
func eventsList(c conversations, reviews reviews, network string) tool.Tool {
	return tool.Declare(tool.Spec[eventsListIn, eventsListOut]{
		Name:  toolEvents,
		Title: "List events",
		Summary: "Lists the events of this conversation after a cursor. Without one, returns open work and a cursor " +
			"to continue from.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Toolset:   toolsetBus,
		Cases: []tool.Case[eventsListOut]{
			{Name: "events", When: func(o eventsListOut) bool { return len(o.Events) > 0 },
				Use: busUse(evidence.BusEvents, "events[].type", "events[].at", "cursor", "truncated")},
			{Name: "state", Use: busUse(evidence.BusEvents, "tasks[].state", "openWalletRequests", "cursor", "truncated")},
		},
		Examples: []tool.Example{
			{Name: "nothing yet", Given: givenNothing, In: `{}`, Case: "state"},
			{Name: "what is open", Given: givenPrepared, In: `{}`, Case: "state"},
			{Name: "what happened", Given: givenSwapped, In: `{"after_seq":0}`, Case: "events"},
			{Name: "no cursor", Given: givenNothing, In: `{"cursor":"7"}`, Fault: fault.InputInvalid},
		},
		Run: func(call tool.Call, in eventsListIn) (eventsListOut, error) {
			ctx, session := call.Context(), in.Bus.or(call.Context(), c)
			out := eventsListOut{Network: network, place: place{Bus: busName(session)}, Events: []busEvent{}}
			if in.Cursor == "" && in.After == nil {
				state, err := c.Snapshot(ctx, session)
				if err == nil {
					err = settled(ctx, c, reviews, state.Tasks...)
				}
				if err == nil {
					state, err = c.Snapshot(ctx, session)
				}
				if err != nil {
					return out, err
				}
				for _, t := range state.Tasks {
					out.Tasks = append(out.Tasks, taskOf(t))
				}
				out.Requests, out.Cursor = int64(len(state.Requests)), state.Cursor.String()
				return out, nil
			}
			from, err := cursorOf(ctx, c, in.Cursor, in.After)
			if err != nil {
				return out, err
			}
			f := bus.Filter{Session: session, Sees: bus.UI | bus.Agent, Types: typesOf(in.Types), Subject: taskSubject(in.Task)}
			page, err := c.Since(ctx, from, f, int(in.Limit))
			if err != nil {
				return out, err
			}
			out.Events, out.Cursor = eventsOf(page), page.Next.String()
			out.Truncated, out.More = page.Truncated, page.More
			return out, nil
		},
	})
}
