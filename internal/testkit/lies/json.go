package lies

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// decodeJSON reads a JSON value.
func decodeJSON(b []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	top := jsonNode("", v)
	if top.kind == Message {
		return top, nil
	}
	return &node{kind: Message, name: "", parts: []*node{top}}, nil
}

func jsonNode(name string, v any) *node {
	n := &node{name: name, kind: Null}
	switch v := v.(type) {
	case map[string]any:
		n.kind = Message
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.parts = append(n.parts, jsonNode(key, v[key]))
		}
	case []any:
		n.kind = List
		for _, one := range v {
			n.parts = append(n.parts, jsonNode(name, one))
		}
	case string:
		n.kind, n.text = Text, v
	case bool:
		n.kind = Truth
		if v {
			n.value = 1
		}
	case json.Number:
		n.kind, n.text, n.signed = Number, v.String(), true
	}
	return n
}

// encodeJSON encodes what decodeJSON read.
func encodeJSON(root *node) []byte {
	if len(root.parts) == 1 && root.parts[0].name == "" {
		root = root.parts[0] // a value that is not an object
	}
	return appendJSON(nil, root)
}

func appendJSON(b []byte, n *node) []byte {
	switch n.kind {
	case Message, List:
		open, end := byte('{'), byte('}')
		if n.kind == List {
			open, end = '[', ']'
		}
		b = append(b, open)
		for i, part := range n.parts {
			if i > 0 {
				b = append(b, ',')
			}
			if n.kind == Message {
				b = append(appendText(b, part.name), ':')
			}
			b = appendJSON(b, part)
		}
		return append(b, end)
	case Text:
		return appendText(b, n.text)
	case Number:
		return append(b, n.text...)
	case Truth:
		return strconv.AppendBool(b, n.value != 0)
	}
	return append(b, "null"...)
}

func appendText(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // a string can always be encoded
	return append(b, text...)
}
