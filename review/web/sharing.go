package web

import (
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// Shared is how sharing with other machines stands in this process. The zero value says
// that it is off, or has only just been turned on.
type Shared struct {
	Server  string // the NATS server that is in use, "" for none
	Trouble string // why none is in use
}

// sharingView is the switch of sharing on the settings page. State is "" while it is off.
type sharingView struct {
	Offered, On, Connected    bool
	URL, Credentials, Profile string
	State                     string
}

// mostTrouble bounds what is shown of a library's own words.
const mostTrouble = 300

func (s *Server) sharingView(stored settings.Sharing) sharingView {
	if s.Sharing == nil {
		return sharingView{}
	}
	v := sharingView{Offered: true, On: stored.On, URL: stored.URL, Credentials: stored.Credentials,
		Profile: stored.Profile}
	if !v.On {
		return v
	}
	v.State = "connecting"
	switch now := s.Sharing(); {
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

// setSharing stores whether other machines are served, and over which server.
func (s *Server) setSharing(c *call) error {
	in, err := body[sharingIn](c)
	if err != nil {
		return err
	}
	out, err := s.Settings.SetSharing(c.ctx(), settings.Sharing{On: in.On, URL: in.URL, Credentials: in.Credentials,
		Profile: in.Profile},
		in.Confirm, c.right)
	return s.became(c, out, err)
}
