package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// maxSkew is the largest acceptable difference between this machine's clock and the chain's. Quotes
// are valid for 30 seconds, and links and reviews expire by the clock.
const maxSkew = 30 * time.Second

// nodeTime limits one query to a node.
const nodeTime = 6 * time.Second

// node checks the full node, its chain, and the clock.
func (d *doctor) node(ctx context.Context) {
	if d.s.services[settings.GRPC].URL == "" {
		d.ok("node", "The sandbox chain is inside the program, which contacts no outside service.")
		d.ok("clock", "The sandbox uses this computer's clock.")
		return
	}
	if at, ok := d.asked(ctx, "node", settings.GRPC, d.facts); ok {
		d.clock(at)
	} else {
		d.warn("pins", "Not compared: the node did not respond.", "Run this again when the node responds.")
		d.warn("clock", "Not compared: chain time comes from the same node.", "Run this again when the node responds.")
	}
	d.second(ctx)
	d.graphql(ctx)
}

// facts makes the checks that need a responding node.
func (d *doctor) facts(ctx context.Context, node *rpc.Client) {
	d.pins(ctx, node)
	d.protocols(ctx, node)
	d.versions(ctx, node)
	d.proofs(ctx, node)
}

// proofNode is the part of a node client that checking proofs needs.
type proofNode interface {
	ChainIdentifier(ctx context.Context) (sui.Digest, error)
	Epoch(ctx context.Context) (sui.Epoch, error)
	EpochEnd(ctx context.Context, epoch uint64) (number uint64, ended bool, err error)
	CertifiedCheckpoint(ctx context.Context, number uint64, contents bool) (rpc.CertifiedCheckpoint, bool, error)
}

// proofs reports how far the verified committees lag behind the chain, and how to catch up.
func (d *doctor) proofs(ctx context.Context, node proofNode) {
	const unproved = "Until then, results are only reported by nodes and not proved."
	chain, err := node.ChainIdentifier(ctx)
	var present sui.Epoch
	if err == nil {
		present, err = node.Epoch(ctx)
	}
	if err != nil {
		d.warn("proofs", "Not compared: "+words(err), "Run this again when the node responds.")
		return
	}
	known, anchored := uint64(0), false
	for _, s := range d.s.network.starts()(chain) {
		if s.Anchor.Chain == chain {
			known, anchored = max(known, s.Anchor.Epoch), true
		}
	}
	if last, ok := d.followed[chain]; ok {
		known = max(known, last)
	}
	known++ // the end of an epoch contains the next epoch's committee
	switch {
	//mutant:never ./cmd/say-ur-intent TestDoctorProofs
	case !anchored:
		d.ok("proofs", "This version has no anchor for this network, so results are only reported by nodes and not proved.")
		return
	//mutant:never ./cmd/say-ur-intent TestDoctorProofs
	case known >= present.Number:
		d.ok("proofs", "The validators of the current epoch %d are known, so results can be proved.", present.Number)
		return
	}
	behind := fmt.Sprintf("Proofs are %d epochs behind: validators are known up to epoch %d, and the current epoch is %d.",
		present.Number-known, known, present.Number)
	number, ended, err := node.EpochEnd(ctx, known)
	if err == nil && ended {
		_, ended, err = node.CertifiedCheckpoint(ctx, number, false)
	}
	switch {
	//mutant:never ./cmd/say-ur-intent TestDoctorProofs
	case err != nil:
		d.warn("proofs", behind+" Whether the node still keeps the end of that epoch is unknown: "+words(err),
			"Run this again when the node responds. "+unproved)
	//mutant:always ./cmd/say-ur-intent TestDoctorProofs
	case ended:
		d.ok("proofs", "%s The running program catches up while idle.", behind)
	case d.s.services[settings.Archive].URL != "":
		d.warn("proofs", behind+" The node no longer keeps the end of that epoch; the archive node ("+
			d.named(settings.Archive)+") is used instead.",
			"Leave the program running. It catches up while idle. "+unproved)
	default:
		d.warn("proofs", behind+" The node no longer keeps the end of that epoch.",
			"Set a node that keeps old checkpoints ("+d.named(settings.Archive)+"), or install a newer version. "+unproved)
	}
}

