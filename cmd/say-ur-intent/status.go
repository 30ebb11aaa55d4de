package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/install"
	"github.com/sayurintent/sayurintent/internal/web/mcphttp"
)

// versionTime limits how long another program may take to print its version.
const versionTime = 5 * time.Second

// clientStatus is the state of one configuration file of a client.
type clientStatus struct {
	Client  string        `json:"client"`
	Title   string        `json:"title"`
	File    string        `json:"file"`
	Present bool          `json:"present"` // the client is installed on this machine
	Problem string        `json:"problem,omitempty"`
	Next    string        `json:"next,omitempty"`
	Entries []entryStatus `json:"entries"`
}

// entryStatus is the state of one entry for this program.
type entryStatus struct {
	Name           string `json:"name"`
	Project        string `json:"project,omitempty"` // directory of the only project that the entry applies to
	URL            string `json:"url,omitempty"`     // URL of the server; "" if the entry has a Command
	Command        string `json:"command"`
	CommandExists  bool   `json:"commandExists"`
	Version        string `json:"version,omitempty"` // "" if unknown; programs of a project's file are not asked
	VersionMatches bool   `json:"versionMatches"`    // Version is this program's version
	Network        string `json:"network"`
	ToolNames      string `json:"toolNames"`
	Problem        string `json:"problem,omitempty"`
	Next           string `json:"next,omitempty"`
}

// Label returns the entry's name, with its project if it has one.
func (e entryStatus) Label() string {
	if e.Project == "" {
		return e.Name
	}
	return e.Name + " (project " + e.Project + ")"
}

// Summary describes the state in a few words.
func (c clientStatus) Summary() string {
	switch {
	case c.Problem != "":
		return "cannot be read"
	case len(c.Entries) == 0 && !c.Present:
		return "not here"
	case len(c.Entries) == 0:
		return "not configured"
	}
	everywhere := false
	for _, e := range c.Entries {
		if e.Problem != "" {
			return "needs a look"
		}
		everywhere = everywhere || e.Project == ""
	}
	if !everywhere {
		return "in projects"
	}
	return "configured"
}

func statusCommand(p process) *cobra.Command {
	var asJSON bool
	var name, project string
	cmd := &cobra.Command{Use: "status", Short: "Show the server and your AI clients",
		Long:    "Shows whether the server is running, what waits for you, and which AI clients have an entry.",
		Example: examples("say-ur-intent status", "say-ur-intent status --json"), Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return runStatus(p, asJSON, name, project) }}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON for programs")
	cmd.Flags().StringVar(&name, "name", entryName, "`NAME` of the entry")
	cmd.Flags().StringVar(&project, "project", "", "read the files of the project in `DIR`, not your own")
	return cmd
}

// runStatus prints the running servers and the state of each client.
func runStatus(p process, asJSON bool, name, project string) error {
	list, err := allStatus(p, name, project)
	if err != nil {
		return bad(err)
	}
	running := runningServers(p)
	if asJSON {
		return printJSON(p, struct {
			Version string         `json:"version"`
			Servers []serverStatus `json:"servers"`
			Clients []clientStatus `json:"clients"`
		}{version, running, list})
	}
	if len(running) == 0 {
		fmt.Fprintln(p.Stdout, "Not running. AI clients start the server, and so does: say-ur-intent pages")
	}
	for _, s := range running {
		s.print(p.Stdout)
	}
	fmt.Fprintln(p.Stdout)
	printStatus(p, list)
	return nil
}

