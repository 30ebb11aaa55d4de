package web

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/review/record"
)

// bundleIn is what the person answers: the revision that the page showed, and the steps
// that they ticked.
type bundleIn struct {
	Revision int64        `json:"revision"`
	Accepted []string     `json:"accepted,omitempty"` // again:<id> of other requests
	Mode     request.Mode `json:"mode,omitempty"`     // to choose
}

// answer reads an answer to what the page showed.
func (p *Bundles) answer(c *web.Call, take func(id request.ID, in bundleIn, a request.Answer) error) error {
	in, err := web.Body[bundleIn](c)
	if err == nil {
		err = take(request.ID(c.ID), in, request.Answer{Revision: in.Revision, Right: c.Right})
	}
	return web.Result(c, struct{}{}, err)
}

func (p *Bundles) approve(c *web.Call) error {
	return p.answer(c, func(id request.ID, in bundleIn, a request.Answer) error {
		_, err := p.Requests.Approve(c.Ctx(), id, a, in.Accepted)
		return err
	})
}

// mode changes how the steps are signed.
func (p *Bundles) mode(c *web.Call) error {
	return p.answer(c, func(id request.ID, in bundleIn, a request.Answer) error {
		_, err := p.Requests.Choose(c.Ctx(), id, a, in.Mode)
		return err
	})
}

func (p *Bundles) reject(c *web.Call) error {
	return p.answer(c, func(id request.ID, _ bundleIn, a request.Answer) error {
		_, err := p.Requests.Reject(c.Ctx(), id, a)
		return err
	})
}

func (p *Bundles) later(c *web.Call) error {
	return p.answer(c, func(id request.ID, _ bundleIn, a request.Answer) error {
		return p.Requests.Later(c.Ctx(), id, a, c.Pass.ID)
	})
}

// stop ends the bundle. It takes no revision: a person who wants it to stop means it
// whatever has come meanwhile.
func (p *Bundles) stop(c *web.Call) error {
	if _, err := web.Body[bundleIn](c); err != nil {
		return err
	}
	_, err := p.Requests.Stop(c.Ctx(), request.ID(c.ID), c.Right)
	return web.Result(c, struct{}{}, err)
}

// open returns a fresh link to the review of the present step.
func (p *Bundles) open(c *web.Call) error {
	if _, err := web.Body[bundleIn](c); err != nil {
		return err
	}
	review, err := p.presentReview(c.Ctx(), request.ID(c.ID), "")
	if err != nil {
		return err
	}
	if review == "" {
		return fault.New(fault.InvalidSessionTransition, "No step waits for you at present.")
	}
	return c.LeadTo(pagetoken.Review, string(review))
}

// nextPatience is how long a page waits for the review of the next step to be made.
const nextPatience = 3 * time.Second

// presentReview returns the review of the step whose turn it is, after a review that is
// over. It waits a little while that is being made, and is "" where there is none.
func (p *Bundles) presentReview(ctx context.Context, id request.ID, after record.ID) (review record.ID, err error) {
	ctx, stop := context.WithTimeout(ctx, nextPatience)
	defer stop()
	err = p.Hub.Until(ctx, func() (bool, time.Duration, error) {
		b, err := p.Requests.Get(ctx, id)
		if err != nil {
			return false, 0, err
		}
		step := b.Present()
		if step == nil || b.Stopping != "" {
			return true, 0, nil
		}
		if step.State != request.Waiting && step.Review != after {
			review = step.Review
		}
		return review != "", 0, nil
	}, events.Subject{Kind: events.Bundle, ID: string(id)})
	if ctx.Err() != nil {
		return "", nil
	}
	return review, err
}

// fromReview returns a fresh link to the bundle that a review is a step of, or to the next
// step where this one is over.
func (p *Bundles) fromReview(c *web.Call) error {
	id := record.ID(c.ID)
	b, ok, err := p.Requests.Of(c.Ctx(), id)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.SessionNotFound, "This review is a step of no bundle.")
	}
	r, err := p.Reviews.Get(c.Ctx(), id)
	if err != nil {
		return err
	}
	if r.Status == record.Success && b.State == request.Running {
		if next, err := p.presentReview(c.Ctx(), b.ID, id); err != nil || next != "" {
			if err == nil {
				err = c.LeadTo(pagetoken.Review, string(next))
			}
			return err
		}
	}
	return c.LeadTo(pagetoken.Bundle, string(b.ID))
}

// part has the steps of one transaction signed one by one, and leads to their page.
func (p *Bundles) part(c *web.Call) error {
	b, err := p.Requests.Part(c.Ctx(), record.ID(c.ID), c.Right)
	if err != nil {
		return err
	}
	return c.LeadTo(pagetoken.Bundle, string(b.ID))
}

// fromConsole returns a fresh link to a bundle of the same client that is not over.
func (p *Bundles) fromConsole(c *web.Call, in listing.Chosen) error {
	newest, _, err := p.Bus.Following(c.Ctx(), c.Pass.Subject)
	if err != nil {
		return err
	}
	b, err := p.Requests.Get(c.Ctx(), request.ID(in.ID))
	if err != nil {
		return err
	}
	own, err := bus.SameClient(c.Ctx(), p.Bus, newest, b.Session)
	//mutant:never `!own` ./review/web TestBundlePage
	if err == nil && !own {
		err = fault.New(fault.SessionNotFound, "This bundle is of another AI client.")
	}
	if err != nil {
		return err
	}
	return c.LeadTo(pagetoken.Bundle, string(b.ID))
}
