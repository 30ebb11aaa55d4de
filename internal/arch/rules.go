// Package arch holds the house rules that a test enforces: who may import whom,
// which package is the one door to an outside thing, and how large things may
// grow. It is no part of the program.
package arch

// module is the import path of the house.
const module = "github.com/sayurintent/sayurintent/"

// room says what one package may import from the house, and why no more. Tests
// are free to import what they test with.
type room struct {
	path    string
	imports []string
	reason  string
}

// rooms has one row per package. A package without a row fails the test, and a
// row that allows an import nobody uses does too.
var rooms = []room{
	{"internal/fault", nil, "the words for failure depend on nothing"},
	{"internal/events", nil, "waking is independent of what changed"},
	{"internal/arch", nil, "the rules look at the house from outside"},
}

// door names an outside thing and the packages that may touch it.
type door struct {
	imports string // import path, or prefix when it ends in /
	rooms   []string
	reason  string
}

var doors = []door{
	{"github.com/mark3labs/mcp-go/", []string{"tools/tool", "resources", "prompts", "internal/stdio", "cmd/say-ur-intent"},
		"one place per MCP notion knows the library"},
	{"database/sql", []string{"store"}, "everything durable goes through one file format and one lock"},
	{"modernc.org/sqlite", []string{"store"}, "everything durable goes through one file format and one lock"},
	{"google.golang.org/grpc", []string{"internal/sui/rpc", "internal/sandbox"}, "the wire to a node has one client and one stand-in"},
	{"google.golang.org/grpc/", []string{"internal/sui/rpc", "internal/sandbox"}, "the wire to a node has one client and one stand-in"},
	{"github.com/block-vision/sui-go-sdk/", []string{"internal/sui/rpc", "internal/sandbox"}, "only the generated stubs are sound"},
	{"github.com/santhosh-tekuri/jsonschema/", []string{"tools/tool"}, "schemas are a matter of tool declarations"},
}

// word is an identifier that only some packages may use.
type word struct {
	pkg, name string
	rooms     []string
	reason    string
}

var words = []word{
	{"time", "Now", []string{"cmd/say-ur-intent"}, "clocks are handed in, so that tests own time"},
	{"os", "Stdout", []string{"cmd/say-ur-intent", "internal/stdio", "internal/gen"}, "standard output carries MCP frames alone"},
	{"http", "Server", []string{"review/web", "internal/sandbox"}, "every listener sits behind one of two guards"},
	{"http", "ListenAndServe", nil, "every listener sits behind one of two guards"},
}

// Sizes beyond which a thing wants to be two things. The targets are lower:
// files near 400 lines, functions near 60.
const (
	maxFileLines       = 500
	maxFunctionLines   = 80
	maxInterfaceMethod = 7
)

// vagueNames are package names that say nothing.
var vagueNames = []string{"util", "utils", "helper", "helpers", "common", "manager", "types", "impl", "misc", "base"}
