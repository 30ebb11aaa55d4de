package arch

import (
	"regexp"
	"slices"
	"strings"
)

// kind is a kind of package of which there will be more. One that imports nothing else than this
// needs no row in rooms and no line in the map of the code.
type kind struct {
	path    *regexp.Regexp // its first group is what the package belongs to
	imports []string
	listed  string // the package with the list that such packages are in
	reason  string
}

// kinds has the more special kinds first.
var kinds = []kind{
	{regexp.MustCompile(`^(internal/protocol/[a-z]+)/sandbox$`), []string{"internal/sandbox/bcs",
		"internal/sandbox/ledger", "internal/sui"}, "internal/sandbox",
		"what a protocol brings to the sandbox knows the chain of it, and none of its services"},
	{regexp.MustCompile(`^(internal/protocol/[a-z]+)(/[a-z]+)*$`), []string{"internal/coins", "internal/fault",
		"internal/protocol/floor", "internal/protocol/floored", "internal/protocol/venue", "internal/sui",
		"internal/sui/readback", "review/plan"}, "internal/protocol/adapters",
		"an adapter knows the platform and its own protocol, never another adapter, tools or the store"},
	{regexp.MustCompile(`^(internal/web/[a-z]+)$`), []string{"internal/coins", "internal/events", "internal/fault",
		"internal/pagetoken", "internal/screen", "internal/sui", "internal/web", "internal/web/amounts",
		"internal/web/listing", "internal/web/marks", "internal/web/words"}, "cmd/say-ur-intent",
		"a page knows the kernel and what all pages show, and is given its sources"},
}

// kindOf returns the kind of a package without a row, or nil.
func kindOf(pkg string) *kind {
	if slices.ContainsFunc(rooms, func(r room) bool { return r.path == pkg }) {
		return nil
	}
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.path.MatchString(pkg) })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// allows reports whether a package of the kind may import another.
func (k *kind) allows(pkg, imports string) bool {
	own := k.path.FindStringSubmatch(pkg)[1]
	return slices.Contains(k.imports, imports) || imports == own || strings.HasPrefix(imports, own+"/")
}
