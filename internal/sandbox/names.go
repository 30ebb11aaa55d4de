package sandbox

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// Aliases for users of the sandbox, so that they import only this package.
type (
	Fault        = faults.Fault
	FaultKind    = faults.Kind
	Manager      = ledger.Manager
	Deposit      = ledger.Deposit
	RestingOrder = ledger.RestingOrder
	Allowance    = ledger.Allowance
)

// Epochs of the sandbox: the first epoch, the length of an epoch, and how many of them tests may end
// without any time passing.
const (
	FirstEpoch   uint64        = ledger.FirstEpoch
	EpochLength  time.Duration = ledger.EpochLength
	EpochsByHand uint64        = 100
)

// Kinds of faults. Package faults describes them.
const (
	Slow               = faults.Slow
	Fail               = faults.Fail
	Refuse             = faults.Refuse
	OmitBalanceChanges = faults.OmitBalanceChanges
	OtherRecipient     = faults.OtherRecipient
	OtherDigest        = faults.OtherDigest
	OtherSender        = faults.OtherSender
	RepeatBalances     = faults.RepeatBalances
	StuckBalances      = faults.StuckBalances
	Drop               = faults.Drop
	AdvanceEpoch       = faults.AdvanceEpoch
	DisableVersion     = faults.DisableVersion
	ShiftPrice         = faults.ShiftPrice
	ConsumeCoin        = faults.ConsumeCoin
	ClearFaults        = faults.Clear
	LackEvents         = faults.LackEvents
	ForeignEvent       = faults.ForeignEvent
	StuckEvents        = faults.StuckEvents
	RepeatPage         = faults.RepeatPage
	ReversePage        = faults.ReversePage
	HugeAnswer         = faults.HugeAnswer
	PartialError       = faults.PartialError
	NullDetails        = faults.NullDetails
	Prune              = faults.Prune
	NoCertificate      = faults.NoCertificate
	WeakCertificate    = faults.WeakCertificate
	OtherEpoch         = faults.OtherEpoch
	OtherCommittee     = faults.OtherCommittee
	NewerContents      = faults.NewerContents
	PruneEpochEnds     = faults.PruneEpochEnds
	OtherEffects       = faults.OtherEffects
	OtherStatusBytes   = faults.OtherStatusBytes
	ThinBook           = faults.ThinBook
	LeastSize          = faults.LeastSize
	LotSize            = faults.LotSize
	TakerFee           = faults.TakerFee
	MakerFee           = faults.MakerFee
	DeepPoints         = faults.DeepPoints
)
