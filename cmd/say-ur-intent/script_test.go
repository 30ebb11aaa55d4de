//go:build unix

package main

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

func TestMain(m *testing.M) {
	natskit.Main()
	if os.Getenv(asProgram) != "" {
		version = cmp.Or(os.Getenv(asVersion), version)
		patient()
	}
	testscript.Main(sideBySide{m}, map[string]func(){"say-ur-intent": patient})
}

// patient is the program, except that slow machines have longer for the first look at a request.
func patient() {
	limits.FirstLook = time.Minute
	main()
}

// sideBySide runs more tests at once than there are processors, because most tests wait for a
// process.
type sideBySide struct{ *testing.M }

func (m sideBySide) Run() int {
	flag.Parse()
	if most := flag.Lookup("test.parallel"); most.Value.String() == most.DefValue {
		_ = most.Value.Set("6")
	}
	return m.M.Run()
}

// TestScripts runs scripts against the real program, with real processes, standard input and
// output, and a sandbox chain on loopback. See script_words_test.go for the script commands.
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
