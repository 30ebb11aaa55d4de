// Package settings is the settings page. Every change requires the active tab. If the page's link
// is opened a second time, its tokens are revoked.
package settings

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/editor"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

//go:embed settings.html settings.js
var files embed.FS

// Config configures the page. The fields up to Now are required.
type Config struct {
	Settings *settings.Service
	Backup   *backup.Service
	Record   Record
	Accounts *account.Service
	Keys     *pagetoken.Keys
	// Clients lists the AI clients for which a token can be created.
	Clients func(ctx context.Context) ([]string, error)
	Remotes Remotes
	// Sharing returns the state of sharing in this process.
	Sharing func() Shared
	Editor  *editor.Editor
	Now     func() time.Time

	// Prices returns prices for presets.
	Prices Prices

	// Restart restarts the server after pending responses. It is nil if that is not possible.
	Restart func()
}

// Prices returns prices in USDC, and false for a coin that has none.
type Prices interface {
	InUSDC(ctx context.Context, coin coins.Coin) (listing.Price, bool)
}

type page struct{ Config }

// New returns the page.
func New(c Config) web.Page {
	p := &page{c}
	active := func(path string, run web.Handler) web.Route {
		return web.Post("/api/settings/{id}/"+path, web.WithActive, pagetoken.Settings, run)
	}
	restore := active("stage", p.stage)
	restore.MaxBody, restore.Types = backup.MostImport, []string{"application/json", "application/gzip"}
	routes := []web.Route{}
	for w := range settings.Switches {
		routes = append(routes, active(w.Info().Code, p.turn(w)))
	}
	return web.Page{
		Kind: pagetoken.Settings, Name: "settings", Entry: "settings", Title: "Settings", Path: "/settings/{id}",
		Short: "/settings",
		API:   "/api/settings/{id}",
		Files: files, View: p.view, Signs: web.SignsMessages,
		Live: &web.Live{
			Subject: func(string) events.Subject { return events.Subject{Kind: events.Settings} },
			State: func(ctx context.Context, _ string) (web.State, error) {
				revision, err := p.revision(ctx)
				return web.State{Revision: revision}, err
			},
		},
		Routes: append(routes, []web.Route{
			web.Get("/api/settings/{id}/export", web.WithActive, pagetoken.Settings, p.export), restore,
			active("import", web.Reads(p.putIn)), active("reset",
				web.Reads(p.reset)), active("restart", web.Empty(p.restart)),
			active("endpoint", web.Reads(p.endpoint)), active("limits", web.Reads(p.limits)), active("preset",
				web.Reads(p.preset)), active("account",
				web.Empty(p.clearAccount)),
			active("statement", web.Empty(p.statement)), active("sign", web.Reads(p.signRecord)),
			active("sharing", web.Reads(p.setSharing)),
			active("lift", web.Reads(p.lift)),
			active("token", web.Reads(p.makeKey)), active("revoke", web.Reads(p.revokeKey)), active("admit",
				web.Reads(p.admit)), active("dismiss", web.Reads(p.dismiss)),
			// Any tab may pause signing, even a read-only one, because pausing allows nothing.
			web.Post("/api/freeze", web.WithToken, "", web.Empty(p.freeze)),
		}...),
	}
}

// settingsPage is the settings page as text.
type settingsPage struct {
	web.Head
	Title, Text    string
	Network        string
	Sandbox        bool
	Unreadable     string        // reason why the settings cannot be shown
	Services, More []serviceForm // addresses of services; More are rarely changed
	Wishes         []serviceForm // addresses in a client's configuration that the user has not accepted
	limitsView
	Switch    map[string]*switchView // by code
	Unsettled int
	Reset     string
	Used      web.InUse
	Keys      keysView
	Socket    editor.Socket
	Sharing   sharingView
	Remotes   remotesView
	Projects  editor.Projects
	Record    recordView
}

// limitsView is the part of the page about limits.
type limitsView struct {
	Limits         []*limitLine
	Presets        []preset
	Every          []limitLine // an empty line for every listed coin
	Blank          *limitLine  // an empty line for a further coin
	Protocols      []protocolBox
	EveryProtocol  bool
	EveryRecipient bool
	Recipients     string // one per line
	ProvedOnly     bool
	Requests       int // maximum for one account in ten minutes
}

// serviceForm is the form of one service's address.
type serviceForm struct {
	Which, Title, Hint, InForce, From, Stored, Default string
	Asked                                              string
	ReadOnly, Overridden, Waits, Restarts              bool
}

