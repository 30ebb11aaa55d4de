package settings

import (
	"net/http"

	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/web"
)

// restart restarts the server so that changed addresses take effect.
func (p *page) restart(c *web.Call) error {
	if p.Restart == nil {
		return web.Refuse(http.StatusConflict, "restart", "This server ends with its AI client: restart that.")
	}
	p.Restart()
	return became(c, settings.Outcome{Done: true, Says: "The server starts again. This page goes on by itself."}, nil)
}
