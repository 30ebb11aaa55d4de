package stdio_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// TestSkills checks that skills are listed in both eras, and that a file's digest is that of the
// text with tool names in the client's spelling.
func TestSkills(t *testing.T) {
	const uri = "skill://one/SKILL.md"
	skill := stdio.Skill{Name: "one", Description: `Call test.echo, "twice".`, Files: []stdio.SkillFile{
		{URI: uri, Text: "---\nname: one\n---\n<test.echo> & “test.held”\ntest.echo"}, {URI: "skill://one/other.md",
			Text: "none"}}}
	start := func(t *testing.T, names stdio.ToolNames) *wire {
		f := newFixture()
		f.AddResource(mcp.NewResource(uri, "one"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents,
			error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, Text: skill.Files[0].Text}}, nil
		})
		return dialFixture(t, f, stdio.Options{ToolNames: names, Skills: []stdio.Skill{skill}})
	}
	for _, names := range []stdio.ToolNames{stdio.ToolNamesDotted, stdio.ToolNamesUnderscore} {
		for era, ask := range map[string]func(id, method, params string) string{
			"modern": func(id, method, params string) string { return modern(id, method, `{}`, params) },
			"handshake": func(id, method, params string) string {
				return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
			},
		} {
			t.Run(string(names)+" "+era, func(t *testing.T) {
				w := start(t, names)
				w.initialize(`{}`)
				w.send(ask("2", "resources/read", `"uri":"`+uri+`"`))
				var read struct{ Contents []struct{ Text string } }
				if m := w.next(); json.Unmarshal(m.Result, &read) != nil || len(read.Contents) != 1 {
					t.Fatalf("%s", m.line)
				}
				text := read.Contents[0].Text
				if strings.Contains(text, "test_echo") != (names == stdio.ToolNamesUnderscore) {
					t.Errorf("read %q", text)
				}
				want := fmt.Sprintf(`"resources":[{"digest":"sha256:%x","size":%d,"uri":"%s"},{"digest":"sha256:%x","size":4,`,
					sha256.Sum256([]byte(text)), len(text), uri, sha256.Sum256([]byte("none")))
				w.send(ask("3", "skills/list", ""))
				list := w.next()
				for _, has := range []string{want, `"skills":[{"frontmatter":{`, `"resultType":"complete"`, `"ttlMs":`,
					`"cacheScope":"private"`} {
					if !strings.Contains(string(list.Result), has) {
						t.Errorf("%s lacks %s", list.line, has)
					}
				}
				w.send(ask("4", "skills/get", `"uri":"`+uri+`"`))
				if m := string(w.next().Result); !strings.Contains(m, want) || !strings.Contains(m, `"skill":{"frontmatter"`) {
					t.Errorf("%s", m)
				}
				for _, bad := range []string{ask("5", "skills/get", `"uri":"skill://one/other.md"`), ask("6", "skills/get", ""),
					ask("7", "skills/list", `"cursor":"x"`), ask("8", "skills/get", `"uri":5`)} {
					w.send(bad)
					if m := w.next(); m.Error == nil || m.Error.Code != -32602 {
						t.Errorf("%s: %s", bad, m.line)
					}
				}
			})
		}
	}
}

// TestSkillsAreOffered checks that a server with skills declares them in both eras, and that skills
// are refused before initialize and by a server without skills.
func TestSkillsAreOffered(t *testing.T) {
	skills := []stdio.Skill{{Name: "one", Files: []stdio.SkillFile{{URI: "skill://one/SKILL.md"}}}}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`
	for _, has := range []bool{true, false} {
		opts := stdio.Options{}
		if has {
			opts.Skills = skills
		}
		w := dial(t, opts)
		w.send(request("1", "skills/list", "{}"))
		if m := w.next(); m.Error == nil || m.Error.Code != -32600 {
			t.Errorf("before initialize: %s", m.line)
		}
		for _, line := range []string{modern("2", "server/discover", `{}`, ""), hello} {
			w.send(line)
			if m := w.next(); strings.Contains(string(m.Result), `"io.modelcontextprotocol/skills":{}`) != has {
				t.Errorf("skills %t: %s", has, m.line)
			}
		}
		for _, line := range []string{modern("3", "skills/list", `{}`, ""), request("4", "skills/list", "{}")} {
			w.send(line)
			if m := w.next(); (m.Error != nil && m.Error.Code == -32601) == has {
				t.Errorf("skills %t: %s", has, m.line)
			}
		}
	}
}
