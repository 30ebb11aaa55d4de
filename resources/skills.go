package resources

import (
	"context"
	"encoding/json"
	"io/fs"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const skillPrefix = "skill://"

// Skill is a set of instructions that a client can load. Its first file is SKILL.md.
type Skill struct {
	Name, Description string
	Files             []SkillFile
}

// SkillFile is a file of a skill.
type SkillFile struct{ URI, Text string }

// NewSkill returns a skill with a single file.
func NewSkill(name, description, text string) (Skill, error) {
	about, err := json.Marshal(description) // a JSON string is also valid YAML
	return Skill{name, description, []SkillFile{{skillURI(name, "SKILL.md"),
		"---\nname: " + name + "\ndescription: " + string(about) + "\n---\n\n" + text}}}, err
}

func skillURI(name, file string) string { return skillPrefix + "say-ur-intent/" + name + "/" + file }

const (
	guideName  = "say-ur-intent-answers"
	guideAbout = "Answer questions about Sui accounts, DeepBook, FlowX and reviews with Say Ur Intent's tools: which tool answers " +
		"what, and how to word the answer."
	guideFile = "AGENT_BEHAVIOR.md"
)

// Guide returns a skill made of the documents in pages. Its first file explains how to use answers,
// and links to the other documents.
func Guide(pages fs.FS) (Skill, error) {
	text, err := fs.ReadFile(pages, guideFile)
	if err != nil {
		return Skill{}, err
	}
	guide, err := NewSkill(guideName, guideAbout, string(text))
	for _, d := range documents() {
		if err != nil {
			return Skill{}, err
		}
		if d.file != guideFile {
			text, err = fs.ReadFile(pages, d.file)
			guide.Files = append(guide.Files, SkillFile{skillURI(guideName, d.file), string(text)})
		}
	}
	return guide, err
}

// RegisterSkills registers the files of skills as resources in s.
func RegisterSkills(s *server.MCPServer, skills []Skill) {
	for _, skill := range skills {
		for i, f := range skill.Files {
			resource := mcp.NewResource(f.URI, skill.Name, mcp.WithMIMEType(mime), mcp.WithResourceSize(int64(len(f.Text))))
			if i == 0 {
				resource.Description = skill.Description
			}
			s.AddResource(resource, func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: f.URI, MIMEType: mime, Text: f.Text}}, nil
			})
		}
	}
}
