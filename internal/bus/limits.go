package bus

import "time"

// The limits of the bus, in one place.
const (
	MostPayload = 16 << 10 // bytes of one stored event
	MostRead    = 1000     // events in one page

	mostRecorded = 256 << 10 // bytes of an entry of the record
	MostTasks    = 16        // running tasks of a session

	MostQuestions = 3    // open ones of a session
	MostQuestion  = 1000 // characters of one
	MostChoices   = 8    // answers to choose from
	mostChoice    = 100  // characters of one
	MostAnswer    = 2000 // characters
	MostNote      = 4000 // characters of a note of the person

	MostLines     = 5       // with one tool answer
	MostLineBytes = 4 << 10 // of all of them
	mostResult    = 1000    // code points of a result in a line

	resultTTL = 24 * time.Hour // a task is kept so long after its deadline
)

// DefaultPolicy returns how long events are kept where nothing else is said.
func DefaultPolicy() Policy {
	return Policy{Age: 7 * 24 * time.Hour, Rows: 10_000, AgentAge: 24 * time.Hour}
}

// MostPayload returns how many bytes an event of this type has at most.
func (t Type) MostPayload() int {
	if t == TypeRecorded {
		return mostRecorded
	}
	return MostPayload
}
