package assets

import (
	"bytes"
	"encoding/base64"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A cursor consists of a version, the last bytes of the account's address, and the node's token. It
// is valid only for that account.
const (
	cursorVersion = 1
	cursorOwner   = 8
	maxCursor     = 2048
)

func writeCursor(owner sui.Address, token []byte) string {
	b := append([]byte{cursorVersion}, owner[len(owner)-cursorOwner:]...)
	return base64.RawURLEncoding.EncodeToString(append(b, token...))
}

// readCursor returns the node's token, or nil if cursor is "".
func readCursor(owner sui.Address, cursor string) ([]byte, error) {
	if cursor == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(cursor) > maxCursor || len(b) <= 1+cursorOwner || b[0] != cursorVersion {
		return nil, fault.New(fault.InputInvalid,
			"This cursor is not from this tool. Pass cursor unchanged, or omit it to start over.").
			With("field", "cursor")
	}
	if !bytes.Equal(b[1:1+cursorOwner], owner[len(owner)-cursorOwner:]) {
		return nil, fault.New(fault.InputInvalid,
			"The cursor belongs to another account. Pass on the same account with it, or leave it out to start over.").
			With("field", "cursor")
	}
	return b[1+cursorOwner:], nil
}
