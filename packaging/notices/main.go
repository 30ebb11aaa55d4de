// Command notices writes THIRD_PARTY_LICENSES.md, which contains the full license text of every
// module that is part of the program on any system.
//
//	go run ./packaging/notices             write the document
//	go run ./packaging/notices -bom FILE   add licenses to a software bill of materials
//
// It fails if a module has no license file, or a license that is not known to allow distribution.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// document is the output file, relative to the top directory.
const document = "THIRD_PARTY_LICENSES.md"

func main() {
	bom := flag.String("bom", "", "a CycloneDX document to add licenses to")
	flag.Parse()
	var err error
	if *bom == "" {
		err = write(".")
	} else {
		err = licensed(".", *bom)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// write writes the document.
func write(source string) error {
	text, err := render(source)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(source, document), text, 0o644)
}

// systems are the systems of a release. Some modules are part of the program on one of them only.
var systems = []string{"darwin", "linux", "windows"}

// used is a package that is part of the program, and its module.
type used struct{ module, version, root, dir string }

// inside returns the packages of other modules that are part of the program.
func inside(source string) ([]used, error) {
	var all []used
	for _, system := range systems {
		list := exec.Command("go", "list", "-deps", "-tags", "grpcnotrace", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/say-ur-intent")
		list.Dir, list.Stderr = source, os.Stderr
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 4 {
				all = append(all, used{f[0], f[1], f[2], f[3]})
			}
		}
	}
	slices.SortFunc(all, func(a, b used) int { return strings.Compare(a.module+"\t"+a.dir, b.module+"\t"+b.dir) })
	return slices.Compact(all), nil
}

// legal matches the names of license files.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// file is a license file.
type file struct {
	name string // path below the module
	text []byte
}

// files returns the license files of a module. It looks in the module's top directory, in the
// directories of used packages, and in all directories in between.
func files(packages []used) ([]file, error) {
	var dirs []string
	for _, u := range packages {
		for dir := u.dir; ; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
			if dir == u.root || len(dir) <= len(u.root) {
				break
			}
		}
	}
	slices.Sort(dirs)
	var found []file
	for _, dir := range slices.Compact(dirs) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(packages[0].root, filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			found = append(found, file{filepath.ToSlash(name), clean(text)})
		}
	}
	return found, nil
}

// clean normalizes the line ends of a text, so that texts can be compared.
func clean(text []byte) []byte {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return []byte(strings.Trim(strings.Join(lines, "\n"), "\n") + "\n")
}

// kinds are the licenses that allow distribution in an MIT-licensed program, with words by which
// each is recognized.
var kinds = []struct {
	name  string
	words []string
}{
	{"Apache-2.0", []string{"Apache License", "Version 2.0"}},
	{"MPL-2.0", []string{"Mozilla Public License Version 2.0"}},
	{"ISC", []string{"Permission to use, copy, modify, and"}},
	{"MIT", []string{"Permission is hereby granted, free of charge"}},
	{"BSD-3-Clause", []string{"Redistributions of source code must retain", "Neither the name"}},
	{"BSD-2-Clause", []string{"Redistributions of source code must retain"}},
}

// kindOf returns the name of a license, or "" if the text is not one of the kinds.
func kindOf(text []byte) string {
	plain := strings.Join(strings.Fields(string(text)), " ")
	for _, k := range kinds {
		if !slices.ContainsFunc(k.words, func(w string) bool { return !strings.Contains(plain, w) }) {
			return k.name
		}
	}
	return ""
}

// render returns the document for the source in a directory.
func render(source string) ([]byte, error) {
	packages, err := inside(source)
	if err != nil {
		return nil, err
	}
	var b, texts bytes.Buffer
	b.WriteString("# Licenses of the included modules\n\n" +
		"Say Ur Intent is under the MIT license (`LICENSE`). The program includes code from these Go modules, each under its own\n" +
		"license. Each text appears once below. `make gen` writes this page from the module graph, and a test compares it.\n\n" +
		"| Module | Version | License |\n|---|---|---|\n")
	seen := map[string]int{}
	put := func(of string, f file) {
		at, known := seen[string(f.text)]
		if !known {
			at = len(seen) + 1
			seen[string(f.text)] = at
			fmt.Fprintf(&texts, "\n## Text %d\n\nFirst of %s, `%s`:\n\n```\n%s```\n", at, of, f.name,
				strings.ReplaceAll(string(f.text), "```", "'''"))
		}
		fmt.Fprintf(&b, " [%s](#text-%d)", f.name, at)
	}
	golang, err := goLicense()
	if err != nil {
		return nil, err
	}
	b.WriteString("| The Go standard library | | BSD-3-Clause:")
	put("The Go standard library", golang)
	b.WriteString(" |\n")
	for len(packages) > 0 {
		u := packages[0]
		n := slices.IndexFunc(packages, func(o used) bool { return o.module != u.module })
		if n < 0 {
			n = len(packages)
		}
		found, err := files(packages[:n])
		if err != nil {
			return nil, err
		}
		packages = packages[n:]
		kind := ""
		for _, f := range found {
			if k := kindOf(f.text); k != "" && !strings.Contains(kind, k) {
				kind = strings.TrimPrefix(kind+", "+k, ", ")
			}
		}
		//mutant:never `kind == ""` ./packaging/notices TestKinds
		if kind == "" {
			return nil, fmt.Errorf("%s has no license file with a known license that allows shipping it", u.module)
		}
		fmt.Fprintf(&b, "| %s | %s | %s:", u.module, u.version, kind)
		for _, f := range found {
			put(u.module, f)
		}
		b.WriteString(" |\n")
	}
	return append(b.Bytes(), texts.Bytes()...), nil
}

// goLicense is the license of the standard library, which every Go program includes.
func goLicense() (file, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return file{}, err
	}
	for _, dir := range []string{strings.TrimSpace(string(root)), "/usr/share/doc/golang"} {
		if text, err := os.ReadFile(filepath.Join(dir, "LICENSE")); err == nil {
			return file{"LICENSE", clean(text)}, nil
		}
	}
	return file{}, fmt.Errorf("GOROOT has no LICENSE")
}
