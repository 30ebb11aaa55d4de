// Package docs is the embedded file system of the written guides and the
// generated reference. It serves nothing itself.
package docs

import (
	"embed"
	"io/fs"
)

//go:embed *.md tools/*.md
var pages embed.FS

// Pages returns the pages by path, for example MCP_TOOLS.md.
func Pages() fs.FS { return pages }
