// Package reviewtest builds what tests of reviews need: a house with a sandbox
// chain, a real client, a real store and a review service on temporary files;
// the steps that a person and a wallet take in it; and the conformance suite
// that every adapter runs. No program imports it.
package reviewtest
