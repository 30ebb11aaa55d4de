package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// fixtureMain is the fixture as a process of its own, ended by signals as the
// product is.
func fixtureMain(string) int {
	in, out := stdio.Claim()
	fmt.Println("a library writes where it should not")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := stdio.Serve(ctx, in, out, newFixture().MCPServer, stdio.Options{Now: time.Now})
	if err != nil && !errors.Is(err, stdio.ErrOutputClosed) && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
