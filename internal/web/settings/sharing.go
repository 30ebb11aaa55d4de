package settings

import (
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/web"
)

// Shared is the state of sharing with other machines in this process. The zero value means that
// sharing is off, or has just been turned on.
type Shared struct {
	Server  string // the NATS server in use; "" for none
	Trouble string // reason why no server is in use
}

// sharingView is the part of the page about sharing. State is "" if sharing is off.
type sharingView struct {
	On, Connected             bool
	URL, Credentials, Profile string
	State                     string
}

// mostTrouble is the maximum length of a displayed error of the NATS library.
const mostTrouble = 300

func (p *page) sharing(stored settings.Sharing) sharingView {
	v := sharingView{On: stored.On, URL: stored.URL, Credentials: stored.Credentials,
		Profile: stored.Profile}
	if !v.On {
		return v
	}
	v.State = "connecting"
	switch now := p.Sharing(); {
	case now.Trouble != "":
		v.State = "not connected: " + screen.Line(now.Trouble, mostTrouble)
	case now.Server != "":
		v.State, v.Connected = "connected to "+screen.Line(now.Server, mostTrouble), true
	}
	return v
}

type sharingIn struct {
	On          bool   `json:"on"`
	URL         string `json:"url,omitempty"`
	Credentials string `json:"credentials,omitempty"`
	Profile     string `json:"profile,omitempty"`
	Confirm     string `json:"confirm,omitempty"`
}

// setSharing stores whether to serve other machines, and over which server.
func (p *page) setSharing(c *web.Call, in sharingIn) error {
	out, err := p.Settings.SetSharing(c.Ctx(), settings.Sharing{On: in.On, URL: in.URL, Credentials: in.Credentials,
		Profile: in.Profile},
		in.Confirm, c.Right)
	return became(c, out, err)
}
