package arch

// Size limits that a test enforces. The targets are lower: files near 400 lines, functions near 60.
const (
	maxFileLines       = 500
	maxFunctionLines   = 80
	maxInterfaceMethod = 7
	maxMethods         = 60 // declared by one type
	maxFields          = 25 // in one struct
	maxPackageFiles    = 25 // in each package below crowded
)

// wide lists the structs with more than maxFields fields, with the reason for each.
var wide = map[string]string{
	"internal/record.Session": "wire data: a review as stored in JSON",
}

// maxVenueLines is the size of a directory that fills in internal/protocol/venue. Larger ones have
// their reasons in largeVenues.
const maxVenueLines = 400

var largeVenues = map[string]string{
	"internal/protocol/deepbook/swap": "two ways to pay the fee, lots, several packages, and prices over two markets",
	"internal/protocol/floored":       "all described protocols, which also take supplies",
}

// crowded lists the directories in which a package may not have more than maxPackageFiles files,
// because a reader should not need many files to understand one.
var crowded = []string{"internal/sandbox", "internal/web", "review"}

// protocolNames are parts of names that belong to one protocol. Neither they nor the action types
// of adapters occur under review.
var protocolNames = []string{"DeepBook", "Deepbook", "FlowX", "Flowx", "BalanceManager", "TermManager", "TermOrder",
	"FeeDeep", "IntentOrder"}

// vagueNames are package names without a meaning of their own.
var vagueNames = []string{"util", "utils", "helper", "helpers", "common", "manager", "types", "impl", "misc", "base"}
