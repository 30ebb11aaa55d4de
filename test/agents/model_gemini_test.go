//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"net/http"
)

// gemini is generateContent and streamGenerateContent.
func (s *standIn) gemini(w http.ResponseWriter, body []byte, streamed bool) {
	var q struct {
		Tools []struct {
			FunctionDeclarations []struct{ Name string }
		}
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct {
					ID, Name string
					Response json.RawMessage
				}
			}
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var tools []offered
	for _, t := range q.Tools {
		for _, f := range t.FunctionDeclarations {
			tools = append(tools, offered{Name: f.Name})
		}
	}
	var results []result
	for _, c := range q.Contents {
		for _, p := range c.Parts {
			if f := p.FunctionResponse; f != nil {
				results = append(results, result{ID: f.ID, Name: f.Name, Text: string(f.Response)})
			}
		}
	}
	if s.refuses(w, geminiNames, tools) {
		return
	}
	said := s.job.answer(tools, results, body)
	part := map[string]any{"text": said.Text}
	if c := said.Call; c != nil {
		part = map[string]any{"functionCall": map[string]any{"id": c.ID, "name": c.Name, "args": c.Args}}
	}
	answer := map[string]any{
		"candidates": []any{map[string]any{
			"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": []any{part}},
		}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
	}
	if !streamed {
		write(w, answer)
		return
	}
	stream(w).send("", answer)
}
