//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// declaring returns request parameters of the protocol version without a handshake. In it, clients
// declare their capabilities in each request.
func declaring(capabilities string, more map[string]any) map[string]any {
	params := map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": json.RawMessage(capabilities)}}
	for name, value := range more {
		params[name] = value
	}
	return params
}

// TestCardsAreDeclared checks that only a client that declares support for cards is shown them. The
// lists for other clients do not change.
func TestCardsAreDeclared(t *testing.T) {
	c := startServer(t, t.TempDir())
	lists := func(capabilities string) (tools, resources string) {
		t.Helper()
		var list struct{ Tools, Resources []json.RawMessage }
		for _, method := range []string{"tools/list", "resources/list"} {
			if err := c.request(method, declaring(capabilities, nil), &list); err != nil {
				t.Fatal(err)
			}
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		tools, resources, _ = strings.Cut(string(text), `"Resources":`)
		return tools, resources
	}
	plainTools, plainResources := lists(`{}`)
	for name, capabilities := range map[string]string{
		"another type":      `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}`,
		"no type":           `{"extensions":{"io.modelcontextprotocol/ui":{}}}`,
		"another extension": `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`,
		"no object":         `{"extensions":{"io.modelcontextprotocol/ui":"text/html;profile=mcp-app"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if tools, resources := lists(capabilities); tools != plainTools || resources != plainResources {
				t.Error("the lists differ")
			}
		})
	}
	if strings.Contains(plainTools+plainResources, "ui://") {
		t.Error("cards are listed to a client that shows none")
	}
	const cards = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`
	tools, resources := lists(cards)
	for name, uses := range map[string]int{"review": 2, "receipt": 2, "holdings": 1} {
		uri := "ui://say-ur-intent/" + name
		if n := strings.Count(tools, `"_meta":{"ui":{"resourceUri":"`+uri+`","visibility":["model"]}}`); n != uses {
			t.Errorf("%d tools have the card %s, not %d", n, name, uses)
		}
		if !strings.Contains(resources, `"uri":"`+uri+`"`) {
			t.Errorf("the card %s is not listed", name)
		}
		var read struct {
			Contents []struct{ MIMEType, Text string }
		}
		if err := c.request("resources/read", declaring(cards, map[string]any{"uri": uri}), &read); err != nil {
			t.Error(err)
		} else if len(read.Contents) != 1 || read.Contents[0].MIMEType != "text/html;profile=mcp-app" ||
			!strings.HasPrefix(read.Contents[0].Text, "<!doctype html>") {
			t.Errorf("%s is not a card", uri)
		}
		err := c.request("resources/read", declaring(`{}`, map[string]any{"uri": uri}), &read)
		if err == nil || !strings.Contains(err.Error(), "io.modelcontextprotocol/ui") {
			t.Errorf("%s for a client that shows no cards: %v", uri, err)
		}
	}
}
