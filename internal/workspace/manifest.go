package workspace

import (
	"errors"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

// maxManifest limits the size of a manifest or a lock file in bytes. The TOML parser is recursive,
// so this also limits its stack.
const maxManifest = 128 << 10

// ErrManifest means that a file is not the manifest of a Move package.
var ErrManifest = errors.New("not the manifest of a Move package")

// Published is the publication of a package on one network, according to files in the package.
type Published struct{ Original, Latest string }

// Package is a Move package of a project. Dir is relative; "" is the project's folder. Addresses
// holds the addresses that the manifest assigns. Local holds the directories of local dependencies
// in the project, and External the names of all other dependencies. Published is by network.
type Package struct {
	Dir, Name, Edition string
	Addresses          map[string]string
	Local              []string
	External           []string
	Published          map[string]Published
}

type manifest struct {
	Package struct {
		Name        string
		Edition     string
		PublishedAt string `toml:"published-at"`
	}
	Addresses    map[string]string
	Dependencies map[string]any
}

// published is the record of a publication that Sui's tools write to Move.lock or Published.toml.
type published struct {
	Original    string `toml:"original-published-id"`
	Latest      string `toml:"latest-published-id"`
	OriginalID  string `toml:"original-id"`
	PublishedAt string `toml:"published-at"`
}

// parsePackage parses a manifest, the lock file and the file of publications. The last two may be
// nil.
func parsePackage(dir string, text, lock, publications []byte) (*Package, error) {
	var m manifest
	if len(text) > maxManifest {
		return nil, fmt.Errorf("%w: larger than 128 KiB", ErrManifest)
	}
	if err := toml.Unmarshal(text, &m); err != nil || m.Package.Name == "" {
		return nil, ErrManifest
	}
	p := &Package{Dir: dir, Name: visible(m.Package.Name), Edition: visible(m.Package.Edition),
		Addresses: map[string]string{},
		Published: map[string]Published{}}
	for name, address := range m.Addresses {
		if short := graph.ShortAddress(address); strings.HasPrefix(short, "0x") && short != "0x0" {
			p.Addresses[name] = short
		}
	}
	for name, d := range m.Dependencies {
		table, _ := d.(map[string]any)
		local, _ := table["local"].(string)
		inside := path.Join(dir, strings.ReplaceAll(local, `\`, "/"))
		if parts, err := split(inside); local == "" || err != nil || path.IsAbs(local) {
			p.External = append(p.External, name)
		} else {
			p.Local = append(p.Local, strings.Join(parts, "/"))
		}
	}
	sort.Strings(p.Local)
	sort.Strings(p.External)
	p.publications(lock, publications, m.Package.PublishedAt)
	return p, nil
}

// publications sets Published. It ignores files that are not valid TOML.
func (p *Package) publications(lock, own []byte, manifest string) {
	var files struct {
		Env       map[string]published
		Published map[string]published
	}
	for _, text := range [][]byte{lock, own} {
		if len(text) <= maxManifest {
			_ = toml.Unmarshal(text, &files)
		}
	}
	for _, table := range []map[string]published{files.Env, files.Published} {
		for network, e := range table {
			latest, original := first(e.PublishedAt, e.Latest), first(e.OriginalID, e.Original)
			if latest != "" {
				p.Published[network] = Published{Original: first(original, latest), Latest: latest}
			}
		}
	}
	if id := first(manifest); id != "" && len(p.Published) == 0 {
		p.Published[""] = Published{Original: id, Latest: id} // a manifest does not name a network
	}
}

// first returns the first address that is not 0x0, in short form.
func first(addresses ...string) string {
	for _, a := range addresses {
		if short := graph.ShortAddress(a); strings.HasPrefix(short, "0x") && short != "0x0" {
			return short
		}
	}
	return ""
}

// address returns the address of the package in its own modules. This is the ID of the first
// publication, which later versions keep.
func (p *Package) address() string {
	for _, network := range []string{"mainnet", "", "testnet", "devnet"} {
		if id := p.Published[network].Original; id != "" {
			return id
		}
	}
	return ""
}
