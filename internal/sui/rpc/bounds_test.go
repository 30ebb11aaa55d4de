package rpc

import (
	"context"
	"math"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A missing or impossible number is an error, and never reads as zero.
func TestNumbersThatCannotBe(t *testing.T) {
	ctx := context.Background()
	most := ptr(uint64(math.MaxUint64))
	object := func(edit func(*pb.Object)) *pb.GetObjectResponse {
		o := coinObject(1, 5)
		o.PreviousTransaction = textOf(digestOf(9))
		edit(o)
		return &pb.GetObjectResponse{Object: o}
	}
	tx := transaction()
	b := encoded(t, tx)
	done := func(edit func(*pb.ExecutedTransaction)) *pb.GetTransactionResponse {
		e := executed(b)
		e.Transaction = &pb.Transaction{Bcs: &pb.Bcs{Value: b}}
		edit(e)
		return &pb.GetTransactionResponse{Transaction: e}
	}
	epoch := func(number, price *uint64) *pb.GetEpochResponse {
		return &pb.GetEpochResponse{Epoch: &pb.Epoch{Epoch: number, ReferenceGasPrice: price}}
	}
	balanceOf := func(c *Client) error { _, err := c.Balance(ctx, alice, sui.SUI); return err }
	objectOf := func(c *Client) error { _, _, err := c.Object(ctx, sui.Address{1}, 0); return err }
	transactionOf := func(c *Client) error {
		_, _, err := c.Transaction(ctx, sui.TransactionDigest(b))
		return err
	}
	epochOf := func(c *Client) error { _, err := c.Epoch(ctx); return err }
	for name, c := range map[string]struct {
		answer any
		ask    func(*Client) error
		sound  bool
	}{
		"a balance of nothing": {balance(0, 0, 0), balanceOf, true},
		"a balance without its number": {&pb.GetBalanceResponse{Balance: &pb.Balance{CoinType: ptr("0x2::sui::SUI")}},
			balanceOf, false},
		"no balance":                    {&pb.GetBalanceResponse{}, balanceOf, false},
		"an object":                     {object(func(*pb.Object) {}), objectOf, true},
		"an object of version 0":        {object(func(o *pb.Object) { o.Version = ptr(uint64(0)) }), objectOf, false},
		"an object of the last version": {object(func(o *pb.Object) { o.Version = most }), objectOf, false},
		"an object shared in the future": {object(func(o *pb.Object) {
			o.Owner = &pb.Owner{Kind: pb.Owner_SHARED.Enum(),
				Version: ptr(uint64(2))}
		}), objectOf, false},
		"an epoch":              {epoch(ptr(uint64(7)), ptr(uint64(500))), epochOf, true},
		"no epoch":              {epoch(nil, ptr(uint64(500))), epochOf, false},
		"the last epoch":        {epoch(most, ptr(uint64(500))), epochOf, false},
		"no gas price":          {epoch(ptr(uint64(7)), nil), epochOf, false},
		"the highest gas price": {epoch(ptr(uint64(7)), most), epochOf, false},
		"a transaction":         {done(func(*pb.ExecutedTransaction) {}), transactionOf, true},
		"effects of the last epoch": {done(func(e *pb.ExecutedTransaction) { e.Effects.Epoch = most }), transactionOf,
			false},
		"no cost of computation": {done(func(e *pb.ExecutedTransaction) { e.Effects.GasUsed.ComputationCost = nil }),
			transactionOf, false},
		"no cost of storage": {done(func(e *pb.ExecutedTransaction) { e.Effects.GasUsed.StorageCost = nil }),
			transactionOf, false},
		"no rebate": {done(func(e *pb.ExecutedTransaction) { e.Effects.GasUsed.StorageRebate = nil }),
			transactionOf, false},
		"a version beyond all": {done(func(e *pb.ExecutedTransaction) { e.Effects.ChangedObjects[0].InputVersion = most }),
			transactionOf, false},
		"the last checkpoint": {done(func(e *pb.ExecutedTransaction) { e.Checkpoint = most }), transactionOf,
			false},
		"a time before the chain": {done(func(e *pb.ExecutedTransaction) {
			e.Timestamp = timestamppb.New(time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC))
		}), transactionOf, false},
		"a time beyond calendars": {done(func(e *pb.ExecutedTransaction) {
			e.Timestamp = timestamppb.New(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
		}), transactionOf, false},
	} {
		switch err := c.ask(client(t, c.answer, nil)); {
		case c.sound && err != nil:
			t.Errorf("%s: %v", name, err)
		case !c.sound:
			wants(t, name, err, fault.ProviderMismatch)
		}
	}
}
