package web

import "context"

// frozen reports whether the person stopped all releases.
func (s *Server) frozen(ctx context.Context) (bool, error) {
	if s.Settings == nil {
		return false, nil
	}
	return s.Settings.Frozen(ctx)
}

// freeze stops all releases of all processes.
func (s *Server) freeze(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	out, err := s.Settings.Freeze(c.ctx(), c.right)
	return s.became(c, out, err)
}

type liftIn struct {
	Confirm string `json:"confirm,omitempty"`
}

// lift ends that. Only the settings page has a route to it.
func (s *Server) lift(c *call) error {
	in, err := body[liftIn](c)
	if err != nil {
		return err
	}
	out, err := s.Settings.Lift(c.ctx(), in.Confirm, c.right)
	return s.became(c, out, err)
}
