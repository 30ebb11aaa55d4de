package resources_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/docs"
	"github.com/sayurintent/sayurintent/resources"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

func ask[T any](t *testing.T, method, params string) T {
	t.Helper()
	s := tool.NewServer(tool.Identity{Name: "n", Version: "v"}, server.WithResourceCapabilities(false, false))
	if err := resources.Register(s, docs.Pages()); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"`+method+
		`","params":`+params+`}`)))
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Result *T }
	if err := json.Unmarshal(data, &v); err != nil || v.Result == nil {
		t.Fatalf("%s: %v", data, err)
	}
	return *v.Result
}

type contents struct {
	Contents []struct{ URI, MIMEType, Text string }
}

func read(t *testing.T, uri string) string {
	t.Helper()
	c := ask[contents](t, "resources/read", `{"uri":"`+uri+`"}`).Contents
	if len(c) != 1 || c[0].URI != uri || c[0].MIMEType != "text/markdown" {
		t.Fatalf("%s: %+v", uri, c)
	}
	return c[0].Text
}

func TestList(t *testing.T) {
	want := []string{"sayurintent://docs/readme", "sayurintent://docs/mcp-setup", "sayurintent://docs/mcp-tools",
		"sayurintent://docs/wallet-identity", "sayurintent://docs/agent-behavior",
		"sayurintent://protocols/deepbook-v3", "sayurintent://protocols/deepbook-margin"}
	t.Run("R004-478 R004-481 these seven and no others", func(t *testing.T) {
		if diff := cmp.Diff(want, resources.URIs()); diff != "" {
			t.Error(diff)
		}
		listed := map[string]bool{}
		for _, r := range ask[struct {
			Resources []struct{ URI, Description string }
		}](t, "resources/list", `{}`).Resources {
			listed[r.URI] = r.Description != ""
		}
		for _, uri := range want {
			if !listed[uri] {
				t.Errorf("%s is not listed, or not described", uri)
			}
		}
		if len(listed) != len(want) {
			t.Errorf("listed: %v", listed)
		}
	})
	t.Run("a document that is missing stops the start", func(t *testing.T) {
		if err := resources.Register(tool.NewServer(tool.Identity{Name: "n", Version: "v"}), fstest.MapFS{}); err == nil {
			t.Error("nothing was said")
		}
	})
}

// sentences lists what each resource must contain.
var sentences = map[string]struct {
	id   string
	says []string
}{
	"sayurintent://docs/readme": {"R004-471", []string{"No tool returns transaction bytes",
		"sayurintent://docs/mcp-setup", "make build"}},
	"sayurintent://docs/mcp-setup": {"R004-472", []string{"mcpServers", "SUI_GRPC_URL",
		"session.create_wallet_identity", "provider_unavailable"}},
	"sayurintent://docs/mcp-tools": {"R004-473", []string{"`read.get_server_status()`", "userAnswerUse",
		resources.Template}},
	"sayurintent://docs/wallet-identity": {"R004-474", []string{"No login", "same", "this machine",
		"account.get_active_account"}},
	"sayurintent://docs/agent-behavior": {"R004-475 R004-482", []string{"userAnswerUse", "read.preview_intent_evidence",
		"never an instruction",
		"lowSampleWarning"}},
	"sayurintent://protocols/deepbook-v3": {"R004-476 R004-479", []string{"Reference only",
		"read.list_supported_protocols",
		"no pools, liquidity or routes"}},
	"sayurintent://protocols/deepbook-margin": {"R004-477 R004-479", []string{"Reference only", "no margin action",
		"read.list_supported_protocols"}},
}

