package account

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// SessionChallenge returns a message for the active account's wallet to sign, which starts a
// browser session at host. The account must have been chosen in an earlier browser session, because
// an AI client that opens a connect link could name its own account. If it was not,
// SessionChallenge returns fault.InvalidSessionTransition.
func (s *Service) SessionChallenge(ctx context.Context, host string) (Challenge, Active, error) {
	active, err := s.trusted(ctx)
	if err != nil {
		return Challenge{}, Active{}, err
	}
	nonce := make([]byte, 18)
	if _, err := io.ReadFull(s.c.Rand, nonce); err != nil {
		return Challenge{}, Active{}, fault.Wrap(err, fault.InternalError,
			"This machine provided no random numbers, so there is no message to sign.")
	}
	now := s.c.Now()
	return Challenge{ExpiresAt: now.Add(ChallengeLife),
			Message: fmt.Sprintf(`Say Ur Intent asks you to unlock all its pages in this browser.

Signing this moves nothing and pays nothing. It lets this browser open your pages and change your settings.
Sign it only if you pressed Unlock yourself, on http://%s.

Purpose: %s
Address: %s
Chain: %s
Nonce: %s
Time: %s
`, host, sessionScope, active.Account, active.Chain, base64.RawURLEncoding.EncodeToString(nonce),
				now.UTC().Format(time.RFC3339))},
		active, nil
}

// ProveSession verifies that the active account's wallet signed the message of a SessionChallenge.
// Its errors have a detail "proof", like those of Prove.
func (s *Service) ProveSession(ctx context.Context, c Challenge, signature string) error {
	active, err := s.trusted(ctx)
	if err != nil {
		return err
	}
	if !s.c.Now().Before(c.ExpiresAt) {
		return noProof(fault.SessionExpired, ProofExpired,
			"The message is older than %d minutes. Try again with a new one.", int(ChallengeLife.Minutes()))
	}
	parsed, err := sui.ParseSignature(signature)
	if err != nil {
		return wrongSignature(err)
	}
	return signedBy(Identity{Account: &active.Account, Challenge: c}, parsed)
}

// trusted returns the active account if the user chose it in a browser session.
func (s *Service) trusted(ctx context.Context) (Active, error) {
	active, ok, err := s.Active(ctx)
	if err != nil {
		return Active{}, err
	}
	known, err := s.Known(ctx)
	if err != nil {
		return Active{}, err
	}
	for _, k := range known {
		//mutant:always `k.Chosen` ./review/web TestSessionBySignature
		if ok && k.Account == active.Account && k.Chosen {
			return active, nil
		}
	}
	return Active{}, fault.New(fault.InvalidSessionTransition,
		"Only an account that you chose on your own pages can unlock them. Open your pages by a link of your own first.")
}

// Choose records that the user chose a known account in a browser session.
func (s *Service) Choose(ctx context.Context, address sui.Address) error {
	return s.c.Store.ChangeAccounts(ctx, func(a *Accounts) error {
		if k := a.find(address); k != nil {
			k.Chosen = true
		}
		return nil
	})
}
