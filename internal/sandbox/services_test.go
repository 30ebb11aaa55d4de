package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func mask(paths ...string) *fieldmaskpb.FieldMask { return &fieldmaskpb.FieldMask{Paths: paths} }

func TestCoins(t *testing.T) {
	n := start(t, Config{})
	ctx := within(t)
	list := func(filter string, size uint32, token []byte) ([]uint64, []byte) {
		t.Helper()
		answer, err := n.state.ListOwnedObjects(ctx, &pb.ListOwnedObjectsRequest{
			Owner: new(Account.String()), ObjectType: &filter, PageSize: &size, PageToken: token, ReadMask: mask("balance"),
		})
		if err != nil {
			t.Fatal(err)
		}
		var balances []uint64
		for _, o := range answer.GetObjects() {
			balances = append(balances, o.GetBalance())
		}
		return balances, answer.GetNextPageToken()
	}
	t.Run("the account's SUI, largest first", func(t *testing.T) {
		got, _ := list("0x2::coin::Coin<0x2::sui::SUI>", 50, nil)
		if d := cmp.Diff([]uint64{600_000_000_000, 300_000_000_000, 100_000_000_000}, got); d != "" {
			t.Error(d)
		}
	})
	t.Run("pages join up", func(t *testing.T) {
		whole, _ := list("0x2::coin::Coin", 50, nil)
		var got []uint64
		var token []byte
		for range 20 {
			var page []uint64
			page, token = list("0x2::coin::Coin", 3, token)
			got = append(got, page...)
			if token == nil {
				break
			}
		}
		if len(whole) != 8 || !slices.Equal(whole, got) {
			t.Errorf("whole %v, pages %v", whole, got)
		}
	})
	t.Run("another type is none", func(t *testing.T) {
		if got, _ := list("0x2::coin::TreasuryCap", 50, nil); len(got) != 0 {
			t.Error(got)
		}
	})
	t.Run("balances say what lies in coins", func(t *testing.T) {
		answer, err := n.state.GetBalance(ctx, &pb.GetBalanceRequest{Owner: new(Account.String()),
			CoinType: new("0x2::sui::SUI")})
		if err != nil {
			t.Fatal(err)
		}
		extra := map[protowire.Number]uint64{}
		for b := answer.GetBalance().ProtoReflect().GetUnknown(); len(b) > 0; {
			number, _, m := protowire.ConsumeTag(b)
			v, k := protowire.ConsumeVarint(b[m:])
			extra[number] = v
			b = b[m+k:]
		}
		want := map[protowire.Number]uint64{4: 0, 5: 1_000_000_000_000}
		if d := cmp.Diff(want, extra); d != "" || answer.GetBalance().GetBalance() != want[5] {
			t.Errorf("%s %v", d, answer)
		}
	})
	t.Run("all balances in pages", func(t *testing.T) {
		var got []string
		var token []byte
		for range 10 {
			answer, err := n.state.ListBalances(ctx, &pb.ListBalancesRequest{
				Owner: new(Account.String()), PageSize: new(uint32(2)), PageToken: token})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range answer.GetBalances() {
				got = append(got, b.GetCoinType()[strings.LastIndex(b.GetCoinType(), ":")+1:])
			}
			if token = answer.GetNextPageToken(); token == nil {
				break
			}
		}
		slices.Sort(got)
		if d := cmp.Diff([]string{"DEEP", "SUI", "USDC", "WAL"}, got); d != "" {
			t.Error(d)
		}
	})
	t.Run("coin info", func(t *testing.T) {
		answer, err := n.state.GetCoinInfo(ctx, &pb.GetCoinInfoRequest{CoinType: new(string(coins.DEEP))})
		if err != nil || answer.GetMetadata().GetDecimals() != 6 {
			t.Errorf("%v, %v", answer, err)
		}
		_, err = n.state.GetCoinInfo(ctx, &pb.GetCoinInfoRequest{CoinType: new("0x9::a::B")})
		if status.Code(err) != codes.NotFound {
			t.Error(err)
		}
	})
}

