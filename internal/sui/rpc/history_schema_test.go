//go:build !shared

package rpc_test

import "testing"

// checkQuery is none if the official schema is not at hand.
func checkQuery(testing.TB) func(string, []byte) error { return nil }
