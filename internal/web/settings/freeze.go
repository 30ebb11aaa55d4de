package settings

import (
	"github.com/sayurintent/sayurintent/internal/web"
)

// freeze pauses the releases of all processes.
func (p *page) freeze(c *web.Call) error {
	out, err := p.Settings.Freeze(c.Ctx(), c.Right)
	return became(c, out, err)
}

type liftIn struct {
	Confirm string `json:"confirm,omitempty"`
}

// lift resumes releases. Only the settings page has a route for it.
func (p *page) lift(c *web.Call, in liftIn) error {
	out, err := p.Settings.Lift(c.Ctx(), in.Confirm, c.Right)
	return became(c, out, err)
}
