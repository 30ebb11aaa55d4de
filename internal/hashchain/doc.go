// Package hashchain implements a record that anyone can verify. Entries form chains: each contains
// the hash of the previous entry, so a changed, missing or reordered entry is detected. If a wallet
// signs the head of a chain, truncation is detected too. The package writes and verifies record
// files, whose format is described in docs/RECORD.md. It does no other I/O and does not interpret
// the contents of entries.
package hashchain
