package tool

// Field describes one member of the arguments or of an answer for the reference. Path joins names
// with dots; [] stands for each element of a list and {} for each member of a map.
type Field struct {
	Path     string
	Type     string
	About    string
	Required bool
	Default  string // as JSON, or ""
	Enum     []string
	Rule     string // constraints in words, or ""
}

// Arguments returns the members of the arguments; each is followed by its own members.
func (t Tool) Arguments() []Field { return t.in.fields(nil, "") }

// Fields returns the members of an answer's data; each is followed by its own members. Members of
// types from other packages may have no description.
func (t Tool) Fields() []Field {
	n := t.whole()
	return n.fields(nil, "")
}

func (n *node) fields(list []Field, prefix string) []Field {
	for i := range n.props {
		p := &n.props[i]
		path, inner, kind := prefix+p.name, &p.node, p.node.kind
		for inner.items != nil || inner.values != nil {
			if inner.items != nil {
				path, kind, inner = path+"[]", "list of "+inner.items.kind, inner.items
			} else {
				path, kind, inner = path+"{}", "table of "+inner.values.kind, inner.values
			}
		}
		list = append(list, Field{
			Path: path, Type: kind, About: p.node.about, Required: p.required, Default: string(p.node.preset),
			Enum: inner.shape.Enum, Rule: inner.shape.words(),
		})
		list = inner.fields(list, path+".")
	}
	return list
}

// words returns the shape's constraints in words, except an enumeration, or "" if there are none.
func (s Shape) words() string {
	switch {
	case s.Rule != "":
		return s.Rule
	case s.Minimum != nil || s.Maximum != nil:
		return s.span()
	}
	return ""
}

// Hints returns the tool's MCP hints in words.
func (t Tool) Hints() string {
	h := t.Effect.hints()
	words := ""
	for _, hint := range []struct {
		on      *bool
		yes, no string
	}{
		{h.ReadOnlyHint, "read-only", "not read-only"},
		{h.DestructiveHint, "destructive", "not destructive"},
		{h.IdempotentHint, "idempotent", "not idempotent"},
		{h.OpenWorldHint, "open world", "closed world"},
	} {
		if words != "" {
			words += ", "
		}
		if *hint.on {
			words += hint.yes
		} else {
			words += hint.no
		}
	}
	return words
}