func (p *page) view(c *web.Call) error {
	v := settingsPage{Title: "Settings", Network: c.Network(), Sandbox: c.Sandbox(),
		Text:  "These settings apply to this computer. Your AI client can read them but not change them.",
		Reset: backup.ResetWords}
	var err error
	if v.Head, err = c.Head(); err != nil {
		return err
	}
	// The revision is read first: if anything changes meanwhile, the page loads again.
	if v.Revision, err = p.revision(c.Ctx()); err != nil {
		return err
	}
	if v.Used, err = c.Used(); err != nil {
		return err
	}
	if v.Keys, err = p.keys(c.Ctx()); err != nil {
		return err
	}
	if v.Socket, err = p.Editor.Socket(c.Ctx(), c.Host()); err != nil {
		return err
	}
	if v.Remotes, err = p.remotes(c.Ctx()); err != nil {
		return err
	}
	if v.Projects, err = p.Editor.Projects(c.Ctx()); err != nil {
		return err
	}
	if v.Record, err = p.record(c.Ctx()); err != nil {
		return err
	}
	set, unsettled, err := p.state(c.Ctx())
	if err != nil {
		v.Unreadable = fault.As(err).Text
		return web.Fragment(c, "settings.html", v)
	}
	for _, a := range set.Addresses {
		form := service(a)
		form.ReadOnly, form.Restarts = v.ReadOnly, p.Restart != nil
		if form.Asked != "" {
			v.Wishes = append(v.Wishes, form)
		}
		if !a.Which.Info().Folded {
			v.Services = append(v.Services, form)
			continue
		}
		v.More = append(v.More, form)
	}
	v.Limits = limitLines(set.PerTransaction, set.PerDay)
	v.Every = listed()
	v.Presets, v.Blank, v.Unsettled = presets(v.Limits), blank(), len(unsettled)
	v.protocols(set)
	v.switched(set, c.Host())
	v.ProvedOnly, v.Sharing = set.Allowance.ProvedOnly, p.sharing(set.Sharing)
	v.Requests = set.Allowance.MostRequests()
	v.EveryRecipient = len(set.Allowance.Recipients) == 0
	for _, r := range set.Allowance.Recipients {
		v.Recipients += r.String() + "\n"
	}
	return web.Fragment(c, "settings.html", v)
}

// state returns all settings, and the reviews that prevent erasing all data.
func (p *page) state(ctx context.Context) (settings.View, []record.ID, error) {
	unsettled, err := p.Backup.Unsettled(ctx)
	if err != nil {
		return settings.View{}, nil, err
	}
	v, err := p.Settings.View(ctx)
	return v, unsettled, err
}

func service(a settings.Address) serviceForm {
	about := a.Which.Info()
	f := serviceForm{Which: about.Code, Title: about.Title, Hint: about.Hint, InForce: a.Shown(),
		From:   a.InForce.Source.Words(),
		Stored: a.Stored, Default: a.Default, Overridden: a.Overridden(), Waits: a.AfterRestart, Asked: a.Asked}
	if a.InForce.Source == settings.FromStored {
		f.InForce = a.InForce.URL
	}
	return f
}

// revision returns a fingerprint of everything on the page except the account in use, which every
// page watches separately.
func (p *page) revision(ctx context.Context) (int64, error) {
	v, unsettled, unread := p.state(ctx)
	keys, err := p.keys(ctx)
	if err != nil {
		return 0, err
	}
	machines, err := p.remotes(ctx)
	if err != nil {
		return 0, err
	}
	projects, err := p.Editor.Projects(ctx)
	if err != nil {
		return 0, err
	}
	socket, err := p.Editor.Socket(ctx, "")
	if err != nil {
		return 0, err
	}
	signed, err := p.Record.RecordSignatures(ctx)
	if err != nil {
		return 0, err
	}
	socket.Peers = nil // a new connection must not reload the page while the user types
	for i := range machines.Known {
		machines.Known[i].Seen = ""
	}
	for i := range keys.List {
		keys.List[i].Used = "" // nor must each use of a token
	}
	var addresses []string
	for _, a := range v.Addresses {
		addresses = append(addresses, a.Stored)
	}
	text, err := json.Marshal([]any{v.Allowance, addresses, v.Switches, p.sharing(v.Sharing),
		len(unsettled), unread != nil, keys.List, machines, projects, socket, signed})
	if err != nil {
		return 0, err
	}
	hash := fnv.New32a()
	_, _ = hash.Write(text)
	return int64(hash.Sum32()), nil
}

type endpointIn struct {
	Which   string `json:"which"`
	URL     string `json:"url"`
	Confirm string `json:"confirm,omitempty"`
}

// endpoint checks and stores the address of a service, or removes it.
func (p *page) endpoint(c *web.Call, in endpointIn) error {
	which, err := settings.ParseWhich(in.Which)
	if err != nil {
		return err
	}
	c.Unhurried()
	out, err := p.Settings.SetEndpoint(c.Ctx(), which, strings.TrimSpace(in.URL), in.Confirm, c.Right)
	return became(c, out, err)
}

// clearAccount ends the use of the account in use.
func (p *page) clearAccount(c *web.Call) error {
	was, ok, err := p.Accounts.ClearFor(c.Ctx(), c.Right)
	out := settings.Outcome{Done: true, Says: "No account was in use."}
	if ok {
		out.Says = fmt.Sprintf("The account %s is not in use any more. Reviews of it cannot be signed until it is "+
			"connected again.", was.Account)
	}
	return became(c, out, err)
}

// became responds with the outcome of a change.
func became(c *web.Call, out settings.Outcome, err error) error {
	if err == nil {
		out.Changes = append([]policy.Change{}, out.Changes...)
		err = web.JSON(c, http.StatusOK, out)
	}
	return err
}
