package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// SQLite applies any write-ahead log next to a database if the log is internally consistent. The
// log of another store, or an older log of this one, would overwrite our pages. A note next to the
// database therefore records either that the store was closed properly, without a log, or which log
// it had. Two salts in the log's header identify it. They change whenever SQLite restarts the log,
// and the first grows by one. The log of a killed process belongs to the store and is applied.
//
// A truncated log belongs to the store but lacks the last commits. The note therefore also contains
// the number of the last commit before transaction bytes were released. If the store ends before
// that number when it is opened, it may not know some released bytes. Nothing is then released
// until the user resumes signing.
//
// This does not detect a log that replaced another one after a process was killed and before the
// note of its first commit was written, a log whose frames were changed with valid checksums, or a
// changed note. A store without a note, because it is from an older version or was copied without
// it, is accepted.

const (
	useName  = "use.lock"
	noteName = "log.json"
	walName  = fileName + "-wal"
)

// The states of a note.
const (
	noteNew   = "new"   // the database is being created
	noteOpen  = "open"  // open in some process, or its process was killed
	noteClean = "clean" // closed properly, without a log
)

// note is the JSON document in the file noteName.
type note struct {
	State string `json:"state"`
	Salt1 uint32 `json:"salt1,omitempty"`
	Salt2 uint32 `json:"salt2,omitempty"`
	// Seq is the number of the last change committed when bytes were released.
	Seq int64 `json:"seq,omitempty"`
	// Lost is the value of Seq when the store was found to end before it. It is 0 after the user
	// resumed signing.
	Lost int64 `json:"lost,omitempty"`
}

// at returns n with the state and the salts of head.
func (n note) at(head note) note {
	n.State, n.Salt1, n.Salt2 = head.State, head.Salt1, head.Salt2
	return n
}

func (n note) salted() bool { return n.Salt1 != 0 || n.Salt2 != 0 }

// maxRestarts limits how often SQLite may have restarted the log since the note was written.
const maxRestarts = 4096

// admits reports whether a log with the given header can belong to the store that wrote the note.
func (n note) admits(head note) bool {
	switch ahead := head.Salt1 - n.Salt1; {
	//mutant:never ./store TestLogOfAnother
	case n.State == noteClean:
		return false
	case !n.salted():
		return true
	case ahead == 0:
		return head.Salt2 == n.Salt2
	default:
		return ahead <= maxRestarts
	}
}

// foreignLog returns the error about a log that does not belong to this store.
func foreignLog(path string) error {
	return refuse("log_foreign",
		"The file %s is not the write-ahead log of this database: it belongs to another one, or to an earlier state. "+
			"It was not applied. Move that file away and start again, or restore the whole data directory from one "+
			"backup.", path)
}

// maxNote limits the size of the note.
const maxNote = 4 << 10

// readNote reads the note of a data directory. It returns the zero note if there is none or it is
// unreadable.
func readNote(open func(string) (*os.File, error)) note {
	var n note
	f, err := open(noteName)
	if err != nil {
		return n
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxNote))
	if err != nil || json.Unmarshal(text, &n) != nil {
		return note{}
	}
	return n
}

// writeNote replaces the note. If lasting is set, the note is on disk when writeNote returns.
// Otherwise a crash may restore the previous note, which has the same state and whose salts are at
// most a few restarts older.
func (p *place) writeNote(n note, lasting bool) error {
	text, err := json.Marshal(n)
	if err == nil {
		err = p.replaceFile(noteName, text, lasting)
	}
	if err != nil {
		return fault.Wrap(err, fault.InternalError,
			"The file %s cannot be written. Check the data directory's permissions and the free disk space.",
			p.in(noteName)).With("store", "note")
	}
	return nil
}

// changeNote replaces the note with the result of edit. The caller must hold the write lock of the
// database, or be the only process that has it open.
func (p *place) changeNote(lasting bool, edit func(note) note) error {
	before := readNote(p.root.Open)
	if after := edit(before); after != before {
		return p.writeNote(after, lasting)
	}
	return nil
}

