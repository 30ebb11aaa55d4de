package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

func listed(s tools.Toolsets, about tools.About) []string {
	about.Toolsets = s
	var names []string
	for _, t := range s.Serve(tools.All(tools.Deps{About: about})) {
		names = append(names, t.Name)
	}
	return names
}

func toolsets(t *testing.T, list string) tools.Toolsets {
	t.Helper()
	s, err := tools.ParseToolsets(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestToolsets(t *testing.T) {
	var all []string
	for _, d := range declared() {
		all = append(all, d.Name)
	}
	var beyond []string
	for _, d := range declared() {
		if d.Toolset != "" {
			beyond = append(beyond, d.Name)
		}
	}
	priced := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(beyond, name) && !strings.HasPrefix(name, "read.get_deepbook_price_")
	})
	core := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(beyond, name) })
	for list, want := range map[string][]string{
		"all": all, "core": core, "core,prices,timeline,money,bus,actions,workspace": all, "prices": priced,
		" core , all ": all, "core,core": core,
	} {
		if diff := cmp.Diff(want, listed(toolsets(t, list), tools.About{})); diff != "" {
			t.Errorf("%q: %s", list, diff)
		}
	}
	t.Run("without a registered project there are no tools for one", func(t *testing.T) {
		without := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
			return strings.HasPrefix(name,
				"workspace.")
		})
		for _, list := range []string{"all", "core,prices,timeline,money,bus,actions,workspace"} {
			s := toolsets(t, list).WithoutWorkspace()
			if diff := cmp.Diff(without, listed(s, tools.About{})); diff != "" {
				t.Errorf("%q: %s", list, diff)
			}
			if slices.Contains(s.WithoutWorkspace().Served(), "workspace") {
				t.Error("it is named as served")
			}
		}
	})
	t.Run("the core is the specification's list and nothing else", func(t *testing.T) {
		planned := 0
		for _, e := range tools.Catalogue() {
			if e.Toolset == "" {
				planned++
			}
		}
		if planned != planTools {
			t.Errorf("the core will have %d tools, the specification has %d", planned, planTools)
		}
	})
	t.Run("an unknown name lists those that exist", func(t *testing.T) {
		for _, list := range []string{"", "Core", "core,", "events", "core;prices"} {
			_, err := tools.ParseToolsets(list)
			if !fault.Is(err, fault.InputInvalid) || !strings.Contains(err.Error(), "all, core, prices") {
				t.Errorf("%q: %v", list, err)
			}
		}
	})
	t.Run("nothing that the core says leads out of it", func(t *testing.T) {
		for _, d := range toolsets(t, "core").Serve(declared()) {
			for _, c := range d.Cases {
				if c.Use.Next != nil && slices.Contains(beyond, c.Use.Next.Tool) {
					t.Errorf("%s, case %s, leads to %s", d.Name, c.Name, c.Use.Next.Tool)
				}
			}
			for _, name := range beyond {
				if strings.Contains(d.Summary, name) {
					t.Errorf("%s names %s", d.Name, name)
				}
			}
		}
		text := toolsets(t, "core").Instructions(declared())
		for _, name := range beyond {
			if strings.Contains(text, name) {
				t.Errorf("the instructions name %s", name)
			}
		}
		if !strings.Contains(text, "bytes to sign: refuse") || !strings.Contains(text, "3. action.prepare") ||
			toolsets(t, "all").Instructions(declared()) != tools.Instructions {
			t.Error("the instructions lost another line")
		}
	})
	t.Run("R004-42 every answer that counts the tools counts those of this process", func(t *testing.T) {
		for _, list := range []string{"core", "core,prices", "all"} {
			s, counts := toolsets(t, list), map[string]float64{}
			about := tools.About{Toolsets: s}
			for _, d := range s.Serve(tools.All(tools.Deps{About: about})) {
				if d.Name != "read.get_server_status" && d.Name != "read.list_settlement_asset_groups" {
					continue
				}
				var v struct{ Data map[string]any }
				answer := d.Call(tool.NewCall(t.Context(), nil, tool.Client{}), json.RawMessage(`{}`))
				if err := json.Unmarshal(answer.Text, &v); err != nil || answer.Fault != nil {
					t.Fatalf("%s %v", answer.Text, err)
				}
				n, _ := v.Data["implementedToolsCount"].(float64)
				if status, ok := v.Data["answerSourceStatus"].(map[string]any); ok {
					n, _ = status["implementedToolsCount"].(float64)
				}
				counts[d.Name] = n
			}
			want := float64(len(listed(s, about)))
			if len(counts) != 2 || counts["read.get_server_status"] != want ||
				counts["read.list_settlement_asset_groups"] != want {
				t.Errorf("%s: %v are served, told as %v", list, want, counts)
			}
		}
	})
	t.Run("the status says what is served", func(t *testing.T) {
		status := func(list string) (out struct {
			Data struct {
				Count    int `json:"implementedToolsCount"`
				Tools    struct{ Implemented, BlockedSigning, NonSignableReview []string }
				Toolsets struct{ Served, LeftOut []string }
			}
		}) {
			s := toolsets(t, list)
			for _, d := range tools.All(tools.Deps{About: tools.About{Toolsets: s}}) {
				if d.Name == "read.get_server_status" {
					answer := d.Call(tool.NewCall(t.Context(), nil, tool.Client{}), json.RawMessage(`{}`))
					if err := json.Unmarshal(answer.Text, &out); err != nil || answer.Fault != nil {
						t.Fatalf("%s %v", answer.Text, err)
					}
				}
			}
			return out
		}
		got := status("core").Data
		if diff := cmp.Diff([]string{"core"}, got.Toolsets.Served); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(beyond, got.Toolsets.LeftOut); diff != "" {
			t.Error(diff)
		}
		if got.Count != len(core) || len(got.Tools.Implemented)+len(got.Tools.BlockedSigning)+
			len(got.Tools.NonSignableReview) != len(core) ||
			slices.Contains(got.Tools.Implemented, beyond[0]) {
			t.Errorf("%d tools, %v", got.Count, got.Tools)
		}
		if got := status("all").Data; got.Count != len(all) || len(got.Toolsets.LeftOut) != 0 ||
			!slices.Equal(got.Toolsets.Served, []string{"core", "prices", "timeline", "money", "bus", "actions", "workspace"}) {
			t.Errorf("%+v", got)
		}
	})
}
