package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const testVersion = "1.2.3-snapshot.gabcdef0"

// bothPrograms are in every package.
var bothPrograms = []string{"say-ur-intent", "say-ur-intent-client"}

// built creates goreleaser's output, with a script as each program, and reads it.
func built(t *testing.T) release {
	t.Helper()
	dist := t.TempDir()
	type artifact struct {
		Path   string `json:"path"`
		Type   string `json:"type"`
		Goos   string `json:"goos"`
		Goarch string `json:"goarch"`
	}
	var list []artifact
	for _, x := range targets {
		for _, name := range bothPrograms {
			path := filepath.Join(dist, name+"_"+x.os+"_"+x.arch, x.file(name))
			if err := writeFile(path, []byte("#!/bin/sh\necho "+name+" "+x.os+"-"+x.arch+" \"$@\"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			list = append(list, artifact{path, "Binary", x.os, x.arch})
		}
	}
	for name, v := range map[string]any{"artifacts.json": list,
		"metadata.json": map[string]string{"version": testVersion}} {
		if err := writeJSON(filepath.Join(dist, name), v); err != nil {
			t.Fatal(err)
		}
	}
	r, err := read(dist, "../..", false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readJSON[T any](t *testing.T, path string) (v T) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRead(t *testing.T) {
	r := built(t)
	for name, c := range map[string]struct{ file, text, want string }{
		"a version that npm does not take": {"metadata.json", `{"version":"v1"}`, "npm does not accept"},
		"a system that was not built":      {"artifacts.json", `[]`, "nothing for darwin/amd64"},
		"one of two programs": {"artifacts.json",
			`[{"path":"x/say-ur-intent-client","type":"Binary","goos":"linux","goarch":"amd64"}]`,
			"one of two programs for linux/amd64"},
		"nothing built": {"artifacts.json", `{`, "make dist"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(r.dist, c.file)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = os.WriteFile(path, before, 0o644) }()
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := read(r.dist, r.source, c.file == "artifacts.json" && strings.HasPrefix(c.want, "one")); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestNPM(t *testing.T) {
	r := built(t)
	if err := r.npm(); err != nil {
		t.Fatal(err)
	}
	launcher := readJSON[npmPackage](t, filepath.Join(r.dist, "npm", "say-ur-intent", "package.json"))
	if launcher.Version != testVersion || launcher.Bin["say-ur-intent"] != "launch.js" ||
		len(launcher.Optional) != len(targets) {
		t.Errorf("%+v", launcher)
	}
	for _, x := range targets {
		dir := filepath.Join(r.dist, "npm", x.npmOS+"-"+x.npmArch)
		p := readJSON[npmPackage](t, filepath.Join(dir, "package.json"))
		if launcher.Optional[p.Name] != testVersion || !slices.Equal(p.OS, []string{x.npmOS}) || !slices.Equal(p.CPU,
			[]string{x.npmArch}) {
			t.Errorf("%+v", p)
		}
		for _, name := range bothPrograms {
			executable(t, filepath.Join(dir, "bin", x.file(name)))
		}
		for _, name := range []string{"LICENSE", "README.md", "THIRD_PARTY_LICENSES.md"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	manifests, _ := filepath.Glob(filepath.Join(r.dist, "npm", "*", "package.json"))
	for _, path := range manifests {
		if raw := readJSON[map[string]any](t, path); raw["scripts"] != nil || raw["dependencies"] != nil {
			t.Errorf("%s runs something, or needs something, when it is installed", path)
		}
	}
}

// executable checks that a file is there and can be executed.
func executable(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%s: %v %v", path, info, err)
	}
}

// TestBundle: there is a bundle for each system that has one, which starts that system's client.
func TestBundle(t *testing.T) {
	r := built(t)
	delete(r.programs, r.host()) // a script lists no tools
	if err := r.mcpb(); err != nil {
		t.Fatal(err)
	}
	for _, x := range targets {
		name, ok := x.bundle()
		root := filepath.Join(r.dist, "mcpb", name)
		if !ok || x == r.host() {
			if _, err := os.Stat(root); ok && err == nil {
				t.Errorf("%s was not built and has a bundle", name)
			}
			continue
		}
		t.Run(name, func(t *testing.T) { checkBundle(t, root, x) })
	}
}

func checkBundle(t *testing.T, root string, x target) {
	t.Helper()
	type manifest struct {
		Version string `json:"version"`
		Icon    string `json:"icon"`
		Server  struct {
			EntryPoint string `json:"entry_point"`
			Config     struct {
				Command   string            `json:"command"`
				Args      []string          `json:"args"`
				Env       map[string]string `json:"env"`
				Overrides map[string]any    `json:"platform_overrides"`
			} `json:"mcp_config"`
		} `json:"server"`
		Compatibility struct {
			Platforms []string `json:"platforms"`
		} `json:"compatibility"`
		Settings map[string]struct {
			Default *string `json:"default"`
		} `json:"user_config"`
	}
	m := readJSON[manifest](t, filepath.Join(root, "manifest.json"))
	if m.Version != testVersion || !slices.Equal(m.Compatibility.Platforms, []string{x.npmOS}) ||
		m.Server.Config.Overrides != nil {
		t.Errorf("%+v", m)
	}
	client := "server/" + x.file(clientProgram)
	if m.Server.EntryPoint != client || m.Server.Config.Command != "${__dirname}/"+client {
		t.Errorf("it starts %s, %s", m.Server.EntryPoint, m.Server.Config.Command)
	}
	for _, name := range bothPrograms {
		executable(t, filepath.Join(root, "server", x.file(name)))
	}
	for _, name := range []string{m.Icon, "PRIVACY.md", "LICENSE", "THIRD_PARTY_LICENSES.md"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	// What the form does not set is replaced by its default; without one the words
	// ${user_config.x} themselves would reach the program.
	asked := map[string]bool{}
	for _, text := range append(slices.Collect(maps.Values(m.Server.Config.Env)), m.Server.Config.Args...) {
		for _, found := range regexp.MustCompile(`\$\{user_config\.(\w+)\}`).FindAllStringSubmatch(text, -1) {
			asked[found[1]] = true
			if m.Settings[found[1]].Default == nil {
				t.Errorf("the form has no field %s with a default", found[1])
			}
		}
	}
	if len(asked) != len(m.Settings) || len(asked) == 0 {
		t.Errorf("the form has %d fields, %d are used", len(m.Settings), len(asked))
	}
}

// TestScoop: Scoop ends the server before it upgrades or removes the program, and the rest
// of the manifest stays.
func TestScoop(t *testing.T) {
	r := built(t)
	path := filepath.Join(r.dist, "scoop", "bucket", "say-ur-intent.json")
	write := func(bins string) {
		text := `{"version":"1.2.3","architecture":{"64bit":{"bin":[` + bins + `],"hash":"00"}}}`
		if err := writeFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`"a_1/say-ur-intent.exe"`)
	if err := r.make("scoop"); err == nil || !strings.Contains(err.Error(), "one of two programs") {
		t.Error(err)
	}
	write(`"a_1/say-ur-intent-client.exe","a_1/say-ur-intent.exe"`)
	if err := r.make("scoop"); err != nil {
		t.Fatal(err)
	}
	m := readJSON[struct {
		Version      string
		Architecture map[string]struct {
			Bin    []string
			Hash   string
			Before []string `json:"pre_uninstall"`
		}
	}](t, path)
	a := m.Architecture["64bit"]
	if m.Version != "1.2.3" || len(a.Bin) != 2 || a.Hash != "00" || len(a.Before) == 0 ||
		a.Before[0] != `& "$dir\a_1/say-ur-intent.exe" stop | Out-Null` {
		t.Errorf("%+v", m)
	}
}

// TestEntry compares server.json with the MCP registry's requirements.
func TestEntry(t *testing.T) {
	r := built(t)
	if err := r.server(); err != nil {
		t.Fatal(err)
	}
	type pkg struct {
		RegistryType, Identifier, Version string
		Transport                         struct{ Type string }
	}
	type entry struct {
		Schema                     string `json:"$schema"`
		Name, Description, Version string
		Packages                   []pkg
	}
	e := readJSON[entry](t, filepath.Join(r.dist, "server.json"))
	if !strings.Contains(e.Schema, "/2025-12-11/") || e.Name != registryName || e.Version != testVersion ||
		len(e.Description) > 100 || e.Description != sentence {
		t.Errorf("%+v", e)
	}
	kinds := map[string]bool{}
	for _, p := range e.Packages {
		kinds[p.RegistryType] = true
		if p.Transport.Type != "stdio" {
			t.Errorf("%+v", p)
		}
		switch p.RegistryType {
		case "npm":
			if p.Identifier != "say-ur-intent" || p.Version != testVersion {
				t.Errorf("%+v", p)
			}
		}
	}
	if !kinds["npm"] || len(kinds) != 1 {
		t.Errorf("the kinds %v", kinds)
	}
}
