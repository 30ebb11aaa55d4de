package instance

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"io"
	"net/http"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// SealHeader is the header of a request that another process of this installation makes.
const SealHeader = "X-Say-Ur-Intent-Seal"

// requestPurpose keeps the seal of a request from being a proof of anything else.
const requestPurpose = "say-ur-intent/request/v1"

// Seal returns what shows that whoever wrote a request knows the card. It covers path and
// body, and this one time of serving.
func (c Card) Seal(path string, body []byte) string {
	key, err := encoding.DecodeString(c.Secret)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(body)
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, strings.Join([]string{requestPurpose, c.Origin, c.Instance, path, encoding.EncodeToString(sum[:])}, "\n"))
	return encoding.EncodeToString(mac.Sum(nil))
}

// Sealed reports whether a seal is the one of a request.
func (c Card) Sealed(path string, body []byte, seal string) bool {
	want := c.Seal(path, body)
	//mutant:never ./internal/instance TestSeal
	return want != "" && hmac.Equal([]byte(want), []byte(seal))
}

// Post sends a sealed request to the process of the card, which must have proved itself
// just before, and returns its status and at most most bytes of its answer.
func (c Card) Post(ctx context.Context, path string, body []byte, most int64) (status int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Origin+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(SealHeader, c.Seal(path, body))
	resp, err := direct().Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(answer)) > most {
		err = fault.New(fault.TooLarge, "The answer of the process that serves the pages is longer than %d bytes.", most)
	}
	return resp.StatusCode, answer, err
}

// direct is a client that goes straight to an address: no proxy of the environment, no
// way on from it, and no connection that another program could inherit.
func direct() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
