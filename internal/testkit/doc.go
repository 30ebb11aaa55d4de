// Package testkit is the wired product for tests: a sandbox chain, a real client,
// a real store and a review service on temporary files; the steps that a person
// and a wallet take; and the conformance suite that every adapter runs. No
// program imports it.
package testkit
