package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/install"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/tools"
)

// machineOf returns the environment that determines the paths of configuration files.
func machineOf(p process) (install.Env, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return install.Env{}, fmt.Errorf("the home directory is unknown: %w", err)
	}
	return install.Env{OS: runtime.GOOS, Home: home, Getenv: p.Getenv}, nil
}

// copiesDir returns the directory for backups of clients' files, which is shared by all networks.
func copiesDir(p process) (string, error) {
	dir, err := dataDir(p, networks["mainnet"])
	if err != nil {
		return "", fmt.Errorf("cannot back up the file, so nothing was written: %w", err)
	}
	return filepath.Join(filepath.Dir(dir), "client-files"), nil
}

// ownPath returns the path to write into entries. If this program was found through PATH, that is
// the path found there, which may be a link that survives an update. Otherwise it is the executable
// file. temporary reports whether the path is in a directory that may be cleared.
func ownPath() (path string, temporary bool, err error) {
	path, err = os.Executable()
	if err != nil {
		return "", false, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return "", false, err
	}
	if found, err := exec.LookPath(os.Args[0]); err == nil {
		if abs, err := filepath.Abs(found); err == nil {
			if info, err := os.Stat(abs); err == nil && os.SameFile(info, file) {
				path = abs
			}
		}
	}
	return path, fleeting(path), nil
}

// clientNextTo returns the path of the small client program in the same directory, or of this
// program if there is none. Every AI client keeps a process of it running.
func clientNextTo(program string) string {
	small := filepath.Join(filepath.Dir(program), "say-ur-intent-client"+filepath.Ext(program))
	if _, err := os.Stat(small); err != nil {
		return program
	}
	return small
}

// fleeting reports whether a path is in a directory that systems or tools clear.
func fleeting(path string) bool {
	places := []string{os.TempDir(), "/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/private/var/folders"}
	if cache, err := os.UserCacheDir(); err == nil {
		places = append(places, cache)
	}
	for _, dir := range places {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	const apart = string(filepath.Separator)
	// npm clears the cache from which npx runs programs.
	return strings.Contains(path, apart+"go-build") || strings.Contains(path, apart+"_npx"+apart)
}

// clientsHere returns the clients that can be configured with this program.
func clientsHere() []install.Client {
	list := install.Clients()
	if program, _, err := ownPath(); err == nil {
		for i := range list {
			list[i] = list[i].OfProgram(program)
		}
	}
	return list
}

// longestTool returns the length of the longest tool name.
func longestTool() int {
	longest := 0
	for _, t := range tools.All(tools.Deps{}) {
		longest = max(longest, len(t.Name))
	}
	return longest
}

// offer lists the installed clients and suggests what to run next.
func (in *installing) offer() error {
	env, err := machineOf(in.p)
	if err != nil {
		return bad(err)
	}
	var absent []string
	table := tabwriter.NewWriter(in.p.Stdout, 0, 0, 3, ' ', 0)
	here := 0
	for _, c := range clientsHere() {
		for _, place := range c.Places(env) {
			if !place.Here {
				absent = append(absent, c.Name)
				continue
			}
			if here == 0 {
				fmt.Fprintln(in.p.Stdout, "AI clients on this computer:")
			}
			here++
			state := statusOf(c, place, in.spec.Name, true).Summary()
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", c.Name, c.Title, state, place.File)
		}
	}
	_ = table.Flush()
	out := in.p.Stdout
	if here == 0 {
		fmt.Fprintln(out, "No known AI client was found.")
	}
	if len(absent) > 0 {
		fmt.Fprintf(out, "Not found: %s.\n", strings.Join(absent, ", "))
	}
	fmt.Fprintln(out, "Next: say-ur-intent install CLIENT (or all). --dry-run shows the change and writes nothing.")
	return nil
}

// serverVariables returns the names of the environment variables that the server reads.
func serverVariables() []string {
	names := []string{dataDirVariable, portVariable}
	for w := range settings.Count {
		names = append(names, w.Info().Variable)
	}
	return names
}

// shownVariables returns the names of variables whose values may be printed. Others hold URLs whose
// path may contain a key.
func shownVariables() []string {
	return []string{dataDirVariable, portVariable, settings.GRPC.Info().Variable, settings.Second.Info().Variable}
}

// environment returns the variables of a new entry. They are those set in this shell, so that
// clients use the same server as the shell does.
func (in *installing) environment() map[string]string {
	env := map[string]string{}
	for _, name := range serverVariables() {
		if in.spec.Connect != nil && name != dataDirVariable {
			continue // the program on the other machine has its own settings
		}
		if value := in.p.Getenv(name); value != "" {
			env[name] = value
		}
	}
	if dir := in.shellsOwn(); dir != "" {
		env[dataDirVariable] = dir
	}
	return env
}

// shellsOwn returns the parent of all data directories if it depends on XDG_DATA_HOME, and ""
// otherwise. A client started from the desktop may not have that variable, and would use another
// directory.
func (in *installing) shellsOwn() string {
	here, err := door.DataDir("mainnet", in.p.Getenv)
	if err != nil || in.p.Getenv(dataDirVariable) != "" || in.spec.Connect != nil || in.spec.Network == "sandbox" {
		return ""
	}
	elsewhere, err := door.DataDir("mainnet", func(name string) string {
		if name == "XDG_DATA_HOME" {
			return ""
		}
		return in.p.Getenv(name)
	})
	if err == nil && elsewhere == here {
		return ""
	}
	return filepath.Dir(here)
}
