//go:build unix

package main

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

func TestMain(m *testing.M) {
	natskit.Main()
	if os.Getenv(asProgram) != "" {
		version = cmp.Or(os.Getenv(asVersion), version)
		main()
	}
	testscript.Main(sideBySide{m}, map[string]func(){"say-ur-intent": main})
}

// sideBySide runs more tests at once than there are processors: most of them wait
// for a process.
type sideBySide struct{ *testing.M }

func (m sideBySide) Run() int {
	flag.Parse()
	if most := flag.Lookup("test.parallel"); most.Value.String() == most.DefValue {
		_ = most.Value.Set("6")
	}
	return m.M.Run()
}

// TestScripts runs the program itself: real processes, real standard input and output, and a
// sandbox chain on loopback. script_words_test.go has the additional script commands.
func TestScripts(t *testing.T) {
	long.Skip(t, "it starts the program")
	vectors, err := filepath.Abs(filepath.Join("testdata", "tx"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "script"),
		Cmds: scriptWords(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("SAY_UR_INTENT_DATA_DIR", filepath.Join(e.WorkDir, "data"))
			e.Setenv("TX", vectors)
			e.Values[sceneKey{}] = &scene{clients: map[string]*actor{}}
			e.Defer(func() { endServer(filepath.Join(e.WorkDir, "data")) })
			return os.Mkdir(filepath.Join(e.WorkDir, "data"), 0o700)
		},
	})
}
