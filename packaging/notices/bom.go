package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// row matches a row of the document's table, which lists a module and its licenses.
var row = regexp.MustCompile(`(?m)^\| ([^|]+?) \| [^|]* \| ([^:|]+):`)

// licenses returns the licenses of the modules that the document lists.
func licenses(source string) (map[string][]string, error) {
	text, err := os.ReadFile(filepath.Join(source, document))
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		all[strings.Replace(m[1], "The Go standard library", "std", 1)] = strings.Split(m[2], ", ")
	}
	return all, nil
}

// licensed adds a license to each component of a CycloneDX document. It returns an error if the
// license of a component is unknown.
func licensed(source, path string) error {
	known, err := licenses(source)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var bom map[string]any
	if err := json.Unmarshal(text, &bom); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	components, _ := bom["components"].([]any)
	for _, c := range components {
		component, _ := c.(map[string]any)
		name, _ := component["name"].(string)
		if known[name] == nil {
			return fmt.Errorf("%s: the license of %q is unknown", path, name)
		}
		component["licenses"] = spdx(known[name])
	}
	if metadata, ok := bom["metadata"].(map[string]any); ok {
		if own, ok := metadata["component"].(map[string]any); ok {
			own["licenses"] = spdx([]string{"MIT"})
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(bom); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// spdx formats licenses for CycloneDX.
func spdx(ids []string) []any {
	var list []any
	for _, id := range ids {
		list = append(list, map[string]any{"license": map[string]any{"id": id}})
	}
	return list
}
