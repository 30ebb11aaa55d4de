package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/lies"
)

const sandboxUsage = `usage: say-ur-intent sandbox [--listen 127.0.0.1:9000] [--books FILE] [--seed N] [--address-balance]
                             [--lie FIELD=VALUE]

The test account has two allowances for a second one, so that there is something to end.
--address-balance puts all that the test account has into its address balance, and leaves it no coin.

--lie changes one field of every answer, to see what a node that lies can do. FIELD is the method and the place in
its answer, such as LedgerService.GetEpoch:epoch.epoch or graphql:data.transaction.digest; [] stands for every element
of a list, and @8 for the eight bytes from the ninth on. A method may be narrowed to what was asked, as in
StateService.GetBalance[sui::SUI]:balance.balance. VALUE is zero, one, most, sign, absent, empty, doubled or swapped, or
the value itself. A FIELD that is not known is answered with those near it.`

// sandboxSettings is what the flags of the sandbox command say.
type sandboxSettings struct {
	listen string
	books  string
	seed   int64
	lie    *lies.Lie

	coinless bool
}

func parseSandbox(args []string) (sandboxSettings, error) {
	var s sandboxSettings
	flags := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:9000", "")
	flags.StringVar(&s.books, "books", "", "")
	flags.Int64Var(&s.seed, "seed", sandbox.DefaultSeed, "")
	flags.BoolVar(&s.coinless, "address-balance", false, "")
	flags.Func("lie", "", func(text string) error {
		lie, err := lies.Parse(text)
		s.lie = &lie
		return err
	})
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
	if s.lie != nil {
		config.Before = func(node http.Handler) http.Handler {
			liar := lies.New(node)
			liar.Tell(*s.lie)
			return liar
		}
	}
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
	node.ShowPermissions()
	if s.coinless {
		node.Deposit(sandbox.Account)
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
