// Command pack makes what a release holds beside goreleaser's archives, out of the
// files that goreleaser built: the npm packages, the bundles for Claude Desktop and the
// registry's entry. It publishes nothing. tools/image makes the container image.
//
//	go run ./packaging/pack -dist dist
//
// npm and mcpb packages are laid out as folders, which `npm pack` and `mcpb pack` make
// files of; packaging/dist.sh calls all three.
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
	dist := flag.String("dist", "dist", "goreleaser's folder, which is added to")
	source := flag.String("source", ".", "top directory of the source")
	only := flag.String("only", "",
		"npm, mcpb, scoop, server, or flake, which needs no build; without it npm, mcpb and server")
	some := flag.Bool("some", false, "take the systems that were built, and not all of them")
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

// end reports an error and ends the program with it.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// target is one system as Go, npm and Claude Desktop name it.
type target struct{ os, arch, npmOS, npmArch string }

// targets are all systems that a release is for.
var targets = []target{
	{"darwin", "amd64", "darwin", "x64"}, {"darwin", "arm64", "darwin", "arm64"},
	{"linux", "amd64", "linux", "x64"}, {"linux", "arm64", "linux", "arm64"},
	{"windows", "amd64", "win32", "x64"}, {"windows", "arm64", "win32", "arm64"},
}

// The programs of every package. AI clients start the client, which is small and needs the
// whole program in the same directory.
const (
	wholeProgram  = "say-ur-intent"
	clientProgram = "say-ur-intent-client"
)

// file returns the name of a program's file on this system.
func (t target) file(program string) string {
	if t.os == "windows" {
		return program + ".exe"
	}
	return program
}

// pair is where the two programs for one system are.
type pair struct{ whole, client string }

// copyTo copies both programs into a directory.
func (b pair) copyTo(dir string, t target) error {
	return errors.Join(copyFile(b.whole, filepath.Join(dir, t.file(wholeProgram)), 0o755),
		copyFile(b.client, filepath.Join(dir, t.file(clientProgram)), 0o755))
}

// release is one build of goreleaser's.
type release struct {
	source, dist string
	version      string
	date         time.Time // of the commit: the only time that gets into any file
	programs     map[target]pair
}

// semantic is the form of a version that npm takes.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// read reads what goreleaser says that it built. A system that is missing is an error,
// unless some is set: then one is enough.
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
			return release{}, fmt.Errorf("run `make dist`, which has goreleaser build first: %w", err)
		}
	}
	if !semantic.MatchString(meta.Version) {
		return release{}, fmt.Errorf("the version %q is none that npm takes", meta.Version)
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
			return release{}, fmt.Errorf("goreleaser built one program of two for %s/%s: %+v", t.os, t.arch, b)
		case !some:
			return release{}, fmt.Errorf("goreleaser built nothing for %s/%s", t.os, t.arch)
		}
	}
	if len(r.programs) == 0 {
		return release{}, errors.New("goreleaser built no program")
	}
	return r, nil
}

// make makes one kind of package, or all but the one that goreleaser may leave out.
func (r release) make(only string) error {
	kinds := map[string]func() error{"npm": r.npm, "mcpb": r.mcpb, "scoop": r.scoop, "server": r.server}
	if only != "" {
		if kinds[only] == nil {
			return fmt.Errorf("there is no kind %q", only)
		}
		return kinds[only]()
	}
	return errors.Join(r.npm(), r.mcpb(), r.server())
}

// copyFile copies a file with the rights that it is to have.
func copyFile(from, to string, mode os.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, data, mode)
}

// writeFile writes a file and the directories above it.
func writeFile(path string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode) // whatever the process's mask is
}

// writeJSON writes a value as people read JSON.
func writeJSON(path string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	return writeFile(path, data, 0o644)
}
