// Package store keeps all durable data in one SQLite file: reviews and their material, releases,
// wallet identities, the active account, page tokens, and a journal entry for every transition.
//
// The package stores and finds data; it makes no decisions. Rules are passed in as transitions:
// functions that check and edit a row inside the write transaction, so that a decision and its
// record are atomic for all processes that share the file.
package store
