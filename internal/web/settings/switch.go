package settings

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/mcphttp"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/web"
)

// switchView is a switch on the page.
type switchView struct {
	settings.SwitchInfo
	On, Forced, ReadOnly bool
	Before, After        string // the hint, around Address
	Address              string // what it opens, "" for none
}

// switched shows every switch, by its code.
func (v *settingsPage) switched(set settings.View, host string) {
	v.Switch = map[string]*switchView{}
	for w := range settings.Switches {
		about := w.Info()
		one := &switchView{SwitchInfo: about, On: set.Switches[w], Forced: set.Forced[w], ReadOnly: v.ReadOnly}
		one.Before, one.After, _ = strings.Cut(about.Hint, "%s")
		v.Switch[about.Code] = one
	}
	v.Switch[settings.HTTP.Info().Code].Address = "http://" + host + mcphttp.Path
}

type switchIn struct {
	Allow   bool   `json:"allow"`
	Confirm string `json:"confirm,omitempty"`
}

// turn returns the handler that turns a switch on or off.
func (p *page) turn(w settings.Switch) web.Handler {
	return web.Reads(func(c *web.Call, in switchIn) error {
		out, err := p.Settings.Turn(c.Ctx(), w, in.Allow, in.Confirm, c.Right)
		return became(c, out, err)
	})
}
