//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"net/http"
)

// anthropic is the Messages API, streamed where the client asks for it.
func (s *standIn) anthropic(w http.ResponseWriter, body []byte) {
	var q struct {
		Model  string
		Stream bool
		Tools  []struct {
			Name         string
			DeferLoading bool `json:"defer_loading"`
		}
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var tools []offered
	for _, t := range q.Tools {
		tools = append(tools, offered{Name: t.Name})
	}
	var results []result
	for _, m := range q.Messages {
		var blocks []struct {
			Type      string
			ToolUseID string `json:"tool_use_id"`
			Content   json.RawMessage
		}
		_ = json.Unmarshal(m.Content, &blocks)
		for _, b := range blocks {
			if b.Type == "tool_result" {
				results = append(results, result{ID: b.ToolUseID, Text: textOf(b.Content)})
			}
		}
	}
	if s.refuses(w, anthropicNames, tools) {
		return
	}
	said := s.job.answer(tools, results, body)
	usage := map[string]any{"input_tokens": 10, "output_tokens": 10}
	block, reason := map[string]any{"type": "text", "text": said.Text}, "end_turn"
	if c := said.Call; c != nil {
		block, reason = map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Args}, "tool_use"
	}
	message := map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": q.Model, "content": []any{block},
		"stop_reason": reason, "stop_sequence": nil, "usage": usage,
	}
	if !q.Stream {
		write(w, message)
		return
	}
	e := stream(w)
	message["content"], message["stop_reason"] = []any{}, nil
	e.send("message_start", map[string]any{"type": "message_start", "message": message})
	start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": said.Text}
	if c := said.Call; c != nil {
		start = map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": text(c.Args)}
	}
	e.send("content_block_start", map[string]any{"type": "content_block_start", "index": 0, "content_block": start})
	e.send("content_block_delta", map[string]any{"type": "content_block_delta", "index": 0, "delta": delta})
	e.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": 0})
	e.send("message_delta", map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": reason, "stop_sequence": nil}, "usage": usage,
	})
	e.send("message_stop", map[string]any{"type": "message_stop"})
}
