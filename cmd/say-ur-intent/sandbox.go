package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
)

const aboutSandbox = `Runs the practice chain in place of a Sui full node, on this machine only.
The test account has allowances for a second account, so that there is something to revoke.

--lie changes one field of every answer, to test against a node that lies. FIELD is the
method and the path in its answer, such as LedgerService.GetEpoch:epoch.epoch or
graphql:data.transaction.digest; [] is every element of a list, and @8 the eight bytes from
the ninth on. A request narrows a method: StateService.GetBalance[sui::SUI]:balance.balance.
VALUE is zero, one, most, sign, absent, empty, doubled or swapped, or the value itself.
An unknown FIELD is answered with those near it.`

func sandboxCommand(p process) *cobra.Command {
	var s sandboxSettings
	cmd := &cobra.Command{Use: "sandbox", Short: "Run only the practice chain", Long: aboutSandbox,
		Example: examples("say-ur-intent sandbox --listen 127.0.0.1:9000",
			"say-ur-intent sandbox --lie LedgerService.GetEpoch:epoch.epoch=most"),
		Args: noArguments, RunE: func(*cobra.Command, []string) error { return runSandbox(p, s) }}
	flags := cmd.Flags()
	flags.StringVar(&s.listen, "listen", "127.0.0.1:9000", "loopback `ADDRESS` to listen on")
	flags.StringVar(&s.books, "books", "", "`FILE` with the order books of its markets")
	flags.Int64Var(&s.seed, "seed", sandbox.DefaultSeed, "`NUMBER` that seeds all random values")
	flags.Func("lie", "change one field of every answer: `FIELD=VALUE`", func(text string) error {
		lie, err := lies.Parse(text)
		s.lie = &lie
		return err
	})
	coinlessFlag(cmd, &s.coinless)
	return cmd
}

func coinlessFlag(cmd *cobra.Command, coinless *bool) {
	cmd.Flags().BoolVar(coinless, "address-balance", false, "move the test account's coins into its address balance")
}

// sandboxSettings holds the flags of the sandbox command.
type sandboxSettings struct {
	listen string
	books  string
	seed   int64
	lie    *lies.Lie

	coinless bool
}

// check rejects addresses that other machines can reach.
func (s sandboxSettings) check() error {
	host, _, err := net.SplitHostPort(s.listen)
	if err != nil {
		return fmt.Errorf("--listen is an address and a port such as 127.0.0.1:9000, not %q", s.listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen accepts only loopback addresses, not %q", host)
	}
	return nil
}

// runSandbox serves a sandbox chain until it is stopped.
func runSandbox(p process, s sandboxSettings) error {
	if err := s.check(); err != nil {
		return bad(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serveSandbox(ctx, p, s)
}

func serveSandbox(ctx context.Context, p process, s sandboxSettings) error {
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
			return bad(fmt.Errorf("cannot read the books: %w", err))
		}
		defer func() { _ = f.Close() }()
		config.Books = f
	}
	node, err := sandbox.New(config)
	if err != nil {
		return bad(err)
	}
	node.ShowHoldings()
	if s.coinless {
		node.Deposit(sandbox.Account)
	}
	ln, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
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
	return err
}
