package account

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ChallengeLife is the time within which a signature must arrive after its message was requested.
const ChallengeLife = 5 * time.Minute

// The scopes of messages. They prevent a signature made for another purpose from being accepted.
const (
	proofScope   = "say-ur-intent/address-proof/v1"
	sessionScope = "say-ur-intent/browser-session/v1"
)

// Challenge is a message for a wallet to sign with sui:signPersonalMessage. It is valid once, for
// one session, until ExpiresAt. The zero value means no challenge.
type Challenge struct {
	Message   string    `json:"message"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Reasons for rejecting a proof, which are the detail "proof" of the error.
const (
	ProofNotAsked       = "not_asked"       // no message was requested in this session
	ProofOtherMessage   = "other_message"   // another or an earlier message was signed
	ProofExpired        = "expired"         // the message has expired
	ProofUsed           = "already_used"    // the message already proved the account
	ProofWrongSignature = "wrong_signature" // malformed, or over different bytes
	ProofOtherAddress   = "other_address"   // a valid signature by another account
	ProofNotCheckable   = "not_checkable"   // zkLogin: only the chain can verify it
	ProofForgotten      = "forgotten"       // the account was removed in the meantime
	ProofNotConnected   = "not_connected"   // the session has no account
)

// noProof returns the error for a rejected proof, with the reason.
func noProof(code fault.Code, reason, format string, args ...any) *fault.Error {
	return fault.New(code, format, args...).With("proof", reason)
}

// Challenge returns a new message for the account of a Connected session to sign. It invalidates
// earlier messages of the session. It returns fault.InvalidSessionTransition if the session is not
// connected or its account is already proven.
func (s *Service) Challenge(ctx context.Context, id string) (Challenge, error) {
	nonce := make([]byte, 18)
	if _, err := io.ReadFull(s.c.Rand, nonce); err != nil {
		return Challenge{}, fault.Wrap(err, fault.InternalError,
			"This machine provided no random numbers, so there is no message to sign.")
	}
	i, err := s.change(ctx, id, func(r *Row) error {
		i := &r.Identity
		if err := provable(*i); err != nil {
			return err
		}
		if !i.ProvenAt.IsZero() {
			return alreadyProven()
		}
		i.Challenge = Challenge{ExpiresAt: i.UpdatedAt.Add(ChallengeLife)}
		i.Challenge.Message = proofMessage(*i, base64.RawURLEncoding.EncodeToString(nonce))
		return nil
	})
	return i.Challenge, err
}

// proofMessage returns the text that the wallet displays to the user.
func proofMessage(i Identity, nonce string) string {
	return fmt.Sprintf(`Say Ur Intent asks you to show that this wallet holds this address.

Signing this moves nothing, pays nothing and allows nothing.
Sign it only if you started it yourself, on a page of your own computer (http://127.0.0.1).

Purpose: %s
Address: %s
Chain: %s
Nonce: %s
Time: %s
`, proofScope, *i.Account, i.Chain, nonce, i.UpdatedAt.UTC().Format(time.RFC3339))
}

// Prove verifies the wallet's signature over the session's message. It records the proof in the
// session, in the known account, and in the active account if that is the same. Every error has one
// of the reasons above as its detail "proof", and leaves everything unchanged.
func (s *Service) Prove(ctx context.Context, id, message, signature string) (Identity, error) {
	parsed, parseErr := sui.ParseSignature(signature)
	return s.change(ctx, id, func(r *Row) error {
		i := &r.Identity
		if err := provable(*i); err != nil {
			return err
		}
		if err := s.answers(*i, message); err != nil {
			return err
		}
		if parseErr != nil {
			return wrongSignature(parseErr)
		}
		if err := signedBy(*i, parsed); err != nil {
			return err
		}
		k := r.Accounts.find(*i.Account)
		if k == nil {
			return noProof(fault.InvalidSessionTransition, ProofForgotten,
				"This account was forgotten here in the meantime. Connect its wallet again to prove it.")
		}
		i.ProvenAt = i.UpdatedAt
		k.Proven, k.ProvenAt = true, i.ProvenAt
		if a := r.Accounts.Active; a != nil && a.Account == k.Account {
			a.Proven, a.ProvenAt = true, i.ProvenAt
		}
		return nil
	})
}

func provable(i Identity) error {
	if i.Status != Connected {
		return noProof(fault.InvalidSessionTransition, ProofNotConnected,
			"This connect session is %s; only a connected account can be proven.", i.Status)
	}
	return nil
}

func alreadyProven() error {
	return noProof(fault.InvalidSessionTransition, ProofUsed,
		"This account is proven already; a signed message counts once. There is nothing more to do.")
}

// answers returns an error unless message is the session's current message.
func (s *Service) answers(i Identity, message string) error {
	switch {
	case i.Challenge.Message == "":
		return noProof(fault.InvalidSessionTransition, ProofNotAsked,
			"No proof was requested in this session. Request a message to sign first.")
	case message != i.Challenge.Message:
		return noProof(fault.InputInvalid, ProofOtherMessage,
			"The wallet signed another message than the one this page was last given. Try again.")
	case !i.ProvenAt.IsZero():
		return alreadyProven()
	case !s.c.Now().Before(i.Challenge.ExpiresAt):
		return noProof(fault.SessionExpired, ProofExpired,
			"The message is older than %d minutes. Try again with a new one.", int(ChallengeLife.Minutes()))
	}
	return nil
}

// signedBy returns an error unless the session's account signed its message.
func signedBy(i Identity, s sui.Signature) error {
	signer, err := sui.VerifyPersonalMessage([]byte(i.Challenge.Message), s.Bytes())
	switch {
	case errors.Is(err, sui.ErrLeftToNode):
		return noProof(fault.UnsupportedAction, ProofNotCheckable,
			"This wallet signs with zkLogin, which cannot be checked here. The address stays claimed; you can use it all the same.")
	case err != nil:
		return wrongSignature(err)
	case signer != *i.Account:
		return noProof(fault.InputInvalid, ProofOtherAddress,
			"The message was signed by %s, not by %s. Choose that account in the wallet and try again.", signer, *i.Account)
	}
	return nil
}

func wrongSignature(cause error) error {
	return fault.Wrap(cause, fault.InputInvalid, "The signature does not fit the message, so nothing is proven. %s",
		fault.As(cause).Text).
		With("proof", ProofWrongSignature)
}
