package store

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"io"
	"os"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// admit checks the files in the data directory before SQLite opens them, because SQLite would write
// to them. It reports whether the database is new. If other processes have the store open (alone is
// false), admit only checks that the files exist, because those processes checked the rest.
func (db *engine) admit(alone bool) (made bool, err error) {
	p := db.place
	_, there := p.size(fileName)
	if !alone {
		if !there {
			return false, refuse("replaced",
				"The file %s was removed while another Say Ur Intent process has it open. Put it back, or quit every AI "+
					"client that uses Say Ur Intent, then start again.", db.path())
		}
		return false, judgeFiles(p.root.Lstat, p.path, fileName)
	}
	n := readNote(p.root.Open)
	if !there {
		if size, log := p.size(walName); log && size > 0 {
			return false, refuse("log_alone",
				"The file %s exists, but the database %s that it belongs to does not. Restore the whole data directory from "+
					"one backup or, to start over, move it away.", p.in(walName), db.path())
		}
		if err := p.writeNote(note{State: noteNew}, true); err != nil {
			return false, err
		}
		return p.prepareFile(fileName)
	}
	if err := judgeFiles(p.root.Lstat, p.path, fileName); err != nil {
		return false, err
	}
	if err := judgeHead(p.root.Open, n, p.path); err != nil {
		return false, err
	}
	if err := judgeLog(p.root.Open, n, p.in(walName)); err != nil {
		return false, err
	}
	if n.State == noteNew {
		return true, nil // the first start did not finish
	}
	if size, _ := p.size(walName); size > 0 && n.salted() || n.State == noteOpen && !n.salted() {
		return false, nil // the note is still valid
	}
	return false, p.writeNote(n.at(note{State: noteOpen}), true)
}

// judgeHead rejects a database file whose first bytes show that another program wrote it. This
// process must not have the file open, because closing it here would drop SQLite's locks on it.
func judgeHead(open func(string) (*os.File, error), n note, dir string) error {
	path := dir + string(os.PathSeparator) + fileName
	f, err := open(fileName)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "The file %s cannot be read.", path).With("store", "file_unreadable")
	}
	defer func() { _ = f.Close() }()
	var head [100]byte
	switch got, err := io.ReadFull(f, head[:]); {
	case got == 0 && n.State == noteNew:
		return nil
	case got == 0:
		return refuse("file_empty",
			"The file %s is empty, and Say Ur Intent did not create it. Move it away, or choose another data directory.", path)
	case err != nil || string(head[:16]) != "SQLite format 3\x00":
		return refuse("damaged",
			"The local database is damaged, or is not a database. To start over, move the data directory away. "+
				"The file is %s.", path)
	}
	switch app := binary.BigEndian.Uint32(head[68:]); {
	case app == applicationID, app == 0 && n.State != noteClean:
		return nil // the header may exist only in the write-ahead log
	}
	return refuse("file_not_ours", "The file %s is another program's database. Choose another data directory.", path)
}

// held is an open file's path and its FileInfo when the store opened.
type held struct {
	path string
	info os.FileInfo
}

// pin keeps the store's files open: the database and, through a connection that stays open, the
// write-ahead log and its index, which SQLite removes when the last connection closes. before
// describes the database file before it was opened.
func (db *engine) pin(ctx context.Context, before os.FileInfo) error {
	var err error
	if db.anchor, err = db.read.Conn(ctx); err != nil {
		return failed(err)
	}
	var objects int
	if err := db.anchor.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&objects); err != nil {
		return failed(err)
	}
	files := []held{{db.path(), before}}
	for _, suffix := range []string{"-wal", "-shm"} {
		info, err := os.Lstat(db.path() + suffix)
		if err != nil {
			return fault.Wrap(err, fault.InternalError, "The file %s does not "+
				"exist.", db.path()+suffix).With("store", "replaced")
		}
		files = append(files, held{db.path() + suffix, info})
	}
	db.files.Store(&files)
	return db.still()
}

// still returns an error if a path no longer leads to the file that the store opened. Writes to a
// removed file would be lost.
func (db *engine) still() error {
	files := db.files.Load()
	if files == nil {
		return nil // not open yet
	}
	for _, f := range *files {
		now, err := os.Lstat(f.path)
		//mutant:never `!os.SameFile(f.info, now)` ./store TestReplacedWhileOpen
		if err != nil || !os.SameFile(f.info, now) {
			return fault.Wrap(err, fault.InternalError,
				"The file %s was moved, removed or replaced while Say Ur Intent was running. Nothing was recorded or "+
					"released. Put it back, quit every AI client that uses Say Ur Intent, then start again.",
				f.path).With("store", "replaced")
		}
	}
	return nil
}

// guarded opens connections only while the pinned files are in place. Each connection caches
// compiled statements.
type guarded struct {
	driver.Connector
	still func() error
}

// Connect implements driver.Connector.
func (g guarded) Connect(ctx context.Context) (driver.Conn, error) {
	if err := g.still(); err != nil {
		return nil, err
	}
	engine, err := g.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c, err := newCompiled(engine)
	if err == nil {
		err = g.still()
	}
	if err != nil {
		_ = engine.Close()
		return nil, err
	}
	return c, nil
}
