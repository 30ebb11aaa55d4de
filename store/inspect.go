package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/filelock"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Inspection is the result of Inspect. Fields that could not be read are zero.
type Inspection struct {
	Dir     string // absolute path
	HasDir  bool   // whether the directory exists
	HasFile bool   // whether the directory contains the database

	// Trouble is the error that Open would return, or nil.
	Trouble error
	// Unfinished reports that a process ended without closing the database and left a write-ahead
	// log. In that case Inspect read nothing. The next Open applies the log.
	Unfinished bool

	// Unmade reports that the first start did not finish. The next start continues it.
	Unmade bool

	// Lost reports that changes stored before a release of transaction bytes are missing, so a
	// wallet may hold a transaction that the store does not know.
	Lost bool

	// Damaged lists up to maxDamaged invalid rows; MoreDamage reports whether there are more.
	Damaged    []Damage
	MoreDamage bool

	Engine    string                // version of SQLite
	Format    int                   // format of the data; 0 before the first start
	Newest    int                   // format written by this version
	Unsettled int                   // reviews with a released transaction and no result
	Followed  map[sui.Digest]uint64 // newest epoch with a stored signed end, by chain
	Stored    settings.Stored       // the user's settings; zero if Format is not Newest
}

// Inspect checks a data directory and reads the whole database. It changes nothing: it does not
// create, migrate, repair or lock anything. It works even if Open fails.
func Inspect(ctx context.Context, dir string) Inspection {
	in := Inspection{Dir: dir}
	var err error
	if in.Dir, err = filepath.Abs(dir); err != nil {
		in.Trouble = fault.Wrap(err, fault.InternalError, "The absolute path of the data directory %q cannot be "+
			"determined.", dir)
		return in
	}
	if in.Trouble = in.lookAtFiles(); in.Trouble != nil || !in.HasDir {
		return in
	}
	if in.HasFile {
		in.Trouble = in.read(ctx)
	}
	return in
}

// lookAtFiles checks the directory and its files as Open does.
func (in *Inspection) lookAtFiles() error {
	info, err := os.Lstat(in.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	in.HasDir = err == nil
	if err == nil {
		err = cmp.Or(judgeDir(in.Dir, info), judgeParents(in.Dir))
	} else {
		err = fault.Wrap(err, fault.InternalError, "The data directory %s cannot be read.", in.Dir).With("store",
			"directory_unreadable")
	}
	if err != nil {
		return err
	}
	path := filepath.Join(in.Dir, fileName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	in.HasFile = true
	if err := judgeFiles(in.lstat, in.Dir, fileName); err != nil {
		return err
	}
	return in.judgeUnused()
}

func (in *Inspection) lstat(name string) (fs.FileInfo, error) {
	return os.Lstat(filepath.Join(in.Dir, name))
}

func (in *Inspection) file(name string) (*os.File, error) {
	return os.Open(filepath.Join(in.Dir, name))
}

// judgeUnused checks the file header and the write-ahead log as Open does. It does nothing if
// another process has the store open, because that process checked them.
func (in *Inspection) judgeUnused() error {
	if lock, err := in.file(useName); err == nil {
		defer func() { _ = lock.Close() }()
		if alone, err := filelock.Try(lock, false); err != nil || !alone {
			return nil
		}
	}
	n := readNote(in.file)
	in.Unmade = n.State == noteNew
	if err := judgeHead(in.file, n, in.Dir); err != nil {
		return err
	}
	return judgeLog(in.file, n, filepath.Join(in.Dir, walName))
}

// read opens the database read-only and reads all of it.
func (in *Inspection) read(ctx context.Context) error {
	db := over(&engine{dir: in.Dir})
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "trusted_schema(0)", "cell_size_check(1)"},
		"_query_only": {"1"}}
	if log, err := os.Lstat(db.path() + "-wal"); err == nil && log.Size() > 0 {
		if _, err := os.Lstat(db.path() + "-shm"); err != nil {
			in.Unfinished = true // reading would have to create the log's index
			return nil
		}
	} else if _, err := os.Lstat(db.path() + "-shm"); err != nil {
		q.Set("immutable", "1") // no process has it open; leave no files behind
	}
	pool, err := newPool(db.path(), q, func() error { return nil })
	if err != nil {
		return err
	}
	db.read, db.write = pool, pool
	defer func() { _ = db.Close() }()
	return in.ask(ctx, db)
}

func (in *Inspection) ask(ctx context.Context, db *DB) error {
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return failed(err)
	}
	in.Newest = len(steps)
	c, err := db.condition(ctx)
	if err != nil {
		return err
	}
	in.Engine, in.Format = c.engine, c.version
	if err := db.judge(c, in.Newest, in.Unmade); err != nil {
		return err
	}
	missing, err := lost(ctx, db.read, readNote(in.file))
	if err != nil {
		return err
	}
	in.Lost = missing > 0
	if err := db.Check(ctx); err != nil || in.Format != in.Newest {
		return err
	}
	if in.Damaged, err = db.Damaged(ctx, maxDamaged+1); err != nil {
		return err
	}
	if in.MoreDamage = len(in.Damaged) > maxDamaged; in.MoreDamage {
		in.Damaged = in.Damaged[:maxDamaged]
	}
	waiting, err := db.Unsettled(ctx)
	if err != nil {
		return err
	}
	in.Unsettled = len(waiting)
	if in.Followed, err = db.followed(ctx); err != nil {
		return err
	}
	if in.Stored, err = db.Settings(ctx); fault.As(err).Detail.Get("store") == "damaged" {
		err = nil // already listed among the damaged rows
	}
	return err
}
