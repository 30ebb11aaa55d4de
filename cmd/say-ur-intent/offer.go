package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/docs"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/extension"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/cards"
	"github.com/sayurintent/sayurintent/prompts"
	"github.com/sayurintent/sayurintent/resources"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// offer holds the tools, resources and prompts for one kind of client. Building it takes
// milliseconds, so sessions of the same kind share it.
type offer struct {
	server *server.MCPServer
	names  []string // tool names that texts may mention, including tools that are not served
	waits  func(tool string) bool
	tasks  tools.TaskSource
	skills []stdio.Skill

	projects   func(registered bool) error // adds or removes the source project tools; nil if they are not served
	registered atomic.Bool                 // whether the source project tools are listed
}

// offers caches the offers built so far, by kind of client.
type offers struct {
	mu    sync.Mutex
	built map[string]*offer
}

// offer returns the offer for a remote, or for a client on this machine if r is nil. It lists the
// source project tools only while a project is registered.
func (a *app) offer(ctx context.Context, served tools.Toolsets, r *remotes.Remote) (*offer, error) {
	a.offers.mu.Lock()
	defer a.offers.mu.Unlock()
	registered, err := a.registered(ctx)
	if err != nil {
		return nil, err
	}
	kind := strings.Join(served.Served(), " ")
	if r != nil {
		kind += " remote " + string(r.Scope)
	}
	o := a.offers.built[kind]
	if o == nil {
		if o, err = a.newOffer(served, r); err != nil {
			return nil, err
		}
		if a.offers.built == nil {
			a.offers.built = map[string]*offer{}
		}
		a.offers.built[kind] = o
	}
	return o, o.follow(registered)
}

// follow adds or removes the source project tools. mcp-go notifies connected clients of the change.
func (o *offer) follow(registered bool) error {
	if o.projects == nil || o.registered.Swap(registered) == registered {
		return nil
	}
	return o.projects(registered)
}

