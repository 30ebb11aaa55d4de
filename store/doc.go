// Package store keeps all durable data in one SQLite file: reviews and their material,
// releases, wallet identities, the active account, page tokens, and a journal entry
// for every transition.
//
// The package stores and finds; it decides nothing. Rules are passed in as
// transitions: functions that check and edit a row inside the write transaction, so
// that the decision and its record are one step for every process that shares the
// file.
package store
