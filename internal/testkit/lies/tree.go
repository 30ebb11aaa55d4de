package lies

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Kind is what a field holds. It decides which lies about it there are.
type Kind string

// The kinds of fields.
const (
	Message Kind = "message" // fields of its own
	List    Kind = "list"    // any number of elements
	Number  Kind = "number"  // a whole number on the wire
	Truth   Kind = "truth"   // true or false
	Text    Kind = "text"    // characters: a name, an address, a digest, a decimal number
	Bytes   Kind = "bytes"   // bytes as a whole
	Window  Kind = "window"  // eight of those bytes, little-endian, as Move structs write numbers
	Null    Kind = "null"    // the null of JSON
)

// node is one value of an answer, the same for protobuf and JSON. Nodes of
// protobuf keep their wire number and type, so that what is not changed is
// written as it was read.
type node struct {
	name  string
	kind  Kind
	parts []*node // of a message or list

	number protowire.Number
	wire   protowire.Type
	signed bool   // a number that may be below zero
	value  uint64 // of a Number or Truth
	text   string // of a Text, and of a Number of JSON
	bytes  []byte
}

// place is a node where it stands: under its parent, or the window of a bytes
// node at an offset.
type place struct {
	path   string
	kind   Kind
	node   *node
	parent *node
	offset int // of a window
}

// Windows are looked at in the first bytes of a value only: the longest struct
// that is read has fewer, and longer values repeat their elements.
const (
	windowSize  = 8
	windowsUpTo = 256
)

// places lists every place below a root, its own excluded.
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

// numbered are lists whose elements differ in meaning by their place.
var numbered = []string{"command_outputs", "return_values", "returnValues", "outputs"}

// kinds are fields that say what an element is of; the first one found labels it.
var kinds = []string{"event_type", "object_type", "coin_type", "coinType", "repr"}

// labelOf returns what stands between the brackets of an element.
func labelOf(list, element *node, index int) string {
	if slices.Contains(numbered, list.name) {
		return fmt.Sprint(index)
	}
	return typeOf(element, 2)
}

// typeOf finds the Move type that a message speaks of, in short, at most so many
// levels below it.
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

// short writes a Move type without its addresses.
func short(t string) string {
	return strings.NewReplacer("[", "(", "]", ")", " ", "").Replace(addresses.ReplaceAllString(t, ""))
}

// element matches what stands between brackets.
var element = regexp.MustCompile(`\[[^\]]*\]`)

// matches reports whether a place is meant by a pattern: the same path, where
// empty brackets of the pattern stand for every element.
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