// follow updates all offers after the user registered or removed projects.
func (s *offers) follow(ctx context.Context, registered func(context.Context) (bool, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := registered(ctx)
	if err != nil {
		return err
	}
	for _, o := range s.built {
		err = errors.Join(err, o.follow(now))
	}
	return err
}

// newOffer builds an offer that does not list the source project tools yet.
func (a *app) newOffer(toolsets tools.Toolsets, r *remotes.Remote) (*offer, error) {
	prompted := promptSet()
	o := &offer{}
	deps := a.deps(toolsets, r, prompted.Names())
	deps.About.Current = o.current
	all := tools.All(deps)
	served := forRemote(r, toolsets.Serve(all))
	projects := tools.Projects(served)
	hooks := noteClients()
	resources.Listed(hooks, tool.ShowsCards)
	s := tool.NewServer(tool.Identity{
		Name: "say-ur-intent", Title: "Say Ur Intent", Version: version,
		Instructions: remoteWords(toolsets.Instructions(all), r, all, served),
	}, server.WithCompletions(), server.WithPromptCompletionProvider(prompted),
		server.WithToolCapabilities(len(projects) > 0),
		server.WithResourceCapabilities(toolsets.Bus(), false), server.WithHooks(hooks), tool.WithCards(served))
	tool.Register(s, forRemote(r, toolsets.WithoutWorkspace().Serve(all)), a.log)
	if toolsets.Bus() {
		resources.RegisterPending(s, pending)
	}
	if err := prompted.Register(s); err != nil {
		return nil, err
	}
	if err := resources.Register(s, docs.Pages()); err != nil {
		return nil, err
	}
	a.registerCards(s)
	skills, err := registerSkills(s, prompted)
	if err != nil {
		return nil, err
	}
	if len(projects) > 0 {
		o.projects = func(registered bool) error { return a.list(s, projects, registered) }
	}
	o.server, o.names, o.waits = s, namesOf(all), waiting(served)
	o.tasks, o.skills = tools.NewTaskSource(deps), skills
	return o, nil
}

// registerCards adds the cards of MCP Apps to a server.
func (a *app) registerCards(s *server.MCPServer) {
	var list []resources.Card
	for _, c := range cards.All(a.served.origin) {
		list = append(list, resources.Card{URI: tool.CardURI(c.Name), Name: c.Name, Title: c.Title, About: c.About,
			HTML: c.HTML})
	}
	resources.RegisterCards(s, stdio.CardType, list, tool.ShowsCards)
}

// registerSkills adds the prompts and documents as skills to a server.
func registerSkills(s *server.MCPServer, set prompts.Set) (list []stdio.Skill, err error) {
	all := make([]resources.Skill, 1)
	if all[0], err = resources.Guide(docs.Pages()); err != nil {
		return nil, err
	}
	for _, p := range set.Skills() {
		skill, err := resources.NewSkill(p.Name, p.Description, p.Text)
		if err != nil {
			return nil, err
		}
		all = append(all, skill)
	}
	resources.RegisterSkills(s, all)
	for _, one := range all {
		skill := stdio.Skill{Name: one.Name, Description: one.Description}
		for _, f := range one.Files {
			skill.Files = append(skill.Files, stdio.SkillFile(f))
		}
		list = append(list, skill)
	}
	return list, nil
}

// current updates a server status with the resources and toolsets listed at the moment.
func (o *offer) current(about *tools.About) {
	switch {
	case o.projects == nil:
	case o.registered.Load():
		about.Resources = append(slices.Clone(about.Resources), resources.Workspace)
	default:
		about.Toolsets, about.Projectless = about.Toolsets.WithoutWorkspace(), true
	}
}

// list adds the source project tools and their document to a server, or removes them.
func (a *app) list(s *server.MCPServer, projects []tool.Tool, registered bool) error {
	if registered {
		tool.Register(s, projects, a.log)
		return resources.RegisterWorkspace(s, docs.Pages())
	}
	var names []string
	for _, t := range projects {
		names = append(names, t.Name)
	}
	s.DeleteTools(names...)
	s.DeleteResources(resources.Workspace)
	return nil
}

// positions returns a reader of an account's holdings other than coins.
func (o *external) positions() *positions.Reader {
	r := positions.NewReader(o.node, staking.NewReader(o.node, o.now))
	r.Supplies = func(ctx context.Context, owner sui.Address) (list []positions.Supply, err error) {
		found, err := floored.Supplies(ctx, o.node, o.now, owner)
		for _, s := range found {
			list = append(list, positions.Supply(s))
		}
		return list, err
	}
	return r
}

// deps returns the dependencies of the tools.
func (a *app) deps(toolsets tools.Toolsets, r *remotes.Remote, prompts []string) tools.Deps {
	link, own := a.link, a.ownLink
	//mutant:never ./cmd/say-ur-intent TestRemote
	if r != nil { // pages give access only to the user's own machine
		link, own = a.address, a.address
	}
	return tools.Deps{
		About: tools.About{
			Version: version, Network: a.options.network.answer, Prompts: prompts,
			Resources: resources.URIs(), Pages: tools.Pages{Origin: a.served.origin, Note: a.served.note},
			Frozen: a.db.Frozen, Toolsets: toolsets,
		},
		Accounts: a.accounts, Reviews: a.reviews, Book: a.deepbook, Prices: a.prices, Router: a.router,
		ChainReaders: tools.ChainReaders{Positions: a.positions(), Staking: staking.NewReader(a.node, a.now),
			Packages: a.node, Resolver: a.suins(),
			Standing: deepbook.NewInventory(a.deepbook, a.node).Permissions(a.node, a.now)},
		Assets: a.assets, History: a.db.History, Bus: a.db.SystemBus, Runner: a.runner, Names: a.names,
		Actions: a.actions, Bundles: a.bundles, Plans: a.plans, Watched: a.watched, Activity: a.activity,
		Settings: a.settings,
		Now:      a.now,
		PageLinks: tools.PageLinks{Link: link, OwnLink: own,
			Withdraw: tools.Withdraw{Session: a.db.Withdraw, Link: a.withdrawLink}},
		SourceProjects: tools.SourceProjects{Projects: a.workspace, Editor: editors{a}, Sources: a.workspace},
		Inventory:      deepbook.NewInventory(a.deepbook, a.node),
	}
}

// pending returns the text of the resource that lists a conversation's pending events and tasks.
func pending(ctx context.Context) ([]byte, error) {
	client, _ := server.ClientSessionFromContext(ctx).(*stdio.Session)
	return sessionOf(ctx).telling.Waiting(ctx, client != nil && !client.Modern())
}

// offerBus adds the features of the bus that are not tools: notifications of pending events, and
// the extensions of the protocol.
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
	transport.Tasks = extension.Tasks{Log: s.app.db.SystemBus, Source: source}
	transport.Events = extension.Events{Log: s.app.db.SystemBus, Now: s.app.now}
}

// namesOf returns the tool names that texts may mention, including those of tools that are not
// served.
func namesOf(all []tool.Tool) []string {
	list := tools.Planned()
	for _, t := range all {
		list = append(list, t.Name)
	}
	return list
}

// waiting returns a function that reports whether calls of a tool spend most of their time waiting.
func waiting(served []tool.Tool) func(name string) bool {
	waits := map[string]bool{}
	for _, t := range served {
		waits[t.Name] = t.Waits
	}
	return func(name string) bool { return waits[name] }
}

// promptSet returns all prompts, and the values for their completion.
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
