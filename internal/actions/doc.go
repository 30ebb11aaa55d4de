// Package actions executes actions that programs and AI clients request: changes of the address
// book and the watch list, and bundles to sign.
//
// The tools and both HTTP endpoints use this package. It validates an action completely before it
// does anything. The caller chooses the action's ID. The action is executed once, and repeating the
// ID returns the same result. The package signs nothing and stores no transaction material.
// id returns again. Nothing here signs, and no transaction material is stored.
package actions
