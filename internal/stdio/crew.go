package stdio

// idleMost is how many goroutines wait for the next call.
const idleMost = 4

// crew runs calls beside one another. It keeps a few goroutines for the calls
// that come: theirs are stacks that have grown to what a call needs, which costs
// a new one more than a tenth of a small call.
type crew struct {
	work  chan func()
	seats chan struct{} // of those that wait
	ended <-chan struct{}
}

// newCrew gives a crew whose idle goroutines end with ended.
func newCrew(ended <-chan struct{}) *crew {
	return &crew{work: make(chan func()), seats: make(chan struct{}, idleMost), ended: ended}
}

// run calls serve beside everything else and returns at once.
func (w *crew) run(serve func()) {
	select {
	case w.work <- serve: // somebody waits
	default:
		go w.serve(serve)
	}
}

func (w *crew) serve(serve func()) {
	for {
		serve()
		select {
		case w.seats <- struct{}{}:
		default:
			return // enough of them wait
		}
		select {
		case serve = <-w.work:
			<-w.seats
		case <-w.ended:
			return
		}
	}
}
