package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	own "github.com/sayurintent/sayurintent/internal/settings"
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
	use := func(w own.Which, text string, url *string, from *own.Source) {
		if text == "" || *from != own.FromDefault {
			return
		}
		e, err := own.ParseEndpoint(w, text)
		if err != nil {
			a.log.Warn("a stored address cannot be used; the default is used", "service", string(w), "cause", err)
			return
		}
		*url, *from = e.URL, own.FromStored
	}
	use(own.GRPC, stored.GRPC, &a.settings.grpcURL, &a.settings.grpcFrom)
	use(own.GraphQL, stored.GraphQL, &a.settings.graphql, &a.settings.graphFrom)
	if a.settings.secondURL != "" && a.settings.secondURL == a.settings.grpcURL {
		a.log.Warn("SUI_GRPC_URL_2 is the stored node: reviews are compared with the same node")
	}
}

// reach keeps a stored name from leading into a private network later on. Who
// sets a flag or the environment rules this machine anyway.
func (s settings) reach(w own.Which) rpc.Reach {
	url, from := s.grpcURL, s.grpcFrom
	if w == own.GraphQL {
		url, from = s.graphql, s.graphFrom
	}
	if from != own.FromStored {
		return nil
	}
	e, err := own.ParseEndpoint(w, url)
	if err != nil {
		return func(netip.Addr) error { return err }
	}
	return e.Reach
}

// openSettings makes the service of what the person set on this machine.
func (a *app) openSettings() {
	n := a.settings.network
	if a.settings.graphql == "" {
		a.settings.graphql = a.settings.grpcURL + "/graphql"
	}
	const embedded = "the sandbox inside this program"
	c := own.Config{
		Store: a.db, Records: a.db, Resolver: net.DefaultResolver, Prober: prober{n, a.now}, Now: a.now, Network: n.answer,
		GRPC:           own.InForce{URL: a.settings.grpcURL, Source: a.settings.grpcFrom},
		GraphQL:        own.InForce{URL: a.settings.graphql, Source: a.settings.graphFrom},
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
	a.own = own.New(c)
}

// prober asks a node that is to be stored which chain it serves.
type prober struct {
	network network
	now     func() time.Time
}

// ChainOf implements settings.Prober.
func (p prober) ChainOf(ctx context.Context, w own.Which, e own.Endpoint) (string, error) {
	if w == own.GraphQL {
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
