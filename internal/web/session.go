package web

import (
	"net/http"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// maxChallenges limits the messages that wait for a signature. A new one replaces the oldest.
const maxChallenges = 64

// challenges are the messages that wait for a signature, by the pass of the requesting page.
type challenges struct {
	mu   sync.Mutex
	each map[string]account.Challenge
}

// put stores the message of a page and replaces an earlier one.
func (h *challenges) put(pass string, c account.Challenge, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	oldest := ""
	for id, other := range h.each {
		if !now.Before(other.ExpiresAt) {
			delete(h.each, id)
		} else if oldest == "" || other.ExpiresAt.Before(h.each[oldest].ExpiresAt) {
			oldest = id
		}
	}
	if _, had := h.each[pass]; !had && len(h.each) >= maxChallenges {
		delete(h.each, oldest)
	}
	if h.each == nil {
		h.each = map[string]account.Challenge{}
	}
	h.each[pass] = c
}

// waiting returns the message of a page that waits for a signature, or "".
func (h *challenges) waiting(pass string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.each[pass].Message
}

// take removes the message of a page and returns it.
func (h *challenges) take(pass string) account.Challenge {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.each[pass]
	delete(h.each, pass)
	return c
}

type sessionChallenge struct {
	Message    string `json:"message"`
	Account    string `json:"account"`
	WalletName string `json:"walletName"`
	WalletID   string `json:"walletId"`
}

// challengeSession responds with a message. A signature of it by the wallet of the account in use
// begins a browser session on the calling page.
func (s *Server) challengeSession(c *Call) error {
	challenge, active, err := s.Accounts.SessionChallenge(c.Ctx(), c.Host())
	if err != nil {
		return err
	}
	s.challenges.put(c.Pass.ID, challenge, c.Now())
	return JSON(c, http.StatusOK, sessionChallenge{challenge.Message, active.Account.String(), active.WalletName,
		active.WalletID})
}

type sessionProof struct {
	Message   string `json:"message"`
	Signature string `json:"signature"`
}

type sessionBegun struct {
	Session string `json:"session"`
}

// beginSession begins a browser session if the signature of the message is valid.
func (s *Server) beginSession(c *Call, in sessionProof) error {
	challenge := s.challenges.take(c.Pass.ID)
	//mutant:never `challenge.Message != in.Message` ./review/web TestSessionBySignature
	if challenge.Message == "" || challenge.Message != in.Message {
		return fault.New(fault.InputInvalid,
			"This page did not ask for this signature, or asked for another one since. Try again.")
	}
	if err := s.Accounts.ProveSession(c.Ctx(), challenge, in.Signature); err != nil {
		return err
	}
	token, err := s.Desk.Begin(c.Ctx(), c.Pass)
	if err != nil {
		return err
	}
	s.Hub.Changed(browsers)
	return JSON(c, http.StatusOK, sessionBegun{token.Reveal()})
}

// endSession ends the caller's browser session.
func (s *Server) endSession(c *Call) error {
	if err := c.RequireWide(); err != nil {
		return err
	}
	err := s.Desk.End(c.Ctx(), c.Pass)
	s.Hub.Changed(browsers)
	return Result(c, struct{}{}, err)
}
