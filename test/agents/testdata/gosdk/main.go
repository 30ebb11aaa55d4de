// Command gosdk is an MCP client that uses the official Go SDK. It prints the listed tools, then
// reads calls and prints the result of each. Each document is on one line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program string, args []string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, nil)
	server := exec.Command(program, args...)
	server.Stderr = os.Stderr
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	out := json.NewEncoder(os.Stdout)
	names := []string{}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		names = append(names, tool.Name)
	}
	if err := out.Encode(names); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var call mcp.CallToolParams
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			return err
		}
		result, err := session.CallTool(ctx, &call)
		if err != nil {
			return err
		}
		if err := out.Encode(result); err != nil {
			return err
		}
	}
	return lines.Err()
}
