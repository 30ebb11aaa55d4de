package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type taskListIn struct {
	Bus   busName    `json:"bus,omitempty" about:"default: this conversation"`
	Limit eventLimit `json:"limit" default:"20" brief:"" about:"most tasks in the answer"`
}

type taskListOut struct {
	Network string     `json:"network" about:"network of this server"`
	Bus     busName    `json:"bus" about:"this conversation; pass it on"`
	Tasks   []taskView `json:"tasks" about:"the latest first; ended ones for a day"`
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
		},
		Run: func(call tool.Call, in taskListIn) (taskListOut, error) {
			out := taskListOut{Network: network, Bus: busName(in.Bus.or(call.Context(), c)), Tasks: []taskView{}}
			list, err := c.ListTasks(call.Context(), string(out.Bus), int(in.Limit))
			if err == nil {
				err = settled(call.Context(), c, reviews, list...)
			}
			if err == nil {
				list, err = c.ListTasks(call.Context(), string(out.Bus), int(in.Limit))
			}
			for _, t := range list {
				v := presentTask(r, t)
				v.Result = "" // task.get has it
				out.Tasks = append(out.Tasks, v)
			}
			return out, err
		},
	})
}
