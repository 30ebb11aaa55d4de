package holdings

import (
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

// prepare creates the review of a request about the account of the page.
func (p *page) prepare(c *web.Call, in listing.Wish) error {
	in.Account = c.ID
	return p.Lists.Prepare(c, in)
}
