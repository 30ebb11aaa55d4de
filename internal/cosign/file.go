// Package cosign carries a transaction of a multisig account to its members: the file that is sent
// to them, and what a member reads in it.
package cosign

import (
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// kind names the form of a file.
const kind = "say-ur-intent/multisig-transaction/v1"

// MaxFile bounds the text of a file.
const MaxFile = 48 << 10

// File is what a member receives. Nothing in it is trusted: the account follows from the members,
// and the effects of the transaction are decoded from its bytes.
type File struct {
	Kind        string       `json:"kind"`
	Network     string       `json:"network"` // as in sui:mainnet
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

// Parse reads a file. The account has to be that of the members, and the sender and the payer of a
// transaction that reads back to the same bytes.
func Parse(text string) (File, *sui.Transaction, error) {
	bad := func(text string) (File, *sui.Transaction, error) {
		return File{}, nil, fault.New(fault.InputInvalid, "%s Nothing of it was used.", text)
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
		return bad("The account in this file is not that of its members.")
	}
	tx, err := sui.NewMaterial(f.Transaction).Transaction()
	if err != nil {
		return bad("The transaction in this file cannot be read.")
	}
	if again, err := tx.Encode(); err != nil || string(again) != string(f.Transaction) {
		return bad("The transaction in this file does not read back to the same bytes.")
	}
	//mutant:never ./internal/cosign TestParse
	if tx.Sender != f.Account || tx.Gas.Owner != f.Account {
		return bad("The transaction in this file is sent or paid for by another account.")
	}
	return f, tx, nil
}
