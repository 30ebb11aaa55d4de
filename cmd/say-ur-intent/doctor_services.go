package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	deepbookpins "github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	flowxpins "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// outside sends one harmless query to each service that is not a node. An embedded sandbox is not
// queried.
func (d *doctor) outside(ctx context.Context) {
	if d.s.services[settings.GRPC].URL == "" {
		return
	}
	d.s.useNode()
	d.indexer(ctx)
	d.router(ctx)
}

// maxBehind is how far the indexer may be behind the chain before past prices count as outdated.
const maxBehind = 10 * time.Minute

// indexer checks how far the DeepBook indexer has come. Only past prices need it.
func (d *doctor) indexer(ctx context.Context) {
	const without = "Only past prices need it. "
	const w = settings.Indexer
	address := d.s.services[w].URL
	client, err := indexer.New(indexer.Config{URL: address, Now: d.p.Now, Timeout: nodeTime, Reach: d.s.reach(w)})
	if err != nil {
		d.warn("indexer", words(err), without+"Correct the address ("+d.named(w)+").")
		return
	}
	defer client.Close()
	start := d.p.Now()
	through, err := client.Indexed(ctx)
	now := d.p.Now()
	switch {
	case err != nil:
		d.without("indexer", w, err, without)
	case now.Sub(through) > maxBehind:
		d.warn("indexer", fmt.Sprintf("%s responds, but is %s behind.", shownURL(address),
			now.Sub(through).Round(time.Minute)),
			without+"It usually catches up by itself.")
	default:
		d.ok("indexer", "%s responds in %s, for past DeepBook prices.", shownURL(address),
			now.Sub(start).Round(time.Millisecond/10))
	}
}

// router requests a quote for one SUI from FlowX's router. Only FlowX quotes need the router; FlowX
// swaps do not.
func (d *doctor) router(ctx context.Context) {
	const without = "Only FlowX quotes need it; DeepBook and reviews of FlowX swaps work without it. "
	const w = settings.Quoter
	address := d.s.services[w].URL
	client, err := quoter.New(quoter.Config{URL: address, Now: d.p.Now, Timeout: nodeTime, Reach: d.s.reach(w)})
	if err != nil {
		d.warn("router", words(err), without+"Correct the address ("+d.named(w)+").")
		return
	}
	defer client.Close()
	from, known := coins.BySymbol("SUI")
	to, also := coins.BySymbol("USDC")
	if !known || !also {
		d.warn("router", "Not checked: this build does not pin SUI and USDC.", "Report it.")
		return
	}
	start := d.p.Now()
	_, err = client.Quote(ctx, quoter.Request{From: from, To: to, Amount: oneSUI})
	if err != nil {
		d.without("router", w, err, without)
		return
	}
	d.ok("router", "%s responds in %s, for FlowX quotes.", shownURL(address),
		d.p.Now().Sub(start).Round(time.Millisecond/10))
}

// oneSUI is one SUI in MIST.
const oneSUI sui.Raw = 1_000_000_000

// without adds a warning about an optional service, and says what does not work without it.
func (d *doctor) without(check string, w settings.Which, err error, without string) {
	d.refused(check, shownURL(d.s.services[w].URL), err, d.named(w))
	last := &d.findings[len(d.findings)-1]
	last.Level, last.Unreachable, last.Next = levelWarn, false, without+last.Next
}

// pinReader is the part of a node client that comparing pins needs.
type pinReader interface {
	Package(ctx context.Context, id sui.ObjectID) (original sui.ObjectID, version uint64, err error)
	Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error)
}

// pins compares what the program pins of DeepBook and FlowX with the chain: the packages that
// transactions call, and FlowX's shared object. Reviews compare the rest.
func (d *doctor) pins(ctx context.Context, node pinReader) {
	compared, err := comparePins(ctx, node)
	switch {
	case err == nil:
		d.ok("pins", "%d pinned packages and objects of DeepBook and FlowX match the chain.", compared)
	case fault.Is(err, fault.ProviderMismatch):
		d.fail("pins", words(err), "Sign nothing that calls it. Try another node ("+d.named(settings.GRPC)+"); "+
			"if it reports the same, look for a newer version.")
	default:
		d.warn("pins", "Not compared: "+words(err), "Run this again. Reviews still compare everything they use.")
	}
}

