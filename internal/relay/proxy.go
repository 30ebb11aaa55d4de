package relay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// mostLine is the maximum length of a client's line, as on the user's machine.
const mostLine = 4 << 20

// Proxy is the MCP server of one client. It forwards everything to the user's program, and responds
// to requests by itself only while that program is offline.
type Proxy struct {
	Open func(ctx context.Context) (*Stream, error)
	Now  func() time.Time
	// Seen is when the program was last seen before this process started, and Lists holds its
	// stored responses. Keep is called when either changes.
	Seen  time.Time
	Lists map[string]json.RawMessage
	Keep  func(seen time.Time, lists map[string]json.RawMessage)

	out   io.Writer
	write sync.Mutex

	mu      sync.Mutex
	link    *Stream // nil while disconnected
	serial  int     // number of the current link
	refused string  // reason of the other side for rejecting the last attempt, if any
	tried   time.Time
	initial []byte            // the client's initialize request, which is sent again on each new link
	watched map[string][]byte // its resources/subscribe, by URI
	running map[string]asked  // unanswered requests by ID
}

// asked is a request from the client that has no response yet.
type asked struct {
	id     json.RawMessage
	method string
	key    string // key for storing the response; "" if it is not stored
}

// message contains the members of a line that the proxy needs.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// internalID is the prefix of the IDs of the proxy's own requests.
const internalID = `"say-ur-intent connect `

// Serve serves until the client's input or ctx ends.
func (p *Proxy) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	p.out, p.watched, p.running = out, map[string][]byte{}, map[string]asked{}
	if p.Lists == nil {
		p.Lists = map[string]json.RawMessage{}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go p.stayConnected(ctx)
	ended := make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(in)
		lines.Buffer(make([]byte, 64<<10), mostLine)
		for lines.Scan() {
			if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
				p.fromClient(ctx, line)
			}
		}
		ended <- lines.Err()
	}()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	p.mu.Lock()
	link := p.link
	p.mu.Unlock()
	if link != nil {
		p.finish(link)
		link.End("")
	}
	return err
}

// finish waits briefly for responses after the client's input has ended.
func (p *Proxy) finish(link *Stream) {
	most, look := time.NewTimer(2*time.Second), time.NewTicker(10*time.Millisecond)
	defer most.Stop()
	defer look.Stop()
	for {
		p.mu.Lock()
		left := len(p.running)
		p.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-link.Done():
			return
		case <-most.C:
			return
		case <-look.C:
		}
	}
}

// stayConnected reopens a broken link, so that notifications continue.
func (p *Proxy) stayConnected(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		p.mu.Lock()
		begun := p.initial != nil
		p.mu.Unlock()
		if begun {
			p.connected(ctx, false)
		}
	}
}

// connected returns the link, opening one if necessary. It returns nil if there is none.
func (p *Proxy) connected(ctx context.Context, first bool) *Stream {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link != nil || ctx.Err() != nil || p.Now().Sub(p.tried) < time.Second/2 && !p.tried.IsZero() {
		return p.link
	}
	opening, done := context.WithTimeout(ctx, openTime)
	link, err := p.Open(opening)
	done()
	p.tried, p.refused = p.Now(), ""
	if err != nil {
		if !errors.Is(err, ErrAbsent) {
			p.refused = err.Error()
		}
		return nil
	}
	p.serial++
	p.link = link
	go p.fromPerson(link, p.serial)
	if !first && p.initial != nil {
		p.again(link)
	}
	return link
}

// again introduces the client on a new link and renews its subscriptions. The caller must hold
// p.mu.
func (p *Proxy) again(link *Stream) {
	said := [][]byte{p.initial}
	for _, line := range p.watched {
		said = append(said, line)
	}
	for i, line := range said {
		var whole map[string]json.RawMessage
		if json.Unmarshal(line, &whole) != nil {
			continue
		}
		whole["id"] = json.RawMessage(internalID + strconv.Itoa(p.serial) + " " + strconv.Itoa(i) + `"`)
		_ = say(link, whole)
		if i == 0 {
			_, _ = link.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
		}
	}
}

