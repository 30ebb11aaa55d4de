package sandbox

import (
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// programs lists the simulated protocols, the scripted ones, and those that follow from
// descriptions.
func programs() []ledger.Program {
	list := append(foreign.Programs(), simulated()...)
	return append(list, foreign.Described(floor.Known(), list)...)
}
