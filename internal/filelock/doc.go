// Package filelock locks files. The system releases the locks when their process ends, for any
// reason.
package filelock