func say(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}

// fromClient handles one line from the client.
func (p *Proxy) fromClient(ctx context.Context, line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		m = message{} // the user's program reports the error
	}
	first := m.Method == "initialize"
	link := p.connected(ctx, first)
	p.mu.Lock()
	serial := p.serial
	if first {
		p.initial = bytes.Clone(line)
	}
	p.mu.Unlock()
	switch {
	case len(m.ID) > 0 && m.Method != "":
		p.remember(m, line)
		if link == nil || !p.sent(link, line) {
			p.apart(m.ID, false)
		}
	case m.Method == "notifications/cancelled":
		var cancelled struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		_ = json.Unmarshal(m.Params, &cancelled)
		p.forget(cancelled.RequestID)
		fallthrough
	case m.Method != "":
		if link != nil {
			p.sent(link, line)
		}
	case len(m.ID) > 0:
		if back, ok := theirID(m.ID, serial); ok && link != nil {
			var whole map[string]json.RawMessage
			if json.Unmarshal(line, &whole) == nil {
				whole["id"] = back
				_ = say(link, whole)
			}
		}
	default:
		if link != nil {
			p.sent(link, line)
		}
	}
}

// sent forwards a line. It cannot contain a line feed.
func (p *Proxy) sent(link *Stream, line []byte) bool {
	_, err := link.Write(append(bytes.Clone(line), '\n'))
	return err == nil
}

// remember records a request until it is answered.
func (p *Proxy) remember(m message, line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var params struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(m.Params, &params)
	a := asked{id: bytes.Clone(m.ID), method: m.Method, key: listKey(m)}
	p.running[string(m.ID)] = a
	switch m.Method {
	case "resources/subscribe":
		if len(p.watched) < 64 {
			p.watched[params.URI] = bytes.Clone(line)
		}
	case "resources/unsubscribe":
		delete(p.watched, params.URI)
	}
}

// forget removes and returns a request. It returns false if no request has the ID.
func (p *Proxy) forget(id json.RawMessage) (asked, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.running[string(id)]
	delete(p.running, string(id))
	return a, ok
}

// listKey returns the key under which the response to a request is stored for use while the user's
// machine is offline. It returns "" for requests that must always be forwarded, such as calls.
func listKey(m message) string {
	switch m.Method {
	case "initialize", "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list":
	default:
		return ""
	}
	var params struct {
		Cursor  string                     `json:"cursor"`
		Version string                     `json:"protocolVersion"`
		Meta    map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params)
	_, modern := params.Meta["io.modelcontextprotocol/protocolVersion"]
	return fmt.Sprintf("%s %t %s%s", m.Method, modern, params.Version, params.Cursor)
}

// fromPerson forwards lines from the user's program until the link ends. It then responds to all
// open requests.
func (p *Proxy) fromPerson(link *Stream, serial int) {
	lines := bufio.NewReaderSize(link, 64<<10)
	var err error
	for {
		var line []byte
		if line, err = lines.ReadBytes('\n'); err != nil {
			break
		}
		p.passOn(line, serial)
	}
	p.mu.Lock()
	p.link = nil
	var ended *EndedError
	if errors.As(err, &ended) {
		p.refused = ended.Reason
	}
	open := slices.Collect(maps.Values(p.running))
	p.mu.Unlock()
	link.End("")
	for _, a := range open {
		p.apart(a.id, true)
	}
}

