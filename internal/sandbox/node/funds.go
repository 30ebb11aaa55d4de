package node

import (
	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

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

// readWithdrawal reads the message form of a withdrawal by the sender or by an allowance.
func readWithdrawal(in *pb.Input) (sui.Input, error) {
	outer, err := parseMessage(in.ProtoReflect().GetUnknown())
	if err != nil {
		return nil, err
	}
	m, err := outer.below(fieldFundsWithdrawal)
	if err != nil {
		return nil, err
	}
	coin, err := coinType(m.text(2))
	if err != nil {
		return nil, err
	}
	w := sui.WithdrawalInput{MaxAmount: sui.Raw(m.numbers[1]), Coin: coin.Tag()}
	switch m.numbers[3] {
	case sourceSender:
		return w, nil
	case sourceAllowance:
		w.From = sui.WithdrawSenderAllowance
		if w.Funder, err = address(m.text(4), "funder"); err == nil {
			w.Allowance, err = address(m.text(5), "allowance")
		}
		return w, err
	}
	return nil, ledger.Unsupported("withdraw from the address balance of anybody except the sender")
}

// readValidDuring reads the message form of epoch bounds. It keeps times only so that the ledger can
// reject them.
func readValidDuring(e *pb.TransactionExpiration) (sui.Expiration, error) {
	m, unread := parseMessage(e.ProtoReflect().GetUnknown())
	chain, err := sui.ParseDigest(m.text(fieldChain))
	if unread != nil || err != nil {
		return nil, ledger.Refuse("invalid expiration")
	}
	v := sui.ValidDuring{MinEpoch: m.number(fieldMinEpoch), MaxEpoch: e.Epoch, Chain: chain,
		Nonce: uint32(m.numbers[fieldNonce])}
	if m.lists[fieldMinTimestamp] != nil {
		v.MinTimestamp = new(uint64)
	}
	if m.lists[fieldMaxTimestamp] != nil {
		v.MaxTimestamp = new(uint64)
	}
	return v, nil
}
