package web

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// sandboxAsked is what the test wallet is asked to sign: a transaction or a message.
type sandboxAsked struct {
	Transaction     string `json:"transaction,omitempty"`
	PersonalMessage string `json:"personalMessage,omitempty"` // base64
}

// signPath is served only on the sandbox network. The key of the test wallet stays in the sandbox.
const signPath = "/sandbox/wallet/sign"

// sandboxSign passes a request of the test wallet to the sandbox. It omits the browser's headers,
// which the sandbox rejects. Each kind of page may request one kind of signature. In addition,
// every page may request one for the message that begins its browser session.
func (s *Server) sandboxSign(c *Call) error {
	kind := s.signs(c.Pass.Kind)
	waits := s.challenges.waiting(c.Pass.ID)
	if kind == SignsNothing && waits == "" {
		_, err := s.Desk.Check(c.Ctx(), "")
		return err
	}
	asked, err := Body[sandboxAsked](c)
	if err != nil {
		return err
	}
	message, _ := base64.StdEncoding.DecodeString(asked.PersonalMessage)
	mayTransact := kind == SignsTransactions && asked.PersonalMessage == "" && asked.Transaction != ""
	maySay := (kind == SignsMessages || waits != "" && waits == string(message)) && asked.Transaction == "" &&
		asked.PersonalMessage != ""
	if !mayTransact && !maySay {
		return fault.New(fault.InputInvalid, "This page may not ask the test wallet for this.")
	}
	b, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	r := c.R.Clone(c.Ctx())
	r.Header = http.Header{"Content-Type": {"application/json"}}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	s.Sandbox.ServeHTTP(c.W, r)
	return nil
}

// signs returns what the test wallet signs for a kind of page.
func (s *Server) signs(kind pagetoken.Kind) Signs {
	if p := s.kinds[kind]; p != nil {
		return p.Signs
	}
	return SignsNothing
}
