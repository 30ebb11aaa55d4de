package plan

// Prompt is an adapter's text for an MCP prompt. Rules that no adapter may weaken are
// added where prompts are served.
type Prompt struct {
	Name                string // action, hyphen, protocol slug
	Title               string
	Description         string
	Argument            string // the one free-text argument
	ArgumentDescription string
	Text                string   // instruction to the model; the argument follows it
	Symbols             []string // coins that the action supports; none means every coin of the server
}
