// Package hashchain implements a record that anyone can verify. Its entries form chains: each
// contains the hash of the previous one, so a changed, missing or reordered entry is detected. A
// wallet can sign the head of a chain, which also makes truncation detectable. The package writes
// and verifies record files in the format that docs/RECORD.md specifies. It does no other I/O, and
// does not interpret entries.
package hashchain
