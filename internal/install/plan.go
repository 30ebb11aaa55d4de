package install

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// EntrySpec describes the entry to write. An empty field keeps the value of an existing entry.
type EntrySpec struct {
	Name      string   // name of the entry in the client's file
	Command   string   // absolute path of the program
	Network   string   // "" means mainnet for a new entry
	ToolNames string   // "" means underscore for a new entry
	Flags     []string // additional flags for the server; nil keeps the existing ones
	// URL and Token describe an HTTP entry, for a client that TakesURL.
	URL, Token string
	Connect    []string          // arguments for connecting to another machine's server; nil for this machine's
	Env        map[string]string // variables to set; existing ones are kept
	Force      bool              // replace an entry even if install did not write it
	// Accepts checks arguments as the server would.
	Accepts func(args []string) error
}

// toolNames is the default spelling of tool names. No known client needs dots, and several do not
// support them.
const toolNames = "underscore"

// Change is the planned change of a file.
type Change struct {
	Client        Client
	Before, After []byte // equal if nothing changes
	Name          string
	Entry         Entry    // the entry after the change
	Others        []string // names of our other entries in the file
	Scoped        []Found  // our entries that apply to single projects
	// Refused is why After must not be written, or "".
	Refused string

	was *Found
}

// Changes reports whether the file would change.
func (c Change) Changes() bool { return !bytes.Equal(c.Before, c.After) }

// TakesURL reports whether the client supports HTTP entries.
func (c Client) TakesURL() bool { return c.urlMember != "" }

// Install returns the change that writes an entry. raw is the contents of the file, or nil if the
// file does not exist. If the file cannot be parsed, Install returns fault.InputInvalid with the
// position.
func (c Client) Install(raw []byte, w EntrySpec) (Change, error) {
	out := Change{Client: c, Before: raw, After: raw, Name: w.Name}
	file, err := c.open(raw)
	if err != nil {
		return out, err
	}
	if out.was, out.Others, err = known(file, w.Name); err != nil {
		return out, err
	}
	out.Scoped = file.scoped()
	odd, whole := cmp.Or(c.odd(out.was, w.Accepts), otherMachine(out.was, w)), false
	if w.URL != "" {
		odd, whole = "", true
		if out.was != nil && !out.was.OverHTTP() {
			odd = cmp.Or(out.was.Odd, "it starts the program instead of connecting to it over HTTP")
		}
	}
	out.Entry = c.requested(w, out.was, odd == "")
	next, err := file.set(w.Name, out.Entry, whole || odd != "")
	if err != nil {
		return out, err
	}
	if !bytes.Equal(next.raw(), file.raw()) || raw == nil {
		out.After = next.raw()
	}
	if written, err := next.find(w.Name); err == nil && written != nil {
		out.Entry = written.Entry
	}
	if odd != "" && !w.Force {
		out.Refused = fmt.Sprintf("The entry %q already exists and was not written by install: %s. Nothing was "+
			"written. --force replaces it; --name NAME adds another one.", w.Name, odd)
	}
	//mutant:never `odd == "" && out.Changes() && out.was != nil && w.URL == "" && out.was.ByHand() && !w.Force` ./internal/install TestHandMade
	if odd == "" && out.Changes() && out.was != nil && w.URL == "" && out.was.ByHand() && !w.Force {
		out.Refused = fmt.Sprintf("The entry %q already starts this program and was written by hand: install always "+
			"writes --network and --tool-names. Nothing was written. --force changes it as shown; --name NAME adds "+
			"another one.", w.Name)
	}
	return out, nil
}

// Uninstall returns the change that removes the named entry. If the entry is not ours and force is
// not set, the change is refused.
func (c Client) Uninstall(raw []byte, name string, force bool) (Change, error) {
	out := Change{Client: c, Before: raw, After: raw, Name: name}
	file, err := c.open(raw)
	if err != nil {
		return out, err
	}
	out.Scoped = file.scoped()
	if out.was, out.Others, err = known(file, name); err != nil || out.was == nil {
		return out, err
	}
	next, err := file.remove(name)
	if err != nil {
		return out, err
	}
	out.After = next.raw()
	if out.was.Odd != "" && !force {
		out.Refused = fmt.Sprintf("The entry %q was not written by install: %s. Nothing was removed. --force removes it.",
			name, out.was.Odd)
	}
	return out, nil
}

// Entries returns the entries that are ours or have the name, followed by our entries for single
// projects, which take precedence there. raw is the contents of the file.
func (c Client) Entries(raw []byte, name string) ([]Found, error) {
	file, err := c.open(raw)
	if err != nil {
		return nil, err
	}
	if _, err := file.find(name); err != nil {
		return nil, err
	}
	list, err := file.all(name)
	return append(list, file.scoped()...), err
}

// known returns the named entry, or nil, and the names of our other entries.
func known(file config, name string) (*Found, []string, error) {
	was, err := file.find(name)
	if err != nil {
		return nil, nil, err
	}
	list, err := file.all(name)
	var others []string
	for _, f := range list {
		if f.Name != name {
			others = append(others, f.Label)
		}
	}
	return was, others, err
}

// odd says how an entry differs from what install writes, or returns "".
func (c Client) odd(was *Found, accepts func([]string) error) string {
	switch {
	case was == nil:
		return ""
	case was.Odd != "":
		return was.Odd
	case was.OverHTTP():
		return "it connects to the running server over HTTP"
	}
	if err := accepts(was.Args); err != nil {
		return fmt.Sprintf("the server does not accept its arguments (%v)", err)
	}
	return ""
}

// otherMachine returns a reason not to replace an entry for a different machine than the requested
// one, or "". Replacing it would connect the client to another program with another wallet.
func otherMachine(was *Found, w EntrySpec) string {
	switch {
	case was == nil || was.Connects() == (w.Connect != nil):
		return ""
	case was.Connects():
		return "it connects to the program on another machine"
	}
	return "it starts the program on this machine"
}

// requested returns the entry for a spec. If keep is set, it keeps what the spec does not set.
func (c Client) requested(w EntrySpec, was *Found, keep bool) Entry {
	if w.URL != "" {
		return Entry{URL: w.URL, Token: w.Token}
	}
	e := Entry{Command: w.Command, Env: maps.Clone(w.Env)}
	if w.Connect != nil {
		e.Args = w.Connect
		return e
	}
	network, names := "mainnet", toolNames
	if was != nil && keep {
		if w.Flags == nil {
			e.Args = was.Args
		}
		if kept, ok := was.Flag("network"); ok {
			network = kept
		}
		if kept, ok := was.Flag("tool-names"); ok {
			names = kept
		}
	}
	if w.Network != "" {
		network = w.Network
	}
	if w.ToolNames != "" {
		names = w.ToolNames
	}
	e = e.WithFlag("network", network).WithFlag("tool-names", names)
	e.Args = append(e.Args, w.Flags...)
	return e
}

// Snippet returns the text of an entry for the configuration of a client that this package does not
// know.
func Snippet(name string, e Entry) (string, error) {
	file, err := Client{servers: "mcpServers"}.open(nil)
	if err != nil {
		return "", err
	}
	file, err = file.set(name, e, true)
	if err != nil {
		return "", fault.Wrap(err, fault.InternalError, "The entry cannot be written.")
	}
	return string(file.raw()), nil
}
