package book

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of confirmations.
const (
	MostConfirmed = 20 // entries per message, which the user must read in the wallet
	confirmLife   = 5 * time.Minute
	mostAsked     = 16 // messages that wait for a signature
)

// Confirmation is a message that a wallet signs to confirm entries of the book. It contains the
// entries completely, so that the signature confirms nothing else.
type Confirmation struct {
	Message   string      `json:"message"`
	Account   sui.Address `json:"account"`
	ExpiresAt time.Time   `json:"expiresAt"`
	entries   []Entry
}

// AskWallet returns the message with which an account's wallet confirms entries. The message is
// valid for five minutes and is kept only in this process. AskWallet returns fault.InputInvalid if
// an entry does not exist.
func (s *Service) AskWallet(ctx context.Context, account sui.Address, ids []string) (Confirmation, error) {
	if len(ids) == 0 || len(ids) > MostConfirmed {
		return Confirmation{}, fault.New(fault.InputInvalid, "One message confirms 1 to %d names.", MostConfirmed)
	}
	nonce := make([]byte, 18)
	if _, err := io.ReadFull(s.rand, nonce); err != nil {
		return Confirmation{}, fault.Wrap(err, fault.InternalError,
			"This machine provided no random numbers, so there is no message to sign.")
	}
	all, err := s.store.Book(ctx)
	if err != nil {
		return Confirmation{}, err
	}
	if len(ids) > 1 {
		//mutant:never ./internal/book TestImitated
		if err := imitationIn(all, ids); err != nil {
			return Confirmation{}, err
		}
	}
	c := Confirmation{Account: account, ExpiresAt: s.now().Add(confirmLife)}
	var names strings.Builder
	for _, id := range ids {
		e, refused := Match(Live(all), Target{ID: id})
		if refused != "" {
			return Confirmation{}, fault.New(fault.InputInvalid, "%s", Why(refused)).With("reason", string(refused))
		}
		c.entries = append(c.entries, e)
		fmt.Fprintf(&names, "%s (%s) is called: %s\n", e.Address, e.Chain, e.Title)
	}
	c.Message = fmt.Sprintf(`Say Ur Intent asks you to confirm names of your address book.

%s
Signing this moves nothing, pays nothing and allows nothing.
Sign it only if you started it yourself, on a page of your own computer (http://127.0.0.1), and compared each address with its source.

Purpose: say-ur-intent/confirm-names
Signed by: %s
Nonce: %s
Time: %s
`, names.String(), account, base64.RawURLEncoding.EncodeToString(nonce), s.now().UTC().Format(time.RFC3339))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked = append(s.asked, c); len(s.asked) > mostAsked {
		s.asked = s.asked[1:]
	}
	return c, nil
}

// imitationIn returns an error if the address of one of several entries to confirm looks like
// another entry's. Such an entry must be confirmed separately.
func imitationIn(all []Entry, ids []string) error {
	for _, e := range Live(all) {
		if !slices.Contains(ids, e.ID) {
			continue
		}
		if of, imitates := Imitated(all, nil, e); imitates {
			return fault.New(fault.InputInvalid,
				"The address of “%s” only looks like that of “%s”. Compare both, then confirm it by itself or delete it.",
				e.Title, of.Title).With("reason", "lookalike")
		}
	}
	return nil
}

// taken removes and returns a waiting confirmation, so that its message can be used only once.
func (s *Service) taken(message string) (Confirmation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range s.asked {
		if c.Message != message {
			continue
		}
		s.asked = append(s.asked[:i:i], s.asked[i+1:]...)
		//mutant:never ./internal/book TestConfirm
		if !s.now().Before(c.ExpiresAt) {
			break
		}
		return c, nil
	}
	return Confirmation{}, fault.New(fault.SessionExpired,
		"The wallet signed a message that is older than %d minutes, or that confirmed already. Try again.",
		int(confirmLife.Minutes()))
}

// Confirm accepts the wallet's signature of a message from AskWallet. If any of the entries has
// changed since, none is confirmed.
func (s *Service) Confirm(ctx context.Context, message, signature string, rights ...Right) (int, error) {
	c, err := s.taken(message)
	if err != nil {
		return 0, err
	}
	if err := signedBy(c, signature); err != nil {
		return 0, err
	}
	return len(c.entries), s.store.ChangeBook(ctx, func(all []Entry) (Change, error) {
		if err := checkRights(ctx, rights); err != nil {
			return Change{}, err
		}
		var change Change
		for _, was := range c.entries {
			e, refused := Match(Live(all), Target{ID: was.ID})
			//mutant:never ./internal/book TestConfirm
			if refused != "" || e.Title != was.Title || e.Address != was.Address || e.Chain != was.Chain {
				return Change{}, fault.New(fault.InvalidSessionTransition,
					"The name “%s” was changed or deleted since the wallet was asked. Nothing was confirmed.", was.Title)
			}
			change.Sign = append(change.Sign, e.ID)
		}
		return change, nil
	})
}

// signedBy returns an error unless the account in the confirmation signed its message.
func signedBy(c Confirmation, signature string) error {
	parsed, err := sui.ParseSignature(signature)
	if err != nil {
		return fault.Wrap(err, fault.InputInvalid, "The wallet's signature cannot be read. Nothing was confirmed.")
	}
	signer, err := sui.VerifyPersonalMessage([]byte(c.Message), parsed.Bytes())
	switch {
	case errors.Is(err, sui.ErrLeftToNode):
		return fault.New(fault.UnsupportedAction,
			"This wallet signs with zkLogin, which cannot be checked here. A first payment confirms a name as well.")
	case err != nil:
		return fault.Wrap(err, fault.InputInvalid, "The signature does not fit the message. Nothing was confirmed.")
	//mutant:never ./internal/book TestConfirm
	case signer != c.Account:
		return fault.New(fault.InputInvalid, "The message was signed by %s, not by %s. Nothing was confirmed.", signer,
			c.Account)
	}
	return nil
}
