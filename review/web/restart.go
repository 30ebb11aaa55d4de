package web

import (
	"net/http"

	"github.com/sayurintent/sayurintent/internal/settings"
)

// settingsRestart starts the server again, so that changed addresses take effect.
func (s *Server) settingsRestart(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	if s.Restart == nil {
		return refuse(http.StatusConflict, "restart", "This server ends with its AI client: restart that.")
	}
	s.Restart()
	return s.became(c, settings.Outcome{Done: true, Says: "The server starts again. This page goes on by itself."}, nil)
}
