package settings

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// keyLine is one access token on the settings page.
type keyLine struct{ ID, Name, For, Opens, Made, Used string }

// keysView is the part of the settings page about access tokens.
type keysView struct {
	List    []keyLine
	Clients []string
}

func (p *page) keys(ctx context.Context) (v keysView, err error) {
	list, err := p.Keys.List(ctx)
	if err != nil {
		return v, err
	}
	for _, k := range list {
		line := keyLine{ID: k.ID, Name: k.Name, For: k.Client, Opens: opens(k), Made: words.At(k.MadeAt)}
		if k.Scope == pagetoken.AIClient {
			line.For = "an AI client"
		}
		if k.Scope.Socket() {
			line.For = strings.Join(k.Projects, ", ")
		}
		if !k.UsedAt.IsZero() {
			line.Used = words.At(k.UsedAt)
		}
		v.List = append(v.List, line)
	}
	v.Clients, err = p.Clients(ctx)
	return v, err
}

// opens describes what a token permits.
func opens(k pagetoken.Key) string {
	switch {
	case k.Scope == pagetoken.AIClient:
		return "uses every tool over HTTP"
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

// socketOpens describes what a token for the socket permits.
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
	Scope  pagetoken.Scope `json:"scope,omitempty"` // "" permits following events
	Acts   bool            `json:"acts,omitempty"`
	Reads  bool            `json:"reads,omitempty"`
	// Only for tokens of the socket: their projects, and the origin of a web page.
	Projects []string `json:"projects,omitempty"`
	Origin   string   `json:"origin,omitempty"`
}

// makeKey creates an access token. Its response is the only one that contains the token.
func (p *page) makeKey(c *web.Call, in keyIn) error {
	if err := p.Editor.Registered(c.Ctx(), in.Projects); err != nil {
		return err
	}
	token, key, err := p.Keys.MakeOf(c.Ctx(), pagetoken.Key{Name: in.Name, Client: in.Client, Projects: in.Projects,
		Origin: in.Origin,
		Scope:  cmp.Or(in.Scope, pagetoken.UIEvents), Acts: in.Acts, Reads: in.Reads}, c.Right)
	if err != nil {
		return err
	}
	return web.JSON(c, http.StatusOK, web.Said{Done: true,
		Says: "The token “" + key.Name + "” was made. Copy it now: it is not shown again.", Token: token.Reveal()})
}

type keyID struct {
	ID string `json:"id"`
}

// revokeKey revokes an access token.
func (p *page) revokeKey(c *web.Call, in keyID) error {
	gone, err := p.Keys.Revoke(c.Ctx(), in.ID, c.Right)
	if err != nil {
		return err
	}
	says := "The token was revoked. What used it has no access any more."
	if !gone {
		says = "There is no such token any more."
	}
	return c.Done(says)
}