// replaceFile atomically replaces a file with one that only the owner can read.
func (p *place) replaceFile(name string, text []byte, lasting bool) error {
	if err := p.still(); err != nil {
		return err
	}
	suffix := make([]byte, 6)
	if _, err := io.ReadFull(rand.Reader, suffix); err != nil {
		return err
	}
	temporary := name + "." + hex.EncodeToString(suffix)
	f, err := p.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && lasting {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = p.root.Rename(temporary, name)
	}
	if err != nil {
		_ = p.root.Remove(temporary)
		return err
	}
	if dir, err := p.root.Open("."); err == nil && lasting {
		_ = dir.Sync() // not every system supports this
		_ = dir.Close()
	}
	return nil
}

// header reads the salts of a log, or returns false if it has no header.
func header(f io.ReaderAt) (note, bool) {
	var b [8]byte
	if _, err := f.ReadAt(b[:], 16); err != nil {
		return note{}, false
	}
	return note{State: noteOpen, Salt1: binary.BigEndian.Uint32(b[:4]), Salt2: binary.BigEndian.Uint32(b[4:])}, true
}

// wholeHeader is like header, for a log that another process may be restarting. It returns false if
// the header's checksum is wrong, because the bytes may then be from two headers. A note with such
// salts would make our own log look foreign.
func wholeHeader(f io.ReaderAt) (note, bool) {
	var b [32]byte
	if _, err := f.ReadAt(b[:], 0); err != nil {
		return note{}, false
	}
	// See "The WAL File Format" in SQLite's documentation: the lowest bit of the magic number gives
	// the byte order of the checksummed words.
	var order binary.ByteOrder = binary.LittleEndian
	if b[3]&1 == 1 {
		order = binary.BigEndian
	}
	var s0, s1 uint32
	for i := 0; i < 24; i += 8 {
		s0 += order.Uint32(b[i:]) + s1
		s1 += order.Uint32(b[i+4:]) + s0
	}
	if s0 != binary.BigEndian.Uint32(b[24:]) || s1 != binary.BigEndian.Uint32(b[28:]) {
		return note{}, false
	}
	return header(bytes.NewReader(b[:]))
}

// judgeLog rejects a log that does not belong to the store. No process may have the store open
// while it runs.
func judgeLog(open func(string) (*os.File, error), n note, path string) error {
	f, err := open(walName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "The file %s cannot be read.", path).With("store", "file_unreadable")
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && info.Size() == 0 {
		return nil
	}
	if head, ok := header(f); err == nil && n.admits(head) && (ok || n.State != noteClean) {
		return nil
	}
	return foreignLog(path)
}

// enter locks the store for this process. The lock is exclusive if no other process has the store
// open, so that the files can be checked; otherwise it is shared with the processes that checked
// them.
func (db *engine) enter(ctx context.Context) (alone bool, err error) {
	err = db.await(ctx, func() (bool, error) {
		for _, shared := range []bool{false, true} {
			f, won, err := db.hold(useName, shared)
			if err != nil || won {
				db.use, alone = f, !shared
				return won, err
			}
		}
		return false, nil
	})
	return alone, err
}

// await retries until try succeeds, or until the other processes have held the lock for too long.
func (db *engine) await(ctx context.Context, try func() (bool, error)) error {
	const pause = 10 * time.Millisecond
	for waited := time.Duration(0); waited < 2*busyTimeout; waited += pause {
		if won, err := try(); err != nil || won {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return failed(ctx.Err())
		}
	}
	return fault.New(fault.InternalError,
		"Another Say Ur Intent process is opening the data in %s. Try again in a moment.", db.dir).With("store", "busy")
}

// share replaces the exclusive lock with a shared one after the files are checked and the note is
// written.
func (db *engine) share(ctx context.Context) error {
	_ = db.use.Close()
	db.use = nil
	return db.await(ctx, func() (won bool, err error) {
		db.use, won, err = db.hold(useName, true)
		return won, err
	})
}

