package stdio

// idleMost is the maximum number of idle goroutines.
const idleMost = 4

// pool runs calls on reused goroutines, because growing a new goroutine's stack takes more than a
// tenth of a small call's time.
type pool struct {
	work  chan func()
	idle  chan struct{} // counts idle goroutines
	ended <-chan struct{}
}

// newPool returns a pool whose idle goroutines exit when ended is closed.
func newPool(ended <-chan struct{}) *pool {
	return &pool{work: make(chan func()), idle: make(chan struct{}, idleMost), ended: ended}
}

// run calls serve concurrently and returns immediately.
func (w *pool) run(serve func()) {
	select {
	case w.work <- serve: // an idle goroutine runs it
	default:
		go w.serve(serve)
	}
}

func (w *pool) serve(serve func()) {
	for {
		serve()
		select {
		case w.idle <- struct{}{}:
		default:
			return // enough goroutines are idle already
		}
		select {
		case serve = <-w.work:
			<-w.idle
		case <-w.ended:
			return
		}
	}
}
