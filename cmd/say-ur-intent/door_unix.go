//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/door"
)

// doorCommands lists the commands of one server for all clients.
func doorCommands() []command {
	return []command{
		{"client", "serve an AI client over stdio by the one server of this data directory, starting it where there is none", runClient},
		{"serve", "be that server", runServer},
		{"stop", "end that server (AI clients that still run start it again)", runStop},
	}
}

// runClient is the MCP server of one AI client, by the server of the data directory.
func runClient(p process, args []string) int {
	s, err := parseOptions(p, args)
	if errors.Is(err, flag.ErrHelp) {
		usage(p.Stdout)
		return exitOK
	}
	if err == nil && s.dataDir == "" {
		err = errors.New("a sandbox without a data directory has no server that clients share: set " + dataDirVariable)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent client: %v\n", err)
		return exitBadInput
	}
	executable, err := os.Executable()
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent client: %v\n", err)
		return exitFailed
	}
	in, out := p.claim()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	proxy := door.Proxy{Now: p.Now, Dir: s.dataDir, Hello: s.hello(p), Start: door.Command{
		Path: executable, Args: append([]string{"serve", "--network", s.network.flag}, s.serverFlags()...), Env: s.serverEnvironment(),
	}}
	if err := proxy.Serve(ctx, in, out); err != nil && ctx.Err() == nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent client: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// hello introduces a client with these options.
func (s options) hello(p process) door.Hello {
	h := door.Hello{Protocol: door.Protocol, Version: version, Kind: door.KindMCP, Network: s.network.flag, Conversation: bus.NewID("conv_"),
		Session: door.Session{ToolNames: s.toolNames, Toolsets: strings.Join(s.toolsets.Served(), ","), OpenBrowser: s.openBrowser,
			Display: map[string]string{}},
		Server: map[string]string{}}
	h.Client.PID = os.Getpid()
	for _, name := range displayVariables {
		if value := p.Getenv(name); value != "" {
			h.Session.Display[name] = value
		}
	}
	for name, value := range s.named {
		h.Server[name] = hashed(value)
	}
	return h
}

func hashed(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

// serverFlags are what a server of a sandbox, where nothing is at stake, takes from the
// client that starts it.
func (s options) serverFlags() []string {
	if s.network.flag != "sandbox" || s.named["SUI_GRPC_URL"] == "" {
		return nil
	}
	return []string{"--grpc-url", s.named["SUI_GRPC_URL"]}
}

// serverEnvironment is the environment of a server. The configuration of one client, which
// may be a project's file, chooses no services for all the others: on a real network these
// are what the person set on the settings page.
func (s options) serverEnvironment() []string {
	env := os.Environ()
	if s.network.flag == "sandbox" {
		return env
	}
	return slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(serviceVariables(), name)
	})
}
