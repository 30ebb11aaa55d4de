package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

func toolsCommand(p process) *cobra.Command {
	flags, digest, projects := newServerFlags(), false, false
	cmd := &cobra.Command{Use: "tools", Short: "List the tools offered to AI clients", Args: noArguments,
		Long: "Lists each tool with its summary, as offered to an AI client. With --digest it prints\nthe SHA-256 of " +
			"the list, so that a scanner can check whether the tools of a release\nare the ones that were reviewed. The " +
			"digest covers the tools in a tools/list response:\n" +
			"  jq -cS .result.tools | sha256sum",
		Example: examples("say-ur-intent tools", "say-ur-intent tools --digest --toolsets core"),
		RunE: func(*cobra.Command, []string) error {
			list, err := listedTools(p, flags, projects)
			if err != nil {
				return err
			}
			if digest {
				sum, err := toolsDigest(list)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(p.Stdout, sum)
				return err
			}
			return printTools(p, list)
		}}
	cmd.Flags().BoolVar(&digest, "digest", false, "print the SHA-256 of the list")
	cmd.Flags().BoolVar(&projects, "projects", false,
		"include the tools for registered source projects")
	for _, name := range []string{"toolsets", "tool-names", "network"} {
		cmd.Flags().AddFlag(flags.set.Lookup(name))
	}
	return cmd
}

// listedTools returns the tools of a tools/list response. It opens no data directory and contacts
// no node.
func listedTools(p process, flags *serverFlags, projects bool) (json.RawMessage, error) {
	o, err := parseOptions(p, flags.args())
	if err != nil {
		return nil, misused(err)
	}
	if !projects {
		o.toolsets = o.toolsets.WithoutWorkspace()
	}
	log, all := slog.New(slog.DiscardHandler), tools.All(tools.Deps{About: tools.About{Version: version,
		Toolsets: o.toolsets}})
	s := tool.NewServer(tool.Identity{Name: "say-ur-intent", Version: version})
	tool.Register(s, o.toolsets.Serve(all), log)
	transport := stdio.Options{Now: time.Now, Log: log, Names: namesOf(all)}
	names := o.toolNames
	if names == "auto" {
		names = "underscore" // most clients need underscores
	}
	if transport.ToolNames, err = stdio.ParseToolNames(names); err != nil {
		return nil, err
	}
	const asked = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"tools","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`
	var out bytes.Buffer
	if err := stdio.Serve(context.Background(), strings.NewReader(asked), &out, s, transport); err != nil {
		return nil, err
	}
	for line := range bytes.Lines(out.Bytes()) {
		var answer struct {
			ID     int
			Result struct{ Tools json.RawMessage }
		}
		if json.Unmarshal(line, &answer) == nil && answer.ID == 2 && len(answer.Result.Tools) > 0 {
			return answer.Result.Tools, nil
		}
	}
	return nil, fmt.Errorf("the server returned no list of tools")
}

// toolsDigest returns the digest of a tool list as "sha256:" and 64 hexadecimal digits. The hashed
// text is what jq -cS prints: compact JSON with sorted keys, and a newline.
func toolsDigest(list json.RawMessage) (string, error) {
	var value any
	if err := json.Unmarshal(list, &value); err != nil {
		return "", err
	}
	text, err := strictjson.Encode(value)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(append(text, '\n'))), nil
}

func printTools(p process, listed json.RawMessage) error {
	var list []struct{ Name, Title, Description string }
	if err := json.Unmarshal(listed, &list); err != nil {
		return err
	}
	for _, t := range list {
		summary, _, _ := strings.Cut(cmp.Or(t.Description, t.Title), "\n")
		if _, err := fmt.Fprintf(p.Stdout, "%s\n    %s\n", t.Name, summary); err != nil {
			return err
		}
	}
	return nil
}
