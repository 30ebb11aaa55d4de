//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/sayurintent/sayurintent/internal/door"
)

// doorCommands lists the commands of one server for all clients.
func doorCommands() []command {
	return []command{
		{"client", "serve an AI client over stdio by the one server of this data directory, which it starts", runClient},
		{"serve", "be that server", runServer},
		{"stop", "end that server (AI clients that still run start it again)", runStop},
	}
}

// runClient is the MCP server of one AI client, by the server of the data directory.
func runClient(p process, args []string) int {
	s, err := parseOptions(p, args) // says best what is wrong
	if errors.Is(err, flag.ErrHelp) {
		usage(p.Stdout)
		return exitOK
	}
	if err == nil && s.dataDir == "" {
		err = errors.New("a sandbox without a data directory has no server that clients share: set " + dataDirVariable)
	}
	var c door.Client
	if err == nil {
		c, err = door.ReadClient(args, p.Getenv)
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
	if err := c.Proxy(executable, version, p.Now).Serve(ctx, in, out); err != nil && ctx.Err() == nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent client: %v\n", err)
		return exitFailed
	}
	return exitOK
}
