//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/store"
)

// fill changes reviews until a file size limit makes writes fail, as on a full disk. It prints
// every acknowledged revision, and then the errors.
func fill(ctx context.Context, db *store.DB) error {
	signal.Ignore(syscall.SIGXFSZ) // so that writing fails instead of ending the process
	info, err := os.Stat(filepath.Join(os.Getenv(dirVariable), dbFile))
	if err != nil {
		return err
	}
	limit := uint64(info.Size()) + 256<<10
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	for range 20_000 {
		s, err := db.Change(ctx, "r1", strings.Repeat("a long step ", 100), bump)
		if err != nil {
			fmt.Println("refused: " + fault.As(err).Detail.Get("store") + ": " + err.Error())
			break
		}
		fmt.Println(s.Revision)
	}
	// Reading still works, and repeated attempts to write fail without damage.
	for range 20 {
		if _, err := db.Change(ctx, "r1", strings.Repeat("more ", 10_000), bump); err != nil &&
			fault.As(err).Detail.Get("store") != "disk_write" {
			return err
		}
	}
	if _, err := db.Review(ctx, "r1"); err != nil {
		return errors.Join(errors.New("reading on a full disk"), err)
	}
	fmt.Println("reads")
	return nil
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	c := newClock()
	first := open(t, dir, nil, c.Now)
	create(t, first, c, "r1")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	p := start(t, "filler", dir)
	acknowledged, refused, reads := int64(0), "", false
	for p.lines.Scan() {
		line := p.lines.Text()
		switch n, err := strconv.ParseInt(line, 10, 64); {
		case err == nil:
			acknowledged = n
		case strings.HasPrefix(line, "refused: "):
			refused = line
		case line == "reads":
			reads = true
		default:
			t.Errorf("the filler said %q", line)
		}
	}
	if err := p.Wait(); err != nil {
		t.Errorf("the filler ended with %v", err)
	}
	if !strings.Contains(refused, "disk_write") || !strings.Contains(refused,
		"Nothing was recorded. Free some space and try again.") {
		t.Errorf("after revision %d the write was refused as %q", acknowledged, refused)
	}
	if acknowledged < 5 || !reads {
		t.Errorf("only %d revisions; reads %v", acknowledged, reads)
	}
	db := open(t, dir, nil, c.Now)
	if err := db.Check(ctx); err != nil {
		t.Fatalf("the store is damaged: %v", err)
	}
	s := must[record.Session](t)(db.Review(ctx, "r1"))
	if s.Revision < acknowledged {
		t.Errorf("revision %d was acknowledged, %d is there", acknowledged, s.Revision)
	}
	wholeChain(t, db, s)
	if again, err := db.Change(ctx, "r1", "with space again", bump); err != nil || again.Revision != s.Revision+1 {
		t.Errorf("with space again: %+v, %v", again.Revision, err)
	}
}