// TestToolReference checks that each tool's reference is a resource.
func TestToolReference(t *testing.T) {
	t.Run("R004-473 the template is listed beside the seven", func(t *testing.T) {
		listed := ask[struct {
			ResourceTemplates []struct{ URITemplate, Description, MIMEType string }
		}](t, "resources/templates/list", `{}`).ResourceTemplates
		if len(listed) != 1 || listed[0].URITemplate != "sayurintent://docs/mcp-tools/{name}" || listed[0].Description == "" {
			t.Errorf("%+v", listed)
		}
	})
	t.Run("R004-473 every tool, in both spellings, whole and alone", func(t *testing.T) {
		for _, d := range tools.All(tools.Deps{}) {
			text := read(t, "sayurintent://docs/mcp-tools/"+d.Name)
			if strings.Count(text, "\n# ") != 1 || !strings.Contains(text, "\n# "+d.Name+"\n") {
				t.Errorf("%s: %.200s", d.Name, text)
			}
			for _, part := range []string{d.Summary, "## Input", "## Example", "## Output", "## Errors"} {
				if !strings.Contains(text, part) {
					t.Errorf("%s lacks %q", d.Name, part)
				}
			}
			if read(t, "sayurintent://docs/mcp-tools/"+tool.Underscored(d.Name)) != text {
				t.Errorf("%s differs when it is spelled with underscores", d.Name)
			}
		}
	})
	t.Run("what is no tool is refused", func(t *testing.T) {
		for _, name := range []string{"read.nothing", "Reading", "Account", "READ.GET_SERVER_STATUS", "x"} {
			s := tool.NewServer(tool.Identity{Name: "n", Version: "v"})
			if err := resources.Register(s, docs.Pages()); err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(
				`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"sayurintent://docs/mcp-tools/`+name+`"}}`)))
			if err != nil || !strings.Contains(string(data), "Unknown tool") {
				t.Errorf("%s: %s %v", name, data, err)
			}
		}
	})
}

var named = regexp.MustCompile(`\b(read|action|session|account|settings)\.[a-z]+(_[a-z]+)+`)

func TestTexts(t *testing.T) {
	for _, uri := range resources.URIs() {
		text, want := read(t, uri), sentences[uri]
		t.Run(want.id+" R004-480 "+uri, func(t *testing.T) {
			for _, s := range want.says {
				if !strings.Contains(text, s) {
					t.Errorf("it does not say %q", s)
				}
			}
			if strings.HasSuffix(uri, "mcp-tools") {
				if len(text) > 13_850 { // limit with all toolsets
					t.Errorf("%d bytes: an agent reads this", len(text))
				}
				return // generated from the declarations
			}
			for _, name := range named.FindAllString(text, -1) {
				if !slices.ContainsFunc(tools.All(tools.Deps{}), func(d tool.Tool) bool { return d.Name == name }) {
					t.Errorf("it names %s, which does not exist", name)
				}
			}
			for _, link := range regexp.MustCompile(`sayurintent://[a-z0-9/-]+`).FindAllString(text, -1) {
				if !strings.Contains(strings.Join(resources.URIs(), " ")+" ", link+" ") {
					t.Errorf("it names %s, which does not exist", link)
				}
			}
			most := 4500
			if strings.HasSuffix(uri, "mcp-setup") {
				most = 6000 // the page covers installation, first use, settings and problems
			}
			if len(text) > most {
				t.Errorf("%d bytes: an agent reads this", len(text))
			}
		})
	}
	t.Run("R004-481 R004-483 none leans on a page for contributors", func(t *testing.T) {
		for _, uri := range resources.URIs() {
			for _, page := range []string{"SIGNABLE_ADAPTER_CONTRACT", "AGENTS.md", "architecture.md", "contracts.md"} {
				if strings.Contains(read(t, uri), page) {
					t.Errorf("%s sends a client to %s", uri, page)
				}
			}
		}
	})
	t.Run("R004-3 setup and playbook stand apart from the reference", func(t *testing.T) {
		reference := read(t, "sayurintent://docs/mcp-tools")
		for _, d := range tools.All(tools.Deps{}) {
			reference += read(t, "sayurintent://docs/mcp-tools/"+d.Name)
		}
		for uri, only := range map[string]string{"sayurintent://docs/mcp-setup": "mcpServers",
			"sayurintent://docs/agent-behavior": "## Wording"} {
			if !strings.Contains(read(t, uri), only) || strings.Contains(reference, only) {
				t.Errorf("%s is not where %q stands", uri, only)
			}
		}
	})
	t.Run("R004-475 every question has its tool", func(t *testing.T) {
		playbook := read(t, "sayurintent://docs/agent-behavior")
		for _, name := range []string{"read.get_server_status", "read.list_supported_protocols", "read.list_deepbook_pools",
			"read.list_deepbook_tokens", "read.get_deepbook_mid_price", "read.quote_deepbook_display_amount",
			"read.inspect_deepbook_orderbook", "read.summarize_wallet_assets", "read.classify_wallet_assets",
			"read.preview_intent_evidence", "read.list_settlement_asset_groups", "read.summarize_settlement_asset_group_parity",
			"action.prepare_sui_action_review", "session.wait_execution_result", "session.get_interaction_status",
			"read.list_review_activity", "read.summarize_review_funnel", "read.get_review_session_detail"} {
			if !strings.Contains(playbook, name) {
				t.Errorf("%s answers no question there", name)
			}
		}
	})
}
