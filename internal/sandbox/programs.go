package sandbox

import (
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/sandbox"
	staking "github.com/sayurintent/sayurintent/internal/protocol/staking/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// programs are the protocols that bring what the sandbox executes of them, and the scripts of
// others: a line for each.
func programs() []ledger.Program {
	return append(foreign.Programs(), flowx.Program(), staking.Program())
}
