package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/web/mcphttp"
)

// overHTTP adds the server's URL and a token to the new entry, if the server accepts the token.
func (in *installing) overHTTP() error {
	switch {
	case in.flagged || in.spec.ToolNames != "" || in.relay != relayOptions{}:
		return errors.New("--http uses the running server: omit --connect, --tool-names and flags after --")
	case in.project != "":
		return errors.New("--http writes a token, which does not belong in a project's file: omit --project")
	}
	for _, t := range in.targets {
		if !t.client.TakesURL() {
			return fmt.Errorf("%s cannot connect to a local server with a token. Omit --http", t.client.Title)
		}
	}
	network := in.spec.Network
	if network == "" {
		network = "mainnet"
	}
	s, err := parseOptions(in.p, []string{"--network", network})
	if err != nil {
		return err
	}
	var is serverStatus
	if s.dataDir == "" {
		return errors.New("set " + dataDirVariable + ": a sandbox needs a data directory to share its server")
	}
	if err := s.askServer(in.p, door.KindStatus, &is); err != nil {
		return fmt.Errorf("no server is running. Enable HTTP on the settings page first: %s", s.homeCommand())
	}
	fmt.Fprintln(in.p.Stderr, "Paste a token for an AI client, created on the settings page, and press Enter:")
	line, err := bufio.NewReader(io.LimitReader(in.p.Stdin, 1024)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	in.spec.URL, in.spec.Token = is.Pages+mcphttp.Path, strings.TrimSpace(line)
	return tryHTTP(in.spec.URL, in.spec.Token)
}

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{20,128}$`)

// tryHTTP checks a token by opening and ending an MCP session. Its error is the server's reason.
func tryHTTP(url, token string) error {
	if !tokenForm.MatchString(token) {
		return errors.New("this is not an access token. Create one for an AI client on the settings page: " +
			"say-ur-intent pages")
	}
	client := http.Client{Timeout: checkTime, Transport: &http.Transport{DisableKeepAlives: true}}
	send := func(method, body string, headers ...string) (*http.Response, error) {
		r, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		for i, all := 0, append(headers, "Authorization", "Bearer "+token, "Accept",
			"application/json, text/event-stream",
			"Content-Type", "application/json"); i < len(all); i += 2 {
			r.Header.Set(all[i], all[i+1])
		}
		return client.Do(r)
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"install","version":"1"}}}`
	r, err := send(http.MethodPost, hello)
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }()
	var answer struct {
		Error struct{ Message string }
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&answer); err != nil ||
		r.StatusCode != http.StatusOK {
		if answer.Error.Message == "" {
			answer.Error.Message = "the server answered " + r.Status
		}
		return errors.New(answer.Error.Message)
	}
	end, err := send(http.MethodDelete, "", "Mcp-Session-Id", r.Header.Get("Mcp-Session-Id"))
	if err == nil {
		_ = end.Body.Close()
	}
	return err
}
