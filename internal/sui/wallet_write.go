package sui

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// jsonObject is an object in the wallet form. Its keys are written in alphabetical order, so the text
// is deterministic.
type jsonObject map[string]any

// maxSafeInteger is the largest integer that a JavaScript wallet reads exactly.
const maxSafeInteger = 1<<53 - 1

// WalletJSON returns the transaction in the version-2 JSON form that Wallet Standard wallets accept for
// sui:signTransaction. It is complete: it names the sender, gas and object versions, so a wallet adds
// nothing and builds the same bytes. ParseWalletJSON reads it.
func (t *Transaction) WalletJSON() ([]byte, error) {
	if _, err := t.Encode(); err != nil {
		return nil, err
	}
	return marshalPlain(jsonObject{
		"version":    2,
		"sender":     t.Sender,
		"expiration": walletExpiration(t.Expiration),
		"gasData":    walletGas(t.Gas),
		"inputs":     walletList(t.Inputs, walletInput),
		"commands":   walletList(t.Commands, walletCommand),
	})
}

func walletGas(g Gas) any {
	return jsonObject{
		"budget": decimal(g.Budget), "price": decimal(g.Price),
		"owner": g.Owner, "payment": walletList(g.Payment, walletRef),
	}
}

// marshalPlain returns JSON on one line without escaping < and >.
func marshalPlain(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The transaction could not be written as JSON.")
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

func walletList[T any](in []T, f func(T) any) []any {
	out := make([]any, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

func optionalDecimal(n *uint64) any {
	if n == nil {
		return nil
	}
	return decimal(*n)
}

func walletRef(r ObjectRef) any {
	return jsonObject{"objectId": r.ID, "version": decimal(r.Version), "digest": r.Digest}
}

func walletBytes(b []byte) any { return base64.StdEncoding.EncodeToString(b) }

func walletAddress(a Address) any { return a }

// walletType formats a type as the official library does, with a space after each comma.
func walletType(t TypeTag) any { return strings.ReplaceAll(t.String(), ",", ", ") }

func walletArgument(a Argument) any {
	switch a.Kind {
	case ArgInput:
		return jsonObject{"Input": a.Index}
	case ArgResult:
		return jsonObject{"Result": a.Index}
	case ArgNestedResult:
		return jsonObject{"NestedResult": []uint16{a.Index, a.Nested}}
	}
	return jsonObject{"GasCoin": true}
}

func walletInput(in Input) any {
	switch v := in.(type) {
	case OwnedInput:
		return jsonObject{"Object": jsonObject{"ImmOrOwnedObject": walletRef(v.Ref)}}
	case SharedInput:
		return jsonObject{"Object": jsonObject{"SharedObject": jsonObject{
			"objectId": v.ID, "initialSharedVersion": decimal(v.InitialVersion), "mutable": v.Mutable,
		}}}
	case ReceivingInput:
		return jsonObject{"Object": jsonObject{"Receiving": walletRef(v.Ref)}}
	case WithdrawalInput:
		from := jsonObject{"Sender": true}
		switch v.From {
		case WithdrawSponsor:
			from = jsonObject{"Sponsor": true}
		case WithdrawSenderAllowance:
			from = jsonObject{"SenderAllowance": jsonObject{"funder": v.Funder, "allowance": v.Allowance}}
		}
		return jsonObject{"FundsWithdrawal": jsonObject{
			"reservation":  jsonObject{"MaxAmountU64": v.MaxAmount},
			"typeArg":      jsonObject{"Balance": walletType(v.Coin)},
			"withdrawFrom": from,
		}}
	}
	p, _ := in.(PureInput)
	return jsonObject{"Pure": jsonObject{"bytes": walletBytes(p.Bytes)}}
}

func walletCommand(cmd Command) any {
	switch v := cmd.(type) {
	case MoveCall:
		return jsonObject{"MoveCall": jsonObject{
			"package": v.Package, "module": v.Module, "function": v.Function,
			"typeArguments": walletList(v.TypeArgs, walletType),
			"arguments":     walletList(v.Arguments, walletArgument),
		}}
	case TransferObjects:
		return jsonObject{"TransferObjects": jsonObject{
			"objects": walletList(v.Objects, walletArgument), "address": walletArgument(v.Recipient),
		}}
	case SplitCoins:
		return jsonObject{"SplitCoins": jsonObject{
			"coin": walletArgument(v.Coin), "amounts": walletList(v.Amounts, walletArgument),
		}}
	case MergeCoins:
		return jsonObject{"MergeCoins": jsonObject{
			"destination": walletArgument(v.Into), "sources": walletList(v.Sources, walletArgument),
		}}
	case MakeMoveVec:
		var kind any
		if v.Type != nil {
			kind = walletType(*v.Type)
		}
		return jsonObject{"MakeMoveVec": jsonObject{
			"type": kind, "elements": walletList(v.Elements, walletArgument),
		}}
	case Publish:
		return jsonObject{"Publish": jsonObject{
			"modules":      walletList(v.Modules, walletBytes),
			"dependencies": walletList(v.Dependencies, walletAddress),
		}}
	case Upgrade:
		return jsonObject{"Upgrade": jsonObject{
			"modules":      walletList(v.Modules, walletBytes),
			"dependencies": walletList(v.Dependencies, walletAddress),
			"package":      v.Package, "ticket": walletArgument(v.Ticket),
		}}
	}
	return nil
}

func walletExpiration(e Expiration) any {
	switch v := e.(type) {
	case EpochExpiration:
		// The official library writes this as a number if it can be represented exactly.
		if v.Epoch <= maxSafeInteger {
			return jsonObject{"Epoch": v.Epoch}
		}
		return jsonObject{"Epoch": decimal(v.Epoch)}
	case ValidDuring:
		return jsonObject{"ValidDuring": walletValidity(v)}
	case Validity:
		o := walletValidity(v.ValidDuring)
		o["allowedProposers"] = nil
		if p := v.Proposers; p != nil {
			o["allowedProposers"] = jsonObject{
				"epoch": decimal(p.Epoch), "proposers": append([]uint32{}, p.Members...),
			}
		}
		return jsonObject{"Validity": o}
	}
	return jsonObject{"None": true}
}

func walletValidity(v ValidDuring) jsonObject {
	return jsonObject{
		"minEpoch": optionalDecimal(v.MinEpoch), "maxEpoch": optionalDecimal(v.MaxEpoch),
		"minTimestamp": optionalDecimal(v.MinTimestamp), "maxTimestamp": optionalDecimal(v.MaxTimestamp),
		"chain": v.Chain, "nonce": v.Nonce,
	}
}
