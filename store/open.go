package store

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// The files of a data directory.
const (
	fileName = "say-ur-intent.db"
	lockName = "pages.lock"
)

// oldestEngine is the oldest SQLite without the WAL-reset corruption, which can occur when two
// processes share a write-ahead log.
const oldestEngine = "3.51.3"

// applicationID identifies the file as ours: "SURI" in ASCII.
const applicationID = 0x53555249

const (
	busyTimeout = 5 * time.Second
	readers     = 4
)

// engine is the open database: its files, its connections and its single writer. Its methods are
// safe for concurrent use.
type engine struct {
	write *sql.DB // one connection; every transaction is BEGIN IMMEDIATE
	read  *sql.DB // query-only connections
	now   func() time.Time
	hub   *events.Hub
	dir   string

	session  string // conversation of work that no client requested
	requests int    // limit per conversation in request.Window; 0 means no limit

	place  *place
	use    *os.File               // lock on useName, shared while the store is open
	anchor *sql.Conn              // keeps SQLite from removing the log
	files  atomic.Pointer[[]held] // the pinned files

	rest rest // detects that the computer slept

	noting sync.Mutex
	log    *os.File // open log file, to read its header
	noted  note     // last note written by noteLog

	unswept atomic.Bool // deleted material may remain in the write-ahead log
}

// open checks the files, opens the database and migrates it to the newest version.
func (db *engine) open(ctx context.Context) error {
	alone, err := db.enter(ctx)
	if err != nil {
		return err
	}
	made, err := db.admit(alone)
	if err != nil {
		return err
	}
	before, err := os.Lstat(db.path())
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "The file %s cannot be read.", db.path()).With("store", "file_unreadable")
	}
	if db.write, err = db.connect(false); err != nil {
		return err
	}
	if db.read, err = db.connect(true); err != nil {
		return err
	}
	if size, _ := db.place.size(walName); size > 0 {
		db.unswept.Store(true) // another process is running, or was killed
	}
	if err := db.prepare(ctx, made); err != nil {
		return err
	}
	if err := db.pin(ctx, before); err != nil {
		return err
	}
	if made {
		if err := db.place.writeNote(note{State: noteOpen}, true); err != nil {
			return err
		}
	}
	db.noteLog()
	if alone {
		if err := db.stopIfLost(ctx); err != nil {
			return err
		}
		return db.share(ctx)
	}
	return nil
}

// named adds the path of the database to an error that lacks it, because the user may not know
// where the program keeps its data.
func (db *engine) named(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || strings.Contains(f.Text, db.dir) {
		return err
	}
	return &fault.Error{Code: f.Code, Text: f.Text + " The file is " + db.path() + ".", Detail: f.Detail, Err: err}
}

func (db *engine) path() string { return filepath.Join(db.dir, fileName) }

// connect returns a pool without opening a connection.
func (db *engine) connect(readOnly bool) (*sql.DB, error) {
	pragmas := []string{
		"busy_timeout(" + strconv.FormatInt(busyTimeout.Milliseconds(), 10) + ")",
		"synchronous(FULL)", "fullfsync(1)", "checkpoint_fullfsync(1)",
		"foreign_keys(1)", "trusted_schema(0)", "cell_size_check(1)",
		"secure_delete(1)", "temp_store(MEMORY)", "journal_size_limit(16777216)",
	}
	q := url.Values{"_pragma": pragmas, "_defensive": {"1"}, "_dqs": {"0"}, "mode": {"rw"}}
	if readOnly {
		q.Set("_query_only", "1")
	} else {
		q.Set("_txlock", "immediate")
	}
	pool, err := newPool(db.path(), q, db.still)
	if err == nil && readOnly {
		pool.SetMaxOpenConns(readers + 1) // one of them is the anchor
		pool.SetMaxIdleConns(readers)
	}
	return pool, err
}

// newPool returns a pool of at most one connection to a file, with the options q.
func newPool(path string, q url.Values, still func() error) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a Windows drive letter
	}
	connector, err := sqlite.NewConnector("file://" + (&url.URL{Path: slashed}).EscapedPath() + "?" + q.Encode())
	if err != nil {
		return nil, failed(err)
	}
	pool := sql.OpenDB(guarded{connector, still})
	pool.SetMaxOpenConns(1)
	return pool, nil
}

// shut closes everything that open opened.
func (db *engine) shut() error {
	var err error
	if db.anchor != nil {
		err = db.anchor.Close()
	}
	for _, pool := range []*sql.DB{db.read, db.write} {
		if pool != nil {
			err = errors.Join(err, pool.Close())
		}
	}
	db.noting.Lock()
	if db.log != nil {
		_ = db.log.Close()
		db.log = nil
	}
	db.noting.Unlock()
	if db.place != nil {
		db.leaveInOrder()
		db.place.close()
	}
	return failed(err)
}
