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

// bundleIn is the user's answer: the revision that the page showed, and what the user ticked.
type bundleIn struct {
	Revision int64        `json:"revision"`
	Accepted []string     `json:"accepted,omitempty"` // "again:" with the ids of other requests
	Mode     request.Mode `json:"mode,omitempty"`     // the chosen mode
}

// answer reads the user's answer to the revision that the page showed, and passes it to take.
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

// stop ends the bundle. It accepts any revision, because a user who stops a bundle wants that
// whatever has changed meanwhile.
func (p *Bundles) stop(c *web.Call) error {
	if _, err := web.Body[bundleIn](c); err != nil {
		return err
	}
	_, err := p.Requests.Stop(c.Ctx(), request.ID(c.ID), c.Right)
	return web.Result(c, struct{}{}, err)
}

// open responds with a new link to the review that is open on the page.
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

// atHand returns the review that is open on a bundle's page: that of the current step, or else of
// the latest step that started. It is "" before the first step.
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

// fromReview responds with a new link to the bundle of which a review is a step.
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

// part splits a transaction so that its steps are signed one by one, and responds with a link to
// their page.
func (p *Bundles) part(c *web.Call) error {
	b, err := p.Requests.Part(c.Ctx(), record.ID(c.ID), c.Right)
	if err != nil {
		return err
	}
	return c.LeadTo(pagetoken.Bundle, string(b.ID))
}

// fromConsole responds with a new link to a pending bundle of the same client.
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