// comparePins returns the number of pins that match. If a pin differs, it returns
// fault.ProviderMismatch.
func comparePins(ctx context.Context, node pinReader) (int, error) {
	differs := func(what string, id sui.ObjectID) error {
		return fault.New(fault.ProviderMismatch, "%s %s differs from its pin on this node's chain.", what, id)
	}
	missing := func(err error) bool { return fault.As(err).Detail.Get("code") == "NotFound" }
	compared := 0
	for _, p := range deepbookpins.Packages() {
		original, number, err := node.Package(ctx, p.ID)
		switch {
		case err != nil && missing(err):
			return compared, differs("DeepBook's package", p.ID)
		case err != nil:
			return compared, err
		//mutant:never `number != p.Number` ./cmd/say-ur-intent TestDoctorComparesPins
		case original != deepbookpins.OriginalPackage || number != p.Number:
			return compared, differs("DeepBook's package", p.ID)
		}
		compared++
	}
	original, number, err := node.Package(ctx, flowxpins.Package)
	if err != nil && !missing(err) {
		return compared, err
	}
	if err != nil || original != flowxpins.OriginalPackage || number != flowxpins.PackageVersion {
		return compared, differs("FlowX's package", flowxpins.Package)
	}
	compared++
	object, err := node.Contents(ctx, flowxpins.Versioned)
	if err != nil && !missing(err) {
		return compared, err
	}
	if err != nil || object.Owner.Kind != sui.OwnerShared || object.Owner.InitialVersion != flowxpins.VersionedVersion {
		return compared, differs("FlowX's object", flowxpins.Versioned)
	}
	return compared + 1, nil
}

// protocols compares the shared objects of described protocols with the chain, and reports which
// facts only a review can check.
func (d *doctor) protocols(ctx context.Context, node floor.Objects) {
	all, open, wrong := 0, []string{}, []error{}
	for _, p := range floor.Known().Protocols {
		n, unconfirmed, err := p.ConfirmObjects(ctx, node)
		all, open, wrong = all+n, append(open, unconfirmed...), append(wrong, err)
	}
	text := fmt.Sprintf("%d pinned objects of described protocols match the chain.", all)
	if len(open) > 0 {
		text += " Not confirmed: the pinned values of " + strings.Join(open, ", ") + ". A review is refused if they are wrong."
	}
	//mutant:always ./cmd/say-ur-intent TestDoctorProtocols
	if err := errors.Join(wrong...); err != nil {
		d.warn("protocols", "Some pinned objects of described protocols are not confirmed: "+words(err),
			"Reviews that need them are refused. Try another node ("+d.named(settings.GRPC)+"), or install a newer version.")
		return
	}
	d.ok("protocols", "%s", text)
}

// versions reports pinned packages that have newer versions on chain.
func (d *doctor) versions(ctx context.Context, node versions.Node) {
	pins := versions.Pins()
	found, err := versions.Find(ctx, node, pins)
	var behind []string
	for _, n := range found {
		text := fmt.Sprintf("%s %d (known: %d)", n.Name, n.Version, n.Pinned)
		if n.Changed {
			text += ", with a changed function"
		}
		behind = append(behind, text)
	}
	switch {
	//mutant:never ./cmd/say-ur-intent TestDoctorVersions
	case len(behind) > 0:
		d.warn("versions", "The chain has newer versions of packages that this version pins: "+strings.Join(behind, "; ")+".",
			"Reviews use the pinned versions while they work. If reviews fail, install a newer version.")
	case fault.As(err).Detail.Get("code") == "Unimplemented":
		d.ok("versions", "The node does not list versions of packages, so newer ones are unknown.")
	case err != nil:
		d.warn("versions", "Not compared: "+words(err), "Run this again. Reviews still use only pinned packages.")
	default:
		d.ok("versions", "The %d pinned packages are the newest on the chain.", len(pins))
	}
}

// second checks the second node, if one is set.
func (d *doctor) second(ctx context.Context) {
	switch {
	case d.s.services[settings.GRPC].URL == "":
		return
	case d.s.services[settings.Second].URL == "":
		d.ok("second", "No second node is set (%s), so reported values come from one node.", d.named(settings.Second))
		return
	case d.s.sameNodes():
		d.warn("second", "The second node is the same as the first, so the two always agree.", "Set another one ("+
			d.named(settings.Second)+").")
		return
	}
	d.asked(ctx, "second", settings.Second, nil)
}

// wallet points to the connect page, because doctor cannot look into a browser.
func (d *doctor) wallet() {
	d.ok("wallet", "Wallets are in your browser, which doctor cannot check. The connect page lists them.")
}
