package door_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

var rounds = flag.Int("rounds", 6, "rounds of TestStarters")

// TestStarters starts twenty proxies at once in each round. It kills the server between the rounds
// and, in every other round, also while the proxies connect. Other clients stay connected and make
// calls.
func TestStarters(t *testing.T) {
	dir := place(t)
	var callers []*caller
	for i := range 3 {
		c := &caller{client: start(t, dir, ""), name: fmt.Sprint("c", i)}
		callers = append(callers, c)
	}
	ctx, stop := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	for _, c := range callers {
		c.ping()
		calling.Go(func() { c.call(ctx) })
	}
	killed := 0
	for round := range *rounds {
		before := begun(t, dir)
		kill(before[len(before)-1])
		killed++
		all := make([]*client, 20)
		for i := range all {
			all[i] = start(t, dir, "")
		}
		servers, errs := make([]int, len(all)), make([]error, len(all))
		var asking sync.WaitGroup
		for i, c := range all {
			asking.Go(func() { servers[i], errs[i] = c.ask(1, "ping", "{}") })
		}
		if round%2 == 1 {
			double.Until(t, "the next server", func() bool { return len(begun(t, dir)) > len(before) })
			busy(rand.N(200_000))
			kill(begun(t, dir)[len(before)])
			killed++
		}
		asking.Wait()
		for i, c := range all {
			if errs[i] != nil {
				t.Errorf("round %d: %v", round, errs[i])
			}
			if err := c.stop(); err != nil {
				t.Errorf("round %d: %v %s", round, err, c.err.String())
			}
		}
		after := begun(t, dir)
		if n := len(after) - len(before); n != 1+round%2 {
			t.Errorf("round %d: %d servers were started", round, n)
		}
		if !slices.Contains(servers, after[len(after)-1]) && round%2 == 0 {
			t.Errorf("round %d: the server is %d, and they were answered by %v", round, after[len(after)-1], servers)
		}
		if t.Failed() {
			break
		}
	}
	stop()
	calling.Wait()
	judgeCalls(t, dir, callers)
	t.Logf("%d rounds, %d servers killed", *rounds, killed)
}

// busy does work that takes a short time, without using a clock.
func busy(turns int) {
	for range turns {
		_ = rand.Int()
	}
}

// caller is a client that stays connected and makes calls.
type caller struct {
	*client
	name                  string
	reads                 int
	acknowledged, unclear []string
	failed                []error
}

func (c *caller) call(ctx context.Context) {
	for i := 2; ctx.Err() == nil && len(c.failed) == 0; i++ {
		if i%2 == 0 {
			if _, err := c.ask(i, "tools/call", `{"name":"toy.read"}`); err != nil {
				c.failed = append(c.failed, fmt.Errorf("a call that reads: %w", err))
			}
			c.reads++
			continue
		}
		text := fmt.Sprintf("%s-%d", c.name, i)
		switch _, err := c.ask(i, "tools/call", fmt.Sprintf(`{"name":"toy.write","arguments":{"text":%q}}`, text)); {
		case err == nil:
			c.acknowledged = append(c.acknowledged, text)
		case strings.HasPrefix(err.Error(), "unknown_outcome: "):
			c.unclear = append(c.unclear, text)
		default:
			c.failed = append(c.failed, fmt.Errorf("a call that writes: %w", err))
		}
	}
}

// judgeCalls checks that acknowledged calls took effect once, and that no call took effect twice or
// without a response.
func judgeCalls(t *testing.T, dir string, callers []*caller) {
	t.Helper()
	effects := map[string]int{}
	for _, line := range lines(t, filepath.Join(dir, "effects")) {
		effects[line]++
	}
	for _, c := range callers {
		for _, err := range c.failed {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, text := range c.acknowledged {
			if effects[text] != 1 {
				t.Errorf("%s was acknowledged and took effect %d times", text, effects[text])
			}
			delete(effects, text)
		}
		for _, text := range c.unclear {
			if effects[text] > 1 {
				t.Errorf("%s took effect %d times", text, effects[text])
			}
			delete(effects, text)
		}
		t.Logf("%s: %d reads, %d writes, %d of them with an unknown outcome", c.name, c.reads, len(c.acknowledged)+
			len(c.unclear), len(c.unclear))
		if err := c.stop(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for text := range effects {
		t.Errorf("%s took effect, and its client was told nothing", text)
	}
	if _, err := os.Lstat(filepath.Join(dir, "s")); err != nil {
		t.Error(err)
	}
}
