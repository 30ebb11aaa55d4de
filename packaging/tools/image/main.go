// Command image creates the container image of a release from the programs that goreleaser built.
// The image is an OCI layout, a directory that registry clients can push. No container daemon is
// needed.
//
//	go run ./image -dist ../../dist -source ../..
//
// The image contains only the programs. It has no certificates, because without its pages the
// program contacts no outside service. The image starts the whole program, so commands
// are arguments of the image. Without a shell the program cannot detach a server, so it serves an
// AI client in its own process. A container for several clients runs `serve`, and each `docker
// exec` runs the small program.
package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const repository = "https://github.com/sayurintent/sayurintent"

// nobody is the user ID of the program in a container.
const nobody = 65532

func main() {
	dist := flag.String("dist", "dist", "goreleaser's directory; the image is written below it")
	source := flag.String("source", ".", "top directory of the source")
	flag.Parse()
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err == nil {
		err = write(*dist, *source, time.Unix(seconds, 0).UTC())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// write replaces the layout in the directory image of dist. at is the time of all files.
func write(dist, source string, at time.Time) error {
	programs, version, err := built(dist)
	if err != nil {
		return err
	}
	labels := map[string]string{
		"org.opencontainers.image.title":         "Say Ur Intent",
		"org.opencontainers.image.description":   "Prepare Sui transactions that you read before your own wallet signs them.",
		"org.opencontainers.image.source":        repository,
		"org.opencontainers.image.version":       version,
		"org.opencontainers.image.licenses":      "MIT",
		"org.opencontainers.image.documentation": repository + "/blob/main/docs/RELEASES.md",
	}
	index := mutate.Annotations(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), labels).(v1.ImageIndex)
	for _, arch := range []string{"amd64", "arm64"} {
		files := programs[arch]
		if files == nil {
			continue
		}
		files["licenses/LICENSE"] = filepath.Join(source, "LICENSE")
		files["licenses/THIRD_PARTY_LICENSES.md"] = filepath.Join(source, "THIRD_PARTY_LICENSES.md")
		one, err := image(files, arch, labels, at)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: one,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	root := filepath.Join(dist, "image")
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	// The index of the layout is also that of the image, because not every client supports nested
	// indexes.
	_, err = layout.Write(root, index)
	return err
}

// built returns the version, and the Linux programs by processor: the name of each in the image,
// and its file.
func built(dist string) (programs map[string]map[string]string, version string, err error) {
	var meta struct{ Version string }
	var artifacts []struct{ Path, Type, Goos, Goarch string }
	for name, into := range map[string]any{"metadata.json": &meta, "artifacts.json": &artifacts} {
		text, err := os.ReadFile(filepath.Join(dist, name))
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			return nil, "", fmt.Errorf("run `make dist`, which first runs goreleaser: %w", err)
		}
	}
	programs = map[string]map[string]string{}
	for _, a := range artifacts {
		if a.Type != "Binary" || a.Goos != "linux" {
			continue
		}
		if programs[a.Goarch] == nil {
			programs[a.Goarch] = map[string]string{}
		}
		name := filepath.Base(a.Path)
		programs[a.Goarch][name] = filepath.Join(dist, filepath.Base(filepath.Dir(a.Path)), name)
	}
	if len(programs) == 0 {
		return nil, "", errors.New("nothing was built for linux, so there is no image")
	}
	for arch, files := range programs {
		if len(files) != 2 {
			return nil, "", fmt.Errorf("goreleaser built %d of two programs for linux/%s", len(files), arch)
		}
	}
	return programs, meta.Version, nil
}

// image creates the image for one processor.
func image(files map[string]string, arch string, labels map[string]string, at time.Time) (v1.Image, error) {
	text, err := pack(files, at)
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(9))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	history := v1.History{Created: v1.Time{Time: at}, CreatedBy: "packaging"}
	one, err := mutate.Append(base, mutate.Addendum{Layer: layer, History: history})
	if err != nil {
		return nil, err
	}
	config, err := one.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: at}
	config.Config = v1.Config{
		Entrypoint: []string{"/say-ur-intent"}, Cmd: []string{"help"}, User: strconv.Itoa(nobody), WorkingDir: "/home",
		Env:    []string{"HOME=/home", "PATH=/", "SAY_UR_INTENT_DATA_DIR=/home/data"},
		Labels: labels,
	}
	if one, err = mutate.ConfigFile(one, config); err != nil {
		return nil, err
	}
	return mutate.Annotations(one, labels).(v1.Image), nil
}

// pack returns an archive of the files, a home directory and a directory for temporary files.
func pack(files map[string]string, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, data []byte) error {
		h.ModTime, h.Format, h.Size = at, tar.FormatPAX, int64(len(data))
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err := w.Write(data)
		return err
	}
	err := errors.Join(
		add(tar.Header{Typeflag: tar.TypeDir, Name: "home/", Mode: 0o700, Uid: nobody, Gid: nobody}, nil),
		add(tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777}, nil))
	for _, f := range []struct {
		name string
		mode int64
	}{
		{"say-ur-intent", 0o755}, {"say-ur-intent-client", 0o755},
		{"licenses/LICENSE", 0o644}, {"licenses/THIRD_PARTY_LICENSES.md", 0o644},
	} {
		data, failed := os.ReadFile(files[f.name])
		err = errors.Join(err, failed, add(tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode}, data))
	}
	return b.Bytes(), errors.Join(err, w.Close())
}
