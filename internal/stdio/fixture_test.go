package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Tools use a session through tool.Line.
var _ tool.Line = (*stdio.Session)(nil)

// fixture is a server with one tool for each way a handler can behave.
type fixture struct {
	*server.MCPServer
	gate      chan struct{} // blocks test.held
	started   chan string   // receives the held calls that started
	cancelled chan string   // receives the held calls that were canceled
}

func text(s string) *mcp.CallToolResult { return mcp.NewToolResultText(s) }

func session(ctx context.Context) *stdio.Session {
	return server.ClientSessionFromContext(ctx).(*stdio.Session)
}

func newFixture() *fixture {
	f := &fixture{
		MCPServer: server.NewMCPServer("fixture", "1", server.WithLogging(), server.WithInstructions("Say echo."),
			server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true), server.WithToolCapabilities(true)),
		gate: make(chan struct{}), started: make(chan string, 2000), cancelled: make(chan string, 2000),
	}
	add := func(name string, h server.ToolHandlerFunc) { f.AddTool(mcp.NewTool(name), h) }
	add("test.echo", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(r.GetString("text", "")), nil
	})
	add("test.raw", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(string(r.Params.RawArguments)), nil
	})
	add("test.lent", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		lent := session(ctx).Arguments()
		return text(fmt.Sprintf("%s|%s|%v|%d", r.Params.RawArguments, lent.Raw, lent.Tree, lent.Depth)), nil
	})
	add("test.held", f.held(false))
	add("test.parked", f.held(true))
	add("test.resume", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		resume := session(ctx).Park()
		f.started <- "parked"
		<-f.gate
		resume()
		resume()
		f.started <- "resumed"
		return text("resumed"), nil
	})
	add("test.wait", f.wait)
	add("test.sleep", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-time.After(time.Duration(r.GetInt("ms", 0)) * time.Millisecond):
			return text("slept"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	add("test.stubborn", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		f.started <- "stubborn"
		if r.GetBool("announce", false) {
			session(ctx).Progress(0, 0, "begun")
		}
		<-time.After(time.Duration(r.GetInt("ms", 20_000)) * time.Millisecond)
		session(ctx).Progress(1, 0, "late")
		f.cancelled <- "stubborn"
		return text("late"), nil
	})
	add("test.panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("SECRET-MARKER") })
	add("test.bug", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var none []int
		return text(fmt.Sprint(none[len(f.gate)])), nil
	})
	add("test.error", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("SECRET-MARKER")
	})
	add("test.fault", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fault.New(fault.InputInvalid, "Give a text.")
	})
	add("test.nil", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	add("test.nan", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultStructured(map[string]any{"n": math.NaN()}, "n"), nil
	})
	add("test.made", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session(ctx).Unsent(func() { f.cancelled <- "undone" })
		f.started <- "made"
		<-f.gate
		if r.GetBool("nan", false) {
			return mcp.NewToolResultStructured(map[string]any{"n": math.NaN()}, "n"), nil
		}
		return text("made"), nil
	})
	add("test.progress", progressTool)
	add("test.beat", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range int64(3) {
			session(ctx).Progress(i+1, 0, "still waiting")
		}
		return text("done"), nil
	})
	add("test.progresshold", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session(ctx).Progress(1, 0, "one")
		session(ctx).Progress(2, 0, "two")
		<-f.gate
		return text("released"), nil
	})
	add("test.afterwards", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		f.started <- "afterwards"
		<-ctx.Done()
		told := session(ctx).Progress(5, 5, "too late")
		err := f.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progress": 6})
		f.cancelled <- fmt.Sprint("told ", told, err)
		return text("too late"), nil
	})
	add("test.notify", f.notify)
	add("test.log", f.log)
	add("test.elicit", f.elicit)
	add("test.input", f.input)
	add("test.cards", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(fmt.Sprint(session(ctx).ShowsCards())), nil
	})
	add("test.who", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s := session(ctx)
		if info := s.GetClientInfo().Name; info != s.ClientName() {
			return text("two names: " + info + " and " + s.ClientName()), nil
		}
		return text(fmt.Sprintf("%s form=%t url=%t modern=%t", s.ClientName(), s.ElicitsForm(), s.ElicitsURL(), s.Modern())),
			nil
	})
	f.AddResource(mcp.NewResource("test://one", "one"), func(context.Context,
		mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://one", Text: "<1>"}}, nil
	})
	f.AddResource(mcp.NewResource("test://held", "held"), func(ctx context.Context,
		_ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		f.started <- "resource"
		<-ctx.Done()
		f.cancelled <- "resource"
		return nil, ctx.Err()
	})
	f.AddResourceTemplate(mcp.NewResourceTemplate("test://of/{name}", "of"), func(_ context.Context,
		r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI,
			Text: fmt.Sprint(r.Params.Arguments["name"])}}, nil
	})
	f.AddPrompt(mcp.NewPrompt("greet"), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if r.Params.Arguments["name"] == "" {
			return nil, fault.New(fault.InputInvalid, "The argument name is missing.")
		}
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Hi "+
			r.Params.Arguments["name"]))}), nil
	})
	return f
}

