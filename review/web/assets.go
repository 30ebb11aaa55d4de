package web

import (
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"path"
)

// assetFiles are all files of the pages. Nothing is read from disk at run time,
// and nothing is built: what is in the repository is what a browser gets.
//
//go:embed assets
var assetFiles embed.FS

// assetFile is one file that a page may load.
type assetFile struct {
	kind string // Content-Type
	body []byte
}

// assetKinds are the files that are served; templates are not.
var assetKinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// sandboxModule is the one script that only the sandbox network serves.
const sandboxModule = "sandbox.js"

func loadAssets() (map[string]assetFile, *template.Template, error) {
	files := map[string]assetFile{}
	entries, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		kind, ok := assetKinds[path.Ext(entry.Name())]
		if !ok {
			continue
		}
		b, err := assetFiles.ReadFile("assets/" + entry.Name())
		if err != nil {
			return nil, nil, err
		}
		files[entry.Name()] = assetFile{kind, b}
	}
	pages, err := template.New("").Funcs(pageWords()).ParseFS(assetFiles, "assets/*.html")
	if err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		return nil, nil, errors.New("web: the program was built without its pages")
	}
	return files, pages, nil
}

// asset serves one embedded file.
func (s *Server) asset(c *call) error {
	file, ok := s.assets[c.id]
	if !ok || (c.id == sandboxModule && s.Sandbox == nil) {
		return refuse(http.StatusNotFound, "unknown_address", "There is no such file.")
	}
	write(c.w, http.StatusOK, file.kind, file.body)
	return nil
}

// favicon serves the mark, so that a browser that asks by habit gets no error.
func (s *Server) favicon(c *call) error {
	c.id = "mark.svg"
	return s.asset(c)
}
