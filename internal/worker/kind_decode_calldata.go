package worker

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

type decodeIn struct {
	Data string `json:"data"` // hexadecimal after 0x, or base64
}

type decodeOut struct {
	Sender    sui.Address `json:"sender"`
	GasOwner  sui.Address `json:"gas_owner"`
	GasBudget sui.Raw     `json:"gas_budget"`
	GasPrice  sui.Raw     `json:"gas_price"`
	Words     words       `json:"words"`
}

// words is a sui.Description as events may have it: sentences, no raw material.
type words struct {
	Gas        string   `json:"gas"`
	Expiration string   `json:"expiration"`
	Inputs     []string `json:"inputs"`
	Commands   []string `json:"commands"`
	Warnings   []string `json:"warnings"`
}

// decodeCalldata puts transaction data into words. The data is stored nowhere, and the
// answer has none of it.
func (s Sources) decodeCalldata(_ context.Context, _ string, payload json.RawMessage) (any, error) {
	in, err := read[decodeIn](payload)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(in.Data)
	if digits, ok := strings.CutPrefix(in.Data, "0x"); ok {
		data, err = hex.DecodeString(digits)
	}
	if err != nil || len(data) == 0 {
		return nil, bad("data is transaction data as base64, or as hexadecimal digits after 0x.")
	}
	tx, err := sui.DecodeTransaction(data)
	if err != nil {
		return nil, fault.Wrap(err, fault.InputInvalid, "This is no Sui transaction that can be read.")
	}
	d := tx.Describe()
	out := decodeOut{tx.Sender, tx.Gas.Owner, sui.Raw(tx.Gas.Budget), sui.Raw(tx.Gas.Price),
		words{d.Gas, d.Expiration, []string{}, []string{}, d.Warnings}}
	for _, i := range d.Inputs {
		out.Words.Inputs = append(out.Words.Inputs, i.Text)
	}
	for _, c := range d.Commands {
		out.Words.Commands = append(out.Words.Commands, c.Text)
	}
	return out, nil
}

func bad(text string) error { return fault.New(fault.InputInvalid, "%s", text) }
