package holdings

import (
	"bytes"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
)

// changesOut is a table of the stored changes of an account's coins.
type changesOut struct {
	CSV   string `json:"csv"`
	Lines int    `json:"lines"` // number of lines, without the first, which names the columns
	More  bool   `json:"more"`  // some changes are not included
}

// changes returns the stored changes of the account's coins. Changes are stored only for accounts
// that a wallet connected on this computer.
func (p *page) changes(c *web.Call) error {
	owner, err := sui.ParseAddress(c.ID)
	if err != nil {
		return err
	}
	text, more, err := p.Changes(c.Ctx(), owner)
	if err != nil {
		return err
	}
	c.Unhurried()
	return web.JSON(c, http.StatusOK, changesOut{CSV: string(text), Lines: max(bytes.Count(text, []byte("\n"))-1, 0),
		More: more})
}
