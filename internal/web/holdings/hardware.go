package holdings

import (
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
)

// marked is the answer to whether the account is one of a hardware wallet: "on" or "off".
type marked struct {
	ID string `json:"id"`
}

// mark stores it.
func (p *page) mark(c *web.Call, in marked) error {
	owner, err := sui.ParseAddress(c.ID)
	if err == nil {
		err = p.Mark(c.Ctx(), owner, in.ID == "on", c.Right)
	}
	if err != nil {
		return err
	}
	return c.Done("Saved.")
}
