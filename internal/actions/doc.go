// Package actions is the one executor of the actions that a program, or an AI client,
// asks for: the address book, the watch list, and bundles to sign.
//
// Every door hands its actions to it: the tools, and the two addresses over HTTP. An
// action is validated whole before anything is done. Each has an id of its caller's
// choice, is done once, and has one result, which the same id gets again. Nothing here
// signs, and no transaction material is stored.
package actions
