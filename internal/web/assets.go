package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
)

// sharedFiles are the files that all pages share. Browsers receive them as they are in the
// repository, except that comments are removed from scripts.
//
//go:embed assets
var sharedFiles embed.FS

// Assets returns the files that all pages share. Cards, which look like pages but are served to AI
// clients, use them too.
func Assets() fs.FS {
	shared, err := fs.Sub(sharedFiles, "assets")
	if err != nil {
		panic(err) // cannot happen: the folder is embedded
	}
	return shared
}

// assetKinds maps the extensions of the files that are served to their content types. Templates are
// not served.
var assetKinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// sandboxModule is the script that is served only on the sandbox network.
const sandboxModule = "sandbox.js"

// commentLines matches the lines of a script that contain only a comment. They are replaced by
// empty lines, so that line numbers match the repository.
var commentLines = regexp.MustCompile(`(?m)^[ \t]*//.*$`)

// WithoutComments returns a script without its comments.
func WithoutComments(script []byte) []byte { return commentLines.ReplaceAll(script, nil) }

// asset is a file that a page may load.
type asset struct {
	kind string // Content-Type
	in   fs.FS
}

func (s *Server) read(name string) ([]byte, error) {
	file, ok := s.assets[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return fs.ReadFile(file.in, name)
}

// collect returns the folders of the kernel and of all pages, and the files in them that are
// served.
func collect(pages []Page) (folders []fs.FS, files map[string]asset, err error) {
	folders = []fs.FS{Assets()}
	for _, p := range pages {
		if p.Files != nil {
			folders = append(folders, p.Files)
		}
	}
	files = map[string]asset{}
	seen := map[string]bool{}
	for _, folder := range folders {
		entries, err := fs.ReadDir(folder, ".")
		if err != nil {
			return nil, nil, err
		}
		for _, entry := range entries {
			name := entry.Name()
			if seen[name] {
				return nil, nil, fmt.Errorf("web: two pages have a file %s", name)
			}
			seen[name] = true
			if kind, ok := assetKinds[path.Ext(name)]; ok {
				files[name] = asset{kind, folder}
			}
		}
	}
	return folders, files, nil
}

// imported matches an import in a script.
var imported = regexp.MustCompile(`(?m)^import .* from '\./([\w-]+\.js)';$`)

// modules maps each page to the scripts that its own script imports, directly or indirectly. The
// shell lists them so that a browser fetches them concurrently.
func (s *Server) modules() map[string][]string {
	found := map[string][]string{}
	var add func(page, name string)
	add = func(page, name string) {
		body, err := s.read(name)
		if err != nil {
			return // the page has no script
		}
		for _, m := range imported.FindAllStringSubmatch(string(body), -1) {
			if !slices.Contains(found[page], m[1]) {
				found[page] = append(found[page], m[1])
				add(page, m[1])
			}
		}
	}
	for _, p := range s.pages {
		add(p.Name, p.Name+".js")
	}
	return found
}

// parseTemplates parses the templates of all folders. It runs when the first page is requested,
// because most processes never show one.
func parseTemplates(folders []fs.FS, functions template.FuncMap) (*template.Template, error) {
	all := template.New("").Funcs(functions)
	for _, folder := range folders {
		found, err := fs.Glob(folder, "*.html")
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		if all, err = all.ParseFS(folder, found...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// render executes a template into b.
func (s *Server) render(b *bytes.Buffer, name string, data any) error {
	templates, err := s.templates()
	if err != nil {
		return err
	}
	return templates.ExecuteTemplate(b, name, data)
}

// asset serves one embedded file.
func (s *Server) asset(c *Call) error {
	file, ok := s.assets[c.ID]
	if !ok || (c.ID == sandboxModule && s.Sandbox == nil) {
		return Refuse(http.StatusNotFound, "unknown_address", "There is no such file.")
	}
	body, err := s.read(c.ID)
	if err != nil {
		return err
	}
	if path.Ext(c.ID) == ".js" {
		body = WithoutComments(body)
	}
	write(c.W, http.StatusOK, file.kind, body)
	return nil
}

// favicon serves the icon that browsers request on their own.
func (s *Server) favicon(c *Call) error {
	c.ID = "mark.svg"
	return s.asset(c)
}
