package install

import (
	"fmt"
	"os"
	"path/filepath"
)

// Env is the part of the environment that determines the paths of configuration files.
type Env struct {
	OS     string              // a value of runtime.GOOS: "linux", "darwin", "windows"
	Home   string              // absolute path of the user's home directory
	Getenv func(string) string // reads this process's environment
}

// Dialect is the syntax that a client's parser accepts.
type Dialect int

// Dialects of configuration files.
const (
	StrictJSON   Dialect = iota // without comments: a comment prevents the client from starting
	WithComments                // JSON with comments and trailing commas
	TOML                        // TOML 1.0
)

// Client is an AI client. The zero value is no client. Clients lists all of them.
type Client struct {
	Name    string // name on the command line: "claude-desktop"
	Title   string // display name, such as "Claude Desktop"
	Restart string // how to make the client read its file again, as a sentence

	dialect Dialect
	servers string // member of the file's object that contains the servers by name
	// inner names a member of servers that contains them in a newer form of the file. "" means that
	// there is no such form.
	inner  string
	typed  bool   // entries carry a type
	typeIs string // name of that type; "" means stdio
	// joined means that "command" is an array of the program and its arguments, and that
	// "environment" contains the variables.
	joined  bool
	further []field // members added if the entry lacks them
	limit   int     // maximum letters of an entry's name and a tool's together; 0 if unknown
	project string  // a project's file, relative to its directory; "" if there is none
	// projects is a member of the user's own file that contains further servers by project
	// directory, or "" if there is none.
	projects string
	// urlMember is the member for the address of an HTTP entry, and urlType its type or "". A
	// client without a urlMember does not support such entries.
	urlMember, urlType string
	places             func(Env) []place
	program            string // path of the running binary; "" if unknown
}

// OfProgram returns the client with the path of the running binary: an entry that
// starts it is ours, whatever name the file was given.
func (c Client) OfProgram(path string) Client {
	c.program = path
	return c
}

// ours reports whether an entry starts this program.
func (c Client) ours(e Entry) bool { return e.Ours() || c.program != "" && e.Command == c.program }

// place is one file of a client.
type place struct {
	file   string
	signs  []string // if any of them exists, the client is installed
	always bool     // used even without a sign if the user names the client
}

// callSeconds is the client's call timeout, if its configuration can set one. Waits for the user
// take up to 45 s; a usual timeout is 60 s.
const callSeconds = "120"

// longestFunction is the maximum length of function names in OpenAI's models. Some clients put the
// entry's name and a separator before the tool's name, and pass on longer names unchanged.
const longestFunction = 64

