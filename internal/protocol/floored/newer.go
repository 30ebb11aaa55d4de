package floored

import (
	"context"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
)

// quote simulates a use. If the known version of the protocol aborts, and a newer version may be
// called, quote sets that version in u and adds a warning to the review. Otherwise it returns the
// known version's result, with a check that explains why the newer version is not called.
func (p *protocol) quote(ctx context.Context, u *Use, s *plan.Step) (Quoted, error) {
	q, err := u.Quote(ctx, p.chain, s)
	if err != nil || q.Failed == nil || q.Failed.Abort == nil || u.Inputs.Newer != nil {
		return q, err
	}
	n, why, err := versions.Confirm(ctx, p.chain, p.second, u.Function)
	if err != nil {
		return q, nil // the node lists no versions, so report the known version's failure
	}
	if why != "" {
		s.Check(plan.Warn(plan.SourceNetwork, p.check("_newer_version"), "Version",
			p.Name+" has a newer version, which is not called: "+why+".",
			"If "+p.Name+" no longer works here, update Say Ur Intent.").AsNote())
	}
	if n == nil {
		return q, nil
	}
	next := *u
	next.Inputs.Newer = n
	again, err := next.Quote(ctx, p.chain, s)
	if err != nil || again.Failed != nil {
		return q, err
	}
	*u = next
	p.call(n)
	s.Read(plan.Reading{Name: "version of " + p.Name, Value: n.Published.String()})
	s.Check(p.warning(n))
	return again, nil
}

// warning returns the check that warns about a call of an unknown version.
func (p *protocol) warning(n *floor.Newer) plan.Check {
	return plan.Warn(plan.SourceNetwork, p.check("_newer_version"), "Version",
		fmt.Sprintf("This calls version %d of %s. Say Ur Intent knows version %d, which no longer works, and has not "+
			"reviewed the newer code. The minimum is in the transaction, so it holds anyway. Two nodes report the same "+
			"package and unchanged functions.", n.Version, p.Name, n.Pinned),
		"Sign only if the minimum is enough for you, or update Say Ur Intent.")
}

// call stores the newer version that reviews call from now on, so that read accepts it.
func (p *protocol) call(n *floor.Newer) {
	p.one.Lock()
	defer p.one.Unlock()
	p.newer = n
}

// called returns the newer version that reviews call, or nil for none.
func (p *protocol) called() *floor.Newer {
	p.one.Lock()
	defer p.one.Unlock()
	return p.newer
}
