package door

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

const (
	// Attempts to start a server, and the pauses between them.
	tries     = 20
	triesMost = 3 // attempts within triesTime
	triesTime = 30 * time.Second
	tryPause  = 10 * time.Millisecond
)

// errRefusedAgain means that a client of a newer version found only older servers.
var errRefusedAgain = errors.New("servers of an older version keep starting")

// connected records a new connection.
func (p *Proxy) connected(conn net.Conn, w Welcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn, p.reads = conn, map[string]bool{}
	p.serial++
	for _, name := range w.Reads {
		p.reads[name], p.reads[strings.ReplaceAll(name, ".", "_")] = true, true
	}
}

// connect connects to the server, starting one if none is running.
func (p *Proxy) connect(ctx context.Context) (*bufio.Reader, error) {
	var last error
	for range tries {
		conn, err := dial(p.Dir)
		if errors.Is(err, ErrAbsent) {
			conn, err = p.start(ctx)
		}
		if err == nil {
			w, from, err := greet(conn, p.Hello, p.Now())
			if err == nil {
				p.connected(conn, w)
				return from, nil
			}
			_ = conn.Close()
			if refused := (*Refused)(nil); errors.As(err, &refused) {
				if refused.Do != DoTakeOver {
					return nil, err
				}
				err = p.takeOver(ctx)
			}
			if last = err; last == nil {
				last = errRefusedAgain
			}
		} else {
			last = err
		}
		if p.hopeless() || ctx.Err() != nil || errors.Is(last, ErrNoServer) {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(tryPause):
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("cannot connect to the Say Ur Intent server: %w", last)
}

// hopeless reports whether so many starts failed recently that it is not worth trying again.
func (p *Proxy) hopeless() bool {
	since := p.Now().Add(-triesTime)
	for len(p.starts) > 0 && p.starts[0].Before(since) {
		p.starts = p.starts[1:]
	}
	return len(p.starts) >= triesMost
}

// takeOver ends an older server and starts a new one, unless another proxy already has.
func (p *Proxy) takeOver(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	lock, err := lockStart(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	conn, err := dial(p.Dir)
	if err == nil {
		defer func() { _ = conn.Close() }()
		hello := p.Hello
		hello.TakeOver = true
		refused := (*Refused)(nil)
		if _, _, err := greet(conn, hello, p.Now()); !errors.As(err, &refused) || refused.Do != DoTakeOver {
			return err
		}
		_ = conn.SetReadDeadline(p.Now().Add(startTime))
		_, _ = conn.Read(make([]byte, 1)) // returns when the server's process has exited
	} else if !errors.Is(err, ErrAbsent) {
		return err
	}
	if err := p.Start.start(ctx, p.Dir, lock); err != nil {
		p.starts = append(p.starts, p.Now())
		return err
	}
	return nil
}

// start starts a server, unless another proxy already has.
func (p *Proxy) start(ctx context.Context) (net.Conn, error) {
	ctx, stop := context.WithTimeout(ctx, startTime)
	defer stop()
	lock, err := lockStart(ctx, p.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }()
	if conn, err := dial(p.Dir); !errors.Is(err, ErrAbsent) {
		return conn, err
	}
	if err := p.Start.start(ctx, p.Dir, lock); err != nil {
		p.starts = append(p.starts, p.Now())
		return nil, err
	}
	return dial(p.Dir)
}

// explain responds to the client's first request with the reason why there is no server. Clients
// show the errors of requests, but not always the output of a program that has exited.
func (p *Proxy) explain(in io.Reader, why error) {
	asked := make(chan json.RawMessage, 1)
	go func() {
		line, _ := nextLine(bufio.NewReader(in), nil, mostLine)
		var r request
		_ = json.Unmarshal(line, &r) // a message without an ID gets no response
		asked <- r.ID
	}()
	select {
	case id := <-asked:
		if len(id) > 0 {
			_ = p.give(failure(id, "unavailable", why.Error()))
		}
	case <-time.After(askTime):
	}
}
