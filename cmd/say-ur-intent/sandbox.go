package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/sayurintent/sayurintent/internal/sandbox"
)

const sandboxUsage = "usage: say-ur-intent sandbox [--listen 127.0.0.1:9000] [--books FILE] [--seed N]"

// sandboxSettings is what the flags of the sandbox command say.
type sandboxSettings struct {
	listen string
	books  string
	seed   int64
}

func parseSandbox(args []string) (sandboxSettings, error) {
	var s sandboxSettings
	flags := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:9000", "")
	flags.StringVar(&s.books, "books", "", "")
	flags.Int64Var(&s.seed, "seed", sandbox.DefaultSeed, "")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	host, _, err := net.SplitHostPort(s.listen)
	if err != nil {
		return s, fmt.Errorf("--listen is an address and a port such as 127.0.0.1:9000, not %q", s.listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return s, fmt.Errorf("--listen takes loopback addresses only, not %q", host)
	}
	return s, nil
}

// runSandbox serves the full-node stand-in until it is told to stop.
func runSandbox(p process, args []string) int {
	s, err := parseSandbox(args)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(p.Stdout, sandboxUsage)
			return exitOK
		}
		fmt.Fprintf(p.Stderr, "say-ur-intent sandbox: %v\n%s\n", err, sandboxUsage)
		return exitBadInput
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serveSandbox(ctx, p, s)
}

func serveSandbox(ctx context.Context, p process, s sandboxSettings) int {
	config := sandbox.Config{Now: p.Now, Seed: s.seed}
	if s.books != "" {
		f, err := os.Open(s.books)
		if err != nil {
			fmt.Fprintln(p.Stderr, "say-ur-intent sandbox: cannot read the books:", err)
			return exitBadInput
		}
		defer func() { _ = f.Close() }()
		config.Books = f
	}
	node, err := sandbox.New(config)
	if err != nil {
		fmt.Fprintln(p.Stderr, "say-ur-intent sandbox:", err)
		return exitBadInput
	}
	ln, err := net.Listen("tcp", s.listen)
	if err != nil {
		fmt.Fprintln(p.Stderr, "say-ur-intent sandbox: cannot listen:", err)
		return exitFailed
	}
	fmt.Fprintf(p.Stdout, "sandbox http://%s account %s chain %s\n", ln.Addr(), sandbox.Account, node.Chain())
	served := make(chan error, 1)
	go func() { served <- node.Serve(ln) }()
	select {
	case <-ctx.Done():
		node.Close()
		err = <-served
	case err = <-served:
		node.Close()
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "say-ur-intent sandbox:", err)
		return exitFailed
	}
	return exitOK
}
