package install

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// eol returns the file's line ending.
func (t *tomlConfig) eol() string {
	if i := bytes.IndexByte(t.text, '\n'); i > 0 && t.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// table returns the text of an entry as a table, without a final line end.
func (t *tomlConfig) table(name string, e Entry) string {
	lines := []string{"[" + t.client.servers + "." + name + "]"}
	for _, f := range append(t.client.fields(e), t.client.further...) {
		lines = append(lines, f.name+" = "+spaced(f.value))
	}
	if len(e.Env) > 0 {
		lines = append(lines, "env = "+inline(e.Env))
	}
	return strings.Join(lines, t.eol())
}

// spaced converts compact JSON to TOML. It supports strings, which have the same escapes, numbers,
// and lists of strings.
func spaced(value string) string {
	var list []string
	if json.Unmarshal([]byte(value), &list) != nil {
		return value
	}
	for i := range list {
		list[i] = jsonText(list[i])
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// inline returns variables as a table on one line.
func inline(env map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, tomlKey(name)+" = "+jsonText(env[name]))
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// tomlKey returns a name as a key, quoted if necessary.
func tomlKey(name string) string {
	bare := name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == ""
	if bare {
		return name
	}
	return jsonText(name)
}

func (t *tomlConfig) set(name string, e Entry, whole bool) (config, error) {
	was, err := t.find(name)
	if err != nil {
		return nil, err
	}
	switch {
	case was == nil:
		return t.changed(t.appended(t.table(name, e)), name)
	case t.header(name) < 0:
		return nil, t.elsewhere(name)
	case !whole:
		return t.changed(t.updated(name, was, e), name)
	}
	return t.changed(t.without(name, t.table(name, e)), name)
}

// appended returns the text with a table after a blank line at its end. It ends with a line end
// only if the text did.
func (t *tomlConfig) appended(table string) []byte {
	switch {
	case len(t.text) == 0:
		return []byte(table + t.eol())
	case t.text[len(t.text)-1] != '\n':
		return slices.Concat(t.text, []byte(t.eol()+t.eol()+table))
	}
	return slices.Concat(t.text, []byte(t.eol()+table+t.eol()))
}

// updated returns the text with the values of an entry that changed.
func (t *tomlConfig) updated(name string, was *Found, e Entry) []byte {
	var list []splice
	var lines []string // lines to add for missing keys
	last := t.header(name)
	for last+1 < len(t.list) && !t.list[last+1].header {
		last++
	}
	at := t.list[last].end
	own := []string{t.client.servers, name}
	put := func(value string, same bool, key ...string) bool {
		i := t.at(slices.Concat(own, key)...)
		if i >= 0 && !same {
			list = append(list, splice{t.list[i].value, t.list[i].end, value})
		}
		return i >= 0
	}
	if !put(jsonText(e.Command), e.Command == was.Command, "command") {
		lines = append(lines, "command = "+jsonText(e.Command))
	}
	if args := spaced(jsonTexts(e.Args)); !put(args, slices.Equal(e.Args, was.Args), "args") {
		lines = append(lines, "args = "+args)
	}
	for _, f := range t.client.further {
		if !put("", true, f.name) { // the user may have changed it
			lines = append(lines, f.name+" = "+f.value)
		}
	}
	env, line := t.variables(name, was, e)
	list = append(list, env...)
	if lines = append(lines, line...); len(lines) > 0 {
		// Insert after the last line of the table, which may end with a comment.
		if i := bytes.IndexByte(t.text[at:], '\n'); i >= 0 {
			at += i + 1
			list = append(list, splice{at, at, strings.Join(lines, t.eol()) + t.eol()})
		} else {
			list = append(list, splice{len(t.text), len(t.text), t.eol() + strings.Join(lines, t.eol())})
		}
	}
	return apply(t.text, list...)
}

// variables returns the edits that set an entry's variables. If the entry has none yet, it also
// returns a line for its table.
func (t *tomlConfig) variables(name string, was *Found, e Entry) (list []splice, line []string) {
	own := []string{t.client.servers, name, "env"}
	all := maps.Clone(was.Env)
	var missing []string
	for _, key := range slices.Sorted(maps.Keys(e.Env)) {
		had, there := was.Env[key]
		all[key] = e.Env[key]
		if there && had == e.Env[key] {
			continue
		}
		if i := t.at(append(slices.Clip(own), key)...); i >= 0 {
			list = append(list, splice{t.list[i].value, t.list[i].end, jsonText(e.Env[key])})
			continue
		}
		missing = append(missing, key)
	}
	if len(missing) == 0 {
		return list, nil
	}
	if i := t.at(own...); i >= 0 { // on one line, which is replaced
		return []splice{{t.list[i].value, t.list[i].end, inline(all)}}, nil
	}
	var lines []string
	for _, key := range missing {
		lines = append(lines, tomlKey(key)+" = "+jsonText(e.Env[key]))
	}
	table := slices.IndexFunc(t.list, func(e expression) bool { return e.header && slices.Equal(e.path, own) })
	if table >= 0 {
		end := t.list[table].end
		if i := bytes.IndexByte(t.text[end:], '\n'); i >= 0 {
			end += i + 1
			return append(list, splice{end, end, strings.Join(lines, t.eol()) + t.eol()}), nil
		}
		return append(list, splice{len(t.text), len(t.text), t.eol() + strings.Join(lines, t.eol())}), nil
	}
	if len(was.Env) > 0 { // as keys env.NAME
		for i := range lines {
			lines[i] = "env." + lines[i]
		}
		return list, lines
	}
	return list, []string{"env = " + inline(all)}
}

// at returns the index of the expression for a path, or -1.
func (t *tomlConfig) at(path ...string) int {
	return slices.IndexFunc(t.list, func(e expression) bool { return !e.header && slices.Equal(e.path, path) })
}

func (t *tomlConfig) remove(name string) (config, error) {
	if t.header(name) < 0 {
		return nil, t.elsewhere(name)
	}
	next, err := t.changed(t.without(name, ""), name)
	if err != nil {
		return nil, err
	}
	if left, err := next.find(name); err != nil || left != nil {
		return nil, t.elsewhere(name)
	}
	return next, nil
}

// without returns the text without the tables of an entry. If instead is not "", it takes the place
// of the first. Comments before the tables and after their last lines are kept, and a blank line
// before a table is removed.
func (t *tomlConfig) without(name, instead string) []byte {
	first := slices.IndexFunc(t.list, func(e expression) bool { return e.header && t.within(e, name) })
	text := bytes.Clone(t.text)
	for i := len(t.list) - 1; i >= 0; i-- {
		if !t.list[i].header || !t.within(t.list[i], name) {
			continue
		}
		last := i
		for last+1 < len(t.list) && !t.list[last+1].header {
			last++
		}
		from := bytes.LastIndexByte(text[:t.list[i].start], '\n') + 1
		to, ends := len(text), false // offset after the last line, and whether that line has an end
		if n := bytes.IndexByte(text[t.list[last].end:], '\n'); n >= 0 {
			to, ends = t.list[last].end+n+1, true
		}
		head, tail := text[:from], text[to:]
		if i == first && instead != "" {
			if ends {
				instead += t.eol()
			}
			return slices.Concat(head, []byte(instead), tail)
		}
		if blankEnd(head) && (len(bytes.TrimSpace(tail)) == 0 || blankStart(tail)) {
			head = trimEnd(head)
		}
		if !ends {
			head = trimEnd(head)
		}
		text = slices.Concat(head, tail)
	}
	return text
}

// blankEnd reports whether a text ends with an empty line.
func blankEnd(text []byte) bool {
	cut := trimEnd(text)
	return len(cut) < len(text) && (len(cut) == 0 || cut[len(cut)-1] == '\n')
}

// blankStart reports whether a text begins with an empty line.
func blankStart(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\n")) || bytes.HasPrefix(text, []byte("\r\n"))
}

// trimEnd returns a text without its final line end.
func trimEnd(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
}

// shown returns the file for display. It hides comments and all values except true, false and
// numbers.
func (t *tomlConfig) shown(name string, variables []string) ([]byte, bool) {
	var list []splice
	for _, n := range t.notes {
		list = append(list, splice{n[0], n[1], "# …"})
	}
	own, err := t.find(name)
	for _, e := range t.list {
		if e.header {
			continue
		}
		value := string(t.text[e.value:e.end])
		shown := hidden
		switch {
		case strings.Trim(value, "0123456789") == "" || value == "true" || value == "false":
			continue
		case own == nil || err != nil || !t.within(e, name):
		default:
			shown = shownValue(own, e.path[2:], value, variables)
		}
		list = append(list, splice{e.value, e.end, shown})
	}
	return bytes.ReplaceAll(apply(t.text, list...), []byte("\r\n"), []byte("\n")), false
}

// shownValue returns a value of our entry for display. It hides variables that are not known to be
// harmless, and comments in lists.
func shownValue(own *Found, path []string, value string, variables []string) string {
	switch {
	case len(path) == 0: // the whole entry is on one line
		return hidden
	case path[0] == "env" && len(path) == 1:
		return shownInline(own.Env, variables)
	case path[0] == "env" && !slices.Contains(variables, path[1]):
		return hidden
	case path[0] == "args" && strings.Contains(value, "#"):
		return spaced(jsonTexts(own.Args))
	case value[0] == '[' && strings.Contains(value, "#"):
		return hidden
	}
	return value
}

// shownInline is like inline but hides values that may be secret.
func shownInline(env map[string]string, variables []string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := hidden
		if slices.Contains(variables, name) {
			value = jsonText(env[name])
		}
		list = append(list, tomlKey(name)+" = "+value)
	}
	return "{ " + strings.Join(list, ", ") + " }"
}
