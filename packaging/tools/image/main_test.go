package main

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var at = time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)

// dist creates goreleaser's output, with a text as each program.
func dist(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	type artifact struct{ Path, Type, Goos, Goarch string }
	var list []artifact
	for _, arch := range []string{"amd64", "arm64"} {
		for _, name := range names {
			path := filepath.Join(dir, name+"_linux_"+arch, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(name+arch), 0o755); err != nil {
				t.Fatal(err)
			}
			list = append(list, artifact{path, "Binary", "linux", arch})
		}
	}
	for name, v := range map[string]any{"artifacts.json": list, "metadata.json": map[string]string{"version": "1.2.3"}} {
		text, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestImage(t *testing.T) {
	dir := dist(t, "say-ur-intent", "say-ur-intent-client")
	digests := map[string]bool{}
	for range 2 {
		if err := write(dir, "../../..", at); err != nil {
			t.Fatal(err)
		}
		top, err := layout.ImageIndexFromPath(filepath.Join(dir, "image"))
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Index(top); err != nil {
			t.Fatal(err)
		}
		d, err := top.Digest()
		if err != nil {
			t.Fatal(err)
		}
		digests[d.String()] = true
		list, err := top.IndexManifest()
		if err != nil || len(list.Manifests) != 2 || list.Annotations["org.opencontainers.image.version"] != "1.2.3" {
			t.Fatal(list, err)
		}
		for _, m := range list.Manifests {
			one, err := top.Image(m.Digest)
			if err != nil {
				t.Fatal(err)
			}
			config, err := one.ConfigFile()
			if err != nil || config.Architecture != m.Platform.Architecture || config.Config.User != fmt.Sprint(nobody) ||
				!config.Created.Equal(at) || !slices.Equal(config.Config.Entrypoint, []string{"/say-ur-intent"}) {
				t.Errorf("%+v %v", config, err)
			}
			var names []string
			for files := tar.NewReader(mutate.Extract(one)); ; {
				h, err := files.Next()
				if err != nil {
					break
				}
				names = append(names, fmt.Sprintf("%s %o", h.Name, h.Mode))
				if !h.ModTime.Equal(at) {
					t.Errorf("%s is of %s, not of the commit", h.Name, h.ModTime)
				}
			}
			want := []string{"home 700", "tmp 1777", "say-ur-intent 755", "say-ur-intent-client 755",
				"licenses/LICENSE 644", "licenses/THIRD_PARTY_LICENSES.md 644"}
			if slices.Sort(names); !slices.Equal(names, slices.Sorted(slices.Values(want))) {
				t.Errorf("inside are %v", names)
			}
		}
	}
	if len(digests) != 1 {
		t.Errorf("the same release makes different images: %v", digests)
	}
}

func TestImageNeedsBothPrograms(t *testing.T) {
	if err := write(dist(t, "say-ur-intent"), "../../..", at); err == nil {
		t.Error("an image with one program was made")
	}
	if err := write(dist(t), "../../..", at); err == nil {
		t.Error("an image of nothing was made")
	}
}
