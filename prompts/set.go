package prompts

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Set holds the prompts of a server: one for each surface, one for each action without a protocol,
// and two general ones. Pools and Symbols are offered as completions.
type Set struct {
	Surfaces []Surface
	Pools    []string
	Symbols  []string
}

// Names of the prompts that do not come from an adapter.
const (
	inspectName = "inspect-supported-sui-actions"
	prepareName = "prepare-reviewable-sui-action"
)

const (
	inspectAbout = "Check this server's status and features."
	prepareAbout = "Prepare an action for review from one line in any language; the user reads and signs it on the local page."
)

const inspectText = `Tell the user what this server can do now, from its own answers and not from memory.

1. Call read.get_server_status: version, network, which tools exist, whether review pages are served.
2. Call read.list_supported_protocols: which protocols there are and which actions can be prepared for review. Report a planned or unsupported protocol as such.
3. If a pool is named below, find it with read.list_deepbook_pools and show its book with read.inspect_deepbook_orderbook. Otherwise mention that the pools and coins are listed by read.list_deepbook_pools and read.list_deepbook_tokens.
4. Say in a few sentences what can be read, what can be prepared for review, and that signing happens only on the local page.`

const prepareText = `Prepare an action on Sui for the user to review.

1. Call read.list_supported_protocols. If what the user wants is not one of those actions, say so and stop.
2. Call account.get_active_account. Without an active account, call session.create_wallet_identity, give the user the link, and wait with session.wait_wallet_identity.
3. Ask the user for what the request leaves open: coins, the exact amount, the maximum slippage, and the protocol if several fit. Never guess or pick one.
4. Call action.prepare_sui_action_review and give the user reviewUrl to open in the browser of the same machine.
5. Call session.wait_execution_result until statusCategory is final, and report the result. session.get_review_status has the checks if something blocks. Unknown is not failure.`

// Register checks the surfaces and registers all prompts in s.
func (set Set) Register(s *server.MCPServer) error {
	set.addPlatform(s)
	if err := Register(s, set.Surfaces); err != nil {
		return err
	}
	for _, action := range set.actions() {
		set.addAction(s, action)
	}
	return nil
}

// Names returns the names of all prompts in the order of prompts/list.
func (set Set) Names() []string {
	return slices.Concat([]string{inspectName, prepareName}, Names(set.Surfaces), set.actions())
}

// Skill is a prompt in the form of instructions that a model loads on its own. It has no argument.
type Skill struct{ Name, Description, Text string }

// Skills returns all prompts as skills, in the order of Names.
func (set Set) Skills() []Skill {
	list := []Skill{{inspectName, inspectAbout, inspectText}, {prepareName, prepareAbout, prepareText}}
	for _, s := range set.Surfaces {
		list = append(list, Skill{s.Name, s.Description, s.Text})
	}
	for _, action := range set.actions() {
		list = append(list, Skill{action, aboutAction(action), set.choice(action)})
	}
	for i, s := range list {
		list[i].Text = strings.TrimSpace(s.Text) + "\n\n" + boundary + "\n"
	}
	return list
}

// actions returns the actions of the surfaces, without duplicates.
func (set Set) actions() []string {
	var list []string
	for _, s := range set.Surfaces {
		if action, _ := s.parts(); !slices.Contains(list, action) {
			list = append(list, action)
		}
	}
	return list
}

// parts returns the action and the protocol slug that make up a surface's name.
func (s Surface) parts() (action, slug string) {
	action, slug, _ = strings.Cut(s.Name, "-")
	return action, slug
}

// of returns the surfaces of an action.
func (set Set) of(action string) []Surface {
	return slices.DeleteFunc(slices.Clone(set.Surfaces), func(s Surface) bool {
		a, _ := s.parts()
		return a != action
	})
}

// slugs returns the protocols that support an action.
func (set Set) slugs(action string) []string {
	var list []string
	for _, s := range set.of(action) {
		_, slug := s.parts()
		list = append(list, slug)
	}
	return list
}

func (set Set) addPlatform(s *server.MCPServer) {
	add(s, mcp.NewPrompt(inspectName, mcp.WithPromptTitle("What can be done here"),
		mcp.WithPromptDescription(inspectAbout),
		mcp.WithArgument("pool", mcp.ArgumentDescription("A DeepBook pool to look at, such as SUI_USDC; optional."))),
		answering(inspectAbout, func(args map[string]string) string {
			if pool := strings.TrimSpace(args["pool"]); pool != "" {
				return compose(inspectText, "", pool)
			}
			return inspectText + "\n\n" + boundary + "\n"
		}))
	const wanted = "What to do, in one line and any language, for example: 10 sui to usdc."
	add(s, mcp.NewPrompt(prepareName, mcp.WithPromptTitle("Prepare an action for review"),
		mcp.WithPromptDescription(prepareAbout),
		mcp.WithArgument("intent", mcp.ArgumentDescription(wanted))),
		answering(prepareAbout, func(args map[string]string) string { return compose(prepareText, wanted, args["intent"]) }))
}

