package fault

import (
	"fmt"
	"runtime"
	"strings"
)

// mostFrames is the maximum number of callers that a Panic lists.
const mostFrames = 12

// Panic is the cause of an error that Recover reports. It has the runtime's message and the
// functions that were running, but no values or arguments, which may contain secrets.
type Panic struct {
	What  string   // text of a runtime error, otherwise the type of the value
	Where []string // function and line, innermost first
}

// Error returns the message and the functions.
func (p *Panic) Error() string { return "panic: " + p.What + " at " + strings.Join(p.Where, " < ") }

// Recover ends a panic of the function that defers it and reports it as *err, an InternalError with
// a Panic as its cause. Every goroutine that answers a caller defers it, so that one unexpected
// response of a node fails one answer and not the process. A Panic raised again, after another
// goroutine recovered it, is reported unchanged.
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
		p.What = e.Error() // written by the runtime, so it contains no data
	}
	*err = Wrap(p, InternalError, "This program failed unexpectedly, so nothing was concluded or sent. "+
		"Try again. If it fails again, report it with the log on standard error.")
}

// running lists the functions between a panic and Recover's caller.
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
