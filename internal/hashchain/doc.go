// Package hashchain implements a record that anybody can verify. Entries form chains: each has the
// hash of the previous one, so that a changed, missing or reordered entry is detected. A wallet can
// sign the head of a chain, which also makes truncation detectable. The package writes and verifies
// record files; docs/RECORD.md specifies their format. It does no other I/O, and does not interpret
// entries.
package hashchain
