package fault

import (
	"fmt"
	"runtime"
	"strings"
)

// mostFrames is the maximum number of callers that a Panic lists.
const mostFrames = 12

// Panic is the cause of an error that Recover returns. It holds the runtime's message and the
// functions that were running. It has no values or arguments, because these may contain secrets.
type Panic struct {
	What  string   // message of a runtime error, or the type of any other value
	Where []string // functions and lines, innermost first
}

// Error returns the message and the functions.
func (p *Panic) Error() string { return "panic: " + p.What + " at " + strings.Join(p.Where, " < ") }

// Recover recovers from a panic of the function that defers it, and sets *err to an InternalError
// whose cause is a Panic. Every goroutine that responds to a caller should defer it, so that an
// unexpected response of a node fails one call instead of the process. If a Panic is raised again,
// because it was recovered in another goroutine, Recover keeps it.
func Recover(err *error) {
	v := recover()
	//mutant:always ./review/gate TestPanicsEndInAFinding
	if v == nil {
		return
	}
	if e, ok := v.(*Error); ok {
		*err = e
		return
	}
	p := &Panic{What: fmt.Sprintf("%T", v), Where: running()}
	if e, ok := v.(runtime.Error); ok {
		p.What = e.Error() // written by the runtime, so it contains no secrets
	}
	*err = Wrap(p, InternalError, "This program failed unexpectedly, so nothing was concluded or sent. "+
		"Try again. If it fails again, report it with the log on standard error.")
}

// running lists the functions that were running, from the panic to the caller of Recover.
func running() []string {
	var where []string
	callers := make([]uintptr, 2*mostFrames)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for more := true; more && len(where) < mostFrames; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			where = append(where, fmt.Sprintf("%s:%d", f.Function[strings.LastIndexByte(f.Function, '/')+1:], f.Line))
		}
	}
	return where
}
