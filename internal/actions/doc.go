// Package actions executes actions that programs and AI clients request: changes of the address book
// and the watch list, and bundles to sign.
//
// The tools and both HTTP endpoints pass their actions to it. An action is validated completely before
// anything is done. Its caller chooses its id. It is executed once and has one result, which the same
// id returns again. Nothing here signs, and no transaction material is stored.
package actions
