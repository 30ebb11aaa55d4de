// Command say-ur-intent-client is the MCP server of one AI client. It connects to the shared server
// of its data directory and leaves everything else to say-ur-intent, which is in the same
// directory. It is a separate program to stay small, because every AI client runs one.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
)

// version is set by the linker.
var version = "dev"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "say-ur-intent-client: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	program, err := beside()
	if err != nil {
		return err
	}
	c, err := door.ReadClient(args, os.Getenv)
	if err != nil { // say-ur-intent reports the error, or serves
		return become(program, args)
	}
	signal.Ignore(syscall.SIGPIPE) // writing to a client that has left returns an error
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err = c.Proxy(program, version, time.Now).Serve(ctx, os.Stdin, os.Stdout)
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, door.ErrNoServer): // say-ur-intent serves this client itself
		signal.Reset(syscall.SIGPIPE)
		return become(program, args)
	}
	return err
}

// beside returns the path of the say-ur-intent program in the same directory.
func beside() (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", err
	}
	program := filepath.Join(filepath.Dir(self), "say-ur-intent"+filepath.Ext(self))
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("say-ur-intent is not in the same directory as this program: %w", err)
	}
	return program, nil
}
