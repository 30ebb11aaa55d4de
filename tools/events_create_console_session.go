package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const toolConsole = "events.create_console_session"

type createConsoleIn struct{}

type createConsoleOut struct {
	Bus         busName   `json:"bus" description:"the conversation; the console follows the newest one of this client"`
	URL         string    `json:"consoleUrl" description:"link for the user; works once"`
	Opening     opened    `json:"opening" description:"how the page was opened; client_agreed is the client's claim"`
	OpenTarget  string    `json:"openTarget" description:"where to open the link"`
	AccessScope string    `json:"accessScope" description:"computers that can open the link"`
	Network     string    `json:"network" description:"network of this server"`
	ExpiresAt   time.Time `json:"expiresAt" description:"expiry of the link if unopened, UTC"`
}

// eventsCreateConsoleSession creates a link to the page that shows the client's requests while they
// run.
func eventsCreateConsoleSession(c conversations, page opener, now func() time.Time, network string) tool.Tool {
	return tool.Declare(tool.Spec[createConsoleIn, createConsoleOut]{
		Name:  toolConsole,
		Title: "Create console link",
		Summary: "Creates a link to the console, a local page where the user sees waiting, running and ended work and " +
			"answers questions.",
		Effect:  tool.OpensSession,
		Toolset: toolsetBus,
		Errors:  []fault.Code{fault.Blocked},
		Cases: []tool.Case[createConsoleOut]{{
			Name: "link",
			Use: evidence.Use{
				Can:    evidence.Claims{evidence.ConsoleLink},
				Cannot: evidence.NotLogin().And(evidence.NotSigning()),
				Answer: []string{"consoleUrl", "openTarget", "opening", "expiresAt"},
				Rules:  []string{"openTarget", "accessScope"},
			},
		}},
		Examples: []tool.Example{
			{Name: "link", Given: givenNothing, In: `{}`, Case: "link"},
			{Name: "no pages", Given: givenNoPages, In: `{}`, Fault: fault.Blocked},
		},
		Run: func(call tool.Call, _ createConsoleIn) (createConsoleOut, error) {
			id := c.Bus(call.Context())
			ends := now().Add(pagetoken.LinkLife).UTC().Truncate(time.Second)
			url, err := page.link.make(call.Context(), pagetoken.Console, id)
			if err != nil {
				return createConsoleOut{Bus: busName(id)}, err
			}
			return createConsoleOut{Bus: busName(id), URL: url, Opening: linkOnly, OpenTarget: systemBrowser,
				AccessScope: loopbackOnly, Network: network, ExpiresAt: ends}, nil
		},
		Undo: taking(page, pagetoken.Console, func(out *createConsoleOut) string { return string(out.Bus) }),
		Asking: opening(page, pagetoken.Console, func(out *createConsoleOut) (string, *opened) {
			return string(out.Bus),
				&out.Opening
		}),
	})
}
