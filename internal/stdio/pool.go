package stdio

// idleMost is how many goroutines wait for the next call.
const idleMost = 4

// pool is a worker pool for calls. It keeps a few idle goroutines because their stacks have grown;
// growing a new stack takes more than a tenth of a small call's time.
type pool struct {
	work  chan func()
	idle  chan struct{} // of idle goroutines
	ended <-chan struct{}
}

// newPool returns a pool whose idle goroutines end with ended.
func newPool(ended <-chan struct{}) *pool {
	return &pool{work: make(chan func()), idle: make(chan struct{}, idleMost), ended: ended}
}

// run calls serve concurrently and returns immediately.
func (w *pool) run(serve func()) {
	select {
	case w.work <- serve: // somebody waits
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
			return // enough of them wait
		}
		select {
		case serve = <-w.work:
			<-w.idle
		case <-w.ended:
			return
		}
	}
}
