package main

import (
	"errors"
	"path/filepath"
)

// npmScope is the scope of the packages for individual systems.
const npmScope = "@sayurintent/"

// npmPackage is the content of package.json.
type npmPackage struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	// MCPName lets the MCP registry verify that the package belongs to the entry.
	MCPName  string            `json:"mcpName,omitempty"`
	Keywords []string          `json:"keywords,omitempty"`
	Bin      map[string]string `json:"bin,omitempty"`
	Files    []string          `json:"files"`
	Engines  map[string]string `json:"engines,omitempty"`
	OS       []string          `json:"os,omitempty"`
	CPU      []string          `json:"cpu,omitempty"`
	// PreferUnplugged makes Yarn unpack the package, because the program must be a file to be run.
	PreferUnplugged bool              `json:"preferUnplugged,omitempty"`
	Optional        map[string]string `json:"optionalDependencies,omitempty"`
	Publish         map[string]string `json:"publishConfig"`
}

// npm creates the package that users install and one package per system. The former contains a
// launcher and depends on all others, of which npm installs only the one for the user's system. No
// package has an install script.
func (r release) npm() error {
	root := filepath.Join(r.dist, "npm")
	if err := fresh(root); err != nil {
		return err
	}
	optional := map[string]string{}
	for _, t := range targets {
		name := npmScope + t.npmOS + "-" + t.npmArch
		optional[name] = r.version
		programs, here := r.programs[t]
		if !here {
			continue
		}
		dir := filepath.Join(root, t.npmOS+"-"+t.npmArch)
		p := r.npmPackage(name, "The programs of say-ur-intent for "+t.os+" on "+t.arch+". Install say-ur-intent instead.")
		p.OS, p.CPU, p.PreferUnplugged = []string{t.npmOS}, []string{t.npmArch}, true
		p.Files = []string{"bin", "THIRD_PARTY_LICENSES.md"}
		if err := writeJSON(filepath.Join(dir, "package.json"), p); err != nil {
			return err
		}
		if err := programs.copyTo(filepath.Join(dir, "bin"), t); err != nil {
			return err
		}
		readme := "# " + name + "\n\n" + p.Description + "\n\n[" + repository + "](" + repository + ")\n"
		if err := errors.Join(r.legal(dir), writeFile(filepath.Join(dir, "README.md"), []byte(readme), 0o644)); err != nil {
			return err
		}
	}
	dir := filepath.Join(root, "say-ur-intent")
	p := r.npmPackage("say-ur-intent", sentence)
	p.MCPName, p.Keywords = registryName, []string{"mcp", "mcp-server", "sui", "deepbook", "wallet"}
	p.Bin, p.Files = map[string]string{"say-ur-intent": "launch.js"}, []string{"launch.js"}
	p.Engines, p.Optional = map[string]string{"node": ">=18"}, optional
	if err := writeJSON(filepath.Join(dir, "package.json"), p); err != nil {
		return err
	}
	if err := copyFile(filepath.Join(r.source, "LICENSE"), filepath.Join(dir, "LICENSE"), 0o644); err != nil {
		return err
	}
	from := filepath.Join(r.source, "packaging", "npm")
	if err := copyFile(filepath.Join(from, "launch.js"), filepath.Join(dir, "launch.js"), 0o755); err != nil {
		return err
	}
	return copyFile(filepath.Join(from, "README.md"), filepath.Join(dir, "README.md"), 0o644)
}

func (r release) npmPackage(name, description string) npmPackage {
	return npmPackage{
		Name: name, Version: r.version, Description: description, License: "MIT", Homepage: repository,
		Repository: map[string]string{"type": "git", "url": "git+" + repository + ".git"},
		Publish:    map[string]string{"access": "public"},
	}
}
