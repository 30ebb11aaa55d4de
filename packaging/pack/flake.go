package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// vendorHash matches the line of flake.nix with the hash of all modules.
var vendorHash = regexp.MustCompile(`vendorHash = "[^"]*"`)

// flake computes the hash of the vendored modules like Nix does, and writes it into flake.nix. Run
// it after every change of go.mod.
func flake(source string) error {
	file := filepath.Join(source, "flake.nix")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !vendorHash.Match(text) {
		return fmt.Errorf("%s has no vendorHash", file)
	}
	dir, err := os.MkdirTemp("", "say-ur-intent-vendor-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	vendor := exec.Command("go", "mod", "vendor", "-o", filepath.Join(dir, "vendor"))
	vendor.Dir, vendor.Stderr = source, os.Stderr
	if err := vendor.Run(); err != nil {
		return err
	}
	sum := sha256.New()
	archive := narWriter{w: sum}
	archive.text("nix-archive-1")
	archive.node(filepath.Join(dir, "vendor"))
	if archive.err != nil {
		return archive.err
	}
	hash := "sha256-" + base64.StdEncoding.EncodeToString(sum.Sum(nil))
	return writeFile(file, vendorHash.ReplaceAll(text, []byte(`vendorHash = "`+hash+`"`)), 0o644)
}

// narWriter writes a directory as a Nix archive, which is sorted and has no times or owners.
type narWriter struct {
	w   io.Writer
	err error
}

func (n *narWriter) write(b []byte) {
	if n.err == nil {
		_, n.err = n.w.Write(b)
	}
}

// text writes the length of s and its bytes, padded to a multiple of eight.
func (n *narWriter) text(s string) {
	n.write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
	n.write([]byte(s))
	n.write(make([]byte, (8-len(s)%8)%8))
}

func (n *narWriter) texts(list ...string) {
	for _, s := range list {
		n.text(s)
	}
}

func (n *narWriter) node(path string) {
	if n.err != nil {
		return
	}
	info, err := os.Lstat(path)
	if err != nil {
		n.err = err
		return
	}
	n.text("(")
	switch {
	case info.IsDir():
		n.texts("type", "directory")
		entries, err := os.ReadDir(path) // sorted by name
		n.err = err
		for _, e := range entries {
			n.texts("entry", "(", "name", e.Name(), "node")
			n.node(filepath.Join(path, e.Name()))
			n.text(")")
		}
	case info.Mode().IsRegular():
		n.texts("type", "regular")
		if info.Mode()&0o100 != 0 {
			n.texts("executable", "")
		}
		data, err := os.ReadFile(path)
		if n.err = err; err == nil {
			n.texts("contents", string(data))
		}
	default:
		n.err = fmt.Errorf("%s is neither a file nor a directory", path)
	}
	n.text(")")
}
