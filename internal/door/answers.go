package door

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
)

// Answers connects to the server, starting one if none is running, and calls each for every line of
// the response. It returns when the server closes the connection, each returns an error, or ctx
// ends.
func (p *Proxy) Answers(ctx context.Context, each func(line json.RawMessage) error) error {
	from, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer p.hangUp()
	defer context.AfterFunc(ctx, p.hangUp)()
	for {
		var line json.RawMessage
		err := readLine(from, &line)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return err
		}
		if err := each(line); err != nil {
			return err
		}
	}
}

// Join counts a client of this process as connected until leave is called.
func (s *Server) Join() (leave func()) {
	s.count(1)
	return func() { s.count(-1) }
}