func TestChain(t *testing.T) {
	now := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	n := start(t, Config{Now: func() time.Time { return now }})
	ctx := within(t)
	info := func() *pb.GetServiceInfoResponse {
		t.Helper()
		answer, err := n.ledger.GetServiceInfo(ctx, &pb.GetServiceInfoRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	t.Run("every sandbox is another chain", func(t *testing.T) {
		other := start(t, Config{})
		if info().GetChainId() != n.Chain().String() || other.Chain() == n.Chain() {
			t.Errorf("%s and %s", n.Chain(), other.Chain())
		}
		first, err := n.ledger.GetCheckpoint(ctx, &pb.GetCheckpointRequest{
			CheckpointId: &pb.GetCheckpointRequest_SequenceNumber{}})
		if err != nil || first.GetCheckpoint().GetDigest() != n.Chain().String() {
			t.Errorf("%v, %v", first, err)
		}
	})
	t.Run("time makes checkpoints and epochs", func(t *testing.T) {
		before := info()
		now = now.Add(2 * time.Second)
		later := info()
		if later.GetCheckpointHeight() != before.GetCheckpointHeight()+1 || !later.GetTimestamp().AsTime().Equal(now) {
			t.Errorf("%v, then %v", before, later)
		}
		now = now.Add(ledger.EpochLength)
		if e := info().GetEpoch(); e != FirstEpoch+1 {
			t.Errorf("epoch %d", e)
		}
	})
	t.Run("an epoch on demand", func(t *testing.T) {
		before := info().GetEpoch()
		if err := n.Inject(faults.Fault{Kind: faults.AdvanceEpoch}); err != nil {
			t.Fatal(err)
		}
		answer, err := n.ledger.GetEpoch(ctx, &pb.GetEpochRequest{ReadMask: mask("epoch", "reference_gas_price",
			"system_state.epoch")})
		if err != nil {
			t.Fatal(err)
		}
		e := answer.GetEpoch()
		if e.GetEpoch() != before+1 || e.GetReferenceGasPrice() != gasPrice || e.GetSystemState().GetEpoch() != before+1 ||
			e.GetStart() != nil {
			t.Error(e)
		}
		old, err := n.ledger.GetEpoch(ctx, &pb.GetEpochRequest{Epoch: &before, ReadMask: all()})
		if err != nil || old.GetEpoch().GetEnd() == nil {
			t.Errorf("%v, %v", old, err)
		}
	})
	t.Run("what is not there is not found", func(t *testing.T) {
		_, err := n.ledger.GetEpoch(ctx, &pb.GetEpochRequest{Epoch: new(uint64(1))})
		_, err2 := n.ledger.GetCheckpoint(ctx, &pb.GetCheckpointRequest{
			CheckpointId: &pb.GetCheckpointRequest_SequenceNumber{SequenceNumber: 1 << 40}})
		_, err3 := n.ledger.GetTransaction(ctx, &pb.GetTransactionRequest{Digest: new(sui.Digest{1}.String())})
		for _, e := range []error{err, err2, err3} {
			if status.Code(e) != codes.NotFound {
				t.Error(e)
			}
		}
	})
}

func TestObjects(t *testing.T) {
	n := start(t, Config{})
	ctx := within(t)
	ref := n.coin(t, sui.SUI, 1)
	t.Run("a batch answers in place", func(t *testing.T) {
		answer, err := n.ledger.BatchGetObjects(ctx, &pb.BatchGetObjectsRequest{
			Requests: []*pb.GetObjectRequest{
				{ObjectId: new(ref.ID.String())}, {ObjectId: new("0x999")}, {ObjectId: new("0x6")},
			},
			ReadMask: mask("object_id", "owner", "digest", "balance"),
		})
		if err != nil || len(answer.GetObjects()) != 3 {
			t.Fatalf("%v, %v", answer, err)
		}
		coin, none, clock := answer.GetObjects()[0].GetObject(), answer.GetObjects()[1].GetError(),
			answer.GetObjects()[2].GetObject()
		if coin.GetDigest() != ref.Digest.String() || coin.GetOwner().GetAddress() != Account.String() ||
			coin.Version != nil {
			t.Error(coin)
		}
		if codes.Code(none.GetCode()) != codes.NotFound {
			t.Error(none)
		}
		if clock.GetOwner().GetKind() != pb.Owner_SHARED || clock.GetOwner().GetVersion() != 1 {
			t.Error(clock)
		}
	})
	t.Run("earlier versions stay readable", func(t *testing.T) {
		if err := n.Inject(faults.Fault{Kind: faults.ConsumeCoin, Object: ref.ID.String()}); err != nil {
			t.Fatal(err)
		}
		get := func(version *uint64) *pb.Object {
			t.Helper()
			o, err := n.ledger.GetObject(ctx, &pb.GetObjectRequest{ObjectId: new(ref.ID.String()), Version: version})
			if err != nil {
				t.Fatal(err)
			}
			return o.GetObject()
		}
		if present := get(nil); present.GetVersion() != ref.Version+1 {
			t.Error(present)
		}
		if old := get(&ref.Version); old.GetDigest() != ref.Digest.String() {
			t.Error(old)
		}
	})
	t.Run("a mask path that does not exist is refused", func(t *testing.T) {
		_, err := n.ledger.GetObject(ctx, &pb.GetObjectRequest{ObjectId: new("0x6"), ReadMask: mask("colour")})
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "colour") {
			t.Error(err)
		}
	})
	t.Run("a pool without a known first version reports it", func(t *testing.T) {
		for _, p := range registry.Pools() {
			o, err := n.ledger.GetObject(ctx, &pb.GetObjectRequest{ObjectId: new(p.ID.String()), ReadMask: mask("owner",
				"object_type")})
			if err != nil {
				t.Fatal(err)
			}
			first := o.GetObject().GetOwner().GetVersion()
			if first == 0 || (p.InitialSharedVersion != 0 && first != p.InitialSharedVersion) ||
				o.GetObject().GetObjectType() != p.Type() {
				t.Errorf("%s: %v", p.Key, o)
			}
		}
	})
	t.Run("the rest is refused by name", func(t *testing.T) {
		_, err := n.state.ListDynamicFields(ctx, &pb.ListDynamicFieldsRequest{Parent: new("0x6")})
		_, err2 := pb.NewMovePackageServiceClient(n.conn).GetDatatype(ctx, &pb.GetDatatypeRequest{})
		_, err3 := pb.NewSignatureVerificationServiceClient(n.conn).VerifySignature(ctx, &pb.VerifySignatureRequest{})
		for name, e := range map[string]error{"dynamic fields": err, "GetDatatype": err2,
			"SignatureVerificationService": err3} {
			if status.Code(e) != codes.Unimplemented || !strings.Contains(e.Error(), name) {
				t.Error(e)
			}
		}
	})
}

// unresolved returns the swap as the official client first sends it: objects only by id, no gas, no
// expiration.
func (n *served) unresolved(t testing.TB, tx *sui.Transaction) *pb.Transaction {
	t.Helper()
	answer, err := n.dry(t, tx, false)
	if err != nil {
		t.Fatal(err)
	}
	w := answer.GetTransaction().GetTransaction()
	w.Bcs, w.Digest, w.Expiration = nil, nil, nil
	w.GasPayment = &pb.GasPayment{Owner: w.GasPayment.Owner}
	for _, in := range w.GetKind().GetProgrammableTransaction().GetInputs() {
		if in.ObjectId != nil {
			in.Kind, in.Version, in.Digest, in.Mutable = nil, nil, nil, nil
		}
	}
	return w
}

func TestResolves(t *testing.T) {
	n := start(t, Config{})
	ctx := within(t)
	tx := n.swapTx(t, "SUI_USDC", 700_000_000_000, 1, nil) // more than any single coin
	answer, err := n.execution.SimulateTransaction(ctx, &pb.SimulateTransactionRequest{
		Transaction: n.unresolved(t, tx), DoGasSelection: new(true), ReadMask: mask("transaction.transaction",
			"transaction.effects.status"),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := answer.GetTransaction().GetTransaction()
	if !answer.GetTransaction().GetEffects().GetStatus().GetSuccess() {
		t.Fatal(answer.GetTransaction().GetEffects().GetStatus())
	}
	t.Run("objects get versions, digests and the needed access", func(t *testing.T) {
		back, err := sui.DecodeTransaction(got.GetBcs().GetValue())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tx.Inputs, back.Inputs); d != "" {
			t.Error(d)
		}
	})
	t.Run("gas is chosen: every coin, for the commands use it", func(t *testing.T) {
		if len(got.GetGasPayment().GetObjects()) != 3 || got.GetGasPayment().GetPrice() != gasPrice {
			t.Error(got.GetGasPayment())
		}
		if b := got.GetGasPayment().GetBudget(); b < 1_000_000 || b > 100_000_000 {
			t.Errorf("budget %d", b)
		}
	})
	t.Run("the answer executes as it is", func(t *testing.T) {
		back, err := sui.DecodeTransaction(got.GetBcs().GetValue())
		if err != nil {
			t.Fatal(err)
		}
		raw, signature := n.signed(t, back)
		done, err := n.send(t, raw, signature)
		if err != nil || !done.GetTransaction().GetEffects().GetStatus().GetSuccess() {
			t.Fatalf("%v, %v", done, err)
		}
	})
	t.Run("a coin that the commands take does not pay gas", func(t *testing.T) {
		taken := n.coin(t, sui.SUI, 0)
		tx := &sui.Transaction{
			Inputs:   []sui.Input{sui.OwnedInput{Ref: taken}, sui.PureAddress(sui.MustAddress("0x9"))},
			Commands: []sui.Command{sui.TransferObjects{Objects: []sui.Argument{sui.InputArg(0)}, Recipient: sui.InputArg(1)}},
			Sender:   Account, Gas: sui.Gas{Owner: Account}, Expiration: sui.NoExpiration{},
		}
		n.Hold(Account, sui.SUI, 1_000_000_000, 0)
		answer, err := n.execution.SimulateTransaction(ctx, &pb.SimulateTransactionRequest{Transaction: n.unresolved(t, tx),
			DoGasSelection: new(true)})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range answer.GetTransaction().GetTransaction().GetGasPayment().GetObjects() {
			if o.GetObjectId() == taken.ID.String() {
				t.Error("it was chosen for gas")
			}
		}
	})
	t.Run("an account without SUI cannot pay", func(t *testing.T) {
		poor := n.unresolved(t, readCall(pool(t, "SUI_USDC"), "mid_price"))
		poor.Sender, poor.GasPayment = new("0x77"), nil
		_, err := n.execution.SimulateTransaction(ctx, &pb.SimulateTransactionRequest{Transaction: poor,
			DoGasSelection: new(true)})
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "insufficient SUI balance") {
			t.Error(err)
		}
	})
	t.Run("a read needs neither sender nor gas", func(t *testing.T) {
		read := n.unresolved(t, readCall(pool(t, "WAL_USDC"), "mid_price"))
		read.Sender, read.GasPayment = nil, nil
		answer, err := n.execution.SimulateTransaction(ctx, &pb.SimulateTransactionRequest{Transaction: read,
			ReadMask: mask("command_outputs")})
		if err != nil || answer.GetTransaction() != nil {
			t.Fatalf("%v, %v", answer, err)
		}
		v := answer.GetCommandOutputs()[0].GetReturnValues()[0].GetValue()
		if v.GetName() != "u64" || len(v.GetValue()) != 8 {
			t.Error(v)
		}
	})
}
