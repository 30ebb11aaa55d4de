package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// server writes the entry for the MCP registry, which is server.json with the version of the
// release. It omits the bundles, because an entry cannot say which system a bundle is for.
func (r release) server() error {
	text, err := os.ReadFile(filepath.Join(r.source, "server.json"))
	if err != nil {
		return err
	}
	entry := map[string]any{}
	if err := json.Unmarshal(text, &entry); err != nil {
		return fmt.Errorf("server.json: %w", err)
	}
	entry["version"] = r.version
	packages, _ := entry["packages"].([]any)
	for _, p := range packages {
		p, _ := p.(map[string]any)
		if p["registryType"] != "npm" {
			return fmt.Errorf("server.json: unexpected package of kind %v", p["registryType"])
		}
		p["version"] = r.version
	}
	out, err := encode(entry)
	if err != nil {
		return err
	}
	if strings.Contains(string(out), `"0.0.0"`) {
		return fmt.Errorf("server.json still contains the version 0.0.0")
	}
	return writeFile(filepath.Join(r.dist, "server.json"), out, 0o644)
}
