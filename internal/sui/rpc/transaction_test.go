package rpc

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var pkg = sui.MustAddress("0xdee9")

func transaction() *sui.Transaction {
	return &sui.Transaction{
		Inputs: []sui.Input{sui.PureU64(5)},
		Commands: []sui.Command{sui.MoveCall{Package: pkg, Module: "pool", Function: "mid_price",
			Arguments: []sui.Argument{sui.InputArg(0)}}},
		Sender: alice,
		Gas: sui.Gas{Owner: alice, Price: 1000, Budget: 5_000_000,
			Payment: []sui.ObjectRef{{ID: sui.Address{1}, Version: 3, Digest: digestOf(3)}}},
		Expiration: sui.EpochExpiration{Epoch: 8},
	}
}

func encoded(t *testing.T, tx *sui.Transaction) []byte {
	t.Helper()
	b, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func executed(b []byte) *pb.ExecutedTransaction {
	d := textOf(sui.TransactionDigest(b))
	return &pb.ExecutedTransaction{
		Digest: d,
		Effects: &pb.TransactionEffects{
			TransactionDigest: d, Epoch: ptr(uint64(7)), Status: &pb.ExecutionStatus{Success: ptr(true)},
			GasUsed: &pb.GasCostSummary{ComputationCost: ptr(uint64(10)), StorageCost: ptr(uint64(20)),
				StorageRebate: ptr(uint64(5)), NonRefundableStorageFee: ptr(uint64(1))},
			ChangedObjects: []*pb.ChangedObject{
				changed(1, pb.ChangedObject_INPUT_OBJECT_STATE_EXISTS, pb.ChangedObject_OUTPUT_OBJECT_STATE_OBJECT_WRITE,
					pb.ChangedObject_NONE),
				changed(2, pb.ChangedObject_INPUT_OBJECT_STATE_DOES_NOT_EXIST, pb.ChangedObject_OUTPUT_OBJECT_STATE_OBJECT_WRITE,
					pb.ChangedObject_CREATED),
				changed(3, pb.ChangedObject_INPUT_OBJECT_STATE_EXISTS, pb.ChangedObject_OUTPUT_OBJECT_STATE_DOES_NOT_EXIST,
					pb.ChangedObject_DELETED),
				changed(4, pb.ChangedObject_INPUT_OBJECT_STATE_EXISTS, pb.ChangedObject_OUTPUT_OBJECT_STATE_DOES_NOT_EXIST,
					pb.ChangedObject_NONE),
				changed(5, pb.ChangedObject_INPUT_OBJECT_STATE_DOES_NOT_EXIST, pb.ChangedObject_OUTPUT_OBJECT_STATE_OBJECT_WRITE,
					pb.ChangedObject_NONE),
				changed(6, pb.ChangedObject_INPUT_OBJECT_STATE_UNKNOWN, 4, pb.ChangedObject_NONE),
				changed(7, pb.ChangedObject_INPUT_OBJECT_STATE_DOES_NOT_EXIST, pb.ChangedObject_OUTPUT_OBJECT_STATE_DOES_NOT_EXIST,
					pb.ChangedObject_CREATED),
				changed(8, pb.ChangedObject_INPUT_OBJECT_STATE_DOES_NOT_EXIST, pb.ChangedObject_OUTPUT_OBJECT_STATE_DOES_NOT_EXIST,
					pb.ChangedObject_DELETED),
			},
		},
		BalanceChanges: []*pb.BalanceChange{{Address: ptr(alice.String()), CoinType: ptr("0x2::sui::SUI"),
			Amount: ptr("-25")}},
	}
}

func changed(id byte, before pb.ChangedObject_InputObjectState, after pb.ChangedObject_OutputObjectState,
	op pb.ChangedObject_IdOperation) *pb.ChangedObject {
	return &pb.ChangedObject{ObjectId: ptr(sui.Address{id}.String()), InputState: &before, OutputState: &after,
		IdOperation: &op}
}

func wantEffects(b []byte) sui.Effects {
	return sui.Effects{
		Digest: sui.TransactionDigest(b), Sender: alice, Status: sui.ExecutionStatus{OK: true}, Epoch: 7,
		Gas:      sui.GasCost{Computation: 10, Storage: 20, Rebate: 5, NonRefundable: 1},
		Balances: []sui.BalanceChange{{Owner: alice, Coin: sui.SUI, Amount: sui.Delta{Negative: true, Amount: 25}}},
		Objects: []sui.ObjectChange{
			{ID: sui.Address{1}, Change: "mutated"}, {ID: sui.Address{2}, Change: "created"}, {ID: sui.Address{3},
				Change: "deleted"},
			{ID: sui.Address{4}, Change: "wrapped"}, {ID: sui.Address{5}, Change: "unwrapped"},
			{ID: sui.Address{7}, Change: "created"}, // and immediately wrapped
			{ID: sui.Address{8}, Change: "deleted"}, // after being unwrapped
		},
	}
}

func value(b ...byte) *pb.CommandResult {
	return &pb.CommandResult{ReturnValues: []*pb.CommandOutput{{Value: &pb.Bcs{Value: b}}}}
}

func TestSimulate(t *testing.T) {
	tx := transaction()
	b := encoded(t, tx)
	var question *pb.SimulateTransactionRequest
	c := clientOf(t, func(_ context.Context, q any) (any, error) {
		question = proto.CloneOf(q.(*pb.SimulateTransactionRequest))
		return &pb.SimulateTransactionResponse{Transaction: executed(b), CommandOutputs: []*pb.CommandResult{value(9, 0)}},
			nil
	})
	want := sui.Simulation{Effects: wantEffects(b), Returns: [][]sui.ReturnValue{{{BCS: []byte{9, 0}}}}, At: noon}
	for _, checks := range []bool{true, false} {
		got, err := c.Simulate(context.Background(), tx, checks)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("checks %v: %v %s", checks, err, diff)
		}
		if diff := cmp.Diff(b, question.GetTransaction().GetBcs().GetValue()); diff != "" {
			t.Error("other bytes were sent")
		}
		disabled := question.GetChecks() == pb.SimulateTransactionRequest_DISABLED
		if disabled == checks || question.GetDoGasSelection() {
			t.Errorf("checks %v asked as %v", checks, question.GetChecks())
		}
		if again, err := c.SimulateBytes(context.Background(), b, checks); err != nil || !cmp.Equal(got, again) {
			t.Errorf("bytes simulate otherwise: %v", err)
		}
	}
	if _, err := c.SimulateBytes(context.Background(), []byte{1}, true); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("garbage: %v", err)
	}
}

