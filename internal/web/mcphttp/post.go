package mcphttp

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/web"
)

// Error codes of JSON-RPC and MCP that determine the HTTP status.
const (
	codeInvalidRequest    = -32600
	codeNoMethod          = -32601
	codeInvalidParams     = -32602
	codeHeaderMismatch    = -32020
	codeMissingCapability = -32021
	codeUnknownVersion    = -32022
)

// post serves one message.
func (v *visit) post() error {
	if !accepts(v.R.Header, "application/json") || !accepts(v.R.Header, "text/event-stream") {
		return web.Refuse(http.StatusNotAcceptable, "accept", "Accept application/json and text/event-stream.")
	}
	message, err := io.ReadAll(v.R.Body)
	if err != nil {
		return err
	}
	m, refused := stdio.ReadOutline(message)
	if refused != nil {
		return v.frame(http.StatusBadRequest, refused)
	}
	version := v.R.Header.Get(versionHeader)
	if version != "" && !stdio.Handshake(version) {
		if code, text := v.mismatch(m); code != 0 {
			return v.refuse(m, code, text)
		}
		c, err := v.clients.shared(v.key, v.R.Header.Get(ToolsetsHeader))
		if err != nil {
			return err
		}
		return v.do(c, m, message, &answers{v: v, modern: true})
	}
	if m.Version != "" && !stdio.Handshake(m.Version) {
		return v.refuse(m, codeHeaderMismatch, "The header "+versionHeader+
			" differs from the protocol version in the request's _meta.")
	}
	return v.handshaken(m, message)
}

// handshaken serves a message of a protocol version with a handshake.
func (v *visit) handshaken(m stdio.Outline, message []byte) error {
	if m.Method == "initialize" && m.ID != nil && v.R.Header.Get(sessionHeader) == "" {
		c, err := v.clients.begin(v.key, v.R.Header.Get(ToolsetsHeader))
		if err != nil {
			return err
		}
		return v.do(c, m, message, &answers{v: v, begun: c})
	}
	c, err := v.session()
	if err != nil {
		return err
	}
	return v.do(c, m, message, &answers{v: v})
}

// session returns the session that a request names.
func (v *visit) session() (*client, error) {
	id := v.R.Header.Get(sessionHeader)
	if id == "" {
		return nil, web.Refuse(http.StatusBadRequest, "session",
			"Send initialize first, then the header "+sessionHeader+
				" of its answer. Or send the header "+versionHeader+": 2026-07-28 and what that version requires.")
	}
	c := v.clients.find(v.key, id)
	if c == nil {
		return nil, web.Refuse(http.StatusNotFound, "session", "The session is unknown. Send initialize.")
	}
	return c, nil
}

// do passes a message to the connection and writes the answers.
func (v *visit) do(c *client, m stdio.Outline, message []byte, a *answers) error {
	defer v.clients.use(c)()
	ctx, stop := context.WithCancel(v.Ctx())
	defer stop()
	a.gone = stop
	defer a.keepAlive(ctx)()
	err := c.conn.Do(ctx, message, a)
	switch {
	case a.close() || v.Ctx().Err() != nil:
		return nil
	case errors.Is(err, stdio.ErrEnded):
		return web.Refuse(http.StatusNotFound, "session", "The session has ended. Send initialize.")
	case err != nil:
		return err
	}
	v.W.WriteHeader(http.StatusAccepted)
	return nil
}

// mismatch returns an error if the headers of a request without a handshake do not match its body.
func (v *visit) mismatch(m stdio.Outline) (code int, text string) {
	says := func(header, value string, needed bool) bool {
		values := v.R.Header.Values(header)
		return len(values) == 0 && !needed || len(values) == 1 && decoded(values[0]) == value
	}
	request := m.ID != nil
	switch {
	case request && (m.Version == "" || !m.Capable):
		return codeInvalidParams, "The request's _meta must have the protocol version and the client's capabilities."
	//mutant:never ./internal/web/mcphttp TestHeaders
	case !says(versionHeader, m.Version, true) && (request || m.Version != ""):
		return codeHeaderMismatch, "The header " + versionHeader + " differs from the protocol version in the request's _meta."
	//mutant:never ./internal/web/mcphttp TestHeaders
	case !says("Mcp-Method", m.Method, request):
		return codeHeaderMismatch, "The Mcp-Method header does not match the request's method."
	//mutant:never ./internal/web/mcphttp TestHeaders
	case m.Name != "" && !says("Mcp-Name", m.Name, true):
		return codeHeaderMismatch, "The header Mcp-Name differs from the name in the request's parameters."
	}
	return 0, ""
}

// decoded returns the value of a header, which is encoded in Base64 if it has characters that a
// header cannot contain.
func decoded(value string) string {
	if text, ok := strings.CutPrefix(value, "=?base64?"); ok {
		if text, ok = strings.CutSuffix(text, "?="); ok {
			plain, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return ""
			}
			return string(plain)
		}
	}
	return value
}

// accepts reports whether a client accepts a media type.
func accepts(h http.Header, kind string) bool {
	family, _, _ := strings.Cut(kind, "/")
	for _, line := range h.Values("Accept") {
		for _, part := range strings.Split(line, ",") {
			part, _, _ = strings.Cut(part, ";")
			part = strings.ToLower(strings.TrimSpace(part))
			if part == kind || part == family+"/*" || part == "*/*" {
				return true
			}
		}
	}
	return false
}

// refuse responds with an error to a message that is not passed on.
func (v *visit) refuse(m stdio.Outline, code int, text string) error {
	return v.frame(http.StatusBadRequest, stdio.ErrorFrame(m.ID, code, text))
}

// listen opens a session's stream for messages that belong to no request.
func (v *visit) listen() error {
	if version := v.R.Header.Get(versionHeader); version != "" && !stdio.Handshake(version) {
		v.W.Header().Set("Allow", http.MethodPost)
		return web.Refuse(http.StatusMethodNotAllowed, "method",
			"In this version of the protocol, send subscriptions/listen.")
	}
	if !accepts(v.R.Header, "text/event-stream") {
		return web.Refuse(http.StatusNotAcceptable, "accept", "Accept text/event-stream.")
	}
	c, err := v.session()
	if err != nil {
		return err
	}
	defer v.clients.use(c)()
	out, err := v.Reserve(v.streams, c.id)
	if err != nil {
		return err
	}
	defer out.Close()
	ctx, stop := context.WithCancel(out.Context())
	defer stop()
	a := &answers{v: v, stream: out, gone: stop}
	// Attach before the client can know of the stream: it may then open the next one, or expect
	// messages. They wait for the header.
	a.mu.Lock()
	defer c.push.attach(a)()
	err = out.Begin()
	a.mu.Unlock()
	if err != nil {
		return err
	}
	defer a.keepAlive(ctx)()
	select {
	case <-ctx.Done():
	case <-c.over:
	}
	return nil
}

// end ends a session.
func (v *visit) end() error {
	c, err := v.session()
	if err != nil {
		return err
	}
	v.clients.end(c)
	v.W.WriteHeader(http.StatusNoContent)
	return nil
}
