package web

import (
	"context"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/web"
)

// bundledStep describes, on a review's page, the step of a bundle that the review is.
type bundledStep struct {
	Place, Of int // Place is 0 if the transaction contains all steps
	Label     string
	Stop      string // why it cannot be signed now, "" if it can
	Over      bool   // the step has ended; the bundle continues on its own page
	Parted    bool   // it was one transaction, whose steps are now signed one by one
}

// within changes a view for display on the page of its bundle.
func (v *view) within(b bundledStep) {
	if v.Collect != nil {
		v.collectApart()
	}
	if v.Place = b.Place; b.Place == 0 {
		v.Within = fmt.Sprintf("All %d steps", b.Of)
		if v.Sign != nil {
			v.Title, v.Short = "One transaction, one signature", v.Within+" at once"
		}
		return
	}
	v.Within = fmt.Sprintf("Step %d of %d", b.Place, b.Of)
	if b.Of == 1 {
		v.Within, v.Place = "The transaction", 0
		return
	}
	for i := range v.Buttons {
		if v.Buttons[i].Label == declines {
			v.Buttons[i].Label = stopsHere
		}
	}
	v.Stopping = stopping(b.Place, b.Of)
}

// collectApart removes the signing panel of a multisig account, whose signatures are collected on
// the review's own page.
func (v *view) collectApart() {
	if v.Sign != nil && v.Apart == nil {
		v.Buttons = append(v.Buttons, button{Action: "decline", Label: declines, Class: "second"})
	}
	v.Sign = nil
}

// stopping describes what remains done if the user stops at a step.
func stopping(place, of int) string {
	if place == 1 {
		return "If you stop, nothing happens."
	}
	kept := fmt.Sprintf("Stopping keeps steps 1 to %d. ", place-1)
	if place == 2 {
		kept = "Stopping keeps step 1. "
	}
	switch of - place {
	case 0:
		return kept + fmt.Sprintf("Step %d will not happen.", of)
	case 1:
		return kept + fmt.Sprintf("Steps %d and %d will not happen.", place, of)
	}
	return kept + fmt.Sprintf("Steps %d to %d will not happen.", place, of)
}

// bundled returns what a review's page shows about its bundle, or nil if it has none.
func (p *Reviews) bundled(ctx context.Context, r record.Session) (*bundledStep, error) {
	b, ok, err := p.Requests.Of(ctx, r.ID)
	if err != nil || !ok {
		return nil, err
	}
	v := &bundledStep{Place: b.Place(r.ID) + 1, Of: len(b.Steps), Label: b.Label, Over: r.Status.Terminal(),
		Parted: b.Review == r.ID}
	if b.Mode == request.Atomic {
		v.Place = 0
	}
	if no := b.Handing(r); no != nil && !v.Over && len(r.Releases) == 0 {
		v.Stop = fault.As(no).Text
	}
	return v, nil
}

// handing returns a check of the page's token, and of whether bundles allow the release of its
// review.
func (p *Reviews) handing(c *web.Call, id record.ID) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := c.Right(ctx); err != nil {
			return err
		}
		no := p.Requests.Handing(ctx, id)
		//mutant:never ./review/web TestBundlePage
		if no != nil {
			return no
		}
		return nil
	}
}