// asked requests the newest checkpoint from a node. It returns how far the chain's clock is ahead
// of this machine's, and whether the node responded. If it did, asked also calls more, which may be
// nil.
func (d *doctor) asked(ctx context.Context, check string, w settings.Which,
	more func(context.Context, *rpc.Client)) (ahead time.Duration, ok bool) {
	address := d.s.services[w].URL
	node, err := rpc.New(rpc.Config{URL: address, Now: d.p.Now, Timeout: nodeTime, Admit: d.s.network.accept,
		Reach: d.s.reach(w)})
	if err != nil {
		d.fail(check, words(err), "Correct the address ("+d.named(w)+").")
		return 0, false
	}
	defer func() { _ = node.Close() }()
	if _, err = node.ChainIdentifier(ctx); err == nil {
		start := d.p.Now()
		var tip rpc.Tip
		if tip, err = node.Tip(ctx); err == nil {
			took := d.p.Now().Sub(start)
			d.ok(check, "%s responds in %s. It serves %s, at checkpoint %d.", address, took.Round(time.Millisecond/10),
				d.s.network.answer, tip.Checkpoint)
			if more != nil {
				more(ctx, node)
			}
			return tip.At.Sub(start.Add(took / 2)), true
		}
	}
	d.refused(check, address, err, d.named(w))
	return 0, false
}

// refused adds a failure that explains why a service did not respond properly.
func (d *doctor) refused(check, address string, err error, named string) {
	switch {
	case fault.Is(err, fault.InputInvalid):
		d.fail(check, words(err), "Correct the address ("+named+").")
	case fault.Is(err, fault.NetworkMismatch):
		d.fail(check, fmt.Sprintf("%s serves a different chain than %s.", address, d.s.network.answer),
			"Set an address of that network ("+named+"), or choose another --network.")
	case fault.Is(err, fault.ProviderUnavailable), fault.Is(err, fault.RequestAborted):
		d.findings = append(d.findings, finding{
			Check: check, Level: levelFail, What: address + " cannot be reached.", Unreachable: true,
			Next: "Check your connection and firewall, or set another address (" + named + ").",
		})
	default:
		d.fail(check, fmt.Sprintf("%s does not respond like a Sui service: %s", address, words(err)), "Set another address ("+
			named+").")
	}
}

// named describes where the user can change an address.
func (d *doctor) named(w settings.Which) string {
	switch page := w.Info().Title + " on the settings page"; d.s.services[w].Source {
	case settings.FromStored:
		return page
	case settings.FromFlag:
		return "--" + w.Info().Flag
	case settings.FromEnvironment:
		return w.Info().Variable
	default:
		return page + ", or " + w.Info().Variable
	}
}

// clock compares this machine's clock with the chain's.
func (d *doctor) clock(ahead time.Duration) {
	by := ahead.Abs().Round(time.Second)
	switch {
	case ahead > maxSkew:
		d.warn("clock", fmt.Sprintf("This computer's clock is %s behind the chain's.", by),
			"Set the clock, or let the system synchronize it.")
	case ahead < -maxSkew:
		d.warn("clock", fmt.Sprintf("This computer's clock is %s ahead of the newest checkpoint.", by),
			"Set the clock. If it is correct, the node is behind: choose another one.")
	default:
		d.ok("clock", "Within %s of the chain's.", (ahead.Abs() + time.Second).Truncate(time.Second))
	}
}

// graphql checks the GraphQL service. A problem is only a warning, because quotes, reviews and
// results work without the service. A sandbox may not have one.
func (d *doctor) graphql(ctx context.Context) {
	const w = settings.GraphQL
	address := d.s.services[w].URL
	if address == "" {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, nodeTime)
	defer cancel()
	start := d.p.Now()
	chain, _, err := rpc.GraphQLChain(bounded, address, d.s.reach(w))
	took := d.p.Now().Sub(start)
	if err == nil {
		err = d.s.network.accept(chain)
	}
	if err != nil {
		d.refused("graphql", shownURL(address), err, d.named(w))
		last := &d.findings[len(d.findings)-1]
		last.Level, last.Unreachable = levelWarn, false
		last.Next = "Quotes and reviews work without it. " + last.Next
		return
	}
	d.ok("graphql", "%s responds in %s. It serves %s.", shownURL(address), took.Round(time.Millisecond/10),
		d.s.network.answer)
}

// shownURL returns a URL without user, path and query, which may contain a key. It keeps /graphql.
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