// Clients lists every client that can be configured, in the order used in messages. Sources: the
// clients' own pages on MCP servers, and for the packaged Claude Desktop on Windows the file
// virtualization of such packages.
func Clients() []Client {
	return []Client{
		{
			Name: "claude-desktop", Title: "Claude Desktop",
			Restart: "Quit Claude Desktop completely, and start it again.",
			servers: "mcpServers", places: claudeDesktop,
		},
		{
			Name: "claude-code", Title: "Claude Code",
			Restart: "Start a new session of Claude Code; /mcp shows the server.",
			servers: "mcpServers", typed: true, project: ".mcp.json", projects: "projects", places: claudeCode,
			urlMember: "url", urlType: "http",
		},
		{
			Name: "cursor", Title: "Cursor",
			Restart: "In Cursor, enable the server under Settings > MCP.",
			dialect: WithComments, servers: "mcpServers", typed: true, limit: 60,
			project: filepath.Join(".cursor", "mcp.json"), places: cursor, urlMember: "url",
		},
		{
			Name: "vscode", Title: "VS Code",
			Restart: "In VS Code, run \"MCP: List Servers\" and start the server.",
			dialect: WithComments, servers: "servers", typed: true,
			project: filepath.Join(".vscode", "mcp.json"), places: vscode, urlMember: "url", urlType: "http",
		},
		{
			Name: "codex", Title: "Codex",
			Restart: "Start a new session of Codex; /mcp shows the server.",
			dialect: TOML, servers: "mcp_servers", further: []field{{"tool_timeout_sec", callSeconds}},
			project: filepath.Join(".codex", "config.toml"), places: codex,
		},
		{
			Name: "gemini", Title: "Gemini CLI",
			Restart: "Start a new session of Gemini CLI; /mcp shows the server.",
			dialect: WithComments, servers: "mcpServers",
			project: filepath.Join(".gemini", "settings.json"), places: inHome(".gemini", "settings.json"),
			urlMember: "httpUrl",
		},
		{
			Name: "qwen", Title: "Qwen Code",
			Restart: "Start a new session of Qwen Code; /mcp shows the server.",
			dialect: WithComments, servers: "mcpServers",
			project: filepath.Join(".qwen", "settings.json"), places: inHome(".qwen", "settings.json"),
		},
		{
			Name: "copilot", Title: "GitHub Copilot CLI",
			Restart: "Start a new session of Copilot; /mcp show lists the server.",
			servers: "mcpServers", typed: true, typeIs: "local", limit: longestFunction - 1,
			further: []field{{"tools", `["*"]`}}, places: copilot,
		},
		{
			Name: "cline", Title: "Cline",
			Restart: "In Cline, open MCP Servers, Installed. It reads the file automatically.",
			servers: "mcpServers", further: []field{{"timeout", callSeconds}}, places: cline,
		},
		{
			Name: "opencode", Title: "opencode",
			Restart: "Restart opencode.",
			dialect: WithComments, servers: "mcp", inner: "servers", typed: true, typeIs: "local", joined: true,
			limit: longestFunction - 1, project: "opencode.json", places: opencode,
		},
		{
			Name: "windsurf", Title: "Windsurf",
			Restart: "In Windsurf, press Refresh under Settings, Cascade, MCP Servers.",
			servers: "mcpServers", places: inHome(".codeium", "windsurf", "mcp_config.json"),
		},
		{
			Name: "zed", Title: "Zed",
			Restart: "Zed reads the file automatically. The agent panel's settings show the server.",
			dialect: WithComments, servers: "context_servers",
			project: filepath.Join(".zed", "settings.json"), places: zed,
		},
	}
}

