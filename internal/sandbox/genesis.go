package sandbox

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/committee"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// BeforeFirst is the summary that names the committee of the first epoch, as the last
// checkpoint of an epoch before it. Every sandbox has the same validators, so whoever
// starts there can follow any of them; nothing was ever executed below it.
func BeforeFirst() []byte {
	b, _ := committee.Summary(committee.Place{
		Epoch: FirstEpoch - 1, At: time.UnixMilli(0), Last: true, Protocol: ledger.ProtocolVersion,
	}, committee.Contents(nil))
	return b
}
