package plans

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/request"
)

// State is the state of a group.
type State string

// States of a group. The next call requests groups that are Ready, Stopped or Expired.
const (
	Waiting   State = "waiting"           // a group that it depends on is not done
	Blocked   State = "blocked"           // a group that it depends on ended and is not done
	Ready     State = "ready"             // all groups that it depends on are done
	Asked     State = "awaiting_approval" // waiting for the user's approval
	Running   State = "running"
	Done      State = "done"      // the chain confirmed every step
	Unsettled State = "unsettled" // ended, but a step's result is unknown
	Partly    State = "partly_done"
	Stopped   State = "stopped" // ended, and nothing was executed
	Rejected  State = "rejected"
	Expired   State = "expired" // the user did not answer in time
)

// offered reports whether the next call requests a group in this state. Rejected groups are
// excluded because the user declined them, and partly completed ones because requesting the whole
// group would repeat its completed steps.
func (s State) offered() bool { return s == Ready || s == Stopped || s == Expired }

// open reports whether a group in this state is waiting for the user or running.
func (s State) open() bool { return s == Asked || s == Running }

// States returns the state of each group at now, by ID.
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

// ran returns the state of a group according to its latest request, or "" if there is none. Only
// confirmed steps count as done, because a later group may depend on their results.
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

// why returns the reason why a group's request ended, or "".
func (g Group) why() string {
	if g.Ran == nil || !g.Ran.State.Over() {
		return ""
	}
	return g.Ran.Said()
}
