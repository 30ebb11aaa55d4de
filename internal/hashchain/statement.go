package hashchain

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Signature is a wallet's signature over a Statement, as created by sui:signPersonalMessage.
type Signature struct {
	Kind      string `json:"kind"` // kindSignature
	Message   string `json:"message"`
	Signature string `json:"signature"` // base64
}

// Statement is a claim about a chain that an account signs: the hash of entry Number. Because
// entries form a chain, the hash covers all earlier entries too.
type Statement struct {
	Head
	Account sui.Address
	At      time.Time
}

const statementForm = `Say Ur Intent asks you to sign its record of your requests.

Chain: %s
Entry: %d
Hash: %s

Signing this moves nothing, pays nothing and allows nothing.
Sign it only if you started it yourself, on a page of your own computer (http://127.0.0.1).

Purpose: say-ur-intent/sign-record
Signed by: %s
Time: %s
`

// Message returns the text that a wallet shows.
func (s Statement) Message() string {
	return fmt.Sprintf(statementForm, s.Chain, s.Number, s.Hash, s.Account, s.At.UTC().Format(time.RFC3339))
}

// ReadStatement accepts only the output of Message.
func ReadStatement(message string) (s Statement, err error) {
	var chain, hash, account, at string
	_, err = fmt.Sscanf(message, statementForm, &chain, &s.Number, &hash, &account, &at)
	if err == nil {
		err = errors.Join(s.Chain.UnmarshalText([]byte(chain)), s.Hash.UnmarshalText([]byte(hash)))
	}
	if err == nil {
		s.Account, err = sui.ParseAccount(account)
	}
	if err == nil {
		s.At, err = time.Parse(time.RFC3339, at)
	}
	//mutant:never ./internal/hashchain TestStatement
	if err != nil || s.Number < 1 || s.Message() != message {
		return Statement{}, fault.New(fault.InputInvalid, "This message is not about a record.")
	}
	return s, nil
}

// ErrNotChecked means that only a Sui node can check the signature.
var ErrNotChecked = sui.ErrLeftToNode

// Verify checks that the account in the statement made the signature, and returns the statement. It
// also returns the statement together with an error that wraps ErrNotChecked.
func (s Signature) Verify() (Statement, error) {
	st, err := ReadStatement(s.Message)
	if err != nil {
		return st, err
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(s.Signature)
	if err != nil {
		return Statement{}, fault.New(fault.InputInvalid, "The signature is not base64.")
	}
	signer, err := sui.VerifyPersonalMessage([]byte(s.Message), raw)
	switch {
	case err != nil && !errors.Is(err, ErrNotChecked):
		return Statement{}, err
	//mutant:never ./internal/hashchain TestStatement
	case signer != st.Account:
		return Statement{}, fault.New(fault.InputInvalid, "The message was signed by %s, not by %s.", signer,
			st.Account)
	}
	return st, err
}
