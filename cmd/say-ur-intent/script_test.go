//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"say-ur-intent": main})
}

// TestScripts runs the program itself: real processes, real standard input and
// output, a real chain stand-in on loopback.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("SAY_UR_INTENT_DATA_DIR", filepath.Join(e.WorkDir, "data"))
			return os.Mkdir(filepath.Join(e.WorkDir, "data"), 0o700)
		},
	})
}
