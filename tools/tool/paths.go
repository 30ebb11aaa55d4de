package tool

import "strings"

// A path identifies fields of an answer. It joins member names with dots; [] stands for each
// element of a list, as in plans[].assetFlowPreview.

// present reports whether path exists everywhere in value. A list on the path must not be empty.
func present(value any, path string) bool {
	step, rest, more := strings.Cut(path, ".")
	step, each := strings.CutSuffix(step, "[]")
	members, ok := value.(map[string]any)
	if !ok {
		return false
	}
	inner, ok := members[step]
	if !ok || inner == nil {
		return false
	}
	if !each {
		return !more || present(inner, rest)
	}
	elements, ok := inner.([]any)
	if !ok || len(elements) == 0 {
		return false
	}
	for _, e := range elements {
		if more && !present(e, rest) {
			return false
		}
	}
	return true
}

// exists reports whether path is possible according to the schema.
func (n *node) exists(path string) bool {
	step, rest, more := strings.Cut(path, ".")
	step, each := strings.CutSuffix(step, "[]")
	inner, ok := n.prop(step)
	if !ok {
		return false
	}
	if each {
		if inner.items == nil {
			return false
		}
		inner = inner.items
	}
	return !more || inner.exists(rest)
}
