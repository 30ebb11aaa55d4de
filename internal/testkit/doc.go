// Package testkit sets up the complete product for tests: a sandbox chain, a real client, a real store
// and a review service on temporary files. It also has the steps that users and wallets take, and the
// conformance suite for adapters. Only tests import it.
package testkit
