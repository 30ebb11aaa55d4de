package web

import (
	"net/http"

	"github.com/sayurintent/sayurintent/internal/instance"
)

// prove answers another process of this installation that asks whether this one
// serves its pages. No browser has a reason to ask, so none is answered.
func (s *Server) prove(c *call) error {
	if c.r.Header.Get("Origin") != "" || c.r.Header.Get("Sec-Fetch-Site") != "" {
		return refuse(http.StatusForbidden, "foreign_site", "No page may ask this.")
	}
	in, err := body[instance.Question](c)
	if err != nil {
		return err
	}
	proof, ok := s.Prove(in.Nonce)
	if !ok {
		return refuse(http.StatusBadRequest, "nonce", "A nonce is 32 bytes in base64url without padding.")
	}
	writeJSON(c.w, http.StatusOK, instance.Answer{Proof: proof})
	return nil
}
