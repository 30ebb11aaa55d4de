package holdings

import (
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

// prepare makes the review of a wish about the account of the page.
func (p *page) prepare(c *web.Call, in listing.Wish) error {
	in.Account = c.ID
	return p.Lists.Prepare(c, in)
}
