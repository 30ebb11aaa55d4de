package holdings

import (
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
)

// marked states whether the account is on a hardware wallet. ID is "on" or "off".
type marked struct {
	ID string `json:"id"`
}

// mark stores whether the account is on a hardware wallet.
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
