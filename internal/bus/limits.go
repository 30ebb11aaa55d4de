package bus

import "time"

// The limits of the bus.
const (
	MostPayload = 16 << 10 // bytes of one stored event
	MostRead    = 1000     // events in one page

	mostRecorded = 256 << 10 // bytes of an entry of the record
	MostTasks    = 16        // running tasks of a session

	MostQuestions = 3    // open questions of a session
	MostQuestion  = 1000 // characters of a question
	MostChoices   = 8    // answers to choose from
	mostChoice    = 100  // characters of a choice
	MostAnswer    = 2000 // characters
	MostNote      = 4000 // characters of a user's note

	MostLines     = 5       // per tool result
	MostLineBytes = 4 << 10 // of all of them
	mostResult    = 1000    // code points of a result in a line

	resultTTL = 24 * time.Hour // how long a task is kept after its deadline
)

// DefaultPolicy returns the default retention of events.
func DefaultPolicy() Policy {
	return Policy{Age: 7 * 24 * time.Hour, Rows: 10_000, AgentAge: 24 * time.Hour}
}

// MostPayload returns the size limit of events of this type, in bytes.
func (t Type) MostPayload() int {
	if t == TypeRecorded {
		return mostRecorded
	}
	return MostPayload
}
