//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// listed returns the names of the tools in a client's list.
func listed(t *testing.T, c *mcpClient) string {
	t.Helper()
	var list struct{ Tools []struct{ Name string } }
	if err := c.request("tools/list", map[string]any{}, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

// tasks returns the IDs of a client's tasks, and its conversation.
func tasks(t *testing.T, c *mcpClient) (ids []string, conversation string) {
	t.Helper()
	var list struct {
		Bus   string
		Tasks []struct {
			ID string `json:"task_id"`
		}
	}
	if err := c.call("task.list", map[string]any{}, &list); err != nil {
		t.Fatal(err)
	}
	for _, task := range list.Tasks {
		ids = append(ids, task.ID)
	}
	return ids, list.Bus
}

// watchPrice starts a task that runs until it is canceled.
func watchPrice(t *testing.T, c *mcpClient) (id string) {
	t.Helper()
	var task struct {
		ID string `json:"task_id"`
	}
	if err := c.call("task.watch_price", map[string]any{"poolKey": "SUI_USDC", "above": "1000"}, &task); err != nil {
		t.Fatal(err)
	}
	return task.ID
}

// TestOneServer checks that one process serves two AI clients with different options, and that
// neither sees what belongs to the other.
func TestOneServer(t *testing.T) {
	t.Parallel()
	dir := shelter(t)
	_, node := outside(t)
	first, second := joins(t, dir, node), joins(t, dir, node, "--toolsets=core", "--tool-names=dotted")
	server := serverOf(dir)
	t.Run("toolsets and names of tools are each client's own", func(t *testing.T) {
		if names := listed(t, first.mcpClient); !strings.Contains(names, "task_list") || strings.Contains(names, ".") {
			t.Errorf("the first is listed %s", names)
		}
		if names := listed(t, second.mcpClient); !strings.Contains(names, "read.get_server_status") || strings.Contains(names,
			"task.list") {
			t.Errorf("the second is listed %s", names)
		}
	})
	t.Run("what the server does not know is refused and ends nothing", func(t *testing.T) {
		if err := askedServer(dir, "backup", &struct{}{}); err == nil || !strings.Contains(err.Error(),
			"does not support the request") {
			t.Error(err)
		}
		if serverOf(dir) != server {
			t.Error("the server has ended")
		}
	})
	third := joins(t, dir, node)
	task := watchPrice(t, first.mcpClient)
	mine, bus := tasks(t, first.mcpClient)
	theirs, other := tasks(t, third.mcpClient)
	t.Run("tasks are of one conversation", func(t *testing.T) {
		if len(mine) != 1 || mine[0] != task || len(theirs) != 0 || bus == other || bus == "" {
			t.Errorf("%s has %v, %s has %v", bus, mine, other, theirs)
		}
	})
	t.Run("an event of one client reaches another's wait, and only who asks for it", func(t *testing.T) {
		var since struct{ Cursor string }
		if err := third.call("events.list", map[string]any{"bus": bus}, &since); err != nil {
			t.Fatal(err)
		}
		var woken struct {
			Events []struct{ Type, Subject string }
		}
		done := make(chan error, 1)
		go func() {
			done <- third.call("events.wait", map[string]any{"bus": bus, "cursor": since.Cursor, "timeoutMs": 45000}, &woken)
		}()
		if err := first.call("task.cancel", map[string]any{"task_id": task}, &struct{}{}); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil || len(woken.Events) == 0 {
			t.Errorf("%+v %v", woken, err)
		}
		var none struct{ Events []struct{} }
		if err := third.call("events.wait", map[string]any{"timeoutMs": 1}, &none); err != nil || len(none.Events) > 0 {
			t.Errorf("%+v %v", none, err)
		}
	})
	t.Run("what waits for one client is told to it alone", func(t *testing.T) {
		double.Until(t, "the first is told", func() bool {
			if err := first.call("read.get_server_status", map[string]any{}, &struct{}{}); err != nil {
				t.Fatal(err)
			}
			return strings.Contains(first.heard.String(), `"systemEvents"`)
		})
		for _, c := range []*joined{second, third} {
			if err := c.call("read.get_server_status", map[string]any{}, &struct{}{}); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(c.heard.String(), `"systemEvents"`) {
				t.Errorf("another is told: %s", c.heard)
			}
		}
	})
	if now := serverOf(dir); now != server || server == 0 {
		t.Errorf("the server was %d and is %d", server, now)
	}
}

// TestSessionsApart checks that a client receives nothing that belongs to another client.
func TestSessionsApart(t *testing.T) {
	t.Parallel()
	dir := shelter(t)
	_, node := outside(t)
	clients := make([]*joined, 4)
	done := make(chan error, len(clients))
	for i := range clients {
		clients[i] = joins(t, dir, node)
	}
	marker := func(i int) string { return fmt.Sprintf("marker%dx", i) }
	for i, c := range clients {
		go func() {
			for n := range 40 {
				for _, r := range []struct {
					method string
					params map[string]any
				}{
					{"tools/call", map[string]any{"name": marker(i) + fmt.Sprint(n), "arguments": map[string]any{}}},
					{"tools/call", map[string]any{"name": "read.get_deepbook_orderbook_mid_price",
						"arguments": map[string]any{"poolKey": marker(i)}}},
					{"resources/read", map[string]any{"uri": "say-ur-intent://" + marker(i)}},
					{"prompts/get", map[string]any{"name": marker(i)}},
					{marker(i) + "/method", map[string]any{}},
				} {
					var result json.RawMessage
					if err := c.request(r.method, r.params, &result); err != nil && strings.Contains(err.Error(), "the server ended") {
						done <- err
						return
					}
				}
			}
			done <- nil
		}()
	}
	for range clients {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for i, c := range clients {
		for j := range clients {
			n := strings.Count(c.heard.String(), marker(j))
			if i == j && n < 80 || i != j && n > 0 {
				t.Errorf("client %d got %d times what client %d said", i, n, j)
			}
		}
	}
}

// TestConflictingVariable checks that a client is rejected if its environment contradicts the
// server's. The error names the variable. A client without such variables is served.
func TestConflictingVariable(t *testing.T) {
	t.Parallel()
	dir := shelter(t)
	_, node := outside(t)
	_, elsewhere := outside(t)
	first := joins(t, dir, node)
	server := serverOf(dir)
	for name, c := range map[string]struct{ with, why string }{
		"another node":           {elsewhere, "SUI_GRPC_URL in this AI client's configuration"},
		"a second node":          {"SUI_GRPC_URL_2=http://127.0.0.1:1", "SUI_GRPC_URL_2 in"},
		"another node by a flag": {"--grpc-url=http://127.0.0.1:1", "SUI_GRPC_URL in"},
	} {
		t.Run(name, func(t *testing.T) {
			other, err := joining(t, dir, c.with)
			if gone, _ := ended(other.mcpClient, double.Patience); !gone {
				t.Fatal("it is served")
			}
			if err == nil || !strings.Contains(other.log.String(), c.why) || !strings.Contains(other.log.String(),
				"on the settings page") {
				t.Errorf("%v %s", err, other.log)
			}
			if code := other.child.ProcessState.ExitCode(); code != exitFailed {
				t.Errorf("it ended with %d", code)
			}
			if strings.Contains(other.log.String(), "127.0.0.1:1") {
				t.Errorf("the refusal repeats an address: %s", other.log)
			}
		})
	}
	for name, with := range map[string]string{"the same as the first": node, "nothing": "SUI_GRPC_URL="} {
		t.Run(name, func(t *testing.T) {
			if other, err := joining(t, dir, with); err != nil {
				t.Errorf("%v %s", err, other.log)
			}
		})
	}
	if err := first.request("ping", map[string]any{}, &struct{}{}); err != nil {
		t.Errorf("the first client: %v", err)
	}
	if now := serverOf(dir); now != server || server == 0 {
		t.Errorf("the server was %d and is %d", server, now)
	}
}

// TestAddressOfOneClient checks that an address in one client's configuration is not used until the
// user saves it on the settings page and restarts the server.
func TestAddressOfOneClient(t *testing.T) {
	t.Parallel()
	silent := fmt.Sprintf("http://127.0.0.1:%d", double.Ports(t, 1)[0]) // nothing listens there
	dir := shelter(t)
	storeNode(t, filepath.Join(dir, "mainnet"), silent)
	c := joins(t, dir, "--network=mainnet", "SUI_GRPC_URL="+silent+"/", "DEEPBOOK_INDEXER_URL="+silent)
	other := joins(t, dir, "--network=mainnet")
	ask := func(c *joined) error {
		return c.call("read.get_deepbook_mid_price", map[string]any{"poolKey": "SUI_USDC"}, &struct{}{})
	}
	if err := ask(c); err == nil || !strings.Contains(err.Error(), "address_unconfirmed") ||
		!strings.Contains(err.Error(), "DEEPBOOK_INDEXER_URL") || strings.Contains(err.Error(), "SUI_GRPC_URL") {
		t.Fatalf("it is used: %v", err)
	}
	if err := ask(other); err == nil || !strings.Contains(err.Error(), "provider_unavailable") {
		t.Errorf("a client that names none waits: %v", err)
	}
	var made struct {
		URL string `json:"settingsUrl"`
	}
	if err := c.call("settings.create_local_settings_session", map[string]any{}, &made); err != nil {
		t.Fatal(err)
	}
	page, err := openLink(made.URL)
	if err != nil {
		t.Fatal(err)
	}
	path := "/api/settings/" + page.id
	if view := read(t, page, path+"/view"); !strings.Contains(view, "names another address for ") ||
		!strings.Contains(view, ": <span class=\"mono\">"+silent+"</span>") {
		t.Error("the page does not show the address")
	}
	wish := map[string]any{"which": "indexer", "url": silent}
	var out struct {
		Done    bool
		Confirm string
	}
	for !out.Done {
		if err := page.post(path+"/endpoint", wish, &out); err != nil {
			t.Fatal(err)
		}
		if !out.Done && wish["confirm"] == out.Confirm {
			t.Fatal("it is not saved")
		}
		wish["confirm"] = out.Confirm
	}
	if err := ask(c); err == nil || !strings.Contains(err.Error(), "address_unconfirmed") {
		t.Errorf("saved, but in force only after a restart: %v", err)
	}
	before := serverOf(dir)
	if err := page.post(path+"/restart", map[string]any{}, &out); err != nil {
		t.Fatal(err)
	}
	double.Until(t, "another server runs", func() bool { now := serverOf(dir); return now != 0 && now != before })
	if err := ask(c); err == nil || !strings.Contains(err.Error(), "provider_unavailable") {
		t.Errorf("after the restart: %v", err)
	}
	double.Until(t, "the open page goes on", func() bool {
		var state map[string]any
		return page.get(path+"/state", &state) == nil
	})
}
