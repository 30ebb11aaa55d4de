package web

import (
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
)

// unhurried returns an answer the time that a node needs; the limits of what is done
// bound it instead.
func (s *Server) unhurried(c *call) {
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Time{})
}

// settingsExport answers with a backup of what the person set, packed.
func (s *Server) settingsExport(c *call) error {
	file, err := s.Backup.Export(c.ctx())
	if err == nil {
		write(c.w, http.StatusOK, "application/gzip", file)
	}
	return err
}

// settingsStage reads a backup and says what importing it would do.
func (s *Server) settingsStage(c *call) error {
	s.unhurried(c)
	p, err := s.Backup.Stage(c.ctx(), c.id, c.r.Body)
	if err == nil {
		writeJSON(c.w, http.StatusOK, p)
	}
	return err
}

// settingsPutIn imports the backup that was looked at.
func (s *Server) settingsPutIn(c *call) error {
	in, err := body[backup.Choice](c)
	if err != nil {
		return err
	}
	s.unhurried(c)
	out, err := s.Backup.Import(c.ctx(), c.id, in, c.right)
	return s.became(c, out, err)
}

type resetIn struct {
	Typed string `json:"typed"`
}

// settingsReset forgets all local data.
func (s *Server) settingsReset(c *call) error {
	in, err := body[resetIn](c)
	if err != nil {
		return err
	}
	s.unhurried(c)
	out, err := s.Backup.Reset(c.ctx(), c.id, in.Typed, c.right)
	return s.became(c, out, err)
}
