package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
)

// maxCompiled is how many statements a connection keeps compiled. The program has about
// twice as many texts, and uses few of them often.
const maxCompiled = 128

// engineConn is what a connection of the engine can do.
type engineConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// engineStmt is what a compiled statement of the engine can do.
type engineStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// compiled is a connection that keeps its compiled statements by their texts, because
// compiling a short query takes longer than running it. A text with a value in it would
// be compiled each time and push others out, so texts must be constants.
//
// A kept statement is reset: it holds no lock, no snapshot of the file and no argument.
// The engine compiles it again by itself after a change of the schema. database/sql
// never makes two calls on one connection at the same time.
type compiled struct {
	engineConn
	idle map[string]*idleStmt
	uses uint64
}

// idleStmt is a statement that nothing is using.
type idleStmt struct {
	engineStmt
	used uint64 // the value of compiled.uses when it was kept
}

// newCompiled returns c with an empty list of statements.
func newCompiled(c driver.Conn) (*compiled, error) {
	engine, ok := c.(engineConn)
	if !ok {
		return nil, errors.New("store: the engine's connections lack a method")
	}
	return &compiled{engineConn: engine, idle: map[string]*idleStmt{}}, nil
}

// Close implements driver.Conn. It closes the kept statements first, because the engine
// keeps a file open while a statement of it exists.
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

// compiledRows are the rows of a statement that is kept when they are closed.
type compiledRows struct {
	driver.Rows
	conn  *compiled
	query string
	stmt  engineStmt
}

// Close implements driver.Rows. A statement that failed is not kept: resetting it
// reports the failure again, and the engine may not have cleared its arguments.
func (r *compiledRows) Close() error {
	if err := r.Rows.Close(); err != nil {
		_ = r.stmt.Close()
		return err
	}
	return r.conn.keep(r.query, r.stmt)
}

// keepable reports whether a statement may be kept. Some pragmas act while they are
// compiled, and scripts are compiled one statement at a time.
func keepable(query string) bool {
	word, _, _ := strings.Cut(query, " ")
	switch word {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}

// take returns a statement that nothing is using, and compiles one if none is kept.
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

// keep keeps a statement after its use, in place of the one unused for the longest time
// if there are too many. Of two statements with the same text it keeps one.
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
