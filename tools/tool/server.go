package tool

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Identity describes the server to clients. Models read Instructions before the list of tools.
type Identity struct {
	Name         string
	Title        string
	Version      string
	Instructions string
}

// NewServer returns an MCP server for tools, prompts and the options in more. It has no transport;
// callers pass messages to it.
func NewServer(id Identity, more ...server.ServerOption) *server.MCPServer {
	return server.NewMCPServer(id.Name, id.Version, append([]server.ServerOption{
		server.WithTitle(id.Title),
		server.WithInstructions(id.Instructions),
		server.WithToolCapabilities(false),
		server.WithPromptCapabilities(false),
	}, more...)...)
}

// Register adds tools to s under their dotted names, in one change of the list. Calls whose context
// has no [Session] share one. The causes of internal errors are logged and never sent to the
// client.
func Register(s *server.MCPServer, tools []Tool, log *slog.Logger) {
	shared := &Session{}
	list := make([]server.ServerTool, 0, len(tools))
	for _, t := range tools {
		list = append(list, server.ServerTool{Tool: t.listing(),
			Handler: func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				c := callOf(ctx)
				c.session, c.resumed = sessionOf(ctx, shared), replyOf(ctx, request)
				args := arguments(ctx, request)
				result, answer := t.serve(c, args, log)
				if answer.Ask == nil {
					t.addPending(c, args, answer.Tells, result)
				}
				return result, nil
			}})
	}
	s.AddTools(list...)
}

// listing returns the tool's entry in tools/list.
func (t Tool) listing() mcp.Tool {
	return mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Summary,
		RawInputSchema: t.InputSchema(), RawOutputSchema: t.ListedOutputSchema(),
		Annotations: t.Effect.hints(),
	}
}

// Listing returns the tool's entry in tools/list as compact JSON.
func (t Tool) Listing() (json.RawMessage, error) { return strictjson.Encode(t.listing()) }

// serve runs a call and converts its answer to an MCP result.
func (t Tool) serve(c Call, args strictjson.Value, log *slog.Logger) (result *mcp.CallToolResult, answer Answer) {
	ended := func(string, string) {}
	if c.session.Began != nil {
		ended = c.session.Began(t.Name)
	}
	answer = t.call(c, args)
	if answer.Fault != nil {
		ended(string(answer.Fault.Code), string(answer.Text))
	} else {
		ended("", string(answer.Text))
	}
	if answer.Ask != nil {
		return server.NewInputRequestBuilder(string(answer.State)).Elicit(askID, elicitation(*answer.Ask)).ToolResult(),
			answer
	}
	result = &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(answer.Text))}}
	t.label(result)
	if answer.Fault == nil {
		result.StructuredContent = answer.Text
		return result, answer
	}
	result.IsError = true
	if answer.Fault.Code == fault.InternalError {
		log.Error("tool failed", "tool", t.Name, "cause", answer.Fault.Err)
	}
	return result, answer
}

// lender is implemented by sessions that provide arguments they have already parsed.
type lender interface{ Arguments() strictjson.Value }

// arguments returns a call's arguments as the client wrote them.
func arguments(ctx context.Context, request mcp.CallToolRequest) strictjson.Value {
	if s, ok := server.ClientSessionFromContext(ctx).(lender); ok && s.Arguments().Raw != nil {
		return s.Arguments()
	}
	if len(request.Params.RawArguments) > 0 || request.Params.Arguments == nil {
		return strictjson.Value{Raw: request.Params.RawArguments}
	}
	args, err := json.Marshal(request.Params.Arguments)
	if err != nil {
		args = json.RawMessage("[]") // rejected because it is not an object
	}
	return strictjson.Value{Raw: args}
}

// asks is implemented by sessions that know which questions their client supports.
type asks interface {
	ElicitsForm() bool
	ElicitsURL() bool
	// Modern reports whether questions to the client are returned as results.
	Modern() bool
}

// callOf returns the call with the client, line and asker that the transport's session provides.
func callOf(ctx context.Context) Call {
	session := server.ClientSessionFromContext(ctx)
	line, _ := session.(Line)
	client := Client{}
	if s, ok := session.(server.SessionWithClientInfo); ok {
		info := s.GetClientInfo()
		client.Name, client.Version = info.Name, info.Version
	}
	if s, ok := session.(asks); ok {
		client.AsksForm, client.OpensURL, client.AsksByResult = s.ElicitsForm(), s.ElicitsURL(), s.Modern()
	}
	c := NewCall(ctx, line, client)
	if s, ok := session.(server.SessionWithElicitation); ok {
		c.asker = elicitor{s}
	}
	return c
}
