package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// useStored takes the addresses that the person stored, where neither a flag
// nor the environment names one. An address that cannot be used leaves the
// default and is said in the log: the page that mends it must be served.
func (a *app) useStored(ctx context.Context) {
	stored, err := a.db.Settings(ctx)
	if err != nil {
		a.log.Warn("the stored settings cannot be read; the defaults are used", "cause", err)
		return
	}
	use := func(w settings.Which, text string, url *string, from *settings.Source) {
		if text == "" || *from != settings.FromDefault {
			return
		}
		e, err := settings.ParseEndpoint(w, text)
		if err != nil {
			a.log.Warn("a stored address cannot be used; the default is used", "service", string(w), "cause", err)
			return
		}
		*url, *from = e.URL, settings.FromStored
	}
	use(settings.GRPC, stored.GRPC, &a.options.grpcURL, &a.options.grpcFrom)
	use(settings.GraphQL, stored.GraphQL, &a.options.graphql, &a.options.graphFrom)
	if a.options.secondURL != "" && a.options.secondURL == a.options.grpcURL {
		a.log.Warn("SUI_GRPC_URL_2 is the stored node: reviews are compared with the same node")
	}
}

// reach keeps a stored name from leading into a private network later on. Who
// sets a flag or the environment rules this machine anyway.
func (s options) reach(w settings.Which) rpc.Reach {
	url, from := s.grpcURL, s.grpcFrom
	if w == settings.GraphQL {
		url, from = s.graphql, s.graphFrom
	}
	if from != settings.FromStored {
		return nil
	}
	e, err := settings.ParseEndpoint(w, url)
	if err != nil {
		return func(netip.Addr) error { return err }
	}
	return e.Reach
}

// openSettings makes the services of what the person set on this machine.
func (a *app) openSettings() {
	n := a.options.network
	if a.options.graphql == "" {
		a.options.graphql = a.options.grpcURL + "/graphql"
	}
	const embedded = "the sandbox inside this program"
	c := settings.Config{
		Store: a.db, Resolver: net.DefaultResolver, Prober: prober{n, a.now},
		GRPC:           settings.InForce{URL: a.options.grpcURL, Source: a.options.grpcFrom},
		GraphQL:        settings.InForce{URL: a.options.graphql, Source: a.options.graphFrom},
		DefaultGRPC:    cmp.Or(n.grpcURL, embedded),
		DefaultGraphQL: cmp.Or(n.graphqlURL, embedded),
	}
	for _, adapter := range adapters(a.node, a.deepbook, a.router, a.now) {
		meta := adapter.Meta()
		// One protocol has an adapter for each of its actions.
		if p := (policy.Protocol{Slug: meta.Slug, Name: meta.Protocol}); !slices.Contains(c.Protocols, p) {
			c.Protocols = append(c.Protocols, p)
		}
	}
	a.settings = settings.New(c)
	a.backup = backup.New(backup.Config{Store: a.db, Settings: a.settings, Now: a.now, Network: n.answer})
}

// prober asks a node that is to be stored which chain it serves.
type prober struct {
	network network
	now     func() time.Time
}

// ChainOf implements settings.Prober.
func (p prober) ChainOf(ctx context.Context, w settings.Which, e settings.Endpoint) (string, error) {
	if w == settings.GraphQL {
		chain, told, err := rpc.GraphQLChain(ctx, e.URL, e.Reach)
		if err == nil && p.network.admit(chain) != nil {
			err = p.foreign()
		}
		return told, err
	}
	node, err := rpc.New(rpc.Config{URL: e.URL, Now: p.now, Reach: e.Reach})
	if err != nil {
		return "", err
	}
	defer func() { _ = node.Close() }()
	chain, err := node.ChainIdentifier(ctx)
	if err == nil && p.network.admit(chain) != nil {
		err = p.foreign()
	}
	return fmt.Sprint(chain), err
}

func (p prober) foreign() error {
	return fault.New(fault.NetworkMismatch, "It serves another chain than %s.", p.network.answer)
}
