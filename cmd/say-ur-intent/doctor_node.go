package main

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// maxSkew is how far this machine's clock may be from the chain's. Quotes are
// good for 30 seconds, and links and reviews end by the clock.
const maxSkew = 30 * time.Second

// nodeTime bounds one question to a node.
const nodeTime = 6 * time.Second

// node checks the full node, the chain behind it, and the clock.
func (d *doctor) node(ctx context.Context) {
	if d.s.grpcURL == "" {
		d.ok("node", "The sandbox chain lives inside the program; nothing outside is asked.")
		d.ok("clock", "The sandbox goes by this machine's clock.")
		return
	}
	if at, ok := d.asked(ctx, "node", d.s.grpcURL, d.s.grpcFrom, "SUI_GRPC_URL", d.pins); ok {
		d.clock(at)
	} else {
		d.warn("pins", "Not compared: the node has to answer.", "Run this again when the node answers.")
		d.warn("clock", "Not compared: the chain's time is told by the node.", "Run this again when the node answers.")
	}
	d.second(ctx)
	d.graphql(ctx)
}

// asked asks one node for its newest checkpoint, and returns how far the chain's
// clock is ahead of this machine's. variable names the address's place in the
// environment; more, where it is not nil, asks the node that answered further.
func (d *doctor) asked(ctx context.Context, check, address string, from settings.Source, variable string,
	more func(context.Context, pinReader)) (ahead time.Duration, ok bool) {
	c := rpc.Config{URL: address, Now: d.p.Now, Timeout: nodeTime, Admit: d.s.network.admit}
	if from == settings.FromStored {
		if e, err := settings.ParseEndpoint(settings.GRPC, address); err == nil {
			c.Reach = e.Reach
		}
	}
	node, err := rpc.New(c)
	if err != nil {
		d.fail(check, words(err), "Correct the address ("+d.named(from, variable)+").")
		return 0, false
	}
	defer func() { _ = node.Close() }()
	if _, err = node.ChainIdentifier(ctx); err == nil {
		start := d.p.Now()
		var tip rpc.Tip
		if tip, err = node.Tip(ctx); err == nil {
			took := d.p.Now().Sub(start)
			d.ok(check, "%s answers in %s; it is of %s, at checkpoint %d.", address, took.Round(time.Millisecond/10), d.s.network.answer, tip.Checkpoint)
			if more != nil {
				more(ctx, node)
			}
			return tip.At.Sub(start.Add(took / 2)), true
		}
	}
	d.refused(check, address, err, d.named(from, variable))
	return 0, false
}

// refused fails a service outside that did not answer as it should, and says why.
func (d *doctor) refused(check, address string, err error, named string) {
	switch {
	case fault.Is(err, fault.NetworkMismatch):
		d.fail(check, fmt.Sprintf("%s serves another chain than %s.", address, d.s.network.answer),
			"Name an address of that network ("+named+"), or another --network.")
	case fault.Is(err, fault.ProviderUnavailable), fault.Is(err, fault.RequestAborted):
		d.findings = append(d.findings, finding{
			Check: check, Level: levelFail, What: address + " cannot be reached.", Unreachable: true,
			Next: "Look whether this machine is online and a firewall lets the program through, or name another address (" + named + ").",
		})
	default:
		d.fail(check, fmt.Sprintf("%s does not answer as a service of Sui: %s", address, words(err)), "Name another address ("+named+").")
	}
}

// named says where an address is set.
func (d *doctor) named(from settings.Source, variable string) string {
	if from == settings.FromStored {
		return "on the settings page"
	}
	return variable
}

// clock compares this machine's clock with the chain's.
func (d *doctor) clock(ahead time.Duration) {
	by := ahead.Abs().Round(time.Second)
	switch {
	case ahead > maxSkew:
		d.warn("clock", fmt.Sprintf("This machine's clock is %s behind the chain's.", by), "Set the clock; best let the system keep it by the network's time.")
	case ahead < -maxSkew:
		d.warn("clock", fmt.Sprintf("This machine's clock is %s ahead of the newest checkpoint.", by),
			"Set the clock. If it is right, the node is that far behind: name another one.")
	default:
		d.ok("clock", "Within %s of the chain's.", (ahead.Abs() + time.Second).Truncate(time.Second))
	}
}

// graphql checks the GraphQL service. Quotes, reviews and results do without it,
// so its trouble is a warning; a sandbox need not have one.
func (d *doctor) graphql(ctx context.Context) {
	if d.s.graphql == "" {
		return
	}
	reach := rpc.Reach(func(netip.Addr) error { return nil })
	if d.s.graphFrom == settings.FromStored {
		if e, err := settings.ParseEndpoint(settings.GraphQL, d.s.graphql); err == nil {
			reach = e.Reach
		}
	}
	bounded, cancel := context.WithTimeout(ctx, nodeTime)
	defer cancel()
	start := d.p.Now()
	chain, _, err := rpc.GraphQLChain(bounded, d.s.graphql, reach)
	took := d.p.Now().Sub(start)
	if err == nil {
		err = d.s.network.admit(chain)
	}
	if err != nil {
		d.refused("graphql", shownURL(d.s.graphql), err, d.named(d.s.graphFrom, "SUI_GRAPHQL_URL"))
		last := &d.findings[len(d.findings)-1]
		last.Level, last.Unreachable = levelWarn, false
		last.Next = "Quotes and reviews work without it. " + last.Next
		return
	}
	d.ok("graphql", "%s answers in %s; it is of %s.", shownURL(d.s.graphql), took.Round(time.Millisecond/10), d.s.network.answer)
}

// shownURL is an address without what may be a key: a path of its own, a query,
// a user.
func shownURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "The address"
	}
	shown := u.Scheme + "://" + u.Host
	switch {
	case u.Path == "/graphql" && u.RawQuery == "":
		return shown + u.Path
	case u.Path != "" || u.RawQuery != "":
		return shown + "/…"
	}
	return shown
}
