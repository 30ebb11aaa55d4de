package web

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// Each kind of page may ask the test wallet for one kind of signature.
type (
	sandboxTransaction struct {
		Transaction string `json:"transaction"`
	}
	sandboxMessage struct {
		PersonalMessage string `json:"personalMessage"`
	}
)

// signPath is only served on the sandbox network. The key of the test wallet stays in the
// sandbox.
const signPath = "/sandbox/wallet/sign"

// sandboxSign passes a request of the test wallet on to the sandbox, without
// what says where it came from: the sandbox answers no browser.
func (s *Server) sandboxSign(c *Call) error {
	var asked any
	var wanted string
	switch s.signs(c.Pass.Kind) {
	case SignsTransactions:
		in, err := Body[sandboxTransaction](c)
		if err != nil {
			return err
		}
		asked, wanted = in, in.Transaction
	case SignsMessages:
		in, err := Body[sandboxMessage](c)
		if err != nil {
			return err
		}
		asked, wanted = in, in.PersonalMessage
	default:
		_, err := s.Desk.Check(c.Ctx(), "")
		return err
	}
	if wanted == "" {
		return fault.New(fault.InputInvalid, "There is nothing to sign in this request.")
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

// signs returns what the test wallet signs for pages of a kind.
func (s *Server) signs(kind pagetoken.Kind) Signs {
	if p := s.kinds[kind]; p != nil {
		return p.Signs
	}
	return SignsNothing
}
