//go:build !clients

package web_test

// Without the clients, there is no axe-core and no test that uses it.

func (b *tab) withAxe() {}

func (b *tab) accessible() {}
