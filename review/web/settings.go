package web

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// settingsImport is the one address that takes more than a small body.
const settingsImport = "/api/settings/{id}/stage"

// settingsRoutes are the settings page and everything that it can do. Each
// change takes the page that holds the subject; a second opening of its link
// ends them all.
func settingsRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/settings/{id}", open, "", false, (*Server).settingsShell},
		{get, "/api/settings/{id}/view", withToken, pagetoken.Settings, false, (*Server).settingsView},
		{get, "/api/settings/{id}/state", withToken, pagetoken.Settings, false, (*Server).pageState},
		{post, "/api/home/settings", withActive, pagetoken.Home, true, (*Server).settingsLink},
		{post, "/api/review/{id}/settings", withActive, pagetoken.Review, true, (*Server).settingsLink},
		{get, "/api/settings/{id}/export", withActive, pagetoken.Settings, false, (*Server).settingsExport},
		{post, "/api/settings/{id}/endpoint", withActive, pagetoken.Settings, true, (*Server).settingsEndpoint},
		{post, "/api/settings/{id}/restart", withActive, pagetoken.Settings, true, (*Server).settingsRestart},
		{post, "/api/settings/{id}/limits", withActive, pagetoken.Settings, true, (*Server).settingsLimits},
		{post, "/api/settings/{id}/account", withActive, pagetoken.Settings, true, (*Server).settingsAccount},
		{post, settingsImport, withActive, pagetoken.Settings, true, (*Server).settingsStage},
		{post, "/api/settings/{id}/import", withActive, pagetoken.Settings, true, (*Server).settingsPutIn},
		{post, "/api/settings/{id}/reset", withActive, pagetoken.Settings, true, (*Server).settingsReset},
		// Stopping is open to a tab that looks on, too: it takes nothing from anybody.
		{post, "/api/home/freeze", withToken, pagetoken.Home, true, (*Server).freeze},
		{post, "/api/settings/{id}/freeze", withToken, pagetoken.Settings, true, (*Server).freeze},
		{post, "/api/settings/{id}/material", withActive, pagetoken.Settings, true, (*Server).setMaterial},
		{post, "/api/settings/{id}/sharing", withActive, pagetoken.Settings, true, (*Server).setSharing},
		{post, "/api/settings/{id}/lift", withActive, pagetoken.Settings, true, (*Server).lift},
		{post, "/api/settings/{id}/continue", withContinue, pagetoken.Settings, true, (*Server).tabContinue},
	}
}

// takes returns how many bytes a route's body may have, and of which types.
func (rt *route) takes() (most int64, types []string) {
	if rt.path == settingsImport {
		return backup.MostImport, []string{"application/json", "application/gzip"}
	}
	if rt.path == agentActionsPath {
		return maxActions, []string{"application/json"}
	}
	return maxBody, []string{"application/json"}
}

// settingsLink returns a link to a settings page of its own, for the person who holds
// the home page, or a review that a limit of theirs stopped.
func (s *Server) settingsLink(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	id, err := s.Settings.Session()
	if err != nil {
		return err
	}
	url, err := s.freshLink(c, pagetoken.Settings, id)
	if err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, openOut{url})
	return nil
}

func (s *Server) settingsShell(c *call) error {
	return s.page(c.w, http.StatusOK, s.shell("settings", "Settings"))
}

// settingsPage is the settings page in words.
type settingsPage struct {
	Status, Access, Title, Text string
	ReadOnly, OpenedTwice       bool
	Revision                    int64
	Unreadable                  string        // why the settings cannot be shown
	Services, More              []serviceForm // addresses; More are folded away
	Unfolded                    bool          // whether More shows something that was set
	Wishes                      []serviceForm // that a client's configuration asks for
	Limits                      []limitForm
	Blank                       limitLine // for a line that is added
	Protocols                   []protocolBox
	EveryProtocol               bool
	EveryRecipient              bool
	Recipients                  string // one on each line
	ProvedOnly                  bool
	Requests                    int // for one account in ten minutes
	Material                    bool
	Unsettled                   int
	Reset                       string
	Used                        inUse
	Keys                        keysView
	Socket                      socketView
	Sharing                     sharingView
	Remotes                     remotesView
	Projects                    projectsView
}

// serviceForm is the form of one service's address.
type serviceForm struct {
	Which, Title, Hint, InForce, From, Stored, Default string
	Asked                                              string
	ReadOnly, Overridden, Waits, Restarts              bool
}

// limitForm is the form of one list of limits.
type limitForm struct {
	Name, Title, Hint string
	Lines             []limitLine
}

// limitLine is one limit: an amount, the coins to choose from, and the type of
// another one.
type limitLine struct {
	Most    string
	Options []coinOption
	Other   sui.CoinType
}