func TestReadsNeedNoGas(t *testing.T) {
	epochs := 0
	var sent *sui.Transaction
	now := noon
	url, _ := serve(t, "127.0.0.1:0", func(_ context.Context, q any) (any, error) {
		if _, ok := q.(*pb.GetEpochRequest); ok {
			epochs++
			return &pb.GetEpochResponse{Epoch: &pb.Epoch{Epoch: ptr(uint64(7)), ReferenceGasPrice: ptr(uint64(555))}}, nil
		}
		b := q.(*pb.SimulateTransactionRequest).GetTransaction().GetBcs().GetValue()
		var err error
		if sent, err = sui.DecodeTransaction(b); err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
		return &pb.SimulateTransactionResponse{Transaction: executed([]byte("other bytes")),
			CommandOutputs: []*pb.CommandResult{value(1)}}, nil
	})
	c := dial(t, Config{URL: url, Now: func() time.Time { return now }})
	tx := transaction()
	tx.Gas = sui.Gas{}
	for range 3 {
		if _, err := c.Simulate(context.Background(), tx, false); err != nil {
			t.Fatal(err)
		}
	}
	if sent.Gas.Price != 555 || sent.Gas.Budget != readBudget || tx.Gas.Price != 0 || epochs != 1 {
		t.Errorf("gas %+v, the caller's %+v, price asked for %d times", sent.Gas, tx.Gas, epochs)
	}
	now = now.Add(priceAge)
	if _, err := c.Simulate(context.Background(), tx, false); err != nil || epochs != 2 {
		t.Errorf("an old price was used: asked %d times, %v", epochs, err)
	}
}

