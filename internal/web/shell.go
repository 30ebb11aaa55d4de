package web

import (
	"bytes"
	"html/template"
	"net/http"
)

const htmlType = "text/html; charset=utf-8"

// shell is the data of shell.html, which a page shows before it has a token.
type shell struct {
	Page    string // name of the page, or "lost"
	Title   string
	Network string
	Chain   string
	Sandbox bool
	Lost    *lost         // set for an error page, which has no script
	Public  template.HTML // content of a page that needs no token
	Styles  []string      // additional style sheets
	Modules []string      // scripts that the page's script imports

	HomeCommand, HomeNote string // from Config

	Entries []entry // entries of the navigation
}

// entry is a link of the navigation.
type entry struct {
	Path, Icon, Name string
	Here             bool // the current page belongs to this entry
	Counts           bool // it shows how many requests need the user
}

// entries returns the navigation. here is the name of the entry to mark.
func entries(here string) []entry {
	list := []entry{
		{Path: "/", Icon: "home", Name: "Home", Counts: true},
		{Path: "/reviews", Icon: "reviews", Name: "Reviews"},
		{Path: "/account", Icon: "holdings", Name: "Holdings"},
		{Path: "/book", Icon: "book", Name: "Address book"},
		{Path: "/settings", Icon: "settings", Name: "Settings"},
	}
	for i := range list {
		list[i].Here = list[i].Icon == here
	}
	return list
}

func (s *Server) shell(page, title string) shell {
	return shell{Page: page, Title: title, Network: s.Network, Chain: s.WalletChain, Sandbox: s.Sandbox != nil,
		HomeCommand: s.HomeCommand, HomeNote: s.HomeNote}
}

func (s *Server) shellOf(p *Page) shell {
	sh := s.shell(p.Name, p.Title)
	sh.Entries = entries(p.Entry)
	sh.Styles, sh.Modules = p.Styles, s.preload()[p.Name]
	if p.Public != "" {
		var b bytes.Buffer
		if err := s.render(&b, p.Public, sh); err == nil {
			sh.Public = template.HTML(b.String()) // safe: written by a template
		}
	}
	return sh
}

// page responds with a complete document.
func (s *Server) page(w http.ResponseWriter, status int, p shell) error {
	var b bytes.Buffer
	if err := s.render(&b, "shell.html", p); err != nil {
		return err
	}
	write(w, status, htmlType, b.Bytes())
	return nil
}
