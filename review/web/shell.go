package web

import (
	"bytes"
	"net/http"
)

// shell is what a page is made of before it has any right: no data, no token,
// only what the person may know about any page of this server.
type shell struct {
	Page    string // home, connect, review, account, settings, book or lost
	Title   string
	Network string
	Chain   string
	Sandbox bool
	Lost    lost     // the words of an error page
	Modules []string // the scripts that the page's script imports

	HomeCommand, HomeNote string // how a person comes to the home page
}

func (s *Server) shell(page, title string) shell {
	return shell{Page: page, Title: title, Network: s.Network, Chain: s.WalletChain, Sandbox: s.Sandbox != nil,
		Modules: pageModules()[page], HomeCommand: s.HomeCommand, HomeNote: s.HomeNote}
}

func (s *Server) connectShell(c *call) error {
	return s.page(c.w, http.StatusOK, s.shell("connect", "Connect a wallet"))
}

func (s *Server) reviewShell(c *call) error {
	return s.page(c.w, http.StatusOK, s.shell("review", "Review a transaction"))
}

// fragment renders the part of a page that has data, and after it the account
// in use, which the page's script moves into the header.
func (s *Server) fragment(c *call, name string, data any) error {
	used, err := s.accountInUse(c.ctx())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := s.render(&b, name, data); err != nil {
		return err
	}
	if err := s.render(&b, "inuse.html", used); err != nil {
		return err
	}
	write(c.w, http.StatusOK, "text/html; charset=utf-8", b.Bytes())
	return nil
}

// page renders a whole document.
func (s *Server) page(w http.ResponseWriter, status int, p shell) error {
	var b bytes.Buffer
	if err := s.render(&b, "shell.html", p); err != nil {
		return err
	}
	write(w, status, "text/html; charset=utf-8", b.Bytes())
	return nil
}