// ByName finds a client by its name on the command line.
func ByName(name string) (Client, bool) {
	for _, c := range Clients() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// Place is one configuration file of a client on this machine.
type Place struct {
	File string // absolute path
	Here bool   // whether files of the client were found there
}

// Places returns the user's own configuration files of a client: one for each installation found,
// or else the usual one. Some systems keep two kinds of installation apart.
func (c Client) Places(e Env) []Place {
	var here []Place
	var usual Place
	for _, p := range c.places(e) {
		if p.always {
			usual = Place{File: p.file}
		}
		for _, sign := range p.signs {
			if _, err := os.Stat(sign); err == nil {
				here = append(here, Place{File: p.file, Here: true})
				break
			}
		}
	}
	if len(here) == 0 {
		return []Place{usual}
	}
	return here
}

// Refuses returns why an entry with this name does not fit the client, given the length of the
// longest tool name, or "" if it fits.
func (c Client) Refuses(name string, longestTool int) string {
	//mutant:never `c.limit > 0 && len(name)+longestTool > c.limit` ./internal/install TestNameLimit
	if c.limit > 0 && len(name)+longestTool > c.limit {
		return fmt.Sprintf("%s omits tools whose name, together with the entry's, is longer than %d letters. The "+
			"longest tool has %d, so --name may have %d.", c.Title, c.limit, longestTool, c.limit-longestTool)
	}
	return ""
}

// ProjectFile returns the file in a project directory, or false for a client without one.
func (c Client) ProjectFile(dir string) (string, bool) {
	if c.project == "" {
		return "", false
	}
	return filepath.Join(dir, c.project), true
}

// roaming returns the directory for a user's application settings.
func (e Env) roaming() string {
	switch e.OS {
	case "darwin":
		return filepath.Join(e.Home, "Library", "Application Support")
	case "windows":
		if dir := e.Getenv("APPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(e.Home, "AppData", "Roaming")
	}
	if dir := e.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(e.Home, ".config")
}

// local returns the Windows directory for this machine's application settings.
func (e Env) local() string {
	if dir := e.Getenv("LOCALAPPDATA"); dir != "" {
		return dir
	}
	return filepath.Join(e.Home, "AppData", "Local")
}

const claudeDesktopFile = "claude_desktop_config.json"

func claudeDesktop(e Env) []place {
	dir := filepath.Join(e.roaming(), "Claude")
	usual := place{file: filepath.Join(dir, claudeDesktopFile), signs: []string{dir}, always: true}
	if e.OS != "windows" {
		return []place{usual}
	}
	// The packaged application sees its own copy of the roaming directory.
	all := []place{usual}
	packages, _ := filepath.Glob(filepath.Join(e.local(), "Packages", "Claude_*"))
	for _, p := range packages {
		all = append(all, place{
			file:  filepath.Join(p, "LocalCache", "Roaming", "Claude", claudeDesktopFile),
			signs: []string{p},
		})
	}
	return all
}

func claudeCode(e Env) []place {
	// If set, it contains both the directory and the file that are otherwise siblings.
	if dir := e.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		return []place{{file: filepath.Join(dir, ".claude.json"), signs: []string{dir}, always: true}}
	}
	file := filepath.Join(e.Home, ".claude.json")
	return []place{{file: file, signs: []string{file, filepath.Join(e.Home, ".claude")}, always: true}}
}

func cursor(e Env) []place {
	dir := filepath.Join(e.Home, ".cursor")
	return []place{{file: filepath.Join(dir, "mcp.json"), signs: []string{dir}, always: true}}
}

func vscode(e Env) []place {
	var all []place
	for _, product := range []string{"Code", "Code - Insiders"} {
		user := filepath.Join(e.roaming(), product, "User")
		all = append(all, place{file: filepath.Join(user, "mcp.json"), signs: []string{user}, always: product == "Code"})
	}
	return all
}

// inHome returns a client with one file below the home directory, whose directory shows that the
// client is installed.
func inHome(way ...string) func(Env) []place {
	return func(e Env) []place {
		file := filepath.Join(append([]string{e.Home}, way...)...)
		return []place{{file: file, signs: []string{filepath.Dir(file)}, always: true}}
	}
}

func codex(e Env) []place {
	dir := filepath.Join(e.Home, ".codex")
	if own := e.Getenv("CODEX_HOME"); filepath.IsAbs(own) {
		dir = own
	}
	return []place{{file: filepath.Join(dir, "config.toml"), signs: []string{dir}, always: true}}
}

func copilot(e Env) []place {
	dir := filepath.Join(e.Home, ".copilot")
	if own := e.Getenv("COPILOT_HOME"); filepath.IsAbs(own) {
		dir = own
	}
	return []place{{file: filepath.Join(dir, "mcp-config.json"), signs: []string{dir}, always: true}}
}

// cline describes an extension of VS Code, which keeps its files below VS Code's own, and a program
// with its own directory in the home directory.
func cline(e Env) []place {
	const settings = "cline_mcp_settings.json"
	inCode := filepath.Join(e.roaming(), "Code", "User", "globalStorage", "saoudrizwan.claude-dev")
	alone := filepath.Join(e.Home, ".cline")
	return []place{
		{file: filepath.Join(inCode, "settings", settings), signs: []string{inCode}, always: true},
		{file: filepath.Join(alone, "data", "settings", settings), signs: []string{alone}},
	}
}

// opencode uses the XDG directories on every system.
func opencode(e Env) []place {
	dir := filepath.Join(e.Home, ".config", "opencode")
	if config := e.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		dir = filepath.Join(config, "opencode")
	}
	usual := place{file: filepath.Join(dir, "opencode.json"), signs: []string{dir}, always: true}
	if commented := filepath.Join(dir, "opencode.jsonc"); exists(commented) && !exists(usual.file) {
		usual.file = commented
	}
	return []place{usual}
}

func zed(e Env) []place {
	dir := filepath.Join(e.roaming(), "zed")
	switch e.OS {
	case "darwin":
		dir = filepath.Join(e.Home, ".config", "zed")
	case "windows":
		dir = filepath.Join(e.roaming(), "Zed")
	}
	return []place{{file: filepath.Join(dir, "settings.json"), signs: []string{dir}, always: true}}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
