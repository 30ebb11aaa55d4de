package plans

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/request"
)

// State is what a group has come to.
type State string

// The states. Ready, Stopped and Expired are asked for by the next call.
const (
	Waiting   State = "waiting"           // a group that it depends on is not done
	Blocked   State = "blocked"           // a group that it depends on ended and is not done
	Ready     State = "ready"             // everything that it depends on is done
	Asked     State = "awaiting_approval" // the person has not answered
	Running   State = "running"
	Done      State = "done"      // every step is confirmed by the chain
	Unsettled State = "unsettled" // it is over, and whether a step of it happens is not known yet
	Partly    State = "partly_done"
	Stopped   State = "stopped" // nothing of it happened
	Rejected  State = "rejected"
	Expired   State = "expired" // nobody answered in time
)

// offered reports whether the next call asks for a group in this state. One that the
// person rejected is not asked for again: they said no. One of which a part was done is
// not, because asking for the whole of it would do that part twice.
func (s State) offered() bool { return s == Ready || s == Stopped || s == Expired }

// open reports whether a group in this state waits for the person or runs.
func (s State) open() bool { return s == Asked || s == Running }

// States returns the state of every group at a time, by its id.
func (p Plan) States(now time.Time) map[string]State {
	states := map[string]State{}
	for _, i := range Order(p.Groups) {
		g := p.Groups[i]
		s := g.ran(now)
		if s == "" {
			s = Ready
			for _, d := range g.DependsOn {
				switch before := states[d]; {
				case before == Done:
				case slices.Contains([]State{Blocked, Partly, Stopped, Rejected, Expired}, before):
					s = Blocked
				case s == Ready:
					s = Waiting
				}
			}
		}
		states[g.ID] = s
	}
	return states
}

// ran is the state of a group by its request, "" where it was not asked for. Only what the
// chain has confirmed counts as done: a later group may rest on it.
func (g Group) ran(now time.Time) State {
	b := g.Ran
	if b == nil {
		return ""
	}
	confirmed, begun := 0, false
	for _, s := range b.Steps {
		if s.State == request.Confirmed {
			confirmed++
		}
		begun = begun || s.Handed || s.State == request.Submitted
	}
	switch {
	case b.State == request.Running, b.State == request.Signing && begun:
		return Running
	case !b.State.Over() && !now.Before(b.ApproveBy):
		return Expired
	case !b.State.Over():
		return Asked
	//mutant:never `confirmed == len(b.Steps)` ./internal/plans TestStates
	case confirmed == len(b.Steps):
		return Done
	//mutant:never ./internal/plans TestStates
	case len(b.Owed()) > 0:
		return Unsettled
	//mutant:never ./internal/plans TestStates
	case confirmed > 0:
		return Partly
	case b.State == request.Expired:
		return Expired
	case b.State == request.Rejected && b.Reason != request.ApprovedLater:
		return Rejected
	}
	return Stopped
}

// why is the reason for which a group is over.
func (g Group) why() string {
	if g.Ran == nil || !g.Ran.State.Over() {
		return ""
	}
	return g.Ran.Said()
}
