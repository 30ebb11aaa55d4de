package arch

// Sizes beyond which a thing wants to be two things. The targets are lower:
// files near 400 lines, functions near 60.
const (
	maxFileLines       = 500
	maxFunctionLines   = 80
	maxInterfaceMethod = 7
	maxPackageFiles    = 25 // of the packages below crowded
)

// crowded are the directories in which a package may not have more than
// maxPackageFiles files: there one file has to be understood without the others.
var crowded = []string{"internal/sandbox", "internal/web", "review"}

// protocolNames are parts of names that belong to one protocol, and actionKinds the
// kinds of actions that adapters carry out: neither occurs under review.
var (
	protocolNames = []string{"DeepBook", "Deepbook", "FlowX", "Flowx", "BalanceManager", "TermManager", "TermOrder",
		"FeeDeep", "IntentOrder"}
	actionKinds = []string{"swap", "transfer", "limit-order", "market-order", "modify-order", "cancel-order",
		"cancel-all-orders", "manager-create", "manager-deposit", "manager-withdraw", "manager-withdraw-all", "stake",
		"unstake", "supply", "supply-withdraw", "permission_revoke", "deep", "flowx"}
)

// vagueNames are package names that say nothing.
var vagueNames = []string{"util", "utils", "helper", "helpers", "common", "manager", "types", "impl", "misc", "base"}
