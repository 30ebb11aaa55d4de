package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// askTime limits how long the program may take to list its tools and prompts.
const askTime = 30 * time.Second

// bundle returns the name of a system's bundle. Windows on arm64 runs the bundle for amd64.
func (t target) bundle() (name string, ok bool) {
	return t.os + "_" + t.arch, t.os != "windows" || t.arch == "amd64"
}

// mcpb creates the directory of a bundle for Claude Desktop for each system. The manifest is the
// one in packaging/mcpb with the version, the program of the system, and the tools and prompts that
// the program lists.
func (r release) mcpb() error {
	if err := fresh(filepath.Join(r.dist, "mcpb")); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(r.source, "packaging", "mcpb", "manifest.json"))
	if err != nil {
		return err
	}
	manifest := map[string]any{}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return fmt.Errorf("packaging/mcpb/manifest.json: %w", err)
	}
	manifest["version"] = r.version
	if programs, here := r.programs[r.host()]; here {
		tools, prompts, err := ask(programs.whole)
		if err != nil {
			return fmt.Errorf("the program does not list its tools: %w", err)
		}
		manifest["tools"], manifest["prompts"] = tools, prompts
	}
	for t, programs := range r.programs {
		name, ok := t.bundle()
		if !ok {
			continue
		}
		if err := r.oneBundle(filepath.Join(r.dist, "mcpb", name), manifest, t, programs); err != nil {
			return err
		}
	}
	return nil
}

// oneBundle creates the directory of the bundle for one system. It changes the system in manifest.
func (r release) oneBundle(root string, manifest map[string]any, t target, programs pair) error {
	server, _ := manifest["server"].(map[string]any)
	config, _ := server["mcp_config"].(map[string]any)
	if config == nil {
		return errors.New("packaging/mcpb/manifest.json has no server.mcp_config")
	}
	server["entry_point"] = "server/" + t.file(clientProgram)
	config["command"] = "${__dirname}/server/" + t.file(clientProgram)
	manifest["compatibility"] = map[string]any{"platforms": []string{t.npmOS}}
	return errors.Join(
		writeJSON(filepath.Join(root, "manifest.json"), manifest),
		programs.copyTo(filepath.Join(root, "server"), t),
		copyFile(filepath.Join(r.source, "packaging", "mcpb", "icon.png"), filepath.Join(root, "icon.png"), 0o644),
		copyFile(filepath.Join(r.source, "docs", "PRIVACY.md"), filepath.Join(root, "PRIVACY.md"), 0o644),
		r.legal(root))
}

// host returns the system that this program runs on.
func (r release) host() target {
	for _, t := range targets {
		if t.os == runtime.GOOS && t.arch == runtime.GOARCH {
			return t
		}
	}
	return target{}
}

// listed is a tool in the manifest.
type listed struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// prompt is a prompt in the manifest.
type prompt struct {
	listed
	Arguments []string `json:"arguments,omitempty"`
	Text      string   `json:"text"`
}

// ask starts the program on the sandbox like an AI client, and returns its tools by title, and its
// prompts.
func ask(program string) ([]listed, []prompt, error) {
	dir, err := os.MkdirTemp("", "say-ur-intent-pack-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	child := exec.Command(program, "--standalone", "--network", "sandbox", "--tool-names", "underscore")
	child.Env = append(os.Environ(), "SAY_UR_INTENT_DATA_DIR="+dir)
	in, err := child.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := child.Start(); err != nil {
		return nil, nil, err
	}
	late := time.AfterFunc(askTime, func() { _ = child.Process.Kill() })
	defer late.Stop()
	c := caller{in: json.NewEncoder(in), out: bufio.NewScanner(out)}
	c.out.Buffer(nil, 4<<20)
	tools, prompts, err := c.lists()
	return tools, prompts, errors.Join(err, in.Close(), child.Wait())
}

// caller is a minimal MCP client.
type caller struct {
	in   *json.Encoder
	out  *bufio.Scanner
	next int
}

func (c *caller) lists() ([]listed, []prompt, error) {
	err := c.call("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]string{"name": "say-ur-intent-pack", "version": "1"}}, new(struct{}))
	if err != nil {
		return nil, nil, err
	}
	if err := c.in.Encode(map[string]string{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return nil, nil, err
	}
	var all struct {
		Tools []struct {
			Name, Title string
		}
		Prompts []struct {
			Name, Description string
			Arguments         []struct{ Name string }
		}
	}
	for _, method := range []string{"tools/list", "prompts/list"} {
		if err := c.call(method, map[string]any{}, &all); err != nil {
			return nil, nil, err
		}
	}
	tools, prompts := []listed{}, []prompt{}
	for _, t := range all.Tools {
		tools = append(tools, listed{t.Name, t.Title})
	}
	for _, p := range all.Prompts {
		q := prompt{listed: listed{p.Name, p.Description}, Text: p.Description}
		for _, a := range p.Arguments {
			q.Arguments = append(q.Arguments, a.Name)
		}
		prompts = append(prompts, q)
	}
	if len(tools) == 0 {
		return nil, nil, errors.New("it lists none")
	}
	return tools, prompts, nil
}

func (c *caller) call(method string, params map[string]any, into any) error {
	c.next++
	if err := c.in.Encode(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params}); err != nil {
		return err
	}
	for c.out.Scan() {
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(c.out.Bytes(), &answer); err != nil {
			return err
		}
		switch {
		case answer.ID != c.next:
			continue
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		}
		return json.Unmarshal(answer.Result, into)
	}
	return fmt.Errorf("%s: the program ended", method)
}
