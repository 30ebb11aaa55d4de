package fault

import (
	"fmt"
	"runtime"
	"strings"
)

// mostFrames is how many callers a Panic names.
const mostFrames = 12

// Panic is the cause of an Error that Panicked returns. It names what the
// runtime said and the functions that were running. Values and arguments are
// left out: they may hold anything, secrets too.
type Panic struct {
	What  string   // of a runtime error its text, else the type of the value
	Where []string // function and line, the innermost first
}

// Error returns what happened and where.
func (p *Panic) Error() string { return "panic: " + p.What + " at " + strings.Join(p.Where, " < ") }

// Recover ends a panic of the function that defers it and reports it as *err, an
// InternalError with a Panic as its cause. Every goroutine that answers somebody
// defers it, so that one answer of a node that nobody thought of costs one answer
// and not the process. What was recovered before, in another goroutine, and raised
// again stays itself.
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
		p.What = e.Error() // written by the runtime, free of data
	}
	*err = Wrap(p, InternalError, "Something in this program failed unexpectedly, so nothing was concluded or sent. "+
		"Try again; if it stays, report it with the log on standard error.")
}

// running names the functions between a panic and Recover's caller.
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