func TestAbortIsAValue(t *testing.T) {
	tx := transaction()
	b := encoded(t, tx)
	answer := &pb.SimulateTransactionResponse{Transaction: executed(b)}
	failed := func(e *pb.ExecutionError) {
		answer.Transaction.Effects.Status = &pb.ExecutionStatus{Success: ptr(false), Error: e}
	}
	abort := &pb.MoveAbort{AbortCode: ptr(uint64(11)), Location: &pb.MoveLocation{
		Package: ptr(pkg.String()), Module: ptr("pool"), FunctionName: ptr("load_inner"),
	}}
	details := &pb.ExecutionError_Abort{Abort: abort}
	failed(&pb.ExecutionError{Kind: pb.ExecutionError_MOVE_ABORT.Enum(), Command: ptr(uint64(2)),
		Description: ptr("a\x1bb"), ErrorDetails: details})
	got, err := client(t, answer, nil).Simulate(context.Background(), tx, true)
	want := sui.ExecutionStatus{Kind: "MOVE_ABORT", Text: "a⟦U+001B⟧b",
		Abort: &sui.MoveAbort{Package: pkg, Module: "pool", Function: "load_inner", Code: 11, Command: 2}}
	if diff := cmp.Diff(want, got.Status); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	failed(&pb.ExecutionError{Kind: pb.ExecutionError_ExecutionErrorKind(99).Enum()})
	if got, err = client(t, answer, nil).Simulate(context.Background(), tx, true); err != nil || got.Status.OK ||
		got.Status.Kind != "ERROR_KIND_99" {
		t.Errorf("a newer kind of error: %+v, %v", got.Status, err)
	}
	failed(&pb.ExecutionError{Kind: pb.ExecutionError_ExecutionErrorKind(41).Enum()})
	if got, err = client(t, answer, nil).Simulate(context.Background(), tx, true); err != nil ||
		got.Status.Kind != sui.InsufficientFunds {
		t.Errorf("a kind that the messages lack: %+v, %v", got.Status, err)
	}
	abort.Location.Module = ptr("po ol")
	failed(&pb.ExecutionError{Kind: pb.ExecutionError_MOVE_ABORT.Enum(), ErrorDetails: details})
	_, err = client(t, answer, nil).Simulate(context.Background(), tx, true)
	wants(t, "abort without a module", err, fault.ProviderMismatch)
}

func TestLyingEffects(t *testing.T) {
	tx := transaction()
	b := encoded(t, tx)
	for name, lie := range map[string]func(*pb.ExecutedTransaction){
		"no effects":          func(e *pb.ExecutedTransaction) { e.Effects = nil },
		"no gas":              func(e *pb.ExecutedTransaction) { e.Effects.GasUsed = nil },
		"huge gas":            func(e *pb.ExecutedTransaction) { e.Effects.GasUsed.StorageCost = ptr(^uint64(0)) },
		"no epoch":            func(e *pb.ExecutedTransaction) { e.Effects.Epoch = nil },
		"no status":           func(e *pb.ExecutedTransaction) { e.Effects.Status = nil },
		"success and error":   func(e *pb.ExecutedTransaction) { e.Effects.Status.Error = &pb.ExecutionError{} },
		"another transaction": func(e *pb.ExecutedTransaction) { e.Effects.TransactionDigest = textOf(digestOf(1)) },
		"no digest":           func(e *pb.ExecutedTransaction) { e.Effects.TransactionDigest = ptr("x") },
		"fraction":            func(e *pb.ExecutedTransaction) { e.BalanceChanges[0].Amount = ptr("1.5") },
		"no amount":           func(e *pb.ExecutedTransaction) { e.BalanceChanges[0].Amount = nil },
		"no coin":             func(e *pb.ExecutedTransaction) { e.BalanceChanges[0].CoinType = ptr("coin") },
		"no owner":            func(e *pb.ExecutedTransaction) { e.BalanceChanges[0].Address = ptr("me") },
		"no object id":        func(e *pb.ExecutedTransaction) { e.Effects.ChangedObjects[0].ObjectId = nil },
		"bad object type":     func(e *pb.ExecutedTransaction) { e.Effects.ChangedObjects[0].ObjectType = ptr("<") },
	} {
		e := executed(b)
		lie(e)
		_, err := client(t, &pb.SimulateTransactionResponse{Transaction: e, CommandOutputs: []*pb.CommandResult{value(1)}},
			nil).
			Simulate(context.Background(), tx, true)
		wants(t, "simulate: "+name, err, fault.ProviderMismatch)
		_, err = client(t, &pb.ExecuteTransactionResponse{Transaction: e}, nil).Execute(context.Background(), b, []byte{0})
		wants(t, "execute: "+name, err, fault.ProviderMismatch)
		e.Transaction = &pb.Transaction{Bcs: &pb.Bcs{Value: b}}
		_, known, err := client(t, &pb.GetTransactionResponse{Transaction: e}, nil).Transaction(context.Background(),
			sui.TransactionDigest(b))
		wants(t, "read: "+name, err, fault.ProviderMismatch)
		if known {
			t.Errorf("%s: known", name)
		}
	}
	for name, outputs := range map[string][]*pb.CommandResult{"no values": nil, "too many values": {value(1), value(2)}} {
		_, err := client(t, &pb.SimulateTransactionResponse{Transaction: executed(b), CommandOutputs: outputs}, nil).
			Simulate(context.Background(), tx, true)
		wants(t, name, err, fault.ProviderMismatch)
	}
}

