package lies

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Kind is the kind of a field. It determines which lies apply.
type Kind string

// Kinds of fields.
const (
	Message Kind = "message" // has fields of its own
	List    Kind = "list"    // any number of elements
	Number  Kind = "number"  // integer on the wire
	Truth   Kind = "truth"   // true or false
	Text    Kind = "text"    // string: a name, an address, a digest, a decimal number
	Bytes   Kind = "bytes"   // all bytes
	Window  Kind = "window"  // eight bytes, little-endian, as Move structs encode numbers
	Null    Kind = "null"    // JSON null
)

// node is one value of an answer in protobuf or JSON. Protobuf nodes keep their wire number and
// type, so unchanged values are written as they were read.
type node struct {
	name  string
	kind  Kind
	parts []*node // of a message or list

	number protowire.Number
	wire   protowire.Type
	signed bool   // may be negative
	value  uint64 // of a Number or Truth
	text   string // of a Text, or of a Number in JSON
	bytes  []byte
}

// place is a node in its parent, or a window of a bytes node at an offset.
type place struct {
	path   string
	kind   Kind
	node   *node
	parent *node
	offset int // for windows
}

// Only the first bytes of a value have windows: the longest struct that is read is shorter, and
// longer values repeat elements.
const (
	windowSize  = 8
	windowsUpTo = 256
)

// places lists every place below a root.
func places(root *node) []place {
	var list []place
	var walk func(parent *node, prefix string)
	walk = func(parent *node, prefix string) {
		for i, n := range parent.parts {
			path := prefix + n.name
			if parent.kind == List {
				path = strings.TrimSuffix(prefix, ".") + "[" + labelOf(parent, n, i) + "]"
			}
			list = append(list, place{path: path, kind: n.kind, node: n, parent: parent})
			if n.kind == Bytes {
				for at := 0; at < min(len(n.bytes), windowsUpTo); at += windowSize {
					list = append(list, place{path: fmt.Sprintf("%s@%d", path, at), kind: Window, node: n, parent: parent, offset: at})
				}
			}
			walk(n, path+".")
		}
	}
	walk(root, "")
	return list
}

// numbered names the lists whose elements differ in meaning by index.
var numbered = []string{"command_outputs", "return_values", "returnValues", "outputs"}

// kinds lists fields that describe an element, most specific first. The first one that is present
// labels the element.
var kinds = []string{"event_type", "object_type", "coin_type", "coinType", "repr"}

// labelOf returns the label of an element, written in brackets.
func labelOf(list, element *node, index int) string {
	if slices.Contains(numbered, list.name) {
		return fmt.Sprint(index)
	}
	return typeOf(element, 2)
}

// typeOf returns the short Move type in a message, at most depth levels down, or "".
func typeOf(m *node, depth int) string {
	for _, want := range kinds {
		for _, n := range m.parts {
			if n.name == want && n.kind == Text {
				return short(n.text)
			}
		}
	}
	for _, n := range m.parts {
		if depth > 1 && n.kind == Message {
			if t := typeOf(n, depth-1); t != "" {
				return t
			}
		}
	}
	return ""
}

var addresses = regexp.MustCompile(`0x[0-9a-fA-F]+::`)

// short removes the addresses from a Move type.
func short(t string) string {
	return strings.NewReplacer("[", "(", "]", ")", " ", "").Replace(addresses.ReplaceAllString(t, ""))
}

// element matches brackets with their label.
var element = regexp.MustCompile(`\[[^\]]*\]`)

// matches reports whether a path matches a pattern, in which empty brackets match every element.
func matches(pattern, path string) bool {
	if pattern == path {
		return true
	}
	begin, _, elements := strings.Cut(pattern, "[")
	if !elements || !strings.HasPrefix(path, begin+"[") {
		return false
	}
	if element.ReplaceAllString(pattern, "[]") != element.ReplaceAllString(path, "[]") {
		return false
	}
	asked, has := element.FindAllString(pattern, -1), element.FindAllString(path, -1)
	for i := range asked {
		if asked[i] != "[]" && asked[i] != has[i] {
			return false
		}
	}
	return true
}
