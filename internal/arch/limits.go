package arch

// Sizes beyond which a thing wants to be two things. The targets are lower:
// files near 400 lines, functions near 60.
const (
	maxFileLines       = 500
	maxFunctionLines   = 80
	maxInterfaceMethod = 7
	maxMethods         = 60 // that a type declares
	maxFields          = 25 // of a struct
	maxPackageFiles    = 25 // of the packages below crowded
)

// wide are the structs with more than maxFields fields, each with the reason.
var wide = map[string]string{
	"review/record.Session": "data of the wire: a review as it is stored in JSON",
}

// maxVenueLines is the size of a directory that fills in internal/protocol/venue. Larger ones have
// their reasons in largeVenues.
const maxVenueLines = 400

var largeVenues = map[string]string{
	"internal/protocol/deepbook/swap": "two ways to pay the fee, lots, several packages, and prices over two markets",
	"internal/protocol/floored":       "all described protocols, which also take supplies",
}

// crowded are the directories in which a package may not have more than
// maxPackageFiles files: there one file has to be understood without the others.
var crowded = []string{"internal/sandbox", "internal/web", "review"}

// protocolNames are parts of names that belong to one protocol. Neither they nor the kinds of
// actions that adapters carry out occur under review.
var protocolNames = []string{"DeepBook", "Deepbook", "FlowX", "Flowx", "BalanceManager", "TermManager", "TermOrder",
	"FeeDeep", "IntentOrder"}

// vagueNames are package names that say nothing.
var vagueNames = []string{"util", "utils", "helper", "helpers", "common", "manager", "types", "impl", "misc", "base"}
