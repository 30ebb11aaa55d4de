package store

import (
	"cmp"
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

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// The files of a data directory.
const (
	fileName = "say-ur-intent.db"
	lockName = "pages.lock"
)

// The oldest SQLite without the WAL-reset corruption, which occurs with two processes on one
// write-ahead log, as used here.
const oldestEngine = "3.51.3"

// applicationID marks the file as ours: "SURI" in ASCII.
const applicationID = 0x53555249

const (
	busyTimeout = 5 * time.Second
	readers     = 4
)

// Config configures a store.
type Config struct {
	Dir string           // created for the owner only, if missing
	Now func() time.Time // clock of journal rows and of the active account
	Hub *events.Hub      // notified after each commit; may be nil
	// Session names the conversation of work that no client requested; if empty, a new name is
	// used.
	Session string
	// Requests limits the requests that one conversation, or one connection from another machine,
	// may make in request.Window; with 0 neither these nor those for an account are limited.
	Requests int
}

// DB is an open store. Its methods are safe for concurrent use.
type DB struct {
	write *sql.DB // one connection; every transaction is BEGIN IMMEDIATE
	read  *sql.DB // query-only connections
	now   func() time.Time
	hub   *events.Hub
	dir   string

	session  string // conversation of work that no client requested
	requests int    // limit per conversation in request.Window; 0 means no limit

	mu   sync.Mutex
	lock *os.File // held by the server of the data directory

	place  *place
	use    *os.File               // held, shared, while the store is open
	anchor *sql.Conn              // keeps the engine from removing the log
	files  atomic.Pointer[[]held] // open files by name

	rest rest // after the computer slept

	noting sync.Mutex
	log    *os.File // the log, to read its header
	noted  note     // last note written by noteLog

	unswept atomic.Bool // deleted material may remain in the write-ahead log
}

// Open opens the store of a directory, creating or migrating it first. It returns an explanatory
// error, and changes nothing, if files are not safely ours (a link, another owner, writable by
// others), do not belong to this program, are damaged, or were written by a newer version.
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Hub == nil {
		c.Hub = &events.Hub{}
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The data directory %q cannot be named in full.", c.Dir)
	}
	db := &DB{now: c.Now, hub: c.Hub, dir: dir, session: cmp.Or(c.Session, bus.NewID("conv_")), requests: c.Requests}
	if db.place, err = openPlace(dir); err != nil {
		return nil, err
	}
	if err := db.open(ctx); err != nil {
		_ = db.shut()
		return nil, db.named(err)
	}
	return db, nil
}

// open checks the files, opens the database and migrates it to the newest version.
func (db *DB) open(ctx context.Context) error {
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

// named adds the path of the file to an error that lacks it, because the user may not know where
// the program keeps its data.
func (db *DB) named(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) || strings.Contains(f.Text, db.dir) {
		return err
	}
	return &fault.Error{Code: f.Code, Text: f.Text + " The file is " + db.path() + ".", Detail: f.Detail, Err: err}
}

func (db *DB) path() string { return filepath.Join(db.dir, fileName) }

// connect returns a pool without opening a connection.
func (db *DB) connect(readOnly bool) (*sql.DB, error) {
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
		pool.SetMaxOpenConns(readers + 1) // one of them stays with DB.anchor
		pool.SetMaxIdleConns(readers)
	}
	return pool, err
}

// newPool returns a pool of one connection to a file, with the options q.
func newPool(path string, q url.Values, still func() error) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	connector, err := sqlite.NewConnector("file://" + (&url.URL{Path: slashed}).EscapedPath() + "?" + q.Encode())
	if err != nil {
		return nil, failed(err)
	}
	pool := sql.OpenDB(guarded{connector, still})
	pool.SetMaxOpenConns(1)
	return pool, nil
}

// Close closes the store. Deleted material is swept from the write-ahead log first.
func (db *DB) Close() error {
	if db.unswept.Load() {
		_ = db.sweep(context.Background())
	}
	db.mu.Lock()
	lock := db.lock
	db.lock = nil
	db.mu.Unlock()
	err := db.shut()
	if lock != nil {
		_ = lock.Close()
	}
	return err
}

// shut closes everything that open opened.
func (db *DB) shut() error {
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

// Check reads the whole file and reports damage as fault.InternalError with the engine's findings.
func (db *DB) Check(ctx context.Context) error {
	var found string
	if err := db.read.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return failed(err)
	}
	if found != "ok" {
		return refuse("damaged", "The database %s is damaged (%s). To start over, move the data directory away.",
			db.path(), found)
	}
	return nil
}
