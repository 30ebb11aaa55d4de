package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// person plays a user who has opened a page. It has the same access as a browser tab and uses the
// same API as the page.
type person struct {
	origin string
	kind   string
	id     string
	token  string
	// session is the token of the browser session that the link began, or "".
	session string
	http    *http.Client
}

// openLink opens a link as a page does: it exchanges the one-time code for the tab's token.
func openLink(link string) (*person, error) { return openIn("", link) }

// follow opens another page, within the same browser session if there is one.
func (p *person) follow(link string) (*person, error) { return openIn(p.session, link) }

// openIn opens a page. It needs a code in the link or a browser session.
func openIn(session, link string) (*person, error) {
	u, err := url.Parse(link)
	if err != nil || u.Fragment == "" && session == "" {
		return nil, fmt.Errorf("the link %q contains no code", link)
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if u.Path == "/" {
		parts = []string{string(pagetoken.Home), pagetoken.HomeSubject}
	}
	if len(parts) != 2 {
		return nil, fmt.Errorf("the link %q does not lead to a page", link)
	}
	p := &person{
		origin: u.Scheme + "://" + u.Host, kind: parts[0], id: parts[1],
		http: &http.Client{Timeout: 20 * time.Second},
	}
	var answer struct {
		Token   string `json:"token"`
		Session string `json:"session"`
		Access  string `json:"access"`
	}
	err = p.do(http.MethodPost, "/api/exchange", map[string]any{
		"kind": p.kind, "id": p.id, "code": u.Fragment, "session": session}, &answer)
	if err != nil {
		return nil, err
	}
	if answer.Access != "active" {
		return nil, fmt.Errorf("the page was opened as %s", answer.Access)
	}
	p.token, p.session = answer.Token, cmp.Or(session, answer.Session)
	return p, nil
}

// post sends body to a path of the API and decodes the response into into.
func (p *person) post(path string, body map[string]any, into any) error {
	return p.do(http.MethodPost, path, body, into)
}

// get requests a path of the API and decodes the response into into.
func (p *person) get(path string, into any) error {
	return p.do(http.MethodGet, path, nil, into)
}

func (p *person) do(method, path string, body map[string]any, into any) error {
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, p.origin+path, payload)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, strings.TrimSpace(string(text)))
	}
	if into == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into)
}
