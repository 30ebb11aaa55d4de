package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/install"
	"github.com/sayurintent/sayurintent/internal/relay"
)

// checkTime limits the check of an entry, which normally takes well under a second.
const checkTime = 15 * time.Second

// checked is the status of a server that was started as a client would start it.
type checked struct {
	Version, Network string
	Tools            int
	Dotted           bool // whether a listed tool has a dot in its name
}

// checkWritten reads the entry back from the file, starts its server, and prints the result.
func (in *installing) checkWritten(t target, name string) int {
	out := in.p.Stdout
	f, err := install.ReadFile(t.place.File)
	if err != nil {
		return in.failed(err)
	}
	list, err := t.client.Entries(f.Raw, name)
	if err != nil {
		return in.unreadable(t, err)
	}
	at := slices.IndexFunc(list, func(f install.Found) bool { return f.Name == name && f.Project == "" })
	if at < 0 {
		return in.failed(fmt.Errorf("the entry is missing from %s: %s has rewritten its file. Close it, then run this "+
			"again",
			t.place.File, t.client.Title))
	}
	entry := list[at].Entry
	if blank := placeholder(entry); blank != "" {
		fmt.Fprintf(out, "Not checked: the entry has %s, which only %s fills in.\n", blank, t.client.Title)
		return exitOK
	}
	if name := in.strange(entry); name != "" {
		fmt.Fprintf(out, "Not checked: the project's entry sets %q, which install did not write.\n", name)
		return exitOK
	}
	if entry.Connects() {
		paired, err := in.paired(entry)
		if err != nil {
			return in.failed(err)
		}
		if !paired {
			fmt.Fprintf(out, "Not checked: this machine is not paired yet. Next: say-ur-intent %s --pair\n",
				strings.Join(entry.Args, " "))
			return exitOK
		}
	}
	got, log, err := checkEntry(entry)
	if err == nil {
		err = got.judge(entry)
	}
	if err != nil {
		fmt.Fprintf(in.p.Stderr, "The check failed: %v.\n", err)
		if log != "" {
			fmt.Fprintf(in.p.Stderr, "Last output of the server:\n%s\n", log)
		}
		fmt.Fprintf(in.p.Stderr, "The entry was kept. To remove it: say-ur-intent uninstall %s%s\n", t.client.Name,
			in.otherwise())
		return exitFailed
	}
	fmt.Fprintf(out, "Checked: it starts, reports version %s and %s, and lists %d tools.\n", got.Version, got.Network,
		got.Tools)
	return exitOK
}

// paired reports whether an entry's relay profile has the other machine's key.
func (in *installing) paired(e install.Entry) (bool, error) {
	o, err := connectOptions(e.Args[1:])
	if err != nil {
		return false, err
	}
	dir, err := dataDir(in.p, networks["mainnet"])
	if err != nil {
		return false, err
	}
	profile, err := relay.OpenProfile(filepath.Dir(dir), relay.Connecting, o.profile)
	return err == nil && profile.Peer != nil, err
}

// strange returns a variable that install would not write, in the entry of a project's file, or "".
// The file comes with the project, and such a variable could make a program run another one.
func (in *installing) strange(e install.Entry) string {
	for name := range e.Env {
		if in.project != "" && !slices.Contains(serverVariables(), name) {
			return name
		}
	}
	return ""
}

// otherwise returns the flags that select this entry, if they differ from the defaults.
func (in *installing) otherwise() string {
	text := ""
	if in.spec.Name != entryName {
		text += " --name " + in.spec.Name
	}
	if in.project != "" {
		text += " --project " + in.project
	}
	return text
}

// placeholder returns text that the client would replace before starting the server, or "".
func placeholder(e install.Entry) string {
	for _, text := range slices.Concat(e.Args, slices.Collect(maps.Values(e.Env)), []string{e.Command}) {
		if from := strings.Index(text, "${"); from >= 0 {
			return text[from:]
		}
	}
	return ""
}

// judge returns an error if the server does not match what the entry specifies.
func (c checked) judge(e install.Entry) error {
	if c.Tools == 0 {
		return errors.New("the server lists no tools")
	}
	if network, ok := e.Flag("network"); ok && networks[network].answer != c.Network {
		return fmt.Errorf("the server uses %s, but the entry specifies %s", c.Network, network)
	}
	if names, ok := e.Flag("tool-names"); ok && names != "auto" && (names == "dotted") != c.Dotted {
		return fmt.Errorf("the server's tool names are not spelled as the entry specifies (%s)", names)
	}
	return nil
}

// checkEntry starts the command of an entry, queries the server's identity and tools, and stops it.
// log is the end of the server's standard error.
func checkEntry(e install.Entry) (got checked, log string, err error) {
	var env []string
	for _, name := range serverVariables() {
		env = append(env, name+"="+e.Env[name]) // clears this process's values, which the client would not pass on
	}
	for name, value := range e.Env {
		env = append(env, name+"="+value)
	}
	last := &tail{}
	c, err := spawnClient(e.Command, e.Args, env, last)
	if err != nil {
		return got, "", err
	}
	var late sync.Once
	expired := false
	timer := time.AfterFunc(checkTime, func() {
		late.Do(func() { expired = true; c.abort() })
	})
	err = c.tell(&got)
	timer.Stop()
	late.Do(func() {})
	c.stop()
	if expired {
		err = fmt.Errorf("the server did not respond within %s", checkTime)
	}
	return got, last.String(), err
}

// tell queries a server's identity and tools.
func (c *mcpClient) tell(into *checked) error {
	if err := c.initialize("say-ur-intent-install"); err != nil {
		return err
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := c.request("tools/list", map[string]any{}, &list); err != nil {
		return err
	}
	into.Tools = len(list.Tools)
	for _, t := range list.Tools {
		into.Dotted = into.Dotted || strings.Contains(t.Name, ".")
	}
	var status struct{ Version, Network string }
	if err := c.call("read.get_server_status", map[string]any{}, &status); err != nil {
		return err
	}
	into.Version, into.Network = status.Version, status.Network
	return nil
}

// Limits of the text that tail keeps.
const (
	tailBytes = 8 << 10
	tailLines = 10
)

// tail is a Writer that keeps only the last bytes.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.kept = bytes.Clone(t.kept[max(0, len(t.kept)-tailBytes):])
	return len(b), nil
}

// String returns the last lines of the text.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.kept)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
