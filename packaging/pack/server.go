package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// bundleFile is the name of the packed bundle.
func (r release) bundleFile() string { return "say-ur-intent_" + r.version + ".mcpb" }

// server writes the entry for the MCP registry: the repository's server.json with the
// version of this release, and the checksum of the bundle, which must be packed by now.
func (r release) server() error {
	text, err := os.ReadFile(filepath.Join(r.source, "server.json"))
	if err != nil {
		return err
	}
	entry := map[string]any{}
	if err := json.Unmarshal(text, &entry); err != nil {
		return fmt.Errorf("server.json: %w", err)
	}
	bundle, err := os.ReadFile(filepath.Join(r.dist, "extra", r.bundleFile()))
	if err != nil {
		return fmt.Errorf("the bundle is packed first: %w", err)
	}
	entry["version"] = r.version
	packages, _ := entry["packages"].([]any)
	for _, p := range packages {
		p, _ := p.(map[string]any)
		switch p["registryType"] {
		case "npm":
			p["version"] = r.version
		case "mcpb":
			sum := sha256.Sum256(bundle)
			p["identifier"] = repository + "/releases/download/v" + r.version + "/" + r.bundleFile()
			p["fileSha256"] = hex.EncodeToString(sum[:])
		default:
			return fmt.Errorf("server.json: there is no package of the kind %v", p["registryType"])
		}
	}
	out, err := encode(entry)
	if err != nil {
		return err
	}
	if strings.Contains(string(out), `"0.0.0"`) {
		return fmt.Errorf("server.json still names the version 0.0.0 somewhere")
	}
	return writeFile(filepath.Join(r.dist, "extra", "server.json"), out, 0o644)
}
