package rpc

// The types in this file are the shapes of queries. Nullable fields are pointers. Fragments are
// embedded, and aliases keep their fields' names distinct. Lists are limited by the variables in their
// tags.

type graphAddress struct{ Address string }

type graphNamed struct {
	FullyQualifiedName string
}

type graphType struct{ Repr string }

type graphForward struct {
	HasNextPage bool
	EndCursor   *string
}

type graphCheckpoint struct {
	SequenceNumber *uint64
	Timestamp      *string
}

// graphTransaction is a transaction in a list.
type graphTransaction struct {
	Digest   string
	Sender   *graphAddress
	Kind     *graphKind
	GasInput *struct{ GasSponsor *graphAddress }
	Effects  *graphEffects
}

type graphKind struct {
	Typename          string `graphql:"__typename" json:"__typename"`
	graphProgrammable `graphql:"... on ProgrammableTransaction"`
}

type graphProgrammable struct {
	Commands *graphCommands `graphql:"commands(first: $calls)"`
	Inputs   *graphInputs   `graphql:"inputs(first: $inputs)"`
}

type graphCommands struct {
	Nodes    []*graphCommand
	PageInfo graphForward
}

type graphCommand struct {
	Typename  string `graphql:"__typename" json:"__typename"`
	graphCall `graphql:"... on MoveCallCommand"`
}

type graphCall struct{ Function graphNamed }

type graphInputs struct {
	Nodes    []*graphInput
	PageInfo graphForward
}

type graphInput struct {
	Typename    string `graphql:"__typename" json:"__typename"`
	graphShared `graphql:"... on SharedInput"`
}

type graphShared struct{ Address *string }

type graphEffects struct {
	Status     *string
	Timestamp  *string
	Checkpoint *struct{ SequenceNumber *uint64 }
	Epoch      *struct {
		EpochID *uint64 `graphql:"epochId"`
	}
	ExecutionError *graphFailure
	GasEffects     *struct{ GasSummary *graphGas }
	BalanceChanges *graphBalances `graphql:"balanceChanges(first: $balances)"`
	ObjectChanges  *graphObjects  `graphql:"objectChanges(first: $objects)"`
	Events         *graphEvents   `graphql:"events(first: $events)"`
}

type graphFailure struct {
	Message   string
	AbortCode *string
	Module    *graphNamed
	Function  *struct{ Name string }
}

type graphGas struct {
	ComputationCost, StorageCost, StorageRebate, NonRefundableStorageFee *uint64
}

type graphBalances struct {
	Nodes    []*graphBalance
	PageInfo graphForward
}

type graphBalance struct {
	Amount   *string
	CoinType *graphType
	Owner    *graphAddress
}

type graphObjects struct {
	Nodes    []*graphObject
	PageInfo graphForward
}

type graphObject struct {
	Address     string
	IDCreated   *bool `graphql:"idCreated"`
	IDDeleted   *bool `graphql:"idDeleted"`
	InputState  *struct{ AsMoveObject *graphMoveObject }
	OutputState *struct {
		AsMoveObject *graphMoveObject
		Owner        *graphOwner
	}
}

type graphMoveObject struct {
	Contents *struct{ Type *graphType }
}

type graphOwner struct {
	Typename            string `graphql:"__typename" json:"__typename"`
	graphAddressOwner   `graphql:"... on AddressOwner"`
	graphObjectOwner    `graphql:"... on ObjectOwner"`
	graphSharedOwner    `graphql:"... on Shared"`
	graphConsensusOwner `graphql:"... on ConsensusAddressOwner"`
}

type graphAddressOwner struct {
	ByAddress *graphAddress `graphql:"byAddress: address"`
}

type graphObjectOwner struct {
	ByObject *graphAddress `graphql:"byObject: address"`
}

type graphSharedOwner struct{ InitialSharedVersion *uint64 }

type graphConsensusOwner struct {
	ByConsensus  *graphAddress `graphql:"byConsensus: address"`
	StartVersion *uint64
}

type graphEvents struct {
	Nodes    []*graphEvent
	PageInfo graphForward
}

type graphEvent struct {
	Sender            *graphAddress
	TransactionModule *graphNamed
	Contents          *struct {
		Type *graphType
		BCS  *string `graphql:"bcs"`
	}
}
