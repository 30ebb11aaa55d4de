package web

import (
	"bufio"
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
)

// unhurried returns an answer the time that a node or a large backup needs; the
// limits of what is done bound it instead.
func (s *Server) unhurried(c *call) {
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Time{})
}

// weighed says whether a backup that is exported now could be imported again.
type weighed struct {
	Says string `json:"says"` // what the person has to know first, "" where it could
}

// settingsWeigh reads a backup as importing it would, before it is exported.
func (s *Server) settingsWeigh(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	s.unhurried(c)
	says, err := s.Backup.Weigh(c.ctx())
	if err == nil {
		writeJSON(c.w, http.StatusOK, weighed{says})
	}
	return err
}

// settingsExport streams a backup of all local data, packed. Each piece has a
// deadline of its own, so that a reader that stalls holds nothing for long. A
// backup that ends early does not unpack to its end, which the page and the import
// look for.
func (s *Server) settingsExport(c *call) error {
	out := &eventWriter{w: c.w, control: http.NewResponseController(c.w)}
	s.unhurried(c)
	c.w.Header().Set("Content-Type", "application/gzip")
	buffered := bufio.NewWriterSize(sender{out}, 64<<10)
	err := s.Backup.Export(c.ctx(), buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil && out.sent {
		// The answer has begun: nobody could read an error in the midst of it.
		s.Log.Warn("a copy of the local data was cut off", "cause", err)
		return nil
	}
	return err
}

// sender writes pieces of an answer as a stream's events are written.
type sender struct{ out *eventWriter }

// Write implements io.Writer.
func (s sender) Write(b []byte) (int, error) {
	if err := s.out.send(string(b)); err != nil {
		return 0, err
	}
	return len(b), nil
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

// settingsPutIn puts the backup that was looked at in the place of everything.
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
