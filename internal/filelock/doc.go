// Package filelock locks files. The operating system releases a lock when the process ends, even if
// it is killed.
package filelock
