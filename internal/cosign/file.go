// Package cosign reads and writes the file with which a multisig account's transaction is sent to the
// account's members.
package cosign

import (
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// kind identifies the file format.
const kind = "say-ur-intent/multisig-transaction/v1"

// MaxFile limits the text of a file.
const MaxFile = 48 << 10

// File is the content of such a file. None of it is trusted: the account is derived from the members,
// and the effects of the transaction are decoded from its bytes.
type File struct {
	Kind        string       `json:"kind"`
	Network     string       `json:"network"` // such as sui:mainnet
	ChainID     string       `json:"chainId"`
	Account     sui.Address  `json:"account"`
	Members     sui.MultiSig `json:"members"`
	Transaction []byte       `json:"transaction"`
}

// Write returns the text of a file.
func Write(network, chainID string, members sui.MultiSig, tx sui.Material) (string, error) {
	b, err := json.MarshalIndent(File{kind, network, chainID, members.Address(), members, tx.Bytes()}, "", " ")
	return string(b) + "\n", err
}

// Parse reads a file. It returns an error unless the account is that of the members, the account is
// both sender and gas payer of the transaction, and the bytes are in canonical form.
func Parse(text string) (File, *sui.Transaction, error) {
	bad := func(text string) (File, *sui.Transaction, error) {
		return File{}, nil, fault.New(fault.InputInvalid, "%s The file was not used.", text)
	}
	if len(text) > MaxFile {
		return bad("This file is too large.")
	}
	f, err := strictjson.Decode[File]([]byte(text))
	if err != nil || f.Kind != kind {
		return bad("This is not a transaction of a multisig account that Say Ur Intent saved.")
	}
	if err := f.Members.Check(); err != nil {
		return bad(fault.As(err).Text)
	}
	//mutant:never ./internal/cosign TestParse
	if f.Members.Address() != f.Account {
		return bad("The account in this file does not match its members.")
	}
	tx, err := sui.NewMaterial(f.Transaction).Transaction()
	if err != nil {
		return bad("The transaction in this file cannot be read.")
	}
	if again, err := tx.Encode(); err != nil || string(again) != string(f.Transaction) {
		return bad("The transaction in this file is not in canonical form.")
	}
	//mutant:never ./internal/cosign TestParse
	if tx.Sender != f.Account || tx.Gas.Owner != f.Account {
		return bad("Another account sends or pays for the transaction in this file.")
	}
	return f, tx, nil
}
