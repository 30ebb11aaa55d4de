package sandbox

import "github.com/sayurintent/sayurintent/internal/sandbox/clob"

// recordFills notes the swap's events.
func (k *call) recordFills(clob.Swap) {}
