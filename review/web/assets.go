package web

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"sync"
)

// assetFiles are all files of the pages. Nothing is read from disk at run time,
// and nothing is built: what is in the repository is what a browser gets, but for the
// comments of scripts.
//
//go:embed assets
var assetFiles embed.FS

// assetKinds are the files that are served; templates are not.
var assetKinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// sandboxModule is the one script that only the sandbox network serves.
const sandboxModule = "sandbox.js"

// commentLines are the lines of a script that are a comment and nothing else. They stay
// as empty lines, so that line numbers are those of the repository.
var commentLines = regexp.MustCompile(`(?m)^[ \t]*//.*$`)

// listAssets returns the Content-Type of every file that a page may load.
func listAssets() (map[string]string, error) {
	files := map[string]string{}
	entries, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if kind, ok := assetKinds[path.Ext(entry.Name())]; ok {
			files[entry.Name()] = kind
		}
	}
	if len(files) == 0 {
		return nil, errors.New("web: the program was built without its pages")
	}
	return files, nil
}

// imported finds what a script imports.
var imported = regexp.MustCompile(`(?m)^import .* from '\./([\w-]+\.js)';$`)

var pageModules = sync.OnceValue(modules)

// modules returns the scripts that a page's own script imports, directly or not, by the
// names of the pages. A browser that hears of all at once fetches them at once.
func modules() map[string][]string {
	found := map[string][]string{}
	var add func(page, name string)
	add = func(page, name string) {
		body, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			return // a page without a script
		}
		for _, m := range imported.FindAllStringSubmatch(string(body), -1) {
			if !slices.Contains(found[page], m[1]) {
				found[page] = append(found[page], m[1])
				add(page, m[1])
			}
		}
	}
	for _, page := range []string{"home", "connect", "review", "account", "settings", "receipt", "console", "bundle"} {
		add(page, page+".js")
	}
	return found
}

// parsePages reads the templates. Many a process shows no page, and starts sooner
// without them.
func parsePages() (*template.Template, error) {
	return template.New("").Funcs(pageWords()).ParseFS(assetFiles, "assets/*.html")
}

// render writes one template.
func (s *Server) render(b *bytes.Buffer, name string, data any) error {
	pages, err := s.pages()
	if err != nil {
		return err
	}
	return pages.ExecuteTemplate(b, name, data)
}

// asset serves one embedded file.
func (s *Server) asset(c *call) error {
	kind, ok := s.assets[c.id]
	if !ok || (c.id == sandboxModule && s.Sandbox == nil) {
		return refuse(http.StatusNotFound, "unknown_address", "There is no such file.")
	}
	body, err := assetFiles.ReadFile("assets/" + c.id)
	if err != nil {
		return err
	}
	if path.Ext(c.id) == ".js" {
		body = commentLines.ReplaceAll(body, nil)
	}
	write(c.w, http.StatusOK, kind, body)
	return nil
}

// favicon serves the mark, so that a browser that asks by habit gets no error.
func (s *Server) favicon(c *call) error {
	c.id = "mark.svg"
	return s.asset(c)
}
