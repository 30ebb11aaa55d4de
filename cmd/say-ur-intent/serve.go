package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/docs"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/prompts"
	"github.com/sayurintent/sayurintent/resources"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// After the client is gone the server stays for the person at most this long.
const (
	stayMost  = 30 * time.Minute
	stayCheck = 100 * time.Millisecond
	freshLink = 10 * time.Minute
	freshPage = 10 * time.Minute
)

// runServe serves one AI client over stdio, and the pages beside it.
func runServe(p process, args []string) int {
	s, err := parseOptions(p, args)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent: %v\n", err)
		return exitBadInput
	}
	// The live heap is a few megabytes, so collecting at its double would mean a
	// collection every hundred calls; the limit keeps a burst from growing it.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(256 << 20)
	in, out := p.claim()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a, err := newApp(ctx, p, s)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent: %v\n", err)
		return exitFailed
	}
	defer a.close()
	a.browser = a.openBrowser(p)
	err = a.serve(ctx, in, out)
	if ctx.Err() != nil || errors.Is(err, stdio.ErrOutputClosed) {
		err = nil
	}
	if err != nil {
		a.log.Error("stdio ended", "cause", err)
		return exitFailed
	}
	a.stay(ctx)
	return exitOK
}

// serve answers the client until its input ends.
func (a *app) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	offered := promptSet()
	all := tools.All(tools.Deps{
		About: tools.About{
			Version: version, Network: a.options.network.answer, Prompts: offered.Names(),
			Resources: resources.URIs(), Pages: a.whoServes, Toolsets: a.options.toolsets,
		},
		Accounts: a.accounts, Reviews: a.reviews, Book: a.deepbook, Prices: a.prices, Router: a.router, Assets: a.assets, History: a.db, Bus: a.db, Activity: a.activity, Settings: a.settings, Now: a.now, Link: a.link, Browser: a.browser,
		Withdraw:  tools.Withdraw{Session: a.db.Withdraw, Link: a.withdrawLink},
		Inventory: deepbook.NewInventory(a.deepbook, a.node),
	})
	registered := tool.NewServer(tool.Identity{
		Name: "say-ur-intent", Title: "Say Ur Intent", Version: version, Instructions: a.options.toolsets.Instructions(all),
	}, server.WithCompletions(), server.WithPromptCompletionProvider(offered), server.WithResourceCapabilities(false, false))
	served := a.options.toolsets.Serve(all)
	if a.options.toolsets.Bus() {
		telling := tools.NewTelling(a.db, a.hub)
		a.later(telling.Close)
		tool.RegisterBeside(registered, served, a.log, telling)
	} else {
		tool.Register(registered, served, a.log)
	}
	if err := offered.Register(registered); err != nil {
		return err
	}
	if err := resources.Register(registered, docs.Pages()); err != nil {
		return err
	}
	names, err := stdio.ParseToolNames(a.options.toolNames)
	if err != nil {
		return err
	}
	return stdio.Serve(ctx, in, out, registered, stdio.Options{
		Now: a.now, Log: a.log, ToolNames: names, Names: namesOf(all), Waits: waiting(served), LendArguments: true,
	})
}

// namesOf lists the names of tools, those of toolsets that are not served among them:
// texts speak of these too.
func namesOf(all []tool.Tool) []string {
	list := tools.Planned()
	for _, t := range all {
		list = append(list, t.Name)
	}
	return list
}

// waiting reports whether calls of the named tool mostly wait.
func waiting(served []tool.Tool) func(name string) bool {
	waits := map[string]bool{}
	for _, t := range served {
		waits[t.Name] = t.Waits
	}
	return func(name string) bool { return waits[name] }
}

// promptSet is every prompt, and the words that their completion offers.
func promptSet() prompts.Set {
	set := prompts.Set{Symbols: coins.Symbols()}
	for _, p := range surfaces() {
		set.Surfaces = append(set.Surfaces, prompts.Surface(p))
	}
	for _, p := range registry.Pools() {
		set.Pools = append(set.Pools, p.Key)
	}
	return set
}
