package install

import (
	"slices"

	"github.com/tailscale/hujson"
)

// config is a parsed configuration file. It is immutable: an edit returns a new config.
type config interface {
	// find returns the entry with a name, or nil.
	find(name string) (*Found, error)
	// all returns the entries that are ours or have the given name.
	all(name string) ([]Found, error)
	// scoped returns our entries that apply to single projects.
	scoped() []Found
	// set writes an entry. It keeps members and variables that e does not set or, if whole is set,
	// replaces the whole entry.
	set(name string, e Entry, whole bool) (config, error)
	// remove removes an existing entry.
	remove(name string) (config, error)
	// raw returns the file's bytes.
	raw() []byte
	// shown returns the file for display. It hides all texts except those of the named entry, and
	// all of that entry's variables except the listed ones. reformatted reports whether line breaks
	// were added.
	shown(name string, variables []string) (text []byte, reformatted bool)
}

// open parses a client's file. raw is nil if the file does not exist. Errors are fault.InputInvalid
// and contain the position.
func (c Client) open(raw []byte) (config, error) {
	if c.dialect == TOML {
		return openTOML(c, raw)
	}
	d, err := parse(raw, c.dialect)
	if err != nil {
		return nil, err
	}
	return jsonConfig{client: c, doc: d, way: c.way(d)}, nil
}

// way returns the path of members that leads to the servers.
func (c Client) way(d *document) []string {
	if c.inner != "" {
		if _, o, err := d.at(c.servers, c.inner); err == nil && o != nil {
			if command, err := d.member(o, "command"); err == nil && command < 0 {
				return []string{c.servers, c.inner}
			}
		}
	}
	return []string{c.servers}
}

// jsonConfig is a configuration file in JSON.
type jsonConfig struct {
	client Client
	doc    *document
	way    []string // path of members to the servers
}

func (j jsonConfig) with(d *document, err error) (config, error) {
	if err != nil {
		return nil, err
	}
	j.doc = d
	return j, nil
}

func (j jsonConfig) raw() []byte { return j.doc.raw() }

func (j jsonConfig) find(name string) (*Found, error) {
	_, servers, err := j.doc.at(j.way...)
	if err != nil || servers == nil {
		return nil, err
	}
	i, err := j.doc.member(servers, name)
	if err != nil || i < 0 {
		return nil, err
	}
	value := servers.Members[i].Value
	if o, ok := value.Value.(*hujson.Object); ok {
		for _, field := range []string{"type", "command", "args", j.client.variables()} {
			if _, err := j.doc.member(o, field); err != nil {
				return nil, err
			}
		}
	}
	return j.client.read(name, standard(value)), nil
}

// standard returns a value as JSON without comments.
func standard(v hujson.Value) []byte {
	plain := v.Clone()
	plain.Standardize()
	return plain.Pack()
}

func (j jsonConfig) all(name string) ([]Found, error) {
	_, servers, err := j.doc.at(j.way...)
	if err != nil || servers == nil {
		return nil, err
	}
	return j.ours(servers, name), nil
}

// ours returns the entries that are ours or have the given name.
func (j jsonConfig) ours(servers *hujson.Object, name string) []Found {
	var list []Found
	for _, m := range servers.Members {
		literal, _ := m.Name.Value.(hujson.Literal)
		if f := j.client.read(literal.String(), standard(m.Value)); j.client.ours(f.Entry) || name != "" && f.Name == name {
			list = append(list, *f)
		}
	}
	return list
}

func (j jsonConfig) scoped() []Found {
	if j.client.projects == "" {
		return nil
	}
	_, projects, err := j.doc.at(j.client.projects)
	if err != nil || projects == nil {
		return nil // in an unexpected format, and not needed for edits
	}
	var list []Found
	for _, m := range projects.Members {
		dir, _ := m.Name.Value.(hujson.Literal)
		_, servers, err := j.doc.at(j.client.projects, dir.String(), j.client.servers)
		if err != nil || servers == nil {
			continue
		}
		for _, f := range j.ours(servers, "") {
			f.Project = printable(dir.String())
			list = append(list, f)
		}
	}
	return list
}

func (j jsonConfig) set(name string, e Entry, whole bool) (config, error) {
	d := j.doc
	_, servers, err := d.at(j.way...)
	if err != nil {
		return nil, err
	}
	if servers == nil {
		if d, err = d.put(nil, j.client.servers, "{}"); err != nil {
			return nil, err
		}
		servers = &hujson.Object{}
	}
	i, err := d.member(servers, name)
	if err != nil {
		return nil, err
	}
	if i < 0 || whole {
		return j.with(d.put(j.way, name, j.client.entryText(e)))
	}
	return j.with(j.client.update(d, append(slices.Clip(j.way), name), e))
}

func (j jsonConfig) remove(name string) (config, error) {
	_, servers, err := j.doc.at(j.way...)
	if err != nil {
		return nil, err
	}
	i, err := j.doc.member(servers, name)
	if err != nil {
		return nil, err
	}
	return j.with(j.doc.remove(servers, i, append(slices.Clip(j.way), name)))
}

func (j jsonConfig) shown(name string, variables []string) (text []byte, reformatted bool) {
	return j.doc.shown(append(slices.Clip(j.way), name), j.client.variables(), variables)
}