// noteLog records the salts of the current log. If that fails, it is retried after the next commit.
func (db *engine) noteLog() {
	db.noting.Lock()
	defer db.noting.Unlock()
	if db.log == nil {
		f, err := db.place.root.Open(walName)
		if err != nil {
			return
		}
		db.log = f
	}
	if head, ok := wholeHeader(db.log); !ok || head == db.noted {
		return
	}
	_ = db.locked(context.Background(), func(*sql.Tx) error {
		head, ok := wholeHeader(db.log)
		if !ok {
			return nil
		}
		err := db.place.changeNote(false, func(n note) note { return n.at(head) })
		if err == nil {
			db.noted = head
		}
		return err
	})
}

// locked runs fn while holding the write lock of the database, so that only one process at a time
// changes the note. fn must not write to the database.
func (db *engine) locked(ctx context.Context, fn func(*sql.Tx) error) error {
	t, err := db.write.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = t.Rollback() }()
	return fn(t)
}

// lastNumber selects the number of the last committed change.
const lastNumber = `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name IN ('log', 'journal') AND seq < 9007199254740991`

// noteRelease durably records the number of the last commit. It runs after a release is committed
// and before the wallet receives its bytes.
func (db *engine) noteRelease(ctx context.Context) error {
	return db.locked(ctx, func(t *sql.Tx) error {
		var last int64
		if err := t.QueryRow(lastNumber).Scan(&last); err != nil {
			return failed(err)
		}
		return db.place.changeNote(true, func(n note) note {
			n.Seq = max(n.Seq, last)
			return n
		})
	})
}

// lost returns the recorded number of a commit that is missing, or 0.
func lost(ctx context.Context, q *sql.DB, n note) (int64, error) {
	var last int64
	if err := q.QueryRowContext(ctx, lastNumber).Scan(&last); err != nil {
		return 0, failed(err)
	}
	//mutant:never ./store TestLogCutBack
	if n.Seq > last {
		return n.Seq, nil
	}
	return n.Lost, nil
}

// stopIfLost stops all releases if a commit made before a release of bytes is missing.
func (db *engine) stopIfLost(ctx context.Context) error {
	n := readNote(db.place.root.Open)
	missing, err := lost(ctx, db.write, n)
	if err != nil || missing == n.Lost {
		return err
	}
	err = db.setFrozen(ctx, true,
		"The latest stored changes are missing: a transaction may have been released to a wallet without a record "+
			"here. Signing is paused. Check the history of your wallets, then resume signing on the settings page.")
	if err != nil {
		return err
	}
	return db.locked(ctx, func(*sql.Tx) error {
		return db.place.changeNote(true, func(n note) note {
			n.Seq, n.Lost = 0, missing
			return n
		})
	})
}

// expectLog makes the note accept the log that a write transaction creates if there is none. If
// another connection emptied the log, SQLite picks both salts at random, so a process killed before
// it wrote its note would leave a log that looks foreign. The transaction holds the write lock, so
// no other process creates a log meanwhile.
func (db *engine) expectLog() error {
	if size, _ := db.place.size(walName); size > 0 {
		return nil
	}
	//mutant:never ./store TestKilledBeforeTheNote
	if n := readNote(db.place.root.Open); n.salted() {
		return db.place.writeNote(n.at(note{State: noteOpen}), false)
	}
	return nil
}

// leaveInOrder records that the store was closed properly, if no other process has it open and no
// log remains.
func (db *engine) leaveInOrder() {
	if db.use == nil {
		return
	}
	_ = db.use.Close()
	db.use = nil
	f, won, err := db.hold(useName, false)
	if err != nil || !won {
		return
	}
	if size, there := db.place.size(walName); !there || size == 0 {
		_ = db.place.changeNote(true, func(n note) note { return n.at(note{State: noteClean}) })
	}
	_ = f.Close()
}
