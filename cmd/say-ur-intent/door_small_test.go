//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestServiceVariables checks that the small program knows the variables of all services, although
// it does not import the packages that declare them.
func TestServiceVariables(t *testing.T) {
	small, whole := door.ServiceVariables(), []string{portVariable}
	for w := range settings.Count {
		whole = append(whole, w.Info().Variable)
	}
	slices.Sort(small)
	slices.Sort(whole)
	if !slices.Equal(small, whole) {
		t.Errorf("a client reads %v, the server %v", small, whole)
	}
}

// TestSmallClient checks that the small program serves a client through the server, and leaves all
// other commands to the whole program in its directory.
func TestSmallClient(t *testing.T) {
	t.Parallel()
	long.Skip(t, "it builds and starts programs")
	place, dir := double.Dir(t), shelter(t)
	small := filepath.Join(place, "say-ur-intent-client")
	if out, err := exec.Command("go", "build", "-o", small, "../say-ur-intent-client").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Symlink(program(t), filepath.Join(place, "say-ur-intent")); err != nil {
		t.Fatal(err)
	}
	c, err := startClient(small, []string{"--network", "sandbox", "--toolsets=core"},
		[]string{asProgram + "=1", dataDirVariable + "=" + dir}, &logged{t: t})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.stop)
	if names := listed(t, c); !strings.Contains(names, "read_get_server_status") || strings.Contains(names, "task_list") {
		t.Errorf("it lists %s", names)
	}
	if serverOf(dir) == 0 {
		t.Error("no server runs")
	}
	wrong := exec.Command(small, "--toolsets", "none", "--manual-test", "x y")
	wrong.Env = append(os.Environ(), asProgram+"=1", dataDirVariable+"="+dir)
	wrong.Stdout = io.Discard
	var words strings.Builder
	wrong.Stderr = &words
	if err := wrong.Run(); err == nil || !strings.Contains(words.String(), "--manual-test is the key of a project") {
		t.Errorf("%v: %s", err, words.String())
	}
}
