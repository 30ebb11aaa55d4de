package tools

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type taskListIn struct {
	Bus   busName    `json:"bus,omitempty" description:"default: this conversation"`
	State taskWord   `json:"state,omitempty" brief:"" description:"only tasks in this state"`
	Kind  taskWord   `json:"kind,omitempty" brief:"" description:"such as review or watch_price"`
	Limit eventLimit `json:"limit" default:"20" brief:"" description:"max tasks"`
}

// taskWord is a state or a kind of task.
type taskWord string

// Shape implements tool.Shaped.
func (taskWord) Shape() tool.Shape { return tool.Shape{MaxLength: 40} }

// filter returns the filter for the requested tasks.
func (in taskListIn) filter() (bus.TaskFilter, error) {
	f := bus.TaskFilter{State: bus.TaskState(in.State), Kind: bus.Kind(in.Kind)}
	for _, w := range []struct {
		field, given string
		known        []string
	}{{"state", string(in.State), f.State.Values()}, {"kind", string(in.Kind), f.Kind.Values()}} {
		if w.given != "" && !slices.Contains(w.known, w.given) {
			return f, fault.New(fault.InputInvalid, "%s must be one of %s.", w.field, strings.Join(w.known, ", ")).With("field",
				w.field)
		}
	}
	return f, nil
}

type taskListOut struct {
	Network string     `json:"network" description:"network of this server"`
	Bus     busName    `json:"bus" description:"this conversation; pass it on"`
	Tasks   []taskView `json:"tasks" description:"newest first; ended ones are listed for a day"`
}

// taskList lists the tasks of a conversation.
func taskList(c conversations, r runner, reviews reviews, network string) tool.Tool {
	return tool.Declare(tool.Spec[taskListIn, taskListOut]{
		Name:      toolTasks,
		Title:     "List tasks",
		Summary:   "Lists the tasks of this conversation, newest to oldest.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Toolset:   toolsetBus,
		Cases: []tool.Case[taskListOut]{
			{Name: "tasks", When: func(o taskListOut) bool { return len(o.Tasks) > 0 },
				Use: busUse(evidence.TaskStatus, "tasks[].task_id", "tasks[].state", "tasks[].stage")},
			{Name: "none", Use: busUse(evidence.TaskStatus, "bus")},
		},
		Examples: []tool.Example{
			{Name: "none", Given: givenNothing, In: `{"bus":"conv_0"}`, Case: "none"},
			{Name: "several", Given: givenSeveral, In: `{"limit":3}`, Case: "tasks"},
			{Name: "reviews", Given: givenSeveral, In: `{"kind":"review","limit":1}`, Case: "tasks"},
			{Name: "cancelled", Given: givenNothing, In: `{"state":"cancelled"}`, Case: "none"},
			{Name: "no state", Given: givenNothing, In: `{"state":"open"}`, Fault: fault.InputInvalid},
		},
		Run: func(call tool.Call, in taskListIn) (taskListOut, error) {
			out := taskListOut{Network: network, Bus: busName(in.Bus.or(call.Context(), c)), Tasks: []taskView{}}
			f, err := in.filter()
			if err != nil {
				return out, err
			}
			// Tasks whose deadline has passed are ended first, so that the listed states are
			// current.
			list, err := c.ListTasks(call.Context(), string(out.Bus), bus.TaskFilter{State: bus.Working, Kind: f.Kind},
				bus.MostRead)
			if err == nil {
				err = settled(call.Context(), c, reviews, list...)
			}
			if err == nil {
				list, err = c.ListTasks(call.Context(), string(out.Bus), f, int(in.Limit))
			}
			for _, t := range list {
				v := presentTask(r, t)
				v.Result = "" // task.get returns the result
				out.Tasks = append(out.Tasks, v)
			}
			return out, err
		},
	})
}
