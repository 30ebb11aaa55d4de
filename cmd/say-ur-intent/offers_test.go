//go:build unix

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/resources"
)

// TestOffers checks what a server offers besides tools, over stdio.
func TestOffers(t *testing.T) {
	c := startServer(t, t.TempDir())
	t.Run("R004-480 every resource can be read", func(t *testing.T) {
		for _, uri := range resources.URIs() {
			var read struct{ Contents []struct{ Text string } }
			if err := c.request("resources/read", map[string]any{"uri": uri}, &read); err != nil {
				t.Errorf("%s: %v", uri, err)
			} else if len(read.Contents) != 1 || !strings.HasPrefix(read.Contents[0].Text, "#") &&
				!strings.HasPrefix(read.Contents[0].Text, "<!--") {
				t.Errorf("%s is no document", uri)
			}
		}
	})
	t.Run("R004-487 R004-494 the status names the prompts that are listed", func(t *testing.T) {
		var list struct{ Prompts []struct{ Name string } }
		if err := c.request("prompts/list", map[string]any{}, &list); err != nil {
			t.Fatal(err)
		}
		var status struct{ Prompts, Resources struct{ Names []string } }
		if err := c.call("read.get_server_status", map[string]any{}, &status); err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Prompts {
			if !slices.Contains(status.Prompts.Names, p.Name) {
				t.Errorf("%s is not in the status", p.Name)
			}
		}
		if len(list.Prompts) != 5 || len(status.Prompts.Names) != 5 || !slices.Contains(status.Prompts.Names, "swap-flowx") ||
			!slices.Equal(status.Resources.Names, resources.URIs()) {
			t.Errorf("%v, %v", list, status)
		}
	})
	t.Run("pools and symbols are completed", func(t *testing.T) {
		for value, want := range map[string]string{"pool|SUI_US": "SUI_USDC", "intent|10 sui to usd": "10 sui to USDC"} {
			argument, text, _ := strings.Cut(value, "|")
			prompt := map[string]string{"pool": "inspect-supported-sui-actions", "intent": "swap"}[argument]
			var answer struct{ Completion struct{ Values []string } }
			err := c.request("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/prompt", "name": prompt},
				"argument": map[string]any{"name": argument, "value": text}}, &answer)
			if err != nil || !slices.Contains(answer.Completion.Values, want) {
				t.Errorf("%s: %v, %v", value, answer, err)
			}
		}
	})
}
