// Package hashchain is a record that strangers can check. Entries form chains: each one has
// the hash of the one before, so that a changed, missing or reordered entry is found. A
// wallet can sign the head of a chain, which makes a cut tail visible too. The package
// writes and verifies record files; docs/RECORD.md specifies their format. It does no other
// I/O, and does not know what entries are about.
package hashchain
