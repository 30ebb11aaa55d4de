//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestFloods checks that clients that send a thousand calls at once, or do not read responses, do
// not block other clients.
func TestFloods(t *testing.T) {
	t.Parallel()
	dir := shelter(t)
	_, node := outside(t)
	const calls = 1000
	flood := func(c *joined, name string) {
		var all strings.Builder
		for i := range calls {
			fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":"f%d","method":"tools/call","params":{"name":%q,"arguments":{}}}`+"\n", i,
				name)
		}
		_, _ = c.in.Write([]byte(all.String())) // blocks when the pipes are full, if the client does not read
	}
	deaf := []*joined{joins(t, dir, node), joins(t, dir, node), joins(t, dir, node)}
	for _, c := range deaf {
		go flood(c, "read.get_server_status")
	}
	loud := joins(t, dir, node)
	go flood(loud, "session.create_wallet_identity")
	other := joins(t, dir, node)
	if err := other.call("read.get_server_status", map[string]any{}, &struct{}{}); err != nil {
		t.Error(err)
	}
	// The other client must be served while the loud one reads its responses.
	answered := map[string]bool{}
	for len(answered) < calls {
		if !loud.out.Scan() {
			t.Fatalf("the server ended after %d answers: %v", len(answered), loud.out.Err())
		}
		line := loud.out.Text()
		if _, rest, ok := strings.Cut(line, `"id":"f`); ok {
			id, _, _ := strings.Cut(rest, `"`)
			if answered[id] {
				t.Fatalf("%s was answered twice", id)
			}
			answered[id] = true
		}
		if len(answered)%100 == 0 {
			if err := other.call("session.create_wallet_identity", map[string]any{}, &struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range deaf {
		_ = c.child.Process.Kill()
		<-c.wait()
	}
	if err := other.call("read.get_server_status", map[string]any{}, &struct{}{}); err != nil {
		t.Error(err)
	}
}
