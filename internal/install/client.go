package install

import (
	"os"
	"path/filepath"
)

// Env is the machine as the places of configuration files depend on it.
type Env struct {
	OS     string              // as runtime.GOOS: "linux", "darwin", "windows"
	Home   string              // the person's home directory, absolute
	Getenv func(string) string // of this process
}

// Dialect is what a client's parser takes.
type Dialect int

// The dialects.
const (
	StrictJSON   Dialect = iota // JSON alone: a comment breaks the client's start
	WithComments                // also comments and trailing commas
)

// Client is one AI client. The zero value is none; Clients lists all.
type Client struct {
	Name      string // as on the command line: "claude-desktop"
	Title     string // as people call it: "Claude Desktop"
	ToolNames string // spelling written as --tool-names: dotted or underscore
	Restart   string // what makes the client read its file anew, a sentence

	dialect Dialect
	servers string // member of the file's object that holds the servers by name
	typed   bool   // entries carry "type": "stdio"
	project string // file of a project, relative to its directory; "" means none
	// projects is a member of the user's own file that holds further servers by
	// project directory; "" means none.
	projects string
	places   func(Env) []place
	program  string // path of the running binary; "" where it is not known
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
	signs  []string // any of them on disk means that the client is here
	always bool     // used also without a sign, when the client is named
}

// Clients lists every client that can be configured, in the order of messages.
// Sources: the clients' own pages on MCP servers, and for the packaged Claude
// Desktop on Windows the file virtualisation of such packages.
func Clients() []Client {
	return []Client{
		{
			Name: "claude-desktop", Title: "Claude Desktop", ToolNames: "underscore",
			Restart: "Quit Claude Desktop wholly, and start it again.",
			servers: "mcpServers", places: claudeDesktop,
		},
		{
			Name: "claude-code", Title: "Claude Code", ToolNames: "underscore",
			Restart: "Start a new session of Claude Code; /mcp shows the server.",
			servers: "mcpServers", typed: true, project: ".mcp.json", projects: "projects", places: claudeCode,
		},
		{
			Name: "cursor", Title: "Cursor", ToolNames: "underscore",
			Restart: "In Cursor, switch the server on under Settings, MCP.",
			dialect: WithComments, servers: "mcpServers", typed: true,
			project: filepath.Join(".cursor", "mcp.json"), places: cursor,
		},
		{
			Name: "vscode", Title: "VS Code", ToolNames: "underscore",
			Restart: "In VS Code, run \"MCP: List Servers\" and start the server.",
			dialect: WithComments, servers: "servers", typed: true,
			project: filepath.Join(".vscode", "mcp.json"), places: vscode,
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
	File string // absolute
	Here bool   // the client has left a sign of itself there
}

// Places returns the user's own configuration files of a client: every one where
// the client is, or the usual one when it is nowhere. There is more than one
// where a system keeps two kinds of installation apart.
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

// ProjectFile returns the file of a project directory; false for a client that
// has none.
func (c Client) ProjectFile(dir string) (string, bool) {
	if c.project == "" {
		return "", false
	}
	return filepath.Join(dir, c.project), true
}

// roaming is where applications keep settings of a user.
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

// local is where Windows keeps what stays on one machine.
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
	// Set, it holds both the directory and the file that else lie side by side.
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
