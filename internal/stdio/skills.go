package stdio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// extensionSkills is offered in both eras; clients find it among the server's capabilities.
const extensionSkills = "io.modelcontextprotocol/skills"

// skillsLife is how long a client may cache the list of skills, in milliseconds.
const skillsLife = 5 * 60 * 1000

// Skill is a set of instructions that a client can load. Its files are resources, and the first one
// is SKILL.md, which begins with Name and Description.
type Skill struct {
	Name, Description string
	Files             []SkillFile
}

// SkillFile is one file of a skill.
type SkillFile struct{ URI, Text string }

// skills returns the handler of a method of the Skills extension, or nil for any other method.
func (c *connection) skills(meta requestMeta, method string) extended {
	if len(c.opts.Skills) == 0 || meta.modern && !meta.capable {
		return nil
	}
	switch method {
	case "skills/list":
		return c.skillList
	case "skills/get":
		return c.skillGet
	}
	return nil
}

func (c *connection) skillList(_ context.Context, _ *Session, params []byte) (any, *failure) {
	p, failed := readParams[struct{ Cursor string }](params)
	if failed != nil {
		return nil, failed
	}
	if p.Cursor != "" {
		return nil, &failure{Code: codeInvalidParams, Message: "The list has only one page. Omit the cursor."}
	}
	list := []any{}
	for _, s := range c.opts.Skills {
		list = append(list, c.skillEntry(s))
	}
	return cachedSkills("skills", list), nil
}

func (c *connection) skillGet(_ context.Context, _ *Session, params []byte) (any, *failure) {
	p, failed := readParams[struct{ URI string }](params)
	if failed != nil {
		return nil, failed
	}
	for _, s := range c.opts.Skills {
		if s.Files[0].URI == p.URI {
			return cachedSkills("skill", c.skillEntry(s)), nil
		}
	}
	return nil, &failure{Code: codeInvalidParams, Message: "Unknown skill URI. Call skills/list."}
}

func cachedSkills(name string, value any) map[string]any {
	return map[string]any{name: value, "ttlMs": skillsLife, "cacheScope": "private"}
}

// skillEntry returns the description of a skill and its files that is sent to the client.
func (c *connection) skillEntry(s Skill) any {
	files := []any{}
	for _, f := range s.Files {
		text := c.asRead(f.Text)
		sum := sha256.Sum256([]byte(text))
		files = append(files, map[string]any{"uri": f.URI, "size": len(text), "digest": "sha256:" +
			hex.EncodeToString(sum[:])})
	}
	return map[string]any{"uri": s.Files[0].URI, "resources": files,
		"frontmatter": map[string]any{"name": s.Name, "description": s.Description}}
}

// asRead returns text with tool names in the client's spelling.
func (c *connection) asRead(text string) string {
	frame, err := encode(text)
	if err != nil {
		return text // unreachable: a string can always be encoded
	}
	var read string
	if json.Unmarshal(c.names.write(frame), &read) != nil {
		return text
	}
	return read
}
