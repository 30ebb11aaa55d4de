package bus

import "time"

// Limits of the bus.
const (
	MostPayload = 16 << 10 // bytes of a stored event
	MostRead    = 1000     // events in a page

	mostRecorded = 256 << 10 // bytes of a record entry
	MostTasks    = 16        // running tasks per session

	MostQuestions = 3    // open questions per session
	MostQuestion  = 1000 // characters of a question
	MostChoices   = 8    // choices of a question
	mostChoice    = 100  // characters of a choice
	MostAnswer    = 2000 // characters of an answer
	MostNote      = 4000 // characters of a user's note

	MostLines     = 5       // lines added to a tool result
	MostLineBytes = 4 << 10 // total bytes of these lines
	mostResult    = 1000    // code points of a result quoted in a line

	resultTTL = 24 * time.Hour // time that a task is kept after its deadline
)

// DefaultPolicy returns the default retention of events.
func DefaultPolicy() Policy {
	return Policy{Age: 7 * 24 * time.Hour, Rows: 10_000, AgentAge: 24 * time.Hour}
}

// MostPayload returns the maximum size in bytes of an event of this type.
func (t Type) MostPayload() int {
	if t == TypeRecorded {
		return mostRecorded
	}
	return MostPayload
}