type coinOption struct {
	Type   sui.CoinType
	Symbol string
	Chosen bool
}

type protocolBox struct {
	Slug, Name string
	Checked    bool
}

// Words for where an address comes from.
func sourceWords(from settings.Source) string {
	switch from {
	case settings.FromFlag:
		return "set by a command-line flag"
	case settings.FromEnvironment:
		return "set by an environment variable"
	case settings.FromStored:
		return "stored here"
	}
	return "the default"
}

func (s *Server) settingsView(c *call) error {
	p := settingsPage{Access: string(c.pass.Access), ReadOnly: c.pass.Access != pagetoken.Active, Title: "Settings",
		Text: "What is set here holds for this computer. Your AI client can read it and change none of it.", Reset: backup.ResetWords}
	var err error
	if p.OpenedTwice, err = s.Desk.OpenedTwice(c.ctx(), c.pass.Kind, c.pass.Subject); err != nil {
		return err
	}
	// Read first: a change while the rest is read makes the page load again.
	if p.Revision, err = s.settingsRevision(c.ctx()); err != nil {
		return err
	}
	if p.Used, err = s.accountInUse(c.ctx()); err != nil {
		return err
	}
	if p.Keys, err = s.keysView(c.ctx()); err != nil {
		return err
	}
	if p.Socket, err = s.socketView(c.ctx()); err != nil {
		return err
	}
	if p.Remotes, err = s.remotesView(c.ctx()); err != nil {
		return err
	}
	if p.Projects, err = s.projectsView(c.ctx()); err != nil {
		return err
	}
	v, unsettled, err := s.settingsState(c.ctx())
	if err != nil {
		p.Unreadable = fault.As(err).Text
		return s.fragment(c, "settings.html", p)
	}
	for _, a := range v.Addresses {
		form := service(a)
		form.ReadOnly, form.Restarts = p.ReadOnly, s.Restart != nil
		if form.Asked != "" {
			p.Wishes = append(p.Wishes, form)
		}
		if !a.Which.Info().Folded {
			p.Services = append(p.Services, form)
			continue
		}
		p.More = append(p.More, form)
		p.Unfolded = p.Unfolded || form.Stored != "" || form.Waits || form.Asked != ""
	}
	p.Limits = []limitForm{
		{"perTransaction", "Most in one transaction", "A review that would take more is blocked.", limitLines(v.PerTransaction)},
		{"perDay", "Most in 24 hours", "Everything that was handed to a wallet in the last 24 hours counts, over all accounts, also after a copy was put in.", limitLines(v.PerDay)},
	}
	p.Blank, p.Unsettled = lineOf(policy.Line{Coin: coins.Coin{Type: sui.SUI}, Known: true}), len(unsettled)
	p.protocols(v)
	p.ProvedOnly, p.Material, p.Sharing = v.Allowance.ProvedOnly, v.Material, s.sharingView(v.Sharing)
	p.Requests = v.Allowance.MostRequests()
	p.EveryRecipient = len(v.Allowance.Recipients) == 0
	for _, r := range v.Allowance.Recipients {
		p.Recipients += r.String() + "\n"
	}
	return s.fragment(c, "settings.html", p)
}

// settingsState returns everything that is set, and the reviews that keep all
// data from being erased.
func (s *Server) settingsState(ctx context.Context) (settings.View, []record.ID, error) {
	unsettled, err := s.Backup.Unsettled(ctx)
	if err != nil {
		return settings.View{}, nil, err
	}
	v, err := s.Settings.View(ctx)
	return v, unsettled, err
}

func limitLines(lines []policy.Line) []limitLine {
	var out []limitLine
	for _, l := range lines {
		out = append(out, lineOf(l))
	}
	return out
}

// lineOf returns a limit with every pinned coin to choose from, and with its own
// where that is not pinned.
func lineOf(l policy.Line) limitLine {
	f := limitLine{Most: l.Most}
	if !l.Known {
		f.Other = l.Coin.Type
	}
	for _, c := range coins.All() {
		f.Options = append(f.Options, coinOption{c.Type, c.Symbol, l.Known && c.Type == l.Coin.Type})
	}
	return f
}

// protocols lists those that are known, and those that are allowed and are not.
func (p *settingsPage) protocols(v settings.View) {
	p.EveryProtocol = len(v.Allowance.Protocols) == 0
	for _, known := range v.Protocols {
		p.Protocols = append(p.Protocols, protocolBox{known.Slug, known.Name, slices.Contains(v.Allowance.Protocols, known.Slug)})
	}
	for _, slug := range v.Allowance.Protocols {
		if !slices.ContainsFunc(p.Protocols, func(b protocolBox) bool { return b.Slug == slug }) {
			p.Protocols = append(p.Protocols, protocolBox{slug, slug + ", which this version does not have", true})
		}
	}
}