// printJSON writes a value as JSON for other programs.
func printJSON(p process, value any) error {
	enc := json.NewEncoder(p.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// allStatus checks the files of all clients, or only those of a project.
func allStatus(p process, name, project string) ([]clientStatus, error) {
	env, err := machineOf(p)
	if err != nil {
		return nil, err
	}
	var list []clientStatus
	for _, c := range clientsHere() {
		places := c.Places(env)
		if project != "" {
			file, ok := c.ProjectFile(project)
			if !ok {
				continue
			}
			if file, err = filepath.Abs(file); err != nil {
				return nil, err
			}
			_, missing := os.Stat(file)
			places = []install.Place{{File: file, Here: missing == nil}}
		}
		for _, place := range places {
			list = append(list, statusOf(c, place, name, project == ""))
		}
	}
	answering(p, list)
	return list, nil
}

// answering checks whether the servers of HTTP entries are running.
func answering(p process, list []clientStatus) {
	running := sync.OnceValue(func() []serverStatus { return runningServers(p) })
	for _, c := range list {
		for i := range c.Entries {
			e := &c.Entries[i]
			if e.URL == "" {
				continue
			}
			e.Problem, e.Next = "no server of this computer answers at "+e.URL, "say-ur-intent pages starts one"
			for _, s := range running() {
				if s.Pages+mcphttp.Path == e.URL {
					e.Network, e.Version, e.VersionMatches = s.Network, s.Version, s.Version == version
					e.Problem, e.Next = "", ""
				}
			}
		}
	}
}

// statusOf checks one configuration file. If ask is set, it starts the programs of entries to learn
// their versions. It must not be set for a project's file, because others may have written that.
func statusOf(c install.Client, place install.Place, name string, ask bool) clientStatus {
	s := clientStatus{Client: c.Name, Title: c.Title, File: place.File, Present: place.Here, Entries: []entryStatus{}}
	f, err := install.ReadFile(place.File)
	if err == nil && f.Raw != nil {
		var found []install.Found
		found, err = c.Entries(f.Raw, name)
		for _, e := range found {
			s.Entries = append(s.Entries, entryOf(c, e, ask))
		}
	}
	switch {
	case err != nil:
		s.Problem = words(err)
		s.Next = "Correct the file; " + c.Title + " cannot read it either."
	case len(s.Entries) == 0 && place.Here:
		s.Next = "say-ur-intent install " + c.Name
	}
	return s
}

// entryOf checks one entry.
func entryOf(c install.Client, found install.Found, ask bool) entryStatus {
	e := entryStatus{Name: found.Label, Project: found.Project, Command: found.Command, Network: "mainnet",
		ToolNames: "auto"}
	if v, ok := found.Flag("network"); ok {
		e.Network = v
	}
	if found.Connects() {
		e.Network = "that of the other machine"
	}
	if v, ok := found.Flag("tool-names"); ok {
		e.ToolNames = v
	}
	if found.Odd == "" && found.OverHTTP() {
		e.URL, e.Network, e.ToolNames = found.URL, "", ""
		return e
	}
	again := "say-ur-intent install " + c.Name
	if found.Name != entryName {
		again += " --name " + found.Label
	}
	switch {
	case found.Project != "": // install writes entries for all projects
		again = fmt.Sprintf("Run this in %s: %s", found.Project, removeScoped(found))
	case found.Odd == "" && found.ByHand():
		again += " --force"
	}
	if found.Odd != "" {
		e.Network, e.ToolNames = "", ""
		e.Problem, e.Next = "the entry was not written by install: "+found.Odd, again
		if found.Project == "" {
			e.Next += " --force replaces it"
		}
		return e
	}
	info, err := os.Stat(found.Command)
	e.CommandExists = err == nil && info.Mode().IsRegular()
	switch {
	case !filepath.IsAbs(found.Command):
		e.Problem, e.Next = "the command is not an absolute path", again
	case !e.CommandExists:
		e.Problem, e.Next = "the command no longer exists", again
	case !ask:
	default:
		e.Version = versionOf(found.Command, info)
		e.VersionMatches = e.Version == version
		if e.Version == "" {
			e.Problem, e.Next = "the command does not report its version", again
		} else if !e.VersionMatches {
			e.Problem, e.Next = "it starts version "+e.Version+", and this is "+version, again
		}
	}
	return e
}

// versionOf returns the version that a program of ours prints, or "".
func versionOf(command string, info os.FileInfo) string {
	if settings, err := os.Executable(); err == nil {
		if same, err := os.Stat(settings); err == nil && os.SameFile(same, info) {
			return version
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, "version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	text, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "say-ur-intent ")
	if err != nil || !ok || len(text) > 100 || strings.ContainsAny(text, "\n\r\x1b") {
		return ""
	}
	return text
}

// printStatus prints a table, followed by suggested commands.
func printStatus(p process, list []clientStatus) {
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "CLIENT\tSTATE\tENTRY\tNETWORK\tVERSION\tFILE")
	var notes []string
	for _, c := range list {
		if len(c.Entries) == 0 {
			fmt.Fprintf(table, "%s\t%s\t\t\t\t%s\n", c.Client, c.Summary(), c.File)
		}
		if c.Problem != "" {
			notes = append(notes, fmt.Sprintf("%s: %s. %s", c.Client, strings.TrimSuffix(c.Problem, "."), c.Next))
		} else if c.Next != "" {
			notes = append(notes, c.Client+": "+c.Next)
		}
		for _, e := range c.Entries {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", c.Client, c.Summary(), e.Label(), e.Network, e.Version, c.File)
			if e.Problem != "" {
				notes = append(notes, fmt.Sprintf("%s, %s: %s. %s", c.Client, e.Label(), e.Problem, e.Next))
			}
		}
	}
	_ = table.Flush()
	if len(notes) > 0 {
		fmt.Fprintln(p.Stdout, "\nNext:")
	}
	for _, n := range notes {
		fmt.Fprintln(p.Stdout, "  "+n)
	}
}
