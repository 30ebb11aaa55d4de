package install

import (
	"fmt"
	"os"
	"path/filepath"
)

// Env is the environment that determines the paths of configuration files.
type Env struct {
	OS     string              // a value of runtime.GOOS: "linux", "darwin", "windows"
	Home   string              // absolute path of the user's home directory
	Getenv func(string) string // reads this process's environment
}

// Dialect is the syntax of a client's configuration file.
type Dialect int

// Dialects of configuration files.
const (
	StrictJSON   Dialect = iota // no comments, which would keep the client from starting
	WithComments                // JSON with comments and trailing commas
	TOML                        // TOML 1.0
)

// Client describes an AI client. Clients returns all of them.
type Client struct {
	Name    string // name on the command line: "claude-desktop"
	Title   string // display name, such as "Claude Desktop"
	Restart string // how to make the client read its file again, as a sentence

	dialect Dialect
	servers string // member of the file that holds the servers by name
	// inner is the member of servers that holds the servers in a newer version of the file, or "".
	inner  string
	typed  bool   // entries have a type
	typeIs string // value of that type; "" for stdio
	// joined is set if "command" is a list of the program and its arguments, and "environment"
	// holds the variables.
	joined  bool
	further []field // members to add to an entry that lacks them
	limit   int     // maximum length of the entry's name plus a tool's name; 0 if unknown
	project string  // file in a project's directory; "" if there is none
	// projects is the member of the user's file that holds servers by project directory, or "".
	projects string
	// urlMember is the member for the URL of an HTTP entry, and urlType the type of such an entry
	// or "". If urlMember is "", the client does not support them.
	urlMember, urlType string
	places             func(Env) []place
	program            string // path of the running binary; "" if unknown
}

// OfProgram returns a copy of c that recognizes entries for the program at path as ours, whatever
// its file is called.
func (c Client) OfProgram(path string) Client {
	c.program = path
	return c
}

// ours reports whether an entry starts this program.
func (c Client) ours(e Entry) bool { return e.Ours() || c.program != "" && e.Command == c.program }

// place is a possible location of a client's configuration file.
type place struct {
	file   string
	signs  []string // paths that exist only if the client is installed
	always bool     // use this place if no client was found
}

// callSeconds is the timeout for calls, for clients whose configuration can set one. A call may
// wait 45 seconds for the user, and the usual timeout is 60 seconds.
const callSeconds = "120"

// longestFunction is the maximum length of a function's name for OpenAI's models. Some clients
// prefix the tool's name with the entry's name and a separator, and do not shorten the result.
const longestFunction = 64

// Clients returns all clients that can be configured, in the order used by messages. The paths are
// from the clients' documentation. Those of the packaged Claude Desktop follow from how Windows
// virtualizes the files of such packages.
func Clients() []Client { return append(firstClients(), furtherClients()...) }

func firstClients() []Client {
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
	}
}

func furtherClients() []Client {
	return []Client{
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

// ByName returns the client with the given name on the command line.
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
	Here bool   // the client seems to be installed
}

// Places returns the user's own configuration files of a client, one per installation. If none was
// found, it returns the usual location.
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

// Refuses returns why the client cannot use an entry with this name, or "". longestTool is the
// length of the longest tool name.
func (c Client) Refuses(name string, longestTool int) string {
	//mutant:never `c.limit > 0 && len(name)+longestTool > c.limit` ./internal/install TestNameLimit
	if c.limit > 0 && len(name)+longestTool > c.limit {
		return fmt.Sprintf("%s omits tools whose name, together with the entry's, is longer than %d letters. The "+
			"longest tool has %d, so --name may have %d.", c.Title, c.limit, longestTool, c.limit-longestTool)
	}
	return ""
}

// ProjectFile returns the client's file in a project directory, or false if it has none.
func (c Client) ProjectFile(dir string) (string, bool) {
	if c.project == "" {
		return "", false
	}
	return filepath.Join(dir, c.project), true
}

// roaming returns the directory of the user's application settings.
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

// local returns the Windows directory for application data of this machine.
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
	// A packaged application has its own copy of the roaming directory.
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
	// The variable moves both the directory and the file, which are siblings otherwise.
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

// inHome returns the places of a client with one file below the home directory. The client is
// installed if the directory of that file exists.
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

// cline returns the places of Cline. It is an extension of VS Code, which stores its files with
// those of VS Code, and also a program with a directory in the home directory.
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
