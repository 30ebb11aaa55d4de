//go:build unix

package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// consoleWords are the script commands for the console, the page that shows everything an AI client
// requests:
//
//	console NAME              the user opens the console, unless it is open; prints the page
//	happens NAME PATTERN      the page reads events until one matches; prints all of them
//	opens NAME [PATTERN]      the user opens the pending review whose card matches
//	posts NAME JSON           the page posts an event; prints the response
//	interrupt NAME            the user interrupts the client's work; prints the response
//	hears NAME TOOL [JSON]    the client calls a tool; prints the whole structured result
//	gone NAME                 the client closes its server's input, but the server keeps running
//	settled NAME              prints the final status on the page of the review
//	refuses NAME              the user declines on the page of the review
//	vanish NAME               the user signs and the wallet submits the transaction, but the page is
//	                          closed before it learns that
func consoleWords() map[string]func(a *actor, out io.Writer, args []string) error {
	return map[string]func(a *actor, out io.Writer, args []string) error{
		"console": (*actor).look, "happens": (*actor).happens, "opens": (*actor).opens, "posts": (*actor).posts,
		"interrupt": (*actor).interrupt, "hears": (*actor).hears, "refuses": (*actor).refuses, "vanish": (*actor).vanish,
		"settled": (*actor).settled,
		"gone":    func(a *actor, _ io.Writer, _ []string) error { return a.client.in.Close() },
	}
}

func (a *actor) openConsole() error {
	if a.console != nil {
		return nil
	}
	var link struct {
		URL string `json:"consoleUrl"`
	}
	err := a.client.call("events.create_console_session", map[string]any{}, &link)
	if err == nil {
		a.console, err = openLink(link.URL)
	}
	return err
}

var consoleMarks = regexp.MustCompile(`data-session="([^"]+)" data-cursor="([^"]+)"`)

func (a *actor) look(out io.Writer, _ []string) error {
	if err := a.openConsole(); err != nil {
		return err
	}
	view, err := a.console.text("/api/console/" + a.console.id + "/view")
	if err != nil {
		return err
	}
	marks := consoleMarks.FindStringSubmatch(view)
	if marks == nil {
		return fmt.Errorf("no cursor: %s", view)
	}
	if a.session = marks[1]; a.cursor == "" {
		a.cursor = marks[2]
	}
	fmt.Fprintln(out, view)
	return nil
}

func (a *actor) happens(out io.Writer, args []string) error {
	want, err := regexp.Compile(strings.Join(args, " "))
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodGet, a.console.origin+"/api/events", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.console.token)
	req.Header.Set("Last-Event-ID", a.cursor)
	resp, err := (&http.Client{Timeout: unhurried}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			a.cursor = id
		}
		fmt.Fprintln(out, lines.Text())
		if want.MatchString(lines.Text()) {
			return nil
		}
	}
	return errors.Join(lines.Err(), errors.New("the stream ended"))
}

var reviewCard = regexp.MustCompile(`data-action="open" data-id="([^"]+)" aria-label="Open: ([^"]*)"`)

func (a *actor) opens(_ io.Writer, args []string) error {
	want, err := regexp.Compile(strings.Join(args, " "))
	if err != nil {
		return err
	}
	view, err := a.console.text("/api/console/" + a.console.id + "/view")
	if err != nil {
		return err
	}
	for _, card := range reviewCard.FindAllStringSubmatch(view, -1) {
		if !want.MatchString(card[2]) {
			continue
		}
		var led struct{ URL string }
		if err := a.console.post("/api/console/"+a.console.id+"/open", map[string]any{"id": card[1]}, &led); err != nil {
			return err
		}
		if a.page, err = openLink(led.URL); err != nil {
			return err
		}
		a.id = card[1]
		a.shown, err = a.read(a.page)
		return err
	}
	return fmt.Errorf("no such card: %s", view)
}

func (a *actor) posts(out io.Writer, args []string) error {
	body := fmt.Sprintf(`{"session_id":%q,"event":%s}`, a.session, strings.Join(args, " "))
	return a.console.posting(out, "/api/system/event", body)
}

func (a *actor) interrupt(out io.Writer, _ []string) error {
	return a.console.posting(out, "/api/interrupt", `{}`)
}

// posting posts a body unchanged and prints the response.
func (p *person) posting(out io.Writer, path, body string) error {
	req, err := http.NewRequest(http.MethodPost, p.origin+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Fprintf(out, "%d %s\n", resp.StatusCode, text)
	return err
}

func (a *actor) hears(out io.Writer, args []string) error {
	arguments, err := jsonOf(args[1:])
	if err != nil {
		return err
	}
	var result struct {
		Whole json.RawMessage `json:"structuredContent"`
	}
	err = a.client.request("tools/call", map[string]any{"name": args[0], "arguments": arguments}, &result)
	fmt.Fprintf(out, "%s\n", result.Whole)
	return err
}

func (a *actor) refuses(io.Writer, []string) error {
	return a.page.post("/api/review/"+a.page.id+"/outcome", map[string]any{"outcome": "declined"}, nil)
}

func (a *actor) vanish(io.Writer, []string) error {
	var handed struct {
		JSON string `json:"transactionJson"`
	}
	err := a.page.post("/api/review/"+a.page.id+"/handoff",
		map[string]any{"revision": a.shown.Revision, "commitment": a.shown.Commitment}, &handed)
	if err != nil {
		return err
	}
	var signed struct{ Bytes, Signature string }
	if err := a.page.post("/sandbox/wallet/sign", map[string]any{"transaction": handed.JSON}, &signed); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(signed.Bytes)
	if err != nil {
		return err
	}
	signature, err := base64.StdEncoding.DecodeString(signed.Signature)
	if err != nil {
		return err
	}
	_, err = a.chain.Execute(raw, [][]byte{signature})
	a.page = nil
	return err
}

func (a *actor) settled(out io.Writer, _ []string) error {
	var shown shownReview
	var err error
	if !double.Await(func() bool {
		err = a.page.get("/api/review/"+a.page.id+"/state", &shown)
		return err != nil || shown.Status.Terminal()
	}) {
		return errors.New("the review does not end")
	}
	if err == nil {
		fmt.Fprintln(out, shown.Status)
	}
	return err
}
