package web

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Receipts tells of any transaction of the chain, for the receipt page, and names
// what is pinned in this program.
type Receipts interface {
	// Transaction gives one transaction; false means that the node does not have
	// it, which is no proof that there is none.
	Transaction(ctx context.Context, digest sui.Digest) (sui.PastTransaction, bool, error)
	// Coin gives symbol and decimals of a pinned coin.
	Coin(t sui.CoinType) (symbol string, decimals uint8, ok bool)
	// Name gives the name of a pinned package or object.
	Name(id sui.ObjectID) (string, bool)
}

// How often the receipt page may ask the node: it needs no token, so that its
// answers hold nothing of anybody's, and other programs of this machine could
// make it ask.
const (
	mostReceipts  = 20
	receiptWindow = time.Minute
)

// pace admits so many calls in a window of time.
type pace struct {
	mu   sync.Mutex
	last []time.Time
}

func (p *pace) admit(now time.Time, most int, window time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.last) > 0 && now.Sub(p.last[0]) >= window {
		p.last = p.last[1:]
	}
	if len(p.last) >= most {
		return false
	}
	p.last = append(p.last, now)
	return true
}

func (s *Server) receiptShell(c *call) error {
	return s.page(c.w, http.StatusOK, s.shell("receipt", "A transaction on the chain"))
}

type receiptIn struct {
	Digest string `json:"digest"`
}

// receiptAsk asks the node about one transaction and prints what it tells. The
// answer is public, and says nothing of who uses this program.
func (s *Server) receiptAsk(c *call) error {
	in, err := body[receiptIn](c)
	if err != nil {
		return err
	}
	digest, err := sui.ParseDigest(in.Digest)
	if err != nil {
		return err
	}
	v := pastView{Digest: digest.String(), Tone: "warn", At: at(s.Now())}
	if s.Receipts == nil {
		v.say("There is no node to ask", "This program was started without a service that tells of past transactions.", "")
		return s.past(c, v)
	}
	if !s.paceReceipts.admit(s.Now(), mostReceipts, receiptWindow) {
		return fault.New(fault.RateLimited, "Too many transactions were asked for in one minute. Wait a moment.")
	}
	told, ok, err := s.Receipts.Transaction(c.ctx(), digest)
	switch {
	case err != nil:
		f := fault.As(err)
		s.Log.Warn("a transaction could not be read for the receipt page", "kind", string(f.Code), "cause", f.Err)
		v.say("It could not be read", shown(f.Text, 400), "Nothing follows from this about the transaction. Ask again in a moment.")
	case !ok || told.Digest != digest:
		v.say("This node does not have it", "That is no proof that there is no such transaction: it may be on another network than "+
			s.Network+", too new, or older than what this node keeps.", "Compare the digest with the one that you were given.")
	default:
		v.tell(told, s.Receipts)
	}
	return s.past(c, v)
}

// past prints the fragment, without the account in use that other pages have.
func (s *Server) past(c *call, v pastView) error {
	v.Network, v.Explorer = s.Network, explorerOf(s.Network, v.Digest)
	var b bytes.Buffer
	if err := s.render(&b, "past.html", v); err != nil {
		return err
	}
	write(c.w, http.StatusOK, "text/html; charset=utf-8", b.Bytes())
	return nil
}
