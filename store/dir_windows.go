//go:build windows

package store

import "io/fs"

// On Windows the data directory lies in the user's own profile, whose access list
// keeps others out. There are no owner and mode bits to check.

func ours(fs.FileInfo) bool { return true }

func linked(fs.FileInfo) bool { return false }

func othersMay(fs.FileInfo, fs.FileMode) bool { return false }

func othersWrite(fs.FileInfo) bool { return false }
