package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/docs"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/extension"
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
	if errors.Is(err, flag.ErrHelp) {
		usage(p.Stdout)
		return exitOK
	}
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
	deps := tools.Deps{
		About: tools.About{
			Version: version, Network: a.options.network.answer, Prompts: offered.Names(),
			Resources: a.documents(), Pages: a.whoServes, Frozen: a.db.Frozen, Toolsets: a.options.toolsets,
		},
		Accounts: a.accounts, Reviews: a.reviews, Book: a.deepbook, Prices: a.prices, Router: a.router,
		Assets: a.assets, History: a.db, Bus: a.db, Runner: a.runner, Packages: a.node,
		Resolver: suinsOver(a.node, a.now),
		Standing: deepbook.NewInventory(a.deepbook, a.node).Permissions(a.node, a.now), Names: a.names,
		Actions: a.actions, Bundles: a.bundles, Plans: a.plans, Watched: a.watched, Activity: a.activity, Settings: a.settings,
		Now: a.now, Link: a.link, Browser: a.browser, Projects: a.workspace, Editor: editors{a},
		Sources:   a.workspace,
		Withdraw:  tools.Withdraw{Session: a.db.Withdraw, Link: a.withdrawLink},
		Inventory: deepbook.NewInventory(a.deepbook, a.node),
	}
	all := tools.All(deps)
	served := a.forRemote(a.options.toolsets.Serve(all))
	registered := tool.NewServer(tool.Identity{
		Name: "say-ur-intent", Title: "Say Ur Intent", Version: version, Instructions: a.remoteWords(all, served),
	}, server.WithCompletions(), server.WithPromptCompletionProvider(offered), server.WithResourceCapabilities(a.options.toolsets.Bus(), false), server.WithHooks(a.noteClient()))
	transport := stdio.Options{Now: a.now, Log: a.log, Names: namesOf(all), Waits: waiting(served), LendArguments: true, NoLinks: a.options.remote != nil}
	var telling *tools.Telling
	if a.options.toolsets.Bus() {
		telling = tools.NewTelling(a.db, a.hub)
		a.later(telling.Close)
		tool.RegisterBeside(registered, served, a.log, telling)
		a.offerBus(registered, &transport, telling, tools.NewTaskSource(deps))
	} else {
		tool.Register(registered, served, a.log)
	}
	if err := offered.Register(registered); err != nil {
		return err
	}
	if err := resources.Register(registered, docs.Pages()); err != nil {
		return err
	}
	if a.options.toolsets.Workspace() && a.options.remote == nil {
		if err := resources.RegisterWorkspace(registered, docs.Pages()); err != nil {
			return err
		}
	}
	names, err := stdio.ParseToolNames(a.options.toolNames)
	if err != nil {
		return err
	}
	transport.ToolNames = names
	err = stdio.Serve(ctx, in, out, registered, transport)
	// A link to another machine that broke is no client's end: it goes on over the next one.
	if err == nil || a.options.remote == nil {
		a.goneClient(telling)
	}
	return err
}

// goneClient records that the client of this process is gone, which had all that was said
// to it. The process may stay for the person.
func (a *app) goneClient(telling *tools.Telling) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if telling != nil {
		telling.Delivered(ctx)
	}
	if err := a.db.EndConversation(ctx); err != nil {
		a.log.Warn("the end of the conversation was not recorded", "cause", err)
	}
}

// documents lists the resources that are served.
func (a *app) documents() []string {
	list := resources.URIs()
	if a.options.toolsets.Workspace() && a.options.remote == nil {
		list = append(list, resources.Workspace)
	}
	return list
}

// offerBus adds what a client can have of the bus besides tools: the resource of what
// waits, with its changes, and the extensions of the protocol.
func (a *app) offerBus(s *server.MCPServer, transport *stdio.Options, telling *tools.Telling, source tools.TaskSource) {
	resources.RegisterPending(s, func(ctx context.Context) ([]byte, error) {
		session, _ := server.ClientSessionFromContext(ctx).(*stdio.Session)
		return telling.Waiting(ctx, session != nil && !session.Modern())
	})
	transport.Changes = func(ctx context.Context, uri string, changed func()) {
		if uri == resources.Pending {
			telling.Changes(ctx, changed)
		}
	}
	transport.Tasks = extension.Tasks{Log: a.db, Source: source}
	transport.Events = extension.Events{Log: a.db, Now: a.now}
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

// noteClient records with the first call of a tool which client leads the conversation
// of this process, so that an access token for that client finds it. Each call takes over
// what earlier conversations of the client left untold.
func (a *app) noteClient() *server.Hooks {
	var noted atomic.Pointer[string]
	hooks := &server.Hooks{}
	hooks.AddBeforeCallTool(func(ctx context.Context, _ any, _ *mcp.CallToolRequest) {
		s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
		if !ok {
			return
		}
		name := s.GetClientInfo().Name
		if name == "" {
			return
		}
		if old := noted.Load(); old == nil || *old != name {
			if err := a.db.Converse(ctx, name); err != nil {
				a.log.Warn("the client of this conversation was not recorded", "cause", err)
				return
			}
			noted.Store(&name)
		}
		if m, ok := s.(interface{ Modern() bool }); ok && m.Modern() {
			return // in that era a client's name stands for no conversation
		}
		if err := a.db.Inherit(ctx); err != nil {
			a.log.Warn("what an earlier conversation left untold was not read", "cause", err)
		}
	})
	return hooks
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