func service(a settings.Address) serviceForm {
	about := a.Which.Info()
	f := serviceForm{Which: about.Code, Title: about.Title, Hint: about.Hint, InForce: a.Shown(), From: sourceWords(a.InForce.Source),
		Stored: a.Stored, Default: a.Default, Overridden: a.Overridden(), Waits: a.AfterRestart, Asked: a.Asked}
	if a.InForce.Source == settings.FromStored {
		f.InForce = a.InForce.URL
	}
	return f
}

// settingsRevision changes with everything that the page shows but the account
// in use, which every page watches.
func (s *Server) settingsRevision(ctx context.Context) (int64, error) {
	v, unsettled, unread := s.settingsState(ctx)
	keys, err := s.keysView(ctx)
	if err != nil {
		return 0, err
	}
	machines, err := s.remotesView(ctx)
	if err != nil {
		return 0, err
	}
	projects, err := s.projectsView(ctx)
	if err != nil {
		return 0, err
	}
	socket, err := s.socketView(ctx)
	if err != nil {
		return 0, err
	}
	socket.Peers = nil // a program that connects takes nothing from under the person's hands
	for i := range machines.Known {
		machines.Known[i].Seen = ""
	}
	for i := range keys.List {
		keys.List[i].Used = "" // a page is not drawn anew for each use
	}
	var addresses []string
	for _, a := range v.Addresses {
		addresses = append(addresses, a.Stored)
	}
	text, err := json.Marshal([]any{v.Allowance, addresses, v.Material, s.sharingView(v.Sharing),
		len(unsettled), unread != nil, keys.List, machines, projects, socket})
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

// settingsEndpoint checks and stores an address, or forgets it.
func (s *Server) settingsEndpoint(c *call) error {
	in, err := body[endpointIn](c)
	if err != nil {
		return err
	}
	which, err := settings.ParseWhich(in.Which)
	if err != nil {
		return err
	}
	s.unhurried(c)
	out, err := s.Settings.SetEndpoint(c.ctx(), which, strings.TrimSpace(in.URL), in.Confirm, c.right)
	return s.became(c, out, err)
}

type materialIn struct {
	Allow   bool   `json:"allow"`
	Confirm string `json:"confirm,omitempty"`
}

// setMaterial stores whether transactions that other programs built are taken.
func (s *Server) setMaterial(c *call) error {
	in, err := body[materialIn](c)
	if err != nil {
		return err
	}
	out, err := s.Settings.SetMaterial(c.ctx(), in.Allow, in.Confirm, c.right)
	return s.became(c, out, err)
}

type limitsIn struct {
	policy.AllowanceText
	EveryProtocol  bool   `json:"everyProtocol"`
	EveryRecipient bool   `json:"everyRecipient"`
	Confirm        string `json:"confirm,omitempty"`
}

// settingsLimits stores what may be spent, on what and to whom. An empty list
// allows everything, so it has to be meant.
func (s *Server) settingsLimits(c *call) error {
	in, err := body[limitsIn](c)
	if err != nil {
		return err
	}
	if in.Recipients = trimmed(in.Recipients); in.EveryRecipient {
		in.Recipients = nil
	} else if len(in.Recipients) == 0 {
		return fault.New(fault.InputInvalid, "Write at least one recipient, or choose every address.").With("field", "recipients")
	}
	if in.EveryProtocol {
		in.Protocols = nil
	} else if len(in.Protocols) == 0 {
		return fault.New(fault.InputInvalid, "Choose at least one protocol, or every protocol.").With("field", "protocols")
	}
	out, err := s.Settings.SetAllowance(c.ctx(), in.AllowanceText, in.Confirm, c.right)
	return s.became(c, out, err)
}

// trimmed drops empty lines.
func trimmed(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// settingsAccount ends the use of the active account.
func (s *Server) settingsAccount(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	was, ok, err := s.Accounts.ClearFor(c.ctx(), c.right)
	out := settings.Outcome{Done: true, Says: "No account was in use."}
	if ok {
		out.Says = fmt.Sprintf("The account %s is not in use any more. Reviews of it cannot be signed until it is connected again.", was.Account)
	}
	return s.became(c, out, err)
}

// became answers what became of a wish.
func (s *Server) became(c *call, out settings.Outcome, err error) error {
	if err == nil {
		out.Changes = append([]policy.Change{}, out.Changes...)
		writeJSON(c.w, http.StatusOK, out)
	}
	return err
}
