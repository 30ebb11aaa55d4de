package arch

import (
	"regexp"
	"slices"
	"strings"
)

// kind is a kind of package of which there will be more. A package that imports nothing beyond what
// its kind allows needs no row in rooms and no line in the map of the code.
type kind struct {
	path    *regexp.Regexp // its first group is what the package belongs to
	imports []string
	listed  string // the package with the list of such packages
	reason  string
}

// kinds lists the more specific kinds first.
var kinds = []kind{
	{regexp.MustCompile(`^(internal/protocol/[a-z]+)/sandbox$`), []string{"internal/sandbox/bcs",
		"internal/sandbox/ledger", "internal/sui"}, "internal/sandbox",
		"a protocol's part of the sandbox uses its chain but not its services"},
	{regexp.MustCompile(`^(internal/protocol/[a-z]+)(/[a-z]+)*$`), []string{"internal/coins", "internal/fault",
		"internal/protocol/floor", "internal/protocol/floored", "internal/protocol/venue", "internal/sui",
		"internal/sui/readback", "internal/plan"}, "internal/protocol/adapters",
		"an adapter uses the platform and its own protocol, but no other adapter, tool or store"},
	{regexp.MustCompile(`^(internal/web/[a-z]+)$`), []string{"internal/coins", "internal/events", "internal/fault",
		"internal/pagetoken", "internal/screen", "internal/sui", "internal/web", "internal/web/amounts",
		"internal/web/listing", "internal/web/marks", "internal/web/words"}, "internal/pages",
		"a page uses the kernel and shared lists; its data sources are passed in"},
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

// allows reports whether packages of the kind may import another package.
func (k *kind) allows(pkg, imports string) bool {
	own := k.path.FindStringSubmatch(pkg)[1]
	return slices.Contains(k.imports, imports) || imports == own || strings.HasPrefix(imports, own+"/")
}

// folderOf returns the folder of a package: the first element of its path, or the first two below
// internal. A protocol's part of the sandbox belongs to the sandbox.
func folderOf(pkg string) string {
	elements := strings.Split(pkg, "/")
	switch {
	case elements[0] != "internal":
		return elements[0]
	case elements[len(elements)-1] == "sandbox":
		return "internal/sandbox"
	}
	return strings.Join(elements[:2], "/")
}

// folderExceptions gives the reasons for imports that folders do not follow: "importer imported".
var folderExceptions = map[string]string{
	"internal/sui/rpc internal/screen": "the client cleans a node's text; screening needs the chain's addresses",
}

// platform lists the packages beside review's that carry out every action alike.
var platform = []string{"internal/plan", "internal/proposal", "internal/record"}
