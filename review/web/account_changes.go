package web

import (
	"bytes"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// changesOut is the stored changes of an account's coins as a table.
type changesOut struct {
	CSV   string `json:"csv"`
	Lines int    `json:"lines"` // without the first, which names the columns
	More  bool   `json:"more"`  // there are further ones
}

// accountChanges returns what is stored of changes of the account's coins. Nothing is
// stored of an account that no wallet gave here.
func (s *Server) accountChanges(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	owner, err := sui.ParseAddress(c.id)
	if err != nil {
		return err
	}
	if s.Changes == nil {
		return fault.New(fault.UnsupportedAction, "This program was started without what keeps past transactions.")
	}
	text, more, err := s.Changes(c.ctx(), owner)
	if err != nil {
		return err
	}
	s.unhurried(c)
	writeJSON(c.w, http.StatusOK, changesOut{CSV: string(text), Lines: max(bytes.Count(text, []byte("\n"))-1, 0), More: more})
	return nil
}
