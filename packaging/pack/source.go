package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// URLs and identifiers of the project.
const (
	repository = "https://github.com/sayurintent/sayurintent"
	// registryName is the name of the server in the MCP registry.
	registryName = "io.github.sayurintent/say-ur-intent"
	// sentence describes the program in at most one hundred characters, which is the registry's
	// limit.
	sentence = "Prepare Sui transactions; a person reads what would be signed, and their own wallet signs."
)

// commitDate returns the time of the checked-out commit.
func commitDate(source string) (time.Time, error) {
	out, err := exec.Command("git", "-C", source, "log", "-1", "--format=%cI").Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("the time of the commit is unknown: %w", err)
	}
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(out)))
	return at.UTC(), err
}

// encode writes JSON without escaping <, > and &.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// legal copies the license of the program and those of its modules.
func (r release) legal(to string) error {
	for _, name := range []string{"LICENSE", "THIRD_PARTY_LICENSES.md"} {
		if err := copyFile(filepath.Join(r.source, name), filepath.Join(to, name), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fresh creates an empty directory for packages.
func fresh(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}
