package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// The test binary is also used as the other process. If it is started with a role, it performs that
// role and runs no tests.
const roleVariable, dirVariable = "STORE_TEST_ROLE", "STORE_TEST_DIR"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "writer":
		play(write)
	case "owner":
		play(own)
	case "looker":
		play(look)
	case "filler":
		play(fill)
	case "teller":
		play(tell)
	case "keeper":
		play(keepActivity)
	}
}

func play(role func(context.Context, *store.DB) error) {
	ctx := context.Background()
	db, err := store.Open(ctx, store.Config{Dir: os.Getenv(dirVariable), Now: newClock().Now})
	if err == nil {
		err = role(ctx, db)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// write changes one review until it is killed. It prints each new revision only after the store has
// acknowledged it.
func write(ctx context.Context, db *store.DB) error {
	for {
		s, err := db.Change(ctx, "r1", "step", bump)
		if err != nil {
			return err
		}
		fmt.Println(s.Revision)
		if s.Revision%5 != 0 {
			continue
		}
		row, err := db.Release(ctx, "r1", func(r *record.Row) (record.Release, error) {
			v := release(digestOf(r.Session.Revision+1), strconv.FormatInt(r.Session.Revision, 10))
			r.Session.Releases = append(r.Session.Releases, v)
			return v, bump(r)
		})
		if err != nil {
			return err
		}
		fmt.Println(row.Session.Revision)
	}
}

func digestOf(revision int64) sui.Digest {
	return sui.TransactionDigest([]byte(strconv.FormatInt(revision, 10)))
}

// own prints whether it has become the server, and then waits until its input ends.
func own(ctx context.Context, db *store.DB) error {
	yes, err := db.Own(ctx)
	if err != nil {
		return err
	}
	fmt.Println(yes)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// look prints the state of a review.
func look(ctx context.Context, db *store.DB) error {
	s, err := db.Review(ctx, "r1")
	if err != nil {
		return err
	}
	fmt.Println(s.ID, s.Revision, s.Status)
	return nil
}

// process is another process of this test binary.
type process struct {
	*exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

// start starts another process. It skips the test in quick runs.
func start(t *testing.T, role, dir string) *process {
	t.Helper()
	long.Skip(t, "it starts another process")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &process{Cmd: cmd, in: in, lines: bufio.NewScanner(out)}
}

func (p *process) line(t *testing.T) string {
	t.Helper()
	late := time.AfterFunc(double.Patience, func() { _ = p.Process.Kill() })
	defer late.Stop()
	if !p.lines.Scan() {
		t.Fatalf("the other process said nothing: %v", p.lines.Err())
	}
	return p.lines.Text()
}

// After a process is killed at any point, every acknowledged transition is stored, and none is
// stored in part.
func TestKilled(t *testing.T) {
	t.Parallel()
	const loops = 40
	dir := filepath.Join(t.TempDir(), "data")
	c := newClock()
	first := open(t, dir, nil, c.Now)
	create(t, first, c, "r1")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for loop := range loops {
		p := start(t, "writer", dir)
		acknowledged := revision(t, p.line(t))
		time.AfterFunc(time.Duration(1+(loop*17)%40)*time.Millisecond, func() { _ = p.Process.Kill() })
		for p.lines.Scan() {
			acknowledged = revision(t, p.lines.Text())
		}
		_ = p.Wait()
		db := open(t, dir, nil, c.Now)
		if err := db.Check(ctx); err != nil {
			t.Fatalf("loop %d: %v", loop, err)
		}
		s := must[record.Session](t)(db.Review(ctx, "r1"))
		if s.Revision < acknowledged || s.Revision > acknowledged+1 {
			t.Fatalf("loop %d: revision %d, but %d was acknowledged", loop, s.Revision, acknowledged)
		}
		wholeChain(t, db, s)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func revision(t *testing.T, line string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		t.Fatalf("the writer said %q", line)
	}
	return n
}

// wholeChain checks that the journal contains every revision once and that every release in it
// exists.
func wholeChain(t *testing.T, db *store.DB, s record.Session) {
	t.Helper()
	next, seq, released := int64(1), int64(0), 0
	for {
		page := must[[]events.Entry](t)(db.JournalSince(context.Background(), events.Review, "r1", seq))
		for _, e := range page {
			if e.Revision != next {
				t.Fatalf("journal has revision %d where %d is due", e.Revision, next)
			}
			if e.What == "released" {
				if s.Released(digestOf(e.Revision)) == nil {
					t.Fatalf("the release of revision %d is lost", e.Revision)
				}
				released++
			}
			next, seq = next+1, e.Seq
		}
		if len(page) == 0 {
			break
		}
	}
	if next != s.Revision+1 || released != len(s.Releases) {
		t.Fatalf("journal to revision %d with %d releases, session %d with %d", next-1, released, s.Revision, len(s.Releases))
	}
}

func TestSecondProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	ctx := context.Background()
	owns := func(db *store.DB) string {
		t.Helper()
		return strconv.FormatBool(must[bool](t)(db.Own(ctx)))
	}
	a := open(t, dir, nil, newClock().Now)
	if owns(a) != "true" {
		t.Fatal("the first process may not serve the pages")
	}
	second := start(t, "owner", dir)
	if got := second.line(t); got != "false" {
		t.Fatalf("the second process is told %s", got)
	}
	c := newClock()
	create(t, a, c, "r1") // the other process has the file open
	if err := second.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	third := start(t, "owner", dir)
	if got := third.line(t); got != "true" {
		t.Fatalf("after the first has gone another is told %s", got)
	}
	b := open(t, dir, nil, newClock().Now)
	if owns(b) != "false" {
		t.Fatal("two processes serve the pages")
	}
	if err := third.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = third.Wait()
	if owns(b) != "true" {
		t.Fatal("a killed process still holds the pages")
	}
	if s := must[record.Session](t)(b.Review(ctx, "r1")); s.Status != record.Proposed || !strings.HasPrefix(string(s.ID),
		"r1") {
		t.Fatalf("%+v", s)
	}
}
