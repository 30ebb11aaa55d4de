// Command pack creates the files of a release that goreleaser does not create: npm packages,
// bundles for Claude Desktop, and the entry for the MCP registry. It uses the programs that
// goreleaser built, and publishes nothing. The command tools/image creates the container image.
//
//	go run ./packaging/pack -dist dist
//
// The npm packages and the bundles are directories, from which `npm pack` and `mcpb pack` create
// files. The script packaging/dist.sh runs all of these commands.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	dist := flag.String("dist", "dist", "goreleaser's folder, where the files are added")
	source := flag.String("source", ".", "top directory of the source")
	only := flag.String("only", "",
		"npm, mcpb, scoop, server, or flake, which needs no build; without it npm, mcpb and server")
	some := flag.Bool("some", false, "accept missing systems")
	flag.Parse()
	if *only == "flake" {
		end(flake(*source))
		return
	}
	r, err := read(*dist, *source, *some)
	if err == nil {
		err = r.make(*only)
	}
	end(err)
}

// end prints an error and exits.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// target is a system, with the names that Go, npm and Claude Desktop use for it.
type target struct{ os, arch, npmOS, npmArch string }

// targets are all systems of a release.
var targets = []target{
	{"darwin", "amd64", "darwin", "x64"}, {"darwin", "arm64", "darwin", "arm64"},
	{"linux", "amd64", "linux", "x64"}, {"linux", "arm64", "linux", "arm64"},
	{"windows", "amd64", "win32", "x64"}, {"windows", "arm64", "win32", "arm64"},
}

// The two programs in every package. AI clients start the client program, which is small and needs
// the whole program in the same directory.
const (
	wholeProgram  = "say-ur-intent"
	clientProgram = "say-ur-intent-client"
)

// file returns the file name of a program on the system.
func (t target) file(program string) string {
	if t.os == "windows" {
		return program + ".exe"
	}
	return program
}

// pair holds the paths of both programs for one system.
type pair struct{ whole, client string }

// copyTo copies both programs into a directory.
func (b pair) copyTo(dir string, t target) error {
	return errors.Join(copyFile(b.whole, filepath.Join(dir, t.file(wholeProgram)), 0o755),
		copyFile(b.client, filepath.Join(dir, t.file(clientProgram)), 0o755))
}

// release is a release that goreleaser built.
type release struct {
	source, dist string
	version      string
	date         time.Time // time of the commit, which all files get
	programs     map[target]pair
}

// semantic matches versions that npm accepts.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// read reads the list of files that goreleaser built. Each system must be there or, if some is set,
// at least one.
func read(dist, source string, some bool) (release, error) {
	var meta struct {
		Version string    `json:"version"`
		Date    time.Time `json:"date"`
	}
	var artifacts []struct {
		Path, Type, Goos, Goarch string
	}
	for name, into := range map[string]any{"metadata.json": &meta, "artifacts.json": &artifacts} {
		text, err := os.ReadFile(filepath.Join(dist, name))
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			return release{}, fmt.Errorf("run `make dist`, which first builds with goreleaser: %w", err)
		}
	}
	if !semantic.MatchString(meta.Version) {
		return release{}, fmt.Errorf("npm does not accept the version %q", meta.Version)
	}
	date, err := commitDate(source)
	if err != nil {
		return release{}, err
	}
	r := release{source: source, dist: dist, version: meta.Version, date: date, programs: map[target]pair{}}
	for _, t := range targets {
		var b pair
		for _, a := range artifacts {
			if a.Type != "Binary" || a.Goos != t.os || a.Goarch != t.arch {
				continue
			}
			switch filepath.Base(a.Path) {
			case t.file(wholeProgram):
				b.whole = a.Path
			case t.file(clientProgram):
				b.client = a.Path
			}
		}
		switch {
		case b.whole != "" && b.client != "":
			r.programs[t] = b
		case b != (pair{}):
			return release{}, fmt.Errorf("goreleaser built only one of two programs for %s/%s: %+v", t.os, t.arch, b)
		case !some:
			return release{}, fmt.Errorf("goreleaser built nothing for %s/%s", t.os, t.arch)
		}
	}
	if len(r.programs) == 0 {
		return release{}, errors.New("goreleaser built no program")
	}
	return r, nil
}

// make creates packages of one kind, or of all kinds if only is "".
func (r release) make(only string) error {
	kinds := map[string]func() error{"npm": r.npm, "mcpb": r.mcpb, "scoop": r.scoop, "server": r.server}
	if only != "" {
		if kinds[only] == nil {
			return fmt.Errorf("unknown kind %q", only)
		}
		return kinds[only]()
	}
	return errors.Join(r.npm(), r.mcpb(), r.server())
}

// copyFile copies a file and sets its mode.
func copyFile(from, to string, mode os.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, data, mode)
}

// writeFile writes a file and creates its parent directories.
func writeFile(path string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode) // regardless of the process's umask
}

// writeJSON writes a value to a file as indented JSON.
func writeJSON(path string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	return writeFile(path, data, 0o644)
}
