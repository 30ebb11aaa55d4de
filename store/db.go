package store

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// Config is the configuration of a store.
type Config struct {
	Dir string           // data directory; created for the owner only, if missing
	Now func() time.Time // returns the time to store with changes
	Hub *events.Hub      // notified after each commit; may be nil
	// Session names the conversation of work that no client requested. If it is empty, Open creates
	// a name.
	Session string
	// Requests limits the requests that one conversation, or one connection from another machine,
	// may make within request.Window. If it is 0, neither these nor the requests for an account are
	// limited.
	Requests int
}

// DB is an open store. It consists of areas, so that a service receives only those that it needs.
// Its methods, and those of its areas, are safe for concurrent use.
//
// An area is a type struct{ *engine } in a file of its own. If it has tables, its method readAll
// reads all their rows, so that doctor finds damaged ones. make gen adds each area to DB. An area
// changes its rows only through change, which serializes all writes to the file. Functions that
// take a *tx can change rows of several areas in one transaction.
type DB struct {
	*engine
	SystemBus
	areas

	mu   sync.Mutex
	lock *os.File // held by the server of the data directory
}

// SystemBus is the stored system bus: its log, its tasks, and the conversations they belong to.
type SystemBus struct {
	Log
	Tasks
	Conversations
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
		return nil, fault.Wrap(err, fault.InternalError, "The absolute path of the data directory %q cannot be "+
			"determined.", c.Dir)
	}
	e := &engine{now: c.Now, hub: c.Hub, dir: dir, session: cmp.Or(c.Session, bus.NewID("conv_")), requests: c.Requests}
	if e.place, err = openPlace(dir); err != nil {
		return nil, err
	}
	if err := e.open(ctx); err != nil {
		_ = e.shut()
		return nil, e.named(err)
	}
	return over(e), nil
}

// over returns a store over an open database.
func over(e *engine) *DB {
	return &DB{engine: e, SystemBus: SystemBus{Log{e}, Tasks{e}, Conversations{e}}, areas: areasOf(e)}
}

// Own tries to make this process the server of the data directory. It returns false if another
// process already is. The role lasts until Close or until the process ends.
func (db *DB) Own(_ context.Context) (bool, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.lock != nil {
		return true, nil
	}
	var won bool
	var err error
	db.lock, won, err = db.hold(lockName, false)
	return won, err
}

// Close closes the store. It first removes deleted material from the write-ahead log.
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

// Check verifies the whole database file. It reports damage as fault.InternalError with the
// engine's finding.
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
