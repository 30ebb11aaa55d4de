// Package filelock takes locks on files that the system frees when their process ends,
// however it ends.
package filelock
