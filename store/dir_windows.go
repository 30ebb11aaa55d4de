//go:build windows

package store

import "io/fs"

// On Windows the data directory is in the user's profile, whose access control list excludes other
// users. There are no owner and mode bits to check.

func ours(fs.FileInfo) bool { return true }

func linked(fs.FileInfo) bool { return false }

func othersMay(fs.FileInfo, fs.FileMode) bool { return false }

func othersWrite(fs.FileInfo) bool { return false }
