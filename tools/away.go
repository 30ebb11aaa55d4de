package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Away returns the tools that read the events of a conversation, over a reader elsewhere
// than on the person's machine, for the time when that is off.
func Away(reader bus.Reader, session, network string) []tool.Tool {
	c := away{reader, session}
	return []tool.Tool{eventsList(c, nil, network), eventsWait(c, network)}
}

// AwayTelling returns the lines of a conversation as NewTelling does, over such a reader.
// Changes of the log are told by hub.
func AwayTelling(reader bus.Reader, session string, hub *events.Hub) *Telling {
	return NewTelling(away{reader, session}, session, hub)
}

// AwayNote is the line beside an answer of these tools: that it is not the program's own.
// why says that the person's machine is off, and since when; earlier is another
// conversation of this machine, "" for none.
func AwayNote(why, earlier string) tool.SystemEvent {
	text := "person_offline: " + why + " These are the events that are known; what was open then, amounts and notes are read there."
	if earlier != "" {
		text += " The latest other conversation of this machine is bus " + earlier + "."
	}
	return tool.SystemEvent{Type: string(bus.TypeSystemNotice), Text: bus.Injected(text)}
}

// away is a conversation of which only the events are known.
type away struct {
	bus.Reader
	session string
}

func unknownAway() error {
	return fault.New(fault.PersonOffline, "The person's machine is off, and what is open now is known there only. "+
		"Give a cursor, or after_seq 0, to list the events that are known.")
}

// Bus is the conversation's name.
func (a away) Bus(context.Context) string { return a.session }

func (away) Task(context.Context, string) (bus.Task, error) { return bus.Task{}, unknownAway() }

func (away) TaskOf(context.Context, string) (bus.Task, bool, error) {
	return bus.Task{}, false, unknownAway()
}

func (away) ListTasks(context.Context, string, int) ([]bus.Task, error) { return nil, unknownAway() }

func (away) CreateTask(context.Context, bus.Task) (bus.Task, error) {
	return bus.Task{}, unknownAway()
}

func (away) CancelTask(context.Context, string) (bus.Task, error) { return bus.Task{}, unknownAway() }

// SettleTasks refuses to say what is open.
func (away) SettleTasks(context.Context) error { return unknownAway() }
