package node

import (
	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Wire numbers of withdrawals and address balances, which the stubs do not have yet.
const (
	inputWithdrawal       = pb.Input_InputKind(5)
	fieldFundsWithdrawal  = 8
	stateAccumulatorWrite = pb.ChangedObject_OutputObjectState(4)
	fieldAccumulatorWrite = 12
	sourceSender          = 1
	sourceAllowance       = 3
	operationMerge        = 1
	operationSplit        = 2
	valueInteger          = 1
)

// wireWithdrawal returns the message form of a withdrawal by the sender or by an allowance; the
// ledger accepts no other.
func wireWithdrawal(in sui.WithdrawalInput) *pb.Input {
	w := &pb.Input{Kind: inputWithdrawal.Enum()}
	inner := appendVarint(nil, 1, uint64(in.MaxAmount))
	inner = appendMessage(inner, 2, []byte(in.Coin.String()))
	if in.From == sui.WithdrawSenderAllowance {
		inner = appendMessage(appendVarint(inner, 3, sourceAllowance), 4, []byte(in.Funder.String()))
		inner = appendMessage(inner, 5, []byte(in.Allowance.String()))
	} else {
		inner = appendVarint(inner, 3, sourceSender)
	}
	w.ProtoReflect().SetUnknown(appendMessage(nil, fieldFundsWithdrawal, inner))
	return w
}

// wireAccumulated returns the change of an address balance.
func wireAccumulated(a ledger.Accumulated) *pb.ChangedObject {
	operation := uint64(operationMerge)
	if a.Split {
		operation = operationSplit
	}
	inner := appendMessage(appendMessage(nil, 1, []byte(a.Owner.String())), 2, []byte(a.Type().String()))
	inner = appendVarint(appendVarint(appendVarint(inner, 3, operation), 4, valueInteger), 5, a.Amount)
	w := &pb.ChangedObject{
		ObjectId: new(a.ID.String()), InputState: pb.ChangedObject_INPUT_OBJECT_STATE_DOES_NOT_EXIST.Enum(),
		OutputState: stateAccumulatorWrite.Enum(), IdOperation: pb.ChangedObject_NONE.Enum(),
	}
	w.ProtoReflect().SetUnknown(appendMessage(nil, fieldAccumulatorWrite, inner))
	return w
}

// fields reads the last value of every field of a message.
func fields(b []byte) (numbers map[protowire.Number]uint64, texts map[protowire.Number][]byte, ok bool) {
	numbers, texts = map[protowire.Number]uint64{}, map[protowire.Number][]byte{}
	for len(b) > 0 {
		field, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, nil, false
		}
		b = b[n:]
		switch typ {
		case protowire.VarintType:
			numbers[field], n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			texts[field], n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(field, typ, b)
		}
		if n < 0 {
			return nil, nil, false
		}
		b = b[n:]
	}
	return numbers, texts, true
}

// readWithdrawal reads the message form of a withdrawal by the sender or by an allowance.
func readWithdrawal(in *pb.Input) (sui.Input, error) {
	_, outer, ok := fields(in.ProtoReflect().GetUnknown())
	numbers, texts, whole := fields(outer[fieldFundsWithdrawal])
	if !ok || !whole {
		return nil, ledger.Refuse("invalid funds_withdrawal")
	}
	coin, err := coinType(string(texts[2]))
	if err != nil {
		return nil, err
	}
	w := sui.WithdrawalInput{MaxAmount: sui.Raw(numbers[1]), Coin: coin.Tag()}
	switch numbers[3] {
	case sourceSender:
		return w, nil
	case sourceAllowance:
		w.From = sui.WithdrawSenderAllowance
		if w.Funder, err = address(string(texts[4]), "funder"); err == nil {
			w.Allowance, err = address(string(texts[5]), "allowance")
		}
		return w, err
	}
	return nil, ledger.Unsupported("withdraw from the address balance of anybody except the sender")
}

// readValidDuring reads the message form of epoch bounds. It keeps times only so that the ledger can
// reject them.
func readValidDuring(e *pb.TransactionExpiration) (sui.Expiration, error) {
	numbers, texts, ok := fields(e.ProtoReflect().GetUnknown())
	chain, err := sui.ParseDigest(string(texts[fieldChain]))
	if !ok || err != nil {
		return nil, ledger.Refuse("invalid expiration")
	}
	v := sui.ValidDuring{MaxEpoch: e.Epoch, Chain: chain, Nonce: uint32(numbers[fieldNonce])}
	if n, set := numbers[fieldMinEpoch]; set {
		v.MinEpoch = &n
	}
	if _, set := texts[fieldMinTimestamp]; set {
		v.MinTimestamp = new(uint64)
	}
	if _, set := texts[fieldMaxTimestamp]; set {
		v.MaxTimestamp = new(uint64)
	}
	return v, nil
}