// passOn forwards one line from the user's program to the client. It drops the response to a
// request that is no longer open.
func (p *Proxy) passOn(line []byte, serial int) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return
	}
	p.mu.Lock()
	p.Seen = p.Now()
	p.mu.Unlock()
	switch {
	case m.Method != "" && len(m.ID) > 0: // a request of the user's program; its ID must identify its link
		var whole map[string]json.RawMessage
		if json.Unmarshal(line, &whole) != nil {
			return
		}
		whole["id"] = ourID(m.ID, serial)
		text, err := json.Marshal(whole)
		if err != nil {
			return
		}
		line = append(text, '\n')
	case m.Method != "":
	case bytes.HasPrefix(m.ID, []byte(internalID)):
		return
	case len(m.ID) > 0 && string(m.ID) != "null":
		a, ok := p.forget(m.ID)
		if !ok {
			return
		}
		if a.key != "" && len(m.Result) > 0 {
			p.keep(a.key, m.Result)
		}
	}
	p.give(line)
}

// keep stores the response to a list request.
func (p *Proxy) keep(key string, result json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.Lists) < 64 || p.Lists[key] != nil {
		p.Lists[key] = bytes.Clone(result)
	}
	if p.Keep != nil {
		p.Keep(p.Seen, p.Lists)
	}
}

func (p *Proxy) give(line []byte) {
	p.write.Lock()
	defer p.write.Unlock()
	_, _ = p.out.Write(line)
}

// ourID prefixes the ID of a request from the other side with the number of its link, so that a
// late response is not mistaken for one on another link.
func ourID(id json.RawMessage, serial int) json.RawMessage {
	text, err := json.Marshal("link" + strconv.Itoa(serial) + ":" + string(id))
	if err != nil {
		return id // encoding a string cannot fail
	}
	return text
}

func theirID(id json.RawMessage, serial int) (json.RawMessage, bool) {
	var text string
	if json.Unmarshal(id, &text) != nil {
		return nil, false
	}
	back, ok := strings.CutPrefix(text, "link"+strconv.Itoa(serial)+":")
	return json.RawMessage(back), ok && json.Valid([]byte(back))
}

// apart responds to a request while the user's program is offline. If cut is set, the request was
// sent before and may have been executed, so it must not be repeated.
func (p *Proxy) apart(id json.RawMessage, cut bool) {
	a, ok := p.forget(id)
	if !ok {
		return
	}
	p.mu.Lock()
	kept, seen, refused := p.Lists[a.key], p.Seen, p.refused
	p.mu.Unlock()
	if a.key != "" && kept != nil {
		p.reply(a.id, "result", kept)
		return
	}
	if a.method == "ping" {
		p.reply(a.id, "result", json.RawMessage("{}"))
		return
	}
	f := offline(seen, refused, cut)
	if a.method != "tools/call" {
		text, _ := json.Marshal(map[string]any{"code": -32000, "message": string(f.Code) + ": " + f.Text})
		p.reply(a.id, "error", text)
		return
	}
	p.reply(a.id, "result", toolRefusal(f))
}

// offline returns an error that says since when the user's machine has not responded.
func offline(seen time.Time, refused string, cut bool) *fault.Error {
	last := "It has not been seen yet."
	if !seen.IsZero() {
		last = "It was last seen at " + seen.UTC().Format(time.RFC3339) + "."
	}
	why := "The user's machine does not respond: it is off, or say-ur-intent share is not running there."
	if refused != "" {
		why = "The user's machine refuses this one: " + refused + "."
	}
	then := "It keeps reviews in progress."
	if cut {
		then += " This call may have been executed: read the current state before you call again."
	}
	return fault.New(fault.PersonOffline, "%s %s %s", why, last, then)
}

func (p *Proxy) reply(id json.RawMessage, member string, value json.RawMessage) {
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	line = append(append(append(line, `,"`...), member...), `":`...)
	p.give(append(append(line, value...), "}\n"...))
}

// toolRefusal returns the result of a failed tool call, in the same form as the tools do.
func toolRefusal(f *fault.Error) json.RawMessage {
	text, err := json.Marshal(map[string]any{"ok": false, "error": map[string]any{"kind": f.Code, "message": f.Text}})
	if err != nil {
		return nil // encoding strings cannot fail
	}
	result, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}},
		"isError": true})
	return result
}
