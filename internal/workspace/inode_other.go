//go:build !unix

package workspace

import "io/fs"

func inode(fs.FileInfo) string { return "" }
