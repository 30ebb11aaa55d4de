package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// scoop adds to the manifest that goreleaser wrote what Scoop runs before it upgrades or
// removes the program: an old server is to serve nobody after that. goreleaser has no
// setting for it.
func (r release) scoop() error {
	path := filepath.Join(r.dist, "scoop", "bucket", "say-ur-intent.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	manifest := map[string]any{}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	// What cannot be stopped must not keep a person from removing the program.
	manifest["pre_uninstall"] = []string{`& "$dir\say-ur-intent.exe" stop | Out-Null`, "$global:LASTEXITCODE = 0"}
	return writeJSON(path, manifest)
}
