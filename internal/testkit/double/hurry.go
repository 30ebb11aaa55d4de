package double

import (
	"os"
	"runtime/debug"
)

// Hurry collects garbage less often in this test process, which ends long before
// its memory matters. GOGC in the environment has the last word.
func Hurry() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
