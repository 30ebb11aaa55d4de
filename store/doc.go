// Package store is everything durable, in one SQLite file: reviews and their
// material, releases, wallet identities, the active account, page passes, and a
// journal row for every transition.
//
// It keeps and finds; it decides nothing. Rules come in as laws, functions that
// judge and edit a row inside the write transaction, so that a rule and its
// record are one step for every process that shares the file.
package store