func TestExecute(t *testing.T) {
	b := encoded(t, transaction())
	var question *pb.ExecuteTransactionRequest
	c := clientOf(t, func(_ context.Context, q any) (any, error) {
		question = proto.CloneOf(q.(*pb.ExecuteTransactionRequest))
		e := executed(b)
		e.Checkpoint, e.Timestamp = ptr(uint64(44)), timestamppb.New(noon)
		return &pb.ExecuteTransactionResponse{Transaction: e}, nil
	})
	got, err := c.Execute(context.Background(), b, []byte{1, 2})
	want := sui.Executed{Effects: wantEffects(b), Checkpoint: ptr(uint64(44)), Timestamp: noon}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	sent, signatures := question.GetTransaction().GetBcs().GetValue(), question.GetSignatures()
	if !cmp.Equal(sent, b) || len(signatures) != 1 || !cmp.Equal(signatures[0].GetBcs().GetValue(), []byte{1, 2}) {
		t.Errorf("sent %x with %v", sent, signatures)
	}
	if _, err := c.Execute(context.Background(), b, nil); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("no signature: %v", err)
	}
	if _, err := c.Execute(context.Background(), b[1:], []byte{1}); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("other bytes: %v", err)
	}
}

func TestExecutionIsNeverRepeated(t *testing.T) {
	b := encoded(t, transaction())
	for _, code := range []codes.Code{codes.Unavailable, codes.Aborted, codes.ResourceExhausted, codes.Internal} {
		var sent atomic.Int32
		c := clientOf(t, func(context.Context, any) (any, error) {
			sent.Add(1)
			return nil, status.Error(code, "lost")
		})
		_, err := c.Execute(context.Background(), b, []byte{1})
		wants(t, code.String(), err, fault.ProviderUnavailable)
		if sent.Load() != 1 {
			t.Errorf("%s: sent %d times", code, sent.Load())
		}
	}
}

func TestTransaction(t *testing.T) {
	b := encoded(t, transaction())
	d := sui.TransactionDigest(b)
	e := executed(b)
	e.Transaction = &pb.Transaction{Bcs: &pb.Bcs{Value: b}, Sender: ptr(bob.String())}
	got, known, err := client(t, &pb.GetTransactionResponse{Transaction: e}, nil).Transaction(context.Background(), d)
	if diff := cmp.Diff(sui.Executed{Effects: wantEffects(b)}, got); diff != "" || !known || err != nil {
		t.Errorf("known %v, %v %s", known, err, diff)
	}
	_, known, err = client(t, nil, status.Error(codes.NotFound, "no")).Transaction(context.Background(), d)
	if known || err != nil {
		t.Errorf("an unknown transaction: %v, %v", known, err)
	}
	_, known, err = client(t, nil, status.Error(codes.Unavailable, "NotFound")).Transaction(context.Background(), d)
	wants(t, "down", err, fault.ProviderUnavailable)
	if known {
		t.Error("known to a node that is down")
	}
	e.Transaction.Bcs.Value = append(b[:len(b):len(b)], 0)
	_, _, err = client(t, &pb.GetTransactionResponse{Transaction: e}, nil).Transaction(context.Background(), d)
	wants(t, "other bytes", err, fault.ProviderMismatch)
	other := []byte("a transaction of the chain's own")
	e = executed(other)
	e.Transaction = &pb.Transaction{Bcs: &pb.Bcs{Value: other}, Sender: ptr("0x0")}
	got, known, err = client(t, &pb.GetTransactionResponse{Transaction: e}, nil).Transaction(context.Background(),
		sui.TransactionDigest(other))
	if err != nil || !known || !got.Sender.IsZero() {
		t.Errorf("a system transaction: %+v, %v, %v", got.Sender, known, err)
	}
}
