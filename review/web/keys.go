package web

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// keyRoutes are where a person makes and revokes access tokens.
func keyRoutes() []route {
	return []route{
		{http.MethodPost, "/api/settings/{id}/token", withActive, pagetoken.Settings, true, (*Server).keyMake},
		{http.MethodPost, "/api/settings/{id}/revoke", withActive, pagetoken.Settings, true, (*Server).keyRevoke},
	}
}

// keyLine is one access token on the settings page.
type keyLine struct{ ID, Name, For, Opens, Made, Used string }

// keysView is what the settings page shows of access tokens.
type keysView struct {
	Offered bool // they can be made here
	List    []keyLine
	Clients []string
}

func (s *Server) keysView(ctx context.Context) (v keysView, err error) {
	if s.Keys == nil || s.Bus == nil {
		return v, nil
	}
	v.Offered = true
	list, err := s.Keys.List(ctx)
	if err != nil {
		return v, err
	}
	for _, k := range list {
		line := keyLine{ID: k.ID, Name: k.Name, For: k.Client, Opens: opens(k), Made: at(k.MadeAt)}
		if k.Scope.Socket() {
			line.For = strings.Join(k.Projects, ", ")
		}
		if !k.UsedAt.IsZero() {
			line.Used = at(k.UsedAt)
		}
		v.List = append(v.List, line)
	}
	v.Clients, err = s.Bus.Clients(ctx)
	return v, err
}

// opens says in words what a token opens.
func opens(k pagetoken.Key) string {
	switch {
	case k.Scope == pagetoken.AgentFrontend:
		return "shows you what waits, and answers it"
	case k.Scope.Socket():
		return socketOpens(k)
	case k.Scope != pagetoken.AgentBackend:
		return "follows events"
	}
	text := "asks for actions; you are asked first"
	if k.Acts {
		text = "asks for actions; may change your lists without asking"
	}
	if k.Reads {
		text += "; may read your address book"
	}
	return text
}

// socketOpens says it of a token for the socket.
func socketOpens(k pagetoken.Key) string {
	text := "reads and searches files"
	switch {
	case k.Scope == pagetoken.Editor:
		text = "an editor that answers your AI client’s tools"
	case k.Acts:
		text = "reads and searches files; may change them as the project allows"
	}
	if k.Origin != "" {
		text += "; only from " + k.Origin
	}
	return text
}

type keyIn struct {
	Name   string          `json:"name"`
	Client string          `json:"client"`
	Scope  pagetoken.Scope `json:"scope,omitempty"` // "" follows events
	Acts   bool            `json:"acts,omitempty"`
	Reads  bool            `json:"reads,omitempty"`
	// Of the socket's tokens: the projects, and the origin of a web page.
	Projects []string `json:"projects,omitempty"`
	Origin   string   `json:"origin,omitempty"`
}

type keyOut struct {
	Done  bool   `json:"done"`
	Says  string `json:"says"`
	Token string `json:"token"` // shown once, kept nowhere
}

// keyMake makes an access token, and is the only answer that ever holds it.
func (s *Server) keyMake(c *call) error {
	in, err := body[keyIn](c)
	if err != nil {
		return err
	}
	if err := s.registered(c.ctx(), in.Projects); err != nil {
		return err
	}
	token, key, err := s.Keys.MakeOf(c.ctx(), pagetoken.Key{Name: in.Name, Client: in.Client, Projects: in.Projects, Origin: in.Origin,
		Scope: cmp.Or(in.Scope, pagetoken.UIEvents), Acts: in.Acts, Reads: in.Reads}, c.right)
	if err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, keyOut{true, "The token “" + key.Name + "” was made. Copy it now: it is not shown again.", token.Reveal()})
	return nil
}

type keyID struct {
	ID string `json:"id"`
}

// keyRevoke ends an access token.
func (s *Server) keyRevoke(c *call) error {
	in, err := body[keyID](c)
	if err != nil {
		return err
	}
	gone, err := s.Keys.Revoke(c.ctx(), in.ID, c.right)
	if err != nil {
		return err
	}
	says := "The token was revoked. What used it has no access any more."
	if !gone {
		says = "There is no such token any more."
	}
	writeJSON(c.w, http.StatusOK, keyOut{Done: true, Says: says})
	return nil
}
