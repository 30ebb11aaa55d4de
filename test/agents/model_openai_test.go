//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"net/http"
)

// chat is the Chat Completions API.
func (s *standIn) chat(w http.ResponseWriter, body []byte) {
	var q struct {
		Model  string
		Stream bool
		Tools  []struct{ Function struct{ Name string } }

		Messages []struct {
			Role       string
			ToolCallID string `json:"tool_call_id"`
			Content    json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var tools []offered
	for _, t := range q.Tools {
		tools = append(tools, offered{Name: t.Function.Name})
	}
	var results []result
	for _, m := range q.Messages {
		if m.Role == "tool" {
			results = append(results, result{ID: m.ToolCallID, Text: textOf(m.Content)})
		}
	}
	if s.refuses(w, openAINames, tools) {
		return
	}
	said := s.job.answer(tools, results, body)
	message, reason := map[string]any{"role": "assistant", "content": said.Text}, "stop"
	if c := said.Call; c != nil {
		message["content"], reason = nil, "tool_calls"
		message["tool_calls"] = []any{map[string]any{
			"index": 0, "id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": text(c.Args)},
		}}
	}
	usage := map[string]any{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
	whole := map[string]any{"id": "chatcmpl-1", "created": 1, "model": q.Model}
	choice := map[string]any{"index": 0, "finish_reason": reason}
	if !q.Stream {
		choice["message"], whole["object"], whole["usage"] = message, "chat.completion", usage
		whole["choices"] = []any{choice}
		write(w, whole)
		return
	}
	e := stream(w)
	whole["object"] = "chat.completion.chunk"
	whole["choices"] = []any{map[string]any{"index": 0, "delta": message, "finish_reason": nil}}
	e.send("", whole)
	choice["delta"] = map[string]any{}
	whole["choices"], whole["usage"] = []any{choice}, usage
	e.send("", whole)
	_, _ = w.Write([]byte("data: [DONE]\n\n"))
}

// responses is the Responses API.
func (s *standIn) responses(w http.ResponseWriter, body []byte) {
	type tool struct {
		Type, Name string
		Tools      []struct{ Name string }
	}
	var q struct {
		Model  string
		Stream bool
		Tools  []tool
		Input  json.RawMessage
	}
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var tools []offered
	for _, t := range q.Tools {
		if t.Type == "namespace" {
			for _, one := range t.Tools {
				tools = append(tools, offered{Name: one.Name, Group: t.Name})
			}
			continue
		}
		if t.Type == "function" { // others are the API's own
			tools = append(tools, offered{Name: t.Name})
		}
	}
	var input []struct {
		Type   string
		CallID string `json:"call_id"`
		Output json.RawMessage
	}
	_ = json.Unmarshal(q.Input, &input)
	var results []result
	for _, i := range input {
		if i.Type == "function_call_output" {
			results = append(results, result{ID: i.CallID, Text: textOf(i.Output)})
		}
	}
	if s.refuses(w, openAINames, tools) {
		return
	}
	said := s.job.answer(tools, results, body)
	item := map[string]any{
		"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": said.Text, "annotations": []any{}}},
	}
	if c := said.Call; c != nil {
		item = map[string]any{
			"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name,
			"arguments": text(c.Args), "status": "completed",
		}
		if c.Group != "" {
			item["namespace"] = c.Group
		}
	}
	answer := map[string]any{
		"id": "resp_1", "object": "response", "created_at": 1, "model": q.Model, "status": "completed",
		"output": []any{item}, "usage": map[string]any{
			"input_tokens": 10, "output_tokens": 10, "total_tokens": 20,
			"input_tokens_details":  map[string]any{"cached_tokens": 0},
			"output_tokens_details": map[string]any{"reasoning_tokens": 0},
		},
	}
	if !q.Stream {
		write(w, answer)
		return
	}
	e := stream(w)
	begun := map[string]any{
		"id": "resp_1", "object": "response", "created_at": 1, "model": q.Model, "status": "in_progress", "output": []any{},
	}
	e.send("response.created", map[string]any{"type": "response.created", "sequence_number": 0, "response": begun})
	e.send("response.output_item.added", map[string]any{
		"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item,
	})
	e.send("response.output_item.done", map[string]any{
		"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item,
	})
	e.send("response.completed", map[string]any{"type": "response.completed", "sequence_number": 3, "response": answer})
}
