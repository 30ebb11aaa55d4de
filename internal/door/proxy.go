package door

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	mostLine = 4 << 20 // maximum length of a client's line; the server rejects longer ones
	keepLine = 1 << 20 // maximum size of a buffer that is reused for the next line
)

// ownID is the prefix of the IDs of the proxy's own requests.
const ownID = `"say-ur-intent proxy `

// Proxy is the MCP server of one client. It forwards everything to the server of a data directory.
type Proxy struct {
	Now   func() time.Time
	Dir   string
	Hello Hello
	Start Command

	out   io.Writer
	write sync.Mutex

	// sending is held while a line is sent and while there is no connection, so that the client's
	// lines wait for the next connection.
	sending sync.Mutex

	mu      sync.Mutex // never held while writing
	conn    net.Conn
	reads   map[string]bool
	serial  int               // number of the connection
	initial []byte            // the client's initialize request, once it was answered
	level   []byte            // its last logging/setLevel
	watched map[string][]byte // its resources/subscribe, by URI
	running map[string]*waiting
	ended   bool // the client's input has ended
	last    bool // the connection was made after the input ended, so no other follows

	wake   chan struct{} // signals that a line could not be sent, or that the input has ended
	starts []time.Time   // times of failed starts
}

// waiting is a request without a response.
type waiting struct {
	request
	line []byte
	sent bool // the whole request was sent over the current connection
}

// Serve serves until the client's input ends, the client stops reading, or ctx ends. If there was
// never a connection, the error says why. If the error is [ErrNoServer], nothing was read from in.
func (p *Proxy) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p.out, p.watched, p.running, p.wake = out, map[string][]byte{}, map[string]*waiting{}, make(chan struct{}, 1)
	from, err := p.connect(ctx)
	if err != nil {
		if !errors.Is(err, ErrNoServer) && ctx.Err() == nil {
			p.explain(in, err)
		}
		return err
	}
	defer p.hangUp()
	defer context.AfterFunc(ctx, p.hangUp)()
	go func() {
		p.fromClient(in)
		p.endInput()
	}()
	return p.fromServer(ctx, from)
}

// hangUp closes the current connection.
func (p *Proxy) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		_ = p.conn.Close()
	}
}

// endInput closes the server's input. The server still answers running requests.
func (p *Proxy) endInput() {
	p.sending.Lock()
	defer p.sending.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	defer p.call()
	if c, ok := p.conn.(*net.UnixConn); ok {
		_ = c.CloseWrite()
	}
}

// fromClient forwards the client's lines.
func (p *Proxy) fromClient(in io.Reader) {
	lines := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	for {
		var err error
		line, err = nextLine(lines, line, mostLine)
		if errors.Is(err, io.EOF) {
			line = append(line, '\n') // the client's last line may lack the line feed
		} else if err != nil {
			return
		}
		if len(bytes.TrimSpace(line)) > 0 {
			p.pass(line)
		}
		if err != nil {
			return
		}
	}
}

// nextLine reads a line, including its line feed, into a reused buffer. It truncates a line that is
// too long, and the server then rejects it.
func nextLine(r *bufio.Reader, line []byte, most int) ([]byte, error) {
	if line = line[:0]; cap(line) > keepLine {
		line = nil
	}
	for {
		part, err := r.ReadSlice('\n')
		if len(line) <= most {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return line, err
		default:
			if line[len(line)-1] != '\n' {
				line = append(line, '\n')
			}
			return line, nil
		}
	}
}

// pass forwards one line from the client, and remembers it if it needs a response.
func (p *Proxy) pass(line []byte) {
	var r request
	if json.Unmarshal(line, &r) != nil {
		r = request{} // the server reports the error
	}
	p.sending.Lock()
	defer p.sending.Unlock()
	if w := p.note(r, line); w != nil {
		p.forward(w)
	} else {
		_ = p.send(line)
	}
}

// note remembers a request until it is answered, and forgets a canceled one. It returns nil if no
// response will have that ID. This is the case for an ID already in use, which the server rejects
// with an error that has no ID.
func (p *Proxy) note(r request, line []byte) *waiting {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(r.ID) > 0 && r.Method != "" && p.running[string(r.ID)] == nil:
		w := &waiting{request: r, line: bytes.Clone(line)}
		w.ID, w.Params = bytes.Clone(r.ID), bytes.Clone(r.Params)
		p.running[string(r.ID)] = w
		return w
	case r.Method == "notifications/cancelled":
		var cancelled struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		_ = json.Unmarshal(r.Params, &cancelled)
		delete(p.running, string(cancelled.RequestID))
	}
	return nil
}

// call asks for a connection to the next server.
func (p *Proxy) call() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// await waits until a server is needed. If the last one was killed, it returns at once, because the
// user may have its pages open. If the last one was stopped, it waits for a request of the client,
// unless one is open.
func (p *Proxy) await(ctx context.Context) {
	p.mu.Lock()
	needed := len(p.running) > 0 || len(p.watched) > 0 || p.ended
	p.mu.Unlock()
	if needed || left(p.Dir) {
		return
	}
	select {
	case <-p.wake:
	case <-ctx.Done():
	}
}

// send writes a line to the current connection. The caller must hold p.sending.
func (p *Proxy) send(line []byte) error {
	p.mu.Lock()
	conn := p.conn
	p.mu.Unlock()
	_, err := conn.Write(line)
	return err
}

