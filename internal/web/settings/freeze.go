package settings

import (
	"github.com/sayurintent/sayurintent/internal/web"
)

// freeze stops all releases of all processes.
func (p *page) freeze(c *web.Call) error {
	out, err := p.Settings.Freeze(c.Ctx(), c.Right)
	return became(c, out, err)
}

type liftIn struct {
	Confirm string `json:"confirm,omitempty"`
}

// lift ends that. Only the settings page has a route to it.
func (p *page) lift(c *web.Call, in liftIn) error {
	out, err := p.Settings.Lift(c.Ctx(), in.Confirm, c.Right)
	return became(c, out, err)
}
