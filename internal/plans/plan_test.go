package plans_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
)

// shape makes groups of "a", "b<a" (b waits for a), "c<a,b", each with one step.
func shape(list ...string) (groups []plans.Group) {
	for _, text := range list {
		id, after, waits := strings.Cut(text, "<")
		g := group(id, nil, pay("1", alice))
		if waits {
			g.DependsOn = strings.Split(after, ",")
		}
		groups = append(groups, g)
	}
	return groups
}

func many(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint("g", i))
	}
	return list
}

// TestCheck accepts plans whose groups can be ordered, and explains the defects of others.
func TestCheck(t *testing.T) {
	steps := func(n int, atomic bool) []plans.Group {
		g := shape("a")[0]
		g.Steps, g.Atomic = slices.Repeat(g.Steps, n), atomic
		return []plans.Group{g}
	}
	for _, c := range []struct {
		name   string
		groups []plans.Group
		wrong  string
	}{
		{"one", shape("a"), ""},
		{"a diamond, backwards", shape("d<b,c", "c<a", "b<a", "a"), ""},
		{"as many as may be", shape(many(20)...), ""},
		{"ten steps", steps(10, false), ""},
		{"none", nil, "this one has 0"},
		{"too many", shape(many(21)...), "this one has 21"},
		{"one id twice", shape("a", "a"), `the id "a"`},
		{"after itself", shape("a<a"), `"a" depends on itself`},
		{"after nobody", shape("a<z"), `no group has that id`},
		{"after one twice", shape("a", "b<a,a"), `names "a" twice`},
		{"two in a circle", shape("a<b", "b<a"), "b, a depend on each other in a cycle"},
		{"three in a circle, one behind it", shape("q", "a<q,c", "b<a", "c<b", "w<c"), "depend on each other in a cycle"},
		{"no steps", steps(0, false), "has 0 steps"},
		{"eleven steps", steps(11, false), "has 11 steps"},
		{"atomic of one", steps(1, true), "has 1 steps"},
		{"atomic of nine", steps(9, true), "has 9 steps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := plans.Check(c.groups)
			if c.wrong == "" && err != nil || c.wrong != "" &&
				(!fault.Is(err, fault.InputInvalid) || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("%v", err)
			}
			if c.name == "three in a circle, one behind it" &&
				(strings.Contains(err.Error(), "q") || strings.Contains(err.Error(), "w")) {
				t.Errorf("groups outside the circle are named: %v", err)
			}
		})
	}
}

// TestOrder puts each group after those it depends on, and otherwise keeps the given order.
func TestOrder(t *testing.T) {
	groups := shape("d<b,c", "c<a", "b<a", "a", "e")
	var ids []string
	for _, i := range plans.Order(groups) {
		ids = append(ids, groups[i].ID)
	}
	if got := strings.Join(ids, " "); got != "a c b d e" {
		t.Error(got)
	}
}

// TestStates reads the states of groups from their requests and reviews.
func TestStates(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	ran := func(s request.State, reason string, steps ...request.Step) *request.Request {
		return &request.Request{State: s, Reason: reason, Steps: steps, ApproveBy: now.Add(time.Minute)}
	}
	confirmed, waits := request.Step{State: request.Confirmed}, request.Step{State: request.Waiting}
	failed, pending := request.Step{State: request.Failed}, request.Step{State: request.Pending}
	unknown, handed := request.Step{State: request.TimedOut}, request.Step{State: request.Failed, Handed: true}
	late := ran(request.Asked, "", waits)
	late.ApproveBy = now
	for _, c := range []struct {
		name string
		ran  *request.Request
		made *record.Session
		want plans.State
		next plans.State // state of a group that depends on it
	}{
		{"never asked for", nil, nil, plans.Ready, plans.Waiting},
		{"asked", ran(request.Asked, "", waits), nil, plans.Asked, plans.Waiting},
		{"asked too long ago", late, nil, plans.Expired, plans.Blocked},
		{"runs", ran(request.Running, "", confirmed, waits), nil, plans.Running, plans.Waiting},
		{"done", ran(request.Completed, "", confirmed, confirmed), nil, plans.Done, plans.Ready},
		{"submitted, and nobody waited", ran(request.Completed, "", confirmed, pending), nil, plans.Unsettled,
			plans.Waiting},
		{"a receipt that came late", ran(request.Stopped, "timeout", confirmed, confirmed), nil, plans.Done,
			plans.Ready},
		{"timeout", ran(request.Stopped, "", confirmed, unknown), nil, plans.Unsettled, plans.Waiting},
		{"failed, and may still happen", ran(request.Stopped, "", handed, waits), nil, plans.Unsettled, plans.Waiting},
		{"failed after a part", ran(request.Stopped, "", confirmed, failed), nil, plans.Partly, plans.Blocked},
		{"failed at once", ran(request.Stopped, "", failed, waits), nil, plans.Stopped, plans.Blocked},
		{"lapsed", ran(request.Expired, "", waits), nil, plans.Expired, plans.Blocked},
		{"rejected", ran(request.Rejected, request.UserRejected, waits), nil, plans.Rejected, plans.Blocked},
		{"approved for later", ran(request.Rejected, request.ApprovedLater, waits), nil, plans.Stopped, plans.Blocked},
		{"a review waits", nil, &record.Session{Status: record.Ready, ExpiresAt: now.Add(1)}, plans.Asked,
			plans.Waiting},
		{"a review nobody opened", nil, &record.Session{Status: record.Proposed, ExpiresAt: now}, plans.Expired,
			plans.Blocked},
		{"a review with a wallet", nil, &record.Session{Status: record.Ready, ExpiresAt: now,
			Releases: make([]record.Release, 1)}, plans.Running, plans.Waiting},
		{"a review done", nil, &record.Session{Status: record.Success}, plans.Done, plans.Ready},
		{"a review failed", nil, &record.Session{Status: record.Failure}, plans.Stopped, plans.Blocked},
		{"a review declined", nil, &record.Session{Status: record.Failure,
			Execution: &record.Execution{FailureReason: record.FailureWalletRejected}},
			plans.Rejected, plans.Blocked},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.made != nil { // the request that began as the review, and follows it
				b, err := request.Sign(record.Session{Status: record.Ready, ExpiresAt: c.made.ExpiresAt}, "", request.Request{})
				if err != nil {
					t.Fatal(err)
				}
				b.Follow(*c.made, now)
				c.ran = &b
			}
			p := plans.Plan{Groups: shape("b<a", "a")}
			p.Groups[1].Ran = c.ran
			if got := p.States(now); got["a"] != c.want || got["b"] != c.next {
				t.Errorf("%v", got)
			}
		})
	}
}
