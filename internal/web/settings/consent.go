package settings

import "github.com/sayurintent/sayurintent/internal/web"

type consentIn struct {
	Allow   bool   `json:"allow"`
	Confirm string `json:"confirm,omitempty"`
}

// setMaterial stores whether transactions that other programs built are taken.
func (p *page) setMaterial(c *web.Call, in consentIn) error {
	out, err := p.Settings.SetMaterial(c.Ctx(), in.Allow, in.Confirm, c.Right)
	return became(c, out, err)
}

// httpView is what the page shows of MCP over HTTP.
type httpView struct {
	On, ByFlag bool
	Address    string
}

// setHTTP stores whether AI clients may connect over HTTP.
func (p *page) setHTTP(c *web.Call, in consentIn) error {
	out, err := p.Settings.SetHTTP(c.Ctx(), in.Allow, in.Confirm, c.Right)
	return became(c, out, err)
}