// held returns a handler that waits for the gate, parked or not.
func (f *fixture) held(park bool) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if park {
			defer session(ctx).Park()()
		}
		f.started <- r.GetString("text", "")
		select {
		case <-f.gate:
			return text("released"), nil
		case <-ctx.Done():
			f.cancelled <- r.GetString("text", "")
			return nil, ctx.Err()
		}
	}
}

// wait is a long poll that returns what it has when the input ends.
func (f *fixture) wait(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s := session(ctx)
	defer s.Park()()
	f.started <- "wait"
	s.Progress(1, 0, "begun")
	select {
	case <-s.InputEnded():
		return text("nothing yet"), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(45 * time.Second):
		return text("timeout"), nil
	}
}

func progressTool(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	n := int64(r.GetInt("n", 3))
	for i := range n {
		session(ctx).Progress(i+1, n, fmt.Sprintf("step %d", i+1))
	}
	session(ctx).Progress(1, 0, "backwards")
	return text("done"), nil
}

// notify sends progress through mcp-go.
func (f *fixture) notify(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var token any
	if r.Params.Meta != nil {
		token = r.Params.Meta.ProgressToken
	}
	for i := range 3 {
		if err := f.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progress": i,
			"progressToken": token}); err != nil {
			return nil, err
		}
	}
	return text("done"), nil
}

func (f *fixture) log(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, level := range []mcp.LoggingLevel{mcp.LoggingLevelInfo, mcp.LoggingLevelError} {
		err := f.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(level, "fixture", string(level)))
		if err != nil {
			return nil, err
		}
	}
	return text("logged"), nil
}

func (f *fixture) elicit(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	params := mcp.ElicitationParams{Message: "Sure?", RequestedSchema: map[string]any{"type": "object"}}
	if r.GetBool("url", false) {
		params = mcp.ElicitationParams{Mode: "url", Message: "Open", ElicitationID: "e1", URL: "http://127.0.0.1:1/"}
	}
	answer, err := f.RequestElicitation(ctx, mcp.ElicitationRequest{Params: params})
	if err != nil {
		if ctx.Err() != nil {
			f.cancelled <- "elicit"
		}
		return mcp.NewToolResultError(err.Error()), nil
	}
	return text(string(answer.Action)), nil
}

// input asks the user by returning "input required". Its state counts the rounds.
func (f *fixture) input(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if answer := server.ElicitationResponse(r.Params.InputResponses, "sure"); answer != nil {
		return text(string(answer.Action) + " with state " + r.Params.RequestState), nil
	}
	params := mcp.ElicitationParams{Message: "Sure?", RequestedSchema: map[string]any{"type": "object"}}
	if r.GetBool("url", false) {
		params = mcp.ElicitationParams{Mode: "url", Message: "Open", ElicitationID: "e1", URL: "http://127.0.0.1:1/"}
	}
	return server.NewInputRequestBuilder("round-1").Elicit("sure", params).ToolResult(), nil
}

func TestMain(m *testing.M) {
	if os.Getenv("STDIO_FIXTURE") != "" {
		os.Exit(fixtureMain())
	}
	os.Exit(m.Run())
}
