package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// useStored applies the user's stored addresses, unless a flag or the environment sets one. It logs
// an unusable address and keeps the default, because the user corrects the address on the server's
// pages.
func (a *app) useStored(ctx context.Context) {
	stored, err := a.db.Settings(ctx)
	if err != nil {
		a.log.Warn("cannot read the stored settings; using the defaults", "cause", err)
		return
	}
	a.options.useStored(stored, func(w settings.Which, err error) {
		a.log.Warn("cannot use a stored address; using the default", "service", w.String(), "cause", err)
	})
	if a.options.sameNodes() {
		a.log.Warn("the second node (SUI_GRPC_URL_2, or stored) is the same as the first, so reviews are compared with " +
			"only one node")
	}
}

// useStored replaces default addresses with stored ones. It calls unusable for each that is
// invalid.
func (s *options) useStored(stored settings.Stored, unusable func(settings.Which, error)) {
	for w := range settings.Count {
		text := stored.Addresses[w]
		//mutant:never ./cmd/say-ur-intent TestEveryAddressIsStored
		if text == "" || s.services[w].Source != settings.FromDefault {
			continue
		}
		e, err := settings.ParseEndpoint(w, text)
		if err != nil {
			unusable(w, err)
			continue
		}
		s.services[w] = settings.InForce{URL: e.URL, Source: settings.FromStored}
	}
}

// useNode sets the required addresses that are still empty. A sandbox serves all of them from its
// node.
func (s *options) useNode() {
	for w := range settings.Count {
		if about := w.Info(); s.services[w].URL == "" && !about.Optional {
			s.services[w].URL = s.services[settings.GRPC].URL + about.Sandbox
		}
	}
}

// reach returns a check of the IP addresses that a stored host name resolves to, so that it cannot
// lead into a private network later. Addresses from flags or the environment are not checked,
// because whoever sets those controls this machine anyway.
func (s options) reach(w settings.Which) rpc.Reach {
	//mutant:always ./cmd/say-ur-intent TestStoredNameIsJudgedWhenDialled
	if s.services[w].Source != settings.FromStored {
		return nil
	}
	e, err := settings.ParseEndpoint(w, s.services[w].URL)
	if err != nil {
		return func(netip.Addr) error { return err }
	}
	return e.Reach
}

// overHTTP reports whether AI clients may connect over HTTP.
func (a *app) overHTTP(ctx context.Context) (bool, error) { return a.settings.On(ctx, settings.HTTP) }

// takesMaterial reports whether other programs may request reviews of transactions that they built.
func (a *app) takesMaterial(ctx context.Context) (bool, error) {
	return a.settings.On(ctx, settings.Material)
}

// openSettings creates the services for the user's settings on this machine.
func (a *app) openSettings() {
	n := a.options.network
	c := settings.Config{
		Store: settingRows{a.db.SavedSettings, a.db.Freeze}, Resolver: net.DefaultResolver, Prober: prober{n, a.now},
		InForce: a.options.services, Defaults: n.services, Asked: a.wishes.of,
		Forced: [settings.Switches]bool{settings.HTTP: a.options.http},
		Released: func(ctx context.Context) ([]policy.Release, time.Time, error) {
			now := a.now()
			handed, err := a.db.Handed(ctx, now.Add(-policy.Day))
			return record.ReleasesOf(handed), now, err
		},
	}
	for w := range settings.Count {
		switch {
		case n.services[w] != "":
		case w.Info().Optional:
			c.Defaults[w] = "none"
		default:
			c.Defaults[w] = "the sandbox inside this program"
		}
	}
	for _, adapter := range adapters.Over(a.node, nil, a.deepbook, a.router, a.now) {
		meta := adapter.Meta()
		// Each action of a protocol has an adapter, so the protocol may already be in the list.
		if p := (policy.Protocol{Slug: meta.Slug, Name: meta.Protocol}); !slices.Contains(c.Protocols, p) {
			c.Protocols = append(c.Protocols, p)
		}
	}
	a.settings = settings.New(c)
	a.backup = backup.New(backup.Config{Store: backupRows{a.db.Backups, a.db.Reviews}, Settings: a.settings, Now: a.now,
		Network: n.answer})
}

// prober queries which chain a node serves before its address is stored.
type prober struct {
	network network
	now     func() time.Time
}

// ChainOf implements settings.Prober.
func (p prober) ChainOf(ctx context.Context, w settings.Which, e settings.Endpoint) (string, error) {
	if w.Info().Proof == settings.GraphQLProof {
		chain, id, err := rpc.GraphQLChain(ctx, e.URL, e.Reach)
		if err == nil && p.network.accept(chain) != nil {
			err = p.foreign()
		}
		return id, err
	}
	node, err := rpc.New(rpc.Config{URL: e.URL, Now: p.now, Reach: e.Reach})
	if err != nil {
		return "", err
	}
	defer func() { _ = node.Close() }()
	chain, err := node.ChainIdentifier(ctx)
	if err == nil && p.network.accept(chain) != nil {
		err = p.foreign()
	}
	return fmt.Sprint(chain), err
}

func (p prober) foreign() error {
	return fault.New(fault.NetworkMismatch, "It serves a different chain than %s.", p.network.answer)
}
