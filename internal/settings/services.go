package settings

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Which is an external service whose address a user can set.
type Which int

// The services, in display order.
const (
	GRPC    Which = iota // the Sui node
	Second               // another node, asked for the same data
	Archive              // a node that keeps old checkpoints
	GraphQL              // past transactions
	Indexer              // past prices of DeepBook
	Quoter               // FlowX quotes
)

// Count is the number of services, for arrays indexed by Which.
const Count = Which(len(services))

// Proof is how a service proves which chain it serves.
type Proof int

// Ways to prove the chain.
const (
	NoProof      Proof = iota // cannot be queried; only its address is checked
	NodeProof                 // through a full node's gRPC interface
	GraphQLProof              // through the GraphQL interface
)

// Info describes a service and its address.
type Info struct {
	Code     string // its name in requests from pages
	Variable string // environment variable; Key and Member are derived from it
	Flag     string // command-line flag, or ""
	Name     string // name of the address, in the middle of a sentence
	Title    string // name of the service, on pages
	Hint     string // its purpose in one sentence
	Proof    Proof
	Path     bool   // the address may have a path
	Optional bool   // has no default; the others have one on every network
	Sandbox  string // path at which a sandbox's node serves it, unless optional
	Folded   bool   // shown on the page only after a click
}

// services declares every service. A new one needs a constant and an entry.
var services = [...]Info{
	GRPC: {Code: "grpc", Variable: "SUI_GRPC_URL", Flag: "grpc-url", Name: "Sui gRPC address", Title: "Sui node",
		Hint:  "Balances, pools and results are read from it, and signed transactions are sent to it.",
		Proof: NodeProof},
	Second: {Code: "second", Variable: "SUI_GRPC_URL_2", Name: "second Sui gRPC address", Title: "Second Sui node",
		Hint:  "Reviews ask it the same questions and are blocked if the two disagree. Use one that somebody else runs.",
		Proof: NodeProof, Optional: true},
	Archive: {Code: "archive", Variable: "SUI_ARCHIVE_URL", Name: "archive node address", Title: "Archive node",
		Hint:  "A node that keeps old checkpoints, for proofs of results after a long pause.",
		Proof: NodeProof, Optional: true, Folded: true},
	GraphQL: {Code: "graphql", Variable: "SUI_GRAPHQL_URL", Flag: "graphql-url", Name: "Sui GraphQL address",
		Title: "Sui GraphQL service",
		Hint:  "Past transactions are read from it.",
		Proof: GraphQLProof, Path: true, Sandbox: "/graphql", Folded: true},
	Indexer: {Code: "indexer", Variable: "DEEPBOOK_INDEXER_URL", Name: "DeepBook indexer address",
		Title: "DeepBook indexer",
		Hint:  "Past prices of DeepBook are read from it.", Folded: true},
	Quoter: {Code: "quoter", Variable: "FLOWX_QUOTER_URL", Name: "FlowX router address", Title: "FlowX router",
		Hint: "FlowX quotes are read from it.", Folded: true},
}

// ParseWhich returns the service with a code, or fault.InputInvalid.
func ParseWhich(code string) (Which, error) {
	var codes []string
	for w := range Count {
		if services[w].Code == code {
			return w, nil
		}
		codes = append(codes, services[w].Code)
	}
	return 0, fault.New(fault.InputInvalid, "There are these addresses: %s.", strings.Join(codes, ", "))
}

// Info returns the declaration of the service.
func (w Which) Info() Info { return services[w] }

// String returns the service's code.
func (w Which) String() string { return services[w].Code }

// Label returns the name of the address for the beginning of a sentence or a table cell.
func (i Info) Label() string { return strings.ToUpper(i.Name[:1]) + i.Name[1:] }

// Key returns the key of the stored setting, such as sui_grpc_url.
func (i Info) Key() string { return strings.ToLower(i.Variable) }

// Member returns the address's member in JSON, such as suiGrpcUrl.
func (i Info) Member() string {
	words := strings.Split(i.Key(), "_")
	for n := range words[1:] {
		words[n+1] = strings.ToUpper(words[n+1][:1]) + words[n+1][1:]
	}
	return strings.Join(words, "")
}

// Same reports whether two addresses have the same host and port.
func Same(a, b string) bool { return canonical(a) == canonical(b) }

func canonical(text string) string {
	if e, err := ParseEndpoint(GRPC, text); err == nil {
		return e.URL
	}
	return text
}