// addAction registers the prompt of an action without a protocol. If several protocols support the
// action, the prompt instructs the model to ask the user for one.
func (set Set) addAction(s *server.MCPServer, action string) {
	surfaces := set.of(action)
	about := aboutAction(action)
	first := surfaces[0]
	options := []mcp.PromptOption{mcp.WithPromptTitle(strings.ToUpper(action[:1]) + action[1:]),
		mcp.WithPromptDescription(about),
		mcp.WithArgument(first.Argument, mcp.RequiredArgument(), mcp.ArgumentDescription(first.ArgumentDescription))}
	if len(surfaces) > 1 {
		options = append(options, mcp.WithArgument("protocol",
			mcp.ArgumentDescription("Protocol: "+strings.Join(set.slugs(action), ", ")+"; optional.")))
	}
	add(s, mcp.NewPrompt(action, options...), answering(about, func(args map[string]string) string {
		return set.action(action, args[first.Argument], args["protocol"])
	}))
}

func aboutAction(action string) string {
	return "Prepare a " + action + " for review from one line in any language."
}

// action returns the prompt for an action. protocol may be empty.
func (set Set) action(action, intent, protocol string) string {
	surfaces := set.of(action)
	for _, s := range surfaces {
		if _, slug := s.parts(); len(surfaces) == 1 || slug == strings.ToLower(strings.TrimSpace(protocol)) {
			return s.Prompt(intent)
		}
	}
	return compose(set.choice(action), surfaces[0].ArgumentDescription, intent)
}

// choice returns the steps that prepare an action. If several protocols support it, the first step
// is to ask the user for one.
func (set Set) choice(action string) string {
	surfaces := set.of(action)
	if len(surfaces) == 1 {
		return surfaces[0].Text
	}
	var b strings.Builder
	b.WriteString("Several protocols can do this (" + action + "):\n")
	for _, s := range surfaces {
		_, slug := s.parts()
		b.WriteString("- " + slug + ": " + s.Title + "\n")
	}
	b.WriteString("\nList them to the user and ask which one to use; do not pick or recommend one. Then prepare the action with " +
		"action.prepare_sui_action_review and intent.protocol set to the slug they chose.")
	return b.String()
}

// answering returns a prompt handler that returns the result of text.
func answering(about string, text func(map[string]string) string) server.PromptHandlerFunc {
	return func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult(about,
			[]mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text(request.Params.Arguments)))}), nil
	}
}

// mostOffered is the maximum number of completions. The protocol allows 100.
const mostOffered = 25

// CompletePromptArgument implements server.PromptCompletionProvider. It offers protocol slugs, pool
// keys and, in an intent, coin symbols that complete the last word.
func (set Set) CompletePromptArgument(_ context.Context, prompt string, argument mcp.CompleteArgument,
	_ mcp.CompleteContext) (*mcp.Completion, error) {
	value := screen.Text(argument.Value, mostIntent).Text
	var found []string
	switch {
	case argument.Name == "protocol":
		found = starting("", value, set.slugs(prompt))
	case argument.Name == "pool" && prompt == inspectName:
		found = starting("", value, set.Pools)
	case argument.Name == "intent":
		at := strings.LastIndexByte(value, ' ') + 1
		if word := value[at:]; word != "" {
			found = starting(value[:at], word, set.symbols(prompt))
		}
	}
	shown := found[:min(len(found), mostOffered)]
	return &mcp.Completion{Values: append([]string{}, shown...), Total: len(found), HasMore: len(found) > len(shown)}, nil
}

// symbols returns the coins that a prompt supports.
func (set Set) symbols(prompt string) []string {
	for _, s := range set.Surfaces {
		if s.Name == prompt && len(s.Symbols) > 0 {
			return s.Symbols
		}
	}
	return set.Symbols
}

// starting returns the words that begin with start, ignoring case, each preceded by before.
func starting(before, start string, words []string) []string {
	var list []string
	for _, w := range words {
		if len(w) >= len(start) && strings.EqualFold(w[:len(start)], start) {
			list = append(list, before+w)
		}
	}
	return list
}
