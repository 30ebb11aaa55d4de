package deepbook

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// place identifies an abort by its module and code. Later packages number the codes of module pool
// differently, so a code is meaningful only together with its package.
type place struct {
	module string
	code   uint64
}

// Aborts that determine how a read continues, and the abort that explains a failed swap.
var (
	packageDisabled = place{"pool", 11}
	emptyBook       = place{"book", 2}
	belowMinimum    = place{"pool", 12}
)

// refusedRead is the error of a simulated read that aborted.
type refusedRead struct {
	abort *sui.MoveAbort
	err   error
}

// Error returns the text of the fault.
func (e *refusedRead) Error() string { return e.err.Error() }

// Unwrap returns the fault.
func (e *refusedRead) Unwrap() error { return e.err }

// isAt reports whether a is abort p of the called package. Nodes report the id of the called package
// or of the original one.
func isAt(a *sui.MoveAbort, called sui.ObjectID, p place) bool {
	return a != nil && (a.Package == called || a.Package == registry.OriginalPackage) && a.Module == p.module &&
		a.Code == p.code
}

func versionDisabled(a *sui.MoveAbort, called sui.ObjectID) bool {
	return isAt(a, called, packageDisabled)
}

// abortedAt reports whether err is a read that aborted at p in any pinned package, in command number
// command.
func abortedAt(err error, p place, command int) bool {
	var e *refusedRead
	if !errors.As(err, &e) || e.abort == nil || e.abort.Command != command {
		return false
	}
	for _, pkg := range registry.Packages() {
		if isAt(e.abort, pkg.ID, p) {
			return true
		}
	}
	return false
}

// failure explains in one sentence why a read failed. The details contain the package, module and code.
func failure(pool registry.Pool, called sui.ObjectID, s sui.ExecutionStatus) *fault.Error {
	a := s.Abort
	if a == nil {
		return fault.New(fault.QuoteUnavailable, "The read of the pool %s failed in simulation (%s).", pool.Key, s.Kind)
	}
	e := fault.New(fault.QuoteUnavailable,
		"The pool %s refused the read for an unknown reason (%s, code %d).",
		pool.Key, a.Module, a.Code)
	if r, ok := Meaning(*a, called, ForRead); ok {
		text := strings.TrimSpace(strings.Replace(r.Message, "The pool", "The pool "+pool.Key, 1) + " " + r.Advice)
		e = fault.New(fault.QuoteUnavailable, "%s", text)
	}
	return e.With("package", a.Package.String()).With("module", a.Module).With("code", strconv.FormatUint(a.Code, 10))
}
