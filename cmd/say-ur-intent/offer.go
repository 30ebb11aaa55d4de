package main

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/docs"
	"github.com/sayurintent/sayurintent/internal/account/positions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/extension"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/prompts"
	"github.com/sayurintent/sayurintent/resources"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// offer is what one kind of clients is served: tools, resources and prompts. Building it
// takes milliseconds, so the sessions of one kind share it.
type offer struct {
	server *server.MCPServer
	names  []string // of tools that texts speak of, those of toolsets that are not served among them
	waits  func(tool string) bool
	tasks  tools.TaskSource
}

// offers are those built so far, by kind.
type offers struct {
	mu    sync.Mutex
	built map[string]*offer
}

// offer returns what is served of some toolsets to a client on this machine, where r is
// nil, or to a remote.
func (a *app) offer(served tools.Toolsets, r *remotes.Remote) (*offer, error) {
	kind := strings.Join(served.Served(), " ")
	if r != nil {
		kind += " remote " + string(r.Scope)
	}
	a.offers.mu.Lock()
	defer a.offers.mu.Unlock()
	if o := a.offers.built[kind]; o != nil {
		return o, nil
	}
	o, err := a.newOffer(served, r)
	if err != nil {
		return nil, err
	}
	if a.offers.built == nil {
		a.offers.built = map[string]*offer{}
	}
	a.offers.built[kind] = o
	return o, nil
}

func (a *app) newOffer(toolsets tools.Toolsets, r *remotes.Remote) (*offer, error) {
	prompted := promptSet()
	deps := a.deps(toolsets, r, prompted.Names())
	all := tools.All(deps)
	served := forRemote(r, toolsets.Serve(all))
	s := tool.NewServer(tool.Identity{
		Name: "say-ur-intent", Title: "Say Ur Intent", Version: version,
		Instructions: remoteWords(toolsets.Instructions(all), r, all, served),
	}, server.WithCompletions(), server.WithPromptCompletionProvider(prompted),
		server.WithResourceCapabilities(toolsets.Bus(), false), server.WithHooks(noteClients()))
	tool.Register(s, served, a.log)
	if toolsets.Bus() {
		resources.RegisterPending(s, pending)
	}
	if err := prompted.Register(s); err != nil {
		return nil, err
	}
	if err := resources.Register(s, docs.Pages()); err != nil {
		return nil, err
	}
	if toolsets.Workspace() && r == nil {
		if err := resources.RegisterWorkspace(s, docs.Pages()); err != nil {
			return nil, err
		}
	}
	return &offer{server: s, names: namesOf(all), waits: waiting(served), tasks: tools.NewTaskSource(deps)}, nil
}

// positions reads what an account holds that is not a coin.
func (a *app) positions() *positions.Reader {
	return positions.NewReader(a.node, staking.NewReader(a.node, a.now))
}

// deps are what the tools ask.
func (a *app) deps(toolsets tools.Toolsets, r *remotes.Remote, prompts []string) tools.Deps {
	documents, link, own := resources.URIs(), a.link, a.ownLink
	//mutant:never ./cmd/say-ur-intent TestRemote
	if r != nil { // the right to a page stays on the person's machine
		link, own = a.address, a.address
	} else if toolsets.Workspace() {
		documents = append(documents, resources.Workspace)
	}
	return tools.Deps{
		About: tools.About{
			Version: version, Network: a.options.network.answer, Prompts: prompts,
			Resources: documents, Pages: tools.Pages{Origin: a.served.origin, Note: a.served.note}, Frozen: a.db.Frozen, Toolsets: toolsets,
		},
		Accounts: a.accounts, Reviews: a.reviews, Book: a.deepbook, Prices: a.prices, Router: a.router,
		Positions: a.positions(), Staking: staking.NewReader(a.node, a.now),
		Assets: a.assets, History: a.db, Bus: a.db, Runner: a.runner, Packages: a.node,
		Resolver: a.suins(),
		Standing: deepbook.NewInventory(a.deepbook, a.node).Permissions(a.node, a.now), Names: a.names,
		Actions: a.actions, Bundles: a.bundles, Plans: a.plans, Watched: a.watched, Activity: a.activity, Settings: a.settings,
		Now: a.now, Link: link, OwnLink: own, Projects: a.workspace, Editor: editors{a},
		Sources:   a.workspace,
		Withdraw:  tools.Withdraw{Session: a.db.Withdraw, Link: a.withdrawLink},
		Inventory: deepbook.NewInventory(a.deepbook, a.node),
	}
}

// pending is the text of the resource of what waits for the agent of a session.
func pending(ctx context.Context) ([]byte, error) {
	client, _ := server.ClientSessionFromContext(ctx).(*stdio.Session)
	return sessionOf(ctx).telling.Waiting(ctx, client != nil && !client.Modern())
}

// offerBus adds what a client can have of the bus besides tools: changes of what waits,
// and the extensions of the protocol.
func (s *session) offerBus(transport *stdio.Options, source tools.TaskSource) {
	transport.Changes = func(ctx context.Context, uri string, changed func()) {
		if uri == resources.Pending {
			s.telling.Changes(ctx, changed)
		}
	}
	transport.Channel = func(ctx context.Context, say func(stdio.ChannelMessage)) {
		s.telling.Push(ctx, func(l bus.Line) {
			say(stdio.ChannelMessage{Content: l.Text, Meta: map[string]string{
				"event": strconv.FormatInt(int64(l.Seq), 10), "type": string(l.Type), "ref": l.Ref}})
		})
	}
	transport.Tasks = extension.Tasks{Log: s.app.db, Source: source}
	transport.Events = extension.Events{Log: s.app.db, Now: s.app.now}
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
	for _, p := range adapters.Prompts() {
		set.Surfaces = append(set.Surfaces, prompts.Surface(p))
	}
	for _, p := range registry.Pools() {
		set.Pools = append(set.Pools, p.Key)
	}
	return set
}
