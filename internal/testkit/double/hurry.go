package double

import (
	"os"
	"runtime/debug"
)

// Hurry makes garbage collection less frequent in this test process, which ends before its memory
// matters. GOGC in the environment takes precedence.
func Hurry() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
