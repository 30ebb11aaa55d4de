package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// scoop adds commands to goreleaser's manifest that stop the server before Scoop upgrades or
// removes the program. goreleaser has no setting for that.
func (r release) scoop() error {
	file := filepath.Join(r.dist, "scoop", "bucket", "say-ur-intent.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	manifest := map[string]any{}
	var known struct {
		Architecture map[string]struct{ Bin []string }
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if len(known.Architecture) == 0 {
		return fmt.Errorf("%s names no programs", file)
	}
	systems := manifest["architecture"].(map[string]any)
	for name, system := range known.Architecture {
		whole := slices.IndexFunc(system.Bin, func(bin string) bool { return path.Base(bin) == wholeProgram+".exe" })
		client := slices.IndexFunc(system.Bin, func(bin string) bool { return path.Base(bin) == clientProgram+".exe" })
		if whole < 0 || client < 0 {
			return fmt.Errorf("%s has only one of two programs for %s: %v", file, name, system.Bin)
		}
		// If the server cannot be stopped, the user must still be able to remove the program.
		systems[name].(map[string]any)["pre_uninstall"] = []string{
			fmt.Sprintf(`& "$dir\%s" stop | Out-Null`, system.Bin[whole]), "$global:LASTEXITCODE = 0",
		}
	}
	return writeJSON(file, manifest)
}
