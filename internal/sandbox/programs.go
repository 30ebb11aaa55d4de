package sandbox

import (
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/sandbox"
	staking "github.com/sayurintent/sayurintent/internal/protocol/staking/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// programs lists the simulated protocols, one per line, the scripts of others, and what follows
// from descriptions.
func programs() []ledger.Program {
	list := append(foreign.Programs(), flowx.Program(), staking.Program())
	return append(list, foreign.Described(floor.Known(), list)...)
}
