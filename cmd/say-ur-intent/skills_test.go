//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/resources"
)

// TestSkills checks that every prompt and document is a skill whose files have the listed digests,
// and that no skill is among the resources.
func TestSkills(t *testing.T) {
	c := startServer(t, t.TempDir())
	var listed struct {
		Skills []struct {
			URI         string
			Frontmatter map[string]string
			Resources   []struct {
				URI, Digest string
				Size        int
			}
		}
		Resources []struct{ URI string }
		Prompts   []struct{ Name string }
	}
	for _, method := range []string{"skills/list", "resources/list", "prompts/list"} {
		if err := c.request(method, map[string]any{}, &listed); err != nil {
			t.Fatal(err)
		}
	}
	var names, files []string
	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, s := range listed.Skills {
		name, about := s.Frontmatter["name"], s.Frontmatter["description"]
		names = append(names, name)
		if !form.MatchString(name) || len(name) > 64 || about == "" || len(about) > 1024 || !strings.HasSuffix(s.URI, "/"+
			name+"/SKILL.md") ||
			s.Resources[0].URI != s.URI {
			t.Errorf("%s: %v", s.URI, s.Frontmatter)
		}
		for i, f := range s.Resources {
			var read struct{ Contents []struct{ Text string } }
			if err := c.request("resources/read", map[string]any{"uri": f.URI}, &read); err != nil {
				t.Fatal(err)
			}
			text := read.Contents[0].Text
			if f.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) || f.Size != len(text) {
				t.Errorf("%s is not what is listed", f.URI)
			}
			quoted, err := json.Marshal(about)
			if err != nil {
				t.Fatal(err)
			}
			if head := "---\nname: " + name + "\ndescription: " + string(quoted) + "\n---\n\n"; i == 0 &&
				!strings.HasPrefix(text, head) {
				t.Errorf("%s begins %.120q", f.URI, text)
			}
			files = append(files, f.URI)
		}
	}
	for _, p := range listed.Prompts {
		if !slices.Contains(names, p.Name) {
			t.Errorf("the prompt %s is not a skill", p.Name)
		}
	}
	if len(names) != len(listed.Prompts)+1 || len(files) != len(names)+len(resources.URIs())-1 {
		t.Errorf("skills %v, files %v", names, files)
	}
	for _, r := range listed.Resources {
		if strings.HasPrefix(r.URI, "skill:") {
			t.Errorf("%s is listed as a resource", r.URI)
		}
	}
}
