package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/protocol/floor"
)

// protocolPage lists the protocols that are described by data.
func protocolPage(list []*floor.Protocol) []byte {
	m := &markdown{}
	m.line(generated)
	m.line("# Protocols\n")
	m.line("Say Ur Intent reads transactions of these protocols from their bytes: what leaves at most, and the minimum that the " +
		"transaction itself enforces. A file in `internal/protocol/floor/protocols` describes each. It names functions and words; " +
		"it cannot add a guarantee or remove a warning. Reviews call only the packages listed here. When a newer version appears on the chain, a notice on the console says so once, and `doctor` says so until this program knows it. `make verify-pins` compares packages and signatures with a node.\n")
	for _, p := range list {
		m.line("## %s\n", p.Name)
		m.table("Package", "Published", "Version", "Original")
		for _, name := range slices.Sorted(maps.Keys(p.Packages)) {
			known := p.Packages[name]
			m.row(name, code(known.Published.Short()), version(known), first(known))
		}
		m.line("")
		m.table("Use", "Calls", "Minimum", "Risks")
		for _, f := range p.Functions {
			m.row(code(f.ID), callsOf(f), minimumOf(f), risksOf(f))
		}
		m.line("")
	}
	return m.bytes()
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

func risksOf(f floor.Function) string {
	var list []string
	for _, r := range f.Risks {
		list = append(list, floor.RiskText(r))
	}
	return strings.Join(list, " ")
}
