package settings

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/mcphttp"
)

// switchView is a switch on the page.
type switchView struct {
	settings.SwitchInfo
	At, InForce      settings.Position
	Others           []settings.Position // other positions that it can be set to
	Forced, ReadOnly bool
	Before, After    string // the parts of the hint before and after Address
	Address          string // the address that it opens, "" for none
}

// switched fills in all switches by code.
func (v *settingsPage) switched(set settings.View, host string) {
	v.Switch = map[string]*switchView{}
	for w := range settings.Switches {
		about := w.Info()
		one := &switchView{SwitchInfo: about, At: set.Switches[w], InForce: set.Switches[w],
			ReadOnly: v.ReadOnly}
		if one.Forced = set.Forced[w] && one.At == settings.Off; one.Forced {
			one.InForce = settings.On
		}
		for p := range settings.Position(len(about.State)) {
			if p != one.At {
				one.Others = append(one.Others, p)
			}
		}
		one.Before, one.After, _ = strings.Cut(about.Hint, "%s")
		v.Switch[about.Code] = one
	}
	v.Switch[settings.HTTP.Info().Code].Address = "http://" + host + mcphttp.Path
}

type switchIn struct {
	Allow   settings.Position `json:"allow"`
	Confirm string            `json:"confirm,omitempty"`
}

// turn returns the handler that sets a switch.
func (p *page) turn(w settings.Switch) web.Handler {
	return web.Reads(func(c *web.Call, in switchIn) error {
		out, err := p.Settings.Turn(c.Ctx(), w, in.Allow, in.Confirm, c.Right)
		return became(c, out, err)
	})
}
