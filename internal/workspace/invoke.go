package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

// ErrParams means that the parameters of a call do not match the tool.
var ErrParams = errors.New("the parameters do not fit the tool")

// params holds the parameters of all four tools under their names in the protocol. Parameters that
// a tool does not have are ignored, because the protocol sends some of them with every call.
type params struct {
	ProjectKey     *string  `json:"projectKey"`
	Pattern        *string  `json:"pattern"`
	RelativePath   *string  `json:"relativePath"`
	Regex          bool     `json:"regex"`
	CaseSensitive  bool     `json:"case_sensitive"`
	ContextLines   *float64 `json:"context_lines"`
	Limit          *float64 `json:"limit"`
	FileType       string   `json:"file_type"`
	StartLine      *float64 `json:"start_line"`
	EndLine        *float64 `json:"end_line"`
	Line           *float64 `json:"line"`
	Method         *string  `json:"method"`
	Direction      string   `json:"direction"`
	Depth          *float64 `json:"depth"`
	IncludeSource  bool     `json:"includeSource"`
	SearchContent  *string  `json:"searchContent"`
	ReplaceContent *string  `json:"replaceContent"`
	Description    string   `json:"description"`
}

// required returns the required parameters of a tool.
func required(tool string) ([]string, error) {
	switch tool {
	case ToolGrep:
		return []string{"projectKey", "pattern"}, nil
	case ToolRead:
		return []string{"projectKey", "relativePath"}, nil
	case ToolChain:
		return []string{"projectKey", "method"}, nil
	case ToolChange:
		return []string{"projectKey", "relativePath", "replaceContent"}, nil
	}
	return nil, ErrTool
}

// CheckParams returns a MissingError for the first required parameter that is missing, or ErrTool
// if the tool is unknown. Senders call it too.
func CheckParams(tool string, raw json.RawMessage) error {
	names, err := required(tool)
	if err != nil {
		return err
	}
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return fmt.Errorf("%w: %s takes an object", ErrParams, tool)
	}
	for _, name := range names {
		// An empty replaceContent deletes the text, so it is not missing.
		if v, ok := fields[name]; !ok || v == nil || v == "" && name != "replaceContent" {
			return &MissingError{Tool: tool, Field: name}
		}
	}
	return nil
}

// Invoke runs a call of the protocol and returns Markdown. The parameters name the project.
func Invoke(ctx context.Context, x Executor, tool string, raw json.RawMessage) (string, error) {
	if err := CheckParams(tool, raw); err != nil {
		return "", err
	}
	var p params
	if err := json.Unmarshal(raw, &p); err != nil {
		return "", fmt.Errorf("%w: %s", ErrParams, jsonReason(err))
	}
	key := *p.ProjectKey
	switch tool {
	case ToolGrep:
		r, err := p.search()
		if err != nil {
			return "", err
		}
		return rendered(x.Grep(ctx, key, r))
	case ToolRead:
		r, err := p.read()
		if err != nil {
			return "", err
		}
		return rendered(x.Read(ctx, key, r))
	case ToolChain:
		depth, err := whole("depth", p.Depth, 0)
		if err != nil {
			return "", err
		}
		return rendered(x.CallChain(ctx, key, ChainRequest{Method: *p.Method, Direction: graph.Direction(p.Direction),
			Depth: depth, IncludeSource: p.IncludeSource}))
	}
	return rendered(x.ApplyChange(ctx, key, ChangeRequest{Path: *p.RelativePath, Search: text(p.SearchContent),
		Replace: *p.ReplaceContent, Description: p.Description}))
}

func rendered[A interface{ Markdown() string }](a A, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return a.Markdown(), nil
}

func (p *params) search() (r Search, err error) {
	r = Search{Pattern: *p.Pattern, Path: text(p.RelativePath), Regex: p.Regex, CaseSensitive: p.CaseSensitive,
		FileType: p.FileType}
	var e1, e2 error
	r.Context, e1 = whole("context_lines", p.ContextLines, 0)
	r.Limit, e2 = whole("limit", p.Limit, DefaultMatches)
	if r.Limit == 0 { // 0 would otherwise mean the default
		e2 = ErrLimit
	}
	return r, errors.Join(e1, e2)
}

func (p *params) read() (r ReadRequest, err error) {
	r.Path = *p.RelativePath
	var e1, e2, e3, e4 error
	r.Start, e1 = whole("start_line", p.StartLine, 0)
	r.End, e2 = whole("end_line", p.EndLine, 0)
	r.Line, e3 = whole("line", p.Line, 0)
	r.Context, e4 = whole("context_lines", p.ContextLines, defaultContext)
	return r, errors.Join(e1, e2, e3, e4)
}

// whole returns n, which must be an integer, or absent if n is nil.
func whole(name string, n *float64, absent int) (int, error) {
	switch {
	case n == nil:
		return absent, nil
	case *n != float64(int32(*n)) || *n < 0:
		return 0, fmt.Errorf("%w: %s must be a non-negative integer", ErrParams, name)
	}
	return int(*n), nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// jsonReason names a parameter that has the wrong type. It does not contain the value.
func jsonReason(err error) string {
	var e *json.UnmarshalTypeError
	if errors.As(err, &e) {
		return fmt.Sprintf("%s cannot be a %s", e.Field, e.Value)
	}
	return "it is not a JSON object"
}
