package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/protocol/floor"
)

// protocolPage renders the page of the protocols that are described by descriptor files.
func protocolPage(list []*floor.Protocol) []byte {
	m := &markdown{}
	m.line(generated)
	m.line("# Protocols\n")
	m.line("Say Ur Intent reads transactions of these protocols from their bytes: what leaves your account at most, and the " +
		"minimum that the transaction itself enforces. A file in `internal/protocol/floor/protocols` describes each protocol. " +
		"It supplies names and words; it cannot add a guarantee or remove a warning.\n")
	m.line("## Versions\n")
	m.line("Reviews call the packages listed here. When a newer version appears on the chain, the console tells you once, and " +
		"`doctor` lists it until an update of this program knows it. A review calls the newer version only if all of these hold:\n")
	for _, rule := range []string{
		"The known version aborts.",
		"The use is marked below: the transaction sets the minimum you receive, and the protocol gets only the coins that were " +
			"split off for it. No stake, cap or other object goes in, and the protocol keeps nothing under your address.",
		"Your node and your second node report the same newer package of the same lineage, with unchanged functions.",
	} {
		m.line("- %s", rule)
	}
	m.line("\nThe review then carries a warning. In every other case the known version is called, and the review says why the newer " +
		"one is not. `make verify-pins` compares packages, signatures and objects with a node.\n")
	for _, p := range list {
		protocolSection(m, p)
	}
	return m.bytes()
}

func protocolSection(m *markdown, p *floor.Protocol) {
	m.line("## %s\n", p.Name)
	m.table("Package", "Published", "Version", "Original")
	for _, name := range slices.Sorted(maps.Keys(p.Packages)) {
		known := p.Packages[name]
		m.row(name, code(known.Published.Short()), version(known), first(known))
	}
	m.line("")
	m.table("Use", "Reads as", "Calls", "Minimum", "Newer version")
	var risks []string
	for _, f := range p.Functions {
		m.row(code(f.ID), f.Say, callsOf(f), minimumOf(f), newerOf(&f))
		for _, r := range f.Risks {
			if text := floor.RiskText(r); !slices.Contains(risks, text) {
				risks = append(risks, text)
			}
		}
	}
	for _, o := range p.Objects {
		if o.Unconfirmed {
			m.line("\nNot confirmed by a node: %s. A review is refused if the chain differs.", o.Label)
		}
	}
	if len(risks) > 0 {
		m.line("\nRisks:\n")
		for _, r := range risks {
			m.line("- %s", r)
		}
	}
	m.line("")
}

const unknown = "unknown"

func version(p floor.Package) string {
	if p.Version == 0 {
		return unknown
	}
	return strconv.FormatUint(p.Version, 10)
}

func first(p floor.Package) string {
	if p.Original.IsZero() {
		return unknown
	}
	return code(p.Original.Short())
}

func callsOf(f floor.Function) string {
	var calls []string
	for _, s := range f.Steps {
		name := code(s.Fn)
		if s.Package == floor.Unread {
			name = "any market"
		}
		if s.Optional {
			name += " (optional)"
		}
		calls = append(calls, name)
	}
	return strings.Join(calls, ", ")
}

func minimumOf(f floor.Function) string {
	switch {
	case f.Floor != nil:
		return "in the transaction"
	case f.Bound != nil:
		return "only in the protocol's code"
	}
	return "none"
}

// newerOf says whether a newer version of the function's package may be called.
func newerOf(f *floor.Function) string {
	if f.Follows() == nil {
		return "may be called"
	}
	return ""
}
