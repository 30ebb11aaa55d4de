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

// sandboxSign passes a request of the test wallet on to the sandbox, without
// what says where it came from: the sandbox answers no browser. A review page has
// transactions signed, a connect page and the address book messages, and no other page
// anything.
func (s *Server) sandboxSign(c *call) error {
	var asked any
	var wanted string
	switch c.pass.Kind {
	case pagetoken.Review:
		in, err := body[sandboxTransaction](c)
		if err != nil {
			return err
		}
		asked, wanted = in, in.Transaction
	case pagetoken.Connect, pagetoken.Book:
		in, err := body[sandboxMessage](c)
		if err != nil {
			return err
		}
		asked, wanted = in, in.PersonalMessage
	default:
		_, err := s.Desk.Check(c.ctx(), "")
		return err
	}
	if wanted == "" {
		return fault.New(fault.InputInvalid, "There is nothing to sign in this request.")
	}
	b, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	r := c.r.Clone(c.ctx())
	r.Header = http.Header{"Content-Type": {"application/json"}}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	s.Sandbox.ServeHTTP(c.w, r)
	return nil
}
