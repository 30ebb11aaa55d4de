package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
)

// maxCompiled is the number of compiled statements that a connection caches. The program has about
// twice as many, but rarely uses most of them.
const maxCompiled = 128

// engineConn is the set of interfaces that the engine's connections implement.
type engineConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// engineStmt is the set of interfaces that the engine's statements implement.
type engineStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// compiled is a connection that caches compiled statements by text, because compiling a short query
// takes longer than running it. Texts must be constants: a text that contains a value would be
// compiled each time and evict others.
//
// A cached statement is reset: it holds no lock, snapshot or argument. After a schema change, the
// engine recompiles it. database/sql never makes two concurrent calls on one connection.
type compiled struct {
	engineConn
	idle map[string]*idleStmt
	uses uint64
}

// idleStmt is a cached statement that is not in use.
type idleStmt struct {
	engineStmt
	used uint64 // compiled.uses at the time it was cached
}

// newCompiled returns a connection over c with an empty cache.
func newCompiled(c driver.Conn) (*compiled, error) {
	engine, ok := c.(engineConn)
	if !ok {
		return nil, errors.New("store: the engine's connections lack a method")
	}
	return &compiled{engineConn: engine, idle: map[string]*idleStmt{}}, nil
}

// Close implements driver.Conn. It closes the cached statements first, because the engine keeps a
// file open while it has statements.
func (c *compiled) Close() error {
	var err error
	for _, s := range c.idle {
		err = errors.Join(err, s.Close())
	}
	c.idle = nil
	return errors.Join(err, c.engineConn.Close())
}

// ExecContext implements driver.ExecerContext.
func (c *compiled) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !keepable(query) {
		return c.engineConn.ExecContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	r, err := s.ExecContext(ctx, args)
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return r, c.keep(query, s)
}

// QueryContext implements driver.QueryerContext.
func (c *compiled) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !keepable(query) {
		return c.engineConn.QueryContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	r, err := s.QueryContext(ctx, args)
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return &compiledRows{Rows: r, conn: c, query: query, stmt: s}, nil
}

// compiledRows are the rows of a statement that returns to the cache when they are closed.
type compiledRows struct {
	driver.Rows
	conn  *compiled
	query string
	stmt  engineStmt
}

// Close implements driver.Rows. A failed statement is not cached: resetting it would report the
// failure again, and the engine may not have cleared its arguments.
func (r *compiledRows) Close() error {
	if err := r.Rows.Close(); err != nil {
		_ = r.stmt.Close()
		return err
	}
	return r.conn.keep(r.query, r.stmt)
}

// keepable reports whether a statement may be cached. Some pragmas take effect when compiled, and
// scripts are compiled one statement at a time.
func keepable(query string) bool {
	word, _, _ := strings.Cut(query, " ")
	switch word {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}

// take removes the statement for query from the cache and returns it, compiling one if none is
// cached.
func (c *compiled) take(ctx context.Context, query string) (engineStmt, error) {
	if s := c.idle[query]; s != nil {
		delete(c.idle, query)
		return s.engineStmt, nil
	}
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	of, ok := s.(engineStmt)
	if !ok {
		_ = s.Close()
		return nil, errors.New("store: the engine's statements lack a method")
	}
	return of, nil
}

// keep caches a statement after use, evicting the least recently used if there are too many. It
// caches one statement per text.
func (c *compiled) keep(query string, s engineStmt) error {
	if c.idle[query] != nil {
		return s.Close()
	}
	c.uses++
	c.idle[query] = &idleStmt{s, c.uses}
	if len(c.idle) <= maxCompiled {
		return nil
	}
	oldest, used := "", c.uses
	for text, s := range c.idle {
		if s.used < used {
			oldest, used = text, s.used
		}
	}
	gone := c.idle[oldest]
	delete(c.idle, oldest)
	return gone.Close()
}