// forward sends a request and remembers whether all of it was sent. If not, no server has processed
// it. The caller must hold p.sending.
func (p *Proxy) forward(w *waiting) {
	err := p.send(w.line)
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.sent = err == nil; !w.sent {
		p.call()
	}
}

// fromServer forwards the server's lines until the client has left. If the server ends, it
// continues with the next one.
func (p *Proxy) fromServer(ctx context.Context, from *bufio.Reader) error {
	for {
		err := p.copyLines(from)
		if errors.Is(err, errClientGone) {
			return nil
		}
		p.hangUp() // unblocks a sender
		p.await(ctx)
		p.sending.Lock()
		if from, err = p.resume(ctx); from == nil {
			p.sending.Unlock()
			return err
		}
		lost := p.take(func(w *waiting) bool { return w.sent && !w.repeatable(p.reads) })
		// The server may read no further lines until its responses are read.
		go func() {
			defer p.sending.Unlock()
			p.repeat()
		}()
		for _, w := range lost {
			if err := p.give(failure(w.ID, "unknown_outcome", unknownOutcome)); err != nil {
				return nil
			}
		}
	}
}

// errClientGone means that the client has stopped reading.
var errClientGone = errors.New("door: the client is gone")

// copyLines forwards complete lines until the connection ends. It drops an incomplete last line.
func (p *Proxy) copyLines(from *bufio.Reader) error {
	var line []byte
	for {
		var err error
		if line, err = nextLine(from, line, 1<<30); err != nil {
			return err
		}
		if id := answered(line); id != nil {
			if bytes.HasPrefix(id, []byte(ownID)) {
				continue
			}
			p.done(id)
		}
		if err := p.give(line); err != nil {
			return err
		}
	}
}

// done forgets an answered request, and remembers what to send again to the next server.
func (p *Proxy) done(id []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.running[string(id)]
	if w == nil {
		return
	}
	delete(p.running, string(id))
	switch w.Method {
	case "initialize":
		p.initial = w.line
	case "logging/setLevel":
		p.level = w.line
	case "resources/subscribe", "resources/unsubscribe":
		var params struct {
			URI string `json:"uri"`
		}
		if _ = json.Unmarshal(w.Params, &params); w.Method == "resources/unsubscribe" {
			delete(p.watched, params.URI)
		} else if len(p.watched) < 64 {
			p.watched[params.URI] = w.line
		}
	}
}

func (p *Proxy) give(line []byte) error {
	p.write.Lock()
	defer p.write.Unlock()
	if _, err := p.out.Write(line); err != nil {
		return errClientGone
	}
	return nil
}

// resume connects to the next server. It does nothing if the client has left and no request is
// open. The caller must hold p.sending.
func (p *Proxy) resume(ctx context.Context) (*bufio.Reader, error) {
	p.mu.Lock()
	over := p.ended && (len(p.running) == 0 || p.last)
	p.last = p.ended
	p.mu.Unlock()
	if over || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	from, err := p.connect(ctx)
	if err != nil {
		for _, w := range p.take(func(*waiting) bool { return true }) {
			_ = p.give(failure(w.ID, "unavailable", err.Error()))
		}
	}
	if errors.Is(err, ErrNoServer) { // some input was read, so the process cannot serve the client by itself
		err = errors.New(err.Error())
	}
	select {
	case <-p.wake: // no server is needed
	default:
	}
	return from, err
}

// repeat introduces the client to a new server and sends unanswered requests again. If sending
// fails, the reader of the connection notices. The caller must hold p.sending.
func (p *Proxy) repeat() {
	for _, line := range p.introduction() {
		_ = p.send(line)
	}
	p.mu.Lock()
	again := slices.Collect(maps.Values(p.running))
	ended := p.ended
	p.mu.Unlock()
	for _, w := range again {
		p.forward(w)
	}
	if c, ok := p.conn.(*net.UnixConn); ok && ended {
		_ = c.CloseWrite()
	}
}

// take removes and returns the unanswered requests for which which returns true.
func (p *Proxy) take(which func(*waiting) bool) (list []*waiting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, w := range p.running {
		if which(w) {
			list = append(list, w)
			delete(p.running, id)
		}
	}
	return list
}

// introduction returns the lines that introduce the client to a new server and renew its
// subscriptions.
func (p *Proxy) introduction() (lines [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := func(line []byte) {
		var whole map[string]json.RawMessage
		if line == nil || json.Unmarshal(line, &whole) != nil {
			return
		}
		whole["id"] = json.RawMessage(ownID + strconv.Itoa(p.serial) + " " + strconv.Itoa(len(lines)) + `"`)
		if text, err := json.Marshal(whole); err == nil {
			lines = append(lines, append(text, '\n'))
		}
	}
	if own(p.initial); p.initial != nil {
		lines = append(lines, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"))
	}
	own(p.level)
	for _, line := range p.watched {
		own(line)
	}
	return lines
}

// unknownOutcome is the error for a call that was running when its server ended.
const unknownOutcome = "The Say Ur Intent server ended during this call, and " +
	"another one has taken over. The outcome of the call is unknown. " +
	"Call task.list and account.get_active_account to check it before you call again."

// failure returns an error response.
func failure(id json.RawMessage, code, text string) []byte {
	message, _ := json.Marshal(code + ": " + text)
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	line = append(append(line, `,"error":{"code":-32000,"message":`...), message...)
	return append(line, "}}\n"...)
}
