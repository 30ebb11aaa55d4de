package web

import (
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

// bundleIn is what the user answers: the revision that the page showed, and the steps that they
// ticked.
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

// stop ends the bundle. It takes no revision: a user who wants it to stop means it whatever has
// come meanwhile.
func (p *Bundles) stop(c *web.Call) error {
	if _, err := web.Body[bundleIn](c); err != nil {
		return err
	}
	_, err := p.Requests.Stop(c.Ctx(), request.ID(c.ID), c.Right)
	return web.Result(c, struct{}{}, err)
}

// open returns a fresh link to the review that is open on the page.
func (p *Bundles) open(c *web.Call) error {
	if _, err := web.Body[bundleIn](c); err != nil {
		return err
	}
	b, err := p.Requests.Get(c.Ctx(), request.ID(c.ID))
	if err != nil {
		return err
	}
	review := atHand(b)
	if review == "" {
		return fault.New(fault.InvalidSessionTransition, "No step waits for you now.")
	}
	return c.LeadTo(pagetoken.Review, string(review))
}

// atHand returns the review that is open on a bundle's page: that of the current step, or of the
// latest step that started. It is "" before the first.
func atHand(b request.Request) (review record.ID) {
	if step := b.Present(); step != nil && step.State != request.Waiting {
		return step.Review
	}
	for _, s := range b.Steps {
		if s.Review != "" && s.State != request.Waiting {
			review = s.Review
		}
	}
	return review
}

// fromReview returns a fresh link to the bundle that a review is a step of.
func (p *Bundles) fromReview(c *web.Call) error {
	b, ok, err := p.Requests.Of(c.Ctx(), record.ID(c.ID))
	if err == nil && !ok {
		err = fault.New(fault.SessionNotFound, "This review is a step of no bundle.")
	}
	if err != nil {
		return err
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
