// Package receipts is the page that shows any transaction on chain, and the table of the user's own
// receipts.
package receipts

import (
	"context"
	"embed"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Source reads transactions on chain, and names coins, packages and objects that are pinned in this
// program.
type Source interface {
	// Transaction returns a transaction, and false if the node does not have it, which does
	// not prove that it does not exist.
	Transaction(ctx context.Context, digest sui.Digest) (sui.PastTransaction, bool, error)
	// Coin returns symbol and decimals of a pinned coin.
	Coin(t sui.CoinType) (symbol string, decimals uint8, ok bool)
	// Name returns the name of a pinned package or object.
	Name(id sui.ObjectID) (string, bool)
}

// Limits on how often the receipt page queries the node. The page needs no token, so other programs
// on this machine can cause queries. Its responses contain no data about the user.
const (
	mostReceipts  = 20
	receiptWindow = time.Minute
)

// Config configures the receipt page. All fields are required.
type Config struct {
	Source Source
	// Booked returns the transactions executed in a period.
	Booked Booked
}

//go:embed ask.html past.html receipt.js
var files embed.FS

type page struct {
	Config
	pace web.Pace
}

// New returns the receipt page.
func New(c Config) web.Page {
	p := &page{Config: c}
	return web.Page{
		Name: "receipt", Entry: "reviews", Title: "A transaction on chain", Path: "/receipt/{id}", Files: files,
		Public: "ask",
		Routes: []web.Route{
			web.Post("/api/receipt", web.Public, "", web.Reads(p.ask)),
			web.Post("/api/reviews/{id}/receipts", web.WithToken, pagetoken.Reviews, web.Reads(p.table)),
		},
	}
}

type receiptIn struct {
	Digest string `json:"digest"`
}

// ask queries the node for one transaction and formats the response, which is public and reveals
// nothing about the user.
func (p *page) ask(c *web.Call, in receiptIn) error {
	digest, err := sui.ParseDigest(in.Digest)
	if err != nil {
		return err
	}
	v := view{Digest: digest.String(), Tone: "warn", At: words.At(c.Now())}
	if !p.pace.Admit(c.Now(), mostReceipts, receiptWindow) {
		return fault.New(fault.RateLimited, "Too many transactions were requested in one minute. Wait a moment.")
	}
	reported, ok, err := p.Source.Transaction(c.Ctx(), digest)
	switch {
	case err != nil:
		f := fault.As(err)
		c.Log().Warn("a transaction could not be read for the receipt page", "kind", string(f.Code), "cause", f.Err)
		v.say("It could not be read", words.Shown(f.Text, 400),
			"Nothing follows from this about the transaction. Ask again in a moment.")
	case !ok || reported.Digest != digest:
		v.say("This node does not have it", "That is no proof that there is no such transaction: it may be on another "+
			"network than "+
			c.Network()+", too new, or older than what this node keeps.", "Compare the digest with the one that you were given.")
	default:
		v.tell(reported, p.Source)
	}
	return p.past(c, v)
}

// past responds with the fragment, without the account in use that other pages include.
func (p *page) past(c *web.Call, v view) error {
	v.Network, v.Explorer = c.Network(), words.Explorer(c.Network(), v.Digest)
	return web.Bare(c, "past.html", v)
}
