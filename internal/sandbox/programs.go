package sandbox

import (
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/sandbox"
	staking "github.com/sayurintent/sayurintent/internal/protocol/staking/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// programs lists the simulated protocols and the scripts of others, one per line.
func programs() []ledger.Program {
	return append(foreign.Programs(), flowx.Program(), staking.Program())
}
