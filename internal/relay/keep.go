package relay

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
)

// dialAgain is the pause after a failed connection.
const dialAgain = 2 * time.Second

// Keep shares until ctx ends. It reconnects whenever the connection ends, even if the server
// rejected it. It calls told with the URL in use or with an error, never concurrently. If url names
// several servers, Keep uses one of them.
func (h *Host) Keep(ctx context.Context, url, credentials string, report func(server string, err error)) {
	for ctx.Err() == nil {
		if err := h.keepOne(ctx, url, credentials, report); err != nil && ctx.Err() == nil {
			report("", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(dialAgain):
		}
	}
}

// how is the state of a connection.
type how struct {
	server string
	err    error
}

// keepOne connects once, and returns when the connection is closed for good.
func (h *Host) keepOne(ctx context.Context, url, credentials string, report func(string, error)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	became := make(chan how, 16)
	note := func(x how) {
		select {
		case became <- x:
		case <-ctx.Done():
		}
	}
	nc, err := dialUntil(ctx, url, credentials,
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err == nil {
				err = errors.New("the connection ended")
			}
			note(how{err: err})
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { note(how{server: nc.ConnectedUrlRedacted()}) }),
		nats.ClosedHandler(func(*nats.Conn) { stop() }))
	if err != nil {
		return err
	}
	defer nc.Close()
	h.NATS, h.Listening = nc, func() { note(how{server: nc.ConnectedUrlRedacted()}) }
	ran := make(chan error, 1)
	go func() { ran <- h.Run(ctx) }()
	for {
		select {
		case x := <-became:
			report(x.server, x.err)
		case err := <-ran:
			if err == nil {
				err = nc.LastError()
			}
			return err
		}
	}
}

// dialUntil is like Dial but returns when ctx ends.
func dialUntil(ctx context.Context, url, credentials string, options ...nats.Option) (*nats.Conn, error) {
	type dialled struct {
		nc  *nats.Conn
		err error
	}
	got := make(chan dialled, 1)
	go func() {
		nc, err := Dial(url, credentials, options...)
		got <- dialled{nc, err}
	}()
	select {
	case d := <-got:
		return d.nc, d.err
	case <-ctx.Done():
		go func() {
			if d := <-got; d.nc != nil {
				d.nc.Close()
			}
		}()
		return nil, ctx.Err()
	}
}
