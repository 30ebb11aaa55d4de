package instance

import (
	"bytes"
	"context"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Path is where the pages answer a challenge.
const Path = "/api/owner"

// Question is the body of a challenge.
type Question struct {
	Nonce string `json:"nonce"`
}

// Answer is what the pages say to it.
type Answer struct {
	Proof string `json:"proof"`
}

// Why a challenge failed, for errors.Is.
var (
	// ErrSilent says that nothing answers at the address of the card.
	ErrSilent = errors.New("owner: no answer")
	// ErrForeign says that something answers there that does not know the secret.
	ErrForeign = errors.New("owner: no proof")
)

const (
	challengeTime = 700 * time.Millisecond
	maxAnswer     = 4 << 10
)

// Challenge asks the process of a card for its proof, over a new nonce. Nothing
// secret is sent. The error wraps ErrSilent or ErrForeign and has a sentence for
// a person.
func (c Card) Challenge(ctx context.Context, rand io.Reader) error {
	nonce, err := random(rand)
	if err != nil {
		return err
	}
	answer, err := c.ask(ctx, nonce)
	if err != nil {
		return fault.Wrap(errors.Join(ErrSilent, err), fault.Blocked,
			"The Say Ur Intent process that serves the pages (process %d) does not answer at %s. "+
				"Wait a moment and try again; if this stays so, end that process.", c.PID, c.Origin)
	}
	want, ok := c.Prove(nonce)
	if !ok || !hmac.Equal([]byte(want), []byte(answer)) {
		return fault.Wrap(ErrForeign, fault.Blocked,
			"Another program answers at %s and could not prove that it is Say Ur Intent, so no link was made and "+
				"nothing was told to it. Do not open links to that address. Close that program, or restart your AI client.", c.Origin)
	}
	return nil
}

// ask returns the proof that the address answers with, "" for anything that is no
// answer to a challenge; an error is silence.
func (c Card) ask(ctx context.Context, nonce string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, challengeTime)
	defer cancel()
	body, err := json.Marshal(Question{nonce})
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Origin+Path, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := direct().Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", err
	}
	answer, err := strictjson.Decode[Answer](text)
	if resp.StatusCode != http.StatusOK || err != nil {
		return "", nil
	}
	return answer.Proof, nil
}
