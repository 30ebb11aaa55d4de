package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"
)

// Media types of the image format of the Open Container Initiative, version 1.1.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// nobody is who the program runs as in a container.
const nobody = 65532

// descriptor names one part of an image by its content.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    map[string]string `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// layout collects the parts of an image, each under its digest.
type layout struct{ blobs map[string][]byte }

func (l layout) add(mediaType string, data []byte) descriptor {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	l.blobs[digest] = data
	return descriptor{MediaType: mediaType, Digest: "sha256:" + digest, Size: len(data)}
}

func (l layout) addJSON(mediaType string, v any) (descriptor, error) {
	data, err := json.Marshal(v)
	return l.add(mediaType, data), err
}

// image writes an image from nothing but the programs, for Linux on both processors, as
// an OCI layout: a folder that registries' clients push, and that needs no daemon to
// make. The programs hold all they need but certificates, and the image has none: its
// parts without pages ask nobody outside.
//
// It starts the whole program, so that its commands are arguments of the image. With the
// arguments of an AI client that program serves the client in its own process: the image
// has no shell, so no server can be detached, and one would die with the container anyway.
// Containers with several clients run `serve` and start the small program in each
// `docker exec`.
func (r release) image() error {
	l := layout{blobs: map[string][]byte{}}
	var manifests []descriptor
	for _, t := range targets {
		programs, here := r.programs[t]
		if t.os != "linux" || !here {
			continue
		}
		m, err := r.oneImage(l, t, programs)
		if err != nil {
			return err
		}
		manifests = append(manifests, m)
	}
	if manifests == nil {
		return fmt.Errorf("nothing was built for linux, so there is no image")
	}
	index, err := l.addJSON(typeIndex, map[string]any{
		"schemaVersion": 2, "mediaType": typeIndex, "manifests": manifests, "annotations": r.labels(),
	})
	if err != nil {
		return err
	}
	index.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.version}
	root := filepath.Join(r.dist, "image")
	if err := fresh(root); err != nil {
		return err
	}
	for digest, data := range l.blobs {
		if err := writeFile(filepath.Join(root, "blobs", "sha256", digest), data, 0o644); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(root, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644); err != nil {
		return err
	}
	return writeJSON(filepath.Join(root, "index.json"), map[string]any{
		"schemaVersion": 2, "mediaType": typeIndex, "manifests": []descriptor{index},
	})
}

// labels say what the image is.
func (r release) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":         "Say Ur Intent",
		"org.opencontainers.image.description":   sentence,
		"org.opencontainers.image.source":        repository,
		"org.opencontainers.image.version":       r.version,
		"org.opencontainers.image.licenses":      "MIT",
		"org.opencontainers.image.documentation": repository + "/blob/main/docs/TROUBLESHOOTING.md",
	}
}

func (r release) oneImage(l layout, t target, programs pair) (descriptor, error) {
	plain, packed, err := r.layer(programs)
	if err != nil {
		return descriptor{}, err
	}
	layer := l.add(typeLayer, packed)
	sum := sha256.Sum256(plain)
	config, err := l.addJSON(typeConfig, map[string]any{
		"created": r.date.Format(time.RFC3339), "os": t.os, "architecture": t.arch,
		"config": map[string]any{
			"Entrypoint": []string{"/" + wholeProgram}, "Cmd": []string{"help"}, "User": fmt.Sprint(nobody), "WorkingDir": "/home",
			"Env":    []string{"HOME=/home", "PATH=/", "SAY_UR_INTENT_DATA_DIR=/home/data"},
			"Labels": r.labels(),
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum[:])}},
		"history": []map[string]string{{"created": r.date.Format(time.RFC3339), "created_by": "packaging/pack"}},
	})
	if err != nil {
		return descriptor{}, err
	}
	m, err := l.addJSON(typeManifest, map[string]any{
		"schemaVersion": 2, "mediaType": typeManifest, "config": config, "layers": []descriptor{layer}, "annotations": r.labels(),
	})
	m.Platform = map[string]string{"os": t.os, "architecture": t.arch}
	return m, err
}

// layer packs the programs, their licences, a home and a place for temporary files.
func (r release) layer(programs pair) (plain, packed []byte, err error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, data []byte) {
		h.ModTime, h.Format, h.Size = r.date, tar.FormatPAX, int64(len(data))
		if err == nil {
			err = w.WriteHeader(&h)
		}
		if err == nil {
			_, err = w.Write(data)
		}
	}
	add(tar.Header{Typeflag: tar.TypeDir, Name: "home/", Mode: 0o700, Uid: nobody, Gid: nobody}, nil)
	add(tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777}, nil)
	for _, f := range []struct {
		from, to string
		mode     int64
	}{
		{programs.whole, wholeProgram, 0o755},
		{programs.client, clientProgram, 0o755},
		{filepath.Join(r.source, "LICENSE"), "licenses/LICENSE", 0o644},
		{filepath.Join(r.source, "THIRD_PARTY_LICENSES.md"), "licenses/THIRD_PARTY_LICENSES.md", 0o644},
	} {
		data, failed := os.ReadFile(f.from)
		if failed != nil {
			return nil, nil, failed
		}
		add(tar.Header{Typeflag: tar.TypeReg, Name: path.Clean(f.to), Mode: f.mode}, data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, nil, err
	}
	var z bytes.Buffer
	gz, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return nil, nil, err
	}
	if _, err := gz.Write(b.Bytes()); err != nil {
		return nil, nil, err
	}
	if err := gz.Close(); err != nil { // before the bytes are taken
		return nil, nil, err
	}
	return b.Bytes(), z.Bytes(), nil
}
