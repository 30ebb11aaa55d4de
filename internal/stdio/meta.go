package stdio

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// requestMeta is the metadata in a request's parameters.
type requestMeta struct {
	params     []member
	modern     bool // the request belongs to the era without a handshake
	token      []byte
	clientName string // from _meta
	capable    bool   // _meta contains the client's capabilities
	tasks      bool   // the capabilities include the Tasks extension
}

// paramNames lists the parameters that this package or mcp-go reads. Their spelling must be exact,
// because mcp-go ignores case.
var paramNames = []string{"_meta", "name", "arguments", "task", "uri", "cursor", "level", "ref",
	"argument", "context", "protocolVersion", "capabilities", "clientInfo", "notifications",
	"inputResponses", "requestState", "taskId", "maxAgeMs", "maxEvents", "delivery"}

func (m requestMeta) param(name string) []byte {
	for _, p := range m.params {
		if p.name == name {
			return p.raw
		}
	}
	return nil
}

// readMeta reads the top-level members of a request's parameters, and their _meta.
func readMeta(e envelope, depth int) (requestMeta, *refusal) {
	var meta requestMeta
	if e.params == nil {
		return meta, nil
	}
	meta.params = e.members
	for _, p := range e.members {
		if like := lookAlike(p.name, paramNames); like != "" {
			return meta, &refusal{id: e.id.raw, code: codeInvalidParams,
				text: fmt.Sprintf("Parameter names are exact: %s, not another spelling of it.", like)}
		}
	}
	raw := meta.param("_meta")
	if raw == nil {
		return meta, nil
	}
	t, err := scan(raw, depth)
	if err != nil || t.first != '{' {
		return meta, &refusal{id: e.id.raw, code: codeInvalidParams, text: "The parameter _meta must be an object."}
	}
	known := false // whether mcp-go supports the version
	for _, m := range t.members {
		switch m.name {
		case "progressToken":
			// A token can be a string or any number. It is sent back as written.
			if c := m.raw[0]; c == '"' || c == '-' || ('0' <= c && c <= '9') {
				meta.token = append([]byte(nil), m.raw...)
			}
		case mcp.MetaKeyProtocolVersion:
			var version string
			meta.modern = json.Unmarshal(m.raw, &version) == nil && mcp.IsModernProtocol(version)
			known = mcp.IsValidProtocolVersion(version)
		case mcp.MetaKeyClientCapabilities:
			meta.capable, meta.tasks = capabilitiesOf(m.raw)
		case mcp.MetaKeyClientInfo:
			var info struct {
				Name string `json:"name"`
			}
			if json.Unmarshal(m.raw, &info) == nil {
				meta.clientName = namedBy(info.Name)
			}
		}
	}
	meta.capable = meta.capable && known
	return meta, nil
}

// with returns the parameters with the values in replaced.
func (m requestMeta) with(replaced map[string][]byte) []byte {
	out := []byte{'{'}
	for _, p := range m.params {
		if len(out) > 1 {
			out = append(out, ',')
		}
		key, err := encode(p.name)
		if err != nil {
			continue // unreachable: a string can always be encoded
		}
		value, ok := replaced[p.name]
		if !ok {
			value = p.raw
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}')
}
