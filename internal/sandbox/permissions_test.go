package sandbox

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const rateLimit = "0x2::allowance::RateLimit"

// u64le returns a number as a pure input.
func u64le(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

func wide(n uint64) []byte { return append(u64le(n), make([]byte, 24)...) }

func some(b []byte) sui.PureInput { return sui.PureInput{Bytes: append([]byte{1}, b...)} }

var none = sui.PureInput{Bytes: []byte{0}}

// offer is an allowance from the test account for the second one. rate is the call that creates its
// rate, or nil.
type offer struct {
	name            string
	cap, start, end sui.PureInput
	rate            *sui.MoveCall
	rateInputs      []sui.Input
}

// grant returns the transaction of an offer.
func (n *served) grant(t testing.TB, o offer) *sui.Transaction {
	framework, library := sui.MustAddress("0x2"), sui.MustAddress("0x1")
	tx := &sui.Transaction{Sender: Account, Expiration: sui.NoExpiration{},
		Gas: sui.Gas{Payment: []sui.ObjectRef{n.coin(t, sui.SUI, 0)}, Owner: Account, Price: gasPrice, Budget: 50_000_000}}
	tx.Inputs = append([]sui.Input{sui.PureInput{Bytes: append(binary.AppendUvarint(nil, uint64(len(o.name))), o.name...)},
		sui.PureAddress(Spender),
		o.cap, o.start, o.end}, o.rateInputs...)
	option := sui.MoveCall{Package: library, Module: "option", Function: "none",
		TypeArgs: []sui.TypeTag{sui.MustTypeTag(rateLimit)}}
	if o.rate != nil {
		call := *o.rate
		call.Package, call.Module = framework, "allowance"
		for i := range o.rateInputs {
			call.Arguments = append(call.Arguments, sui.InputArg(5+i))
		}
		tx.Commands = append(tx.Commands, call)
		option.Function, option.Arguments = "some", []sui.Argument{sui.ResultArg(0)}
	}
	tx.Commands = append(tx.Commands, option)
	tx.Commands = append(tx.Commands, sui.MoveCall{Package: framework, Module: "allowance", Function: "new",
		TypeArgs: []sui.TypeTag{sui.MustTypeTag("0x2::balance::Balance<" + string(usdc) + ">")},
		Arguments: []sui.Argument{sui.InputArg(0), sui.InputArg(1), sui.InputArg(2), sui.InputArg(3), sui.InputArg(4),
			sui.ResultArg(len(tx.Commands) - 1)}})
	return tx
}

// code returns an allowance's abort code, extracted from the number on the wire.
func code(s *pb.ExecutionStatus) uint64 {
	return s.GetError().GetAbort().GetAbortCode() >> 48 & 0xff
}

// made returns the object of a type that a transaction created.
func (n *served) made(t testing.TB, tx *pb.ExecutedTransaction, name string) *ledger.Object {
	t.Helper()
	for _, o := range tx.GetEffects().GetChangedObjects() {
		if at := n.Object(sui.MustAddress(o.GetObjectId())); at != nil && at.Type.Struct.Name == name {
			return at
		}
	}
	t.Fatalf("no %s was made", name)
	return nil
}

func TestGrantsRefused(t *testing.T) {
	n := start(t, Config{})
	now := uint64(n.Now().UnixMilli())
	good := offer{name: "x", cap: some(wide(100)), start: none, end: some(u64le(now + 1_000_000))}
	rate := &sui.MoveCall{Function: "periodic_rate_limit"}
	for name, c := range map[string]struct {
		edit func(*offer)
		want uint64
	}{
		"no bound":              {func(o *offer) { o.cap = none }, 5},
		"a cap of zero":         {func(o *offer) { o.cap = some(wide(0)) }, 13},
		"no end":                {func(o *offer) { o.end = none }, 15},
		"an end before a start": {func(o *offer) { o.start = some(u64le(now + 2_000_000)) }, 14},
		"a long name":           {func(o *offer) { o.name = strings.Repeat("n", 129) }, 12},
		"a rate of nothing": {func(o *offer) {
			o.rate, o.rateInputs = rate, []sui.Input{sui.PureU64(1000), sui.PureInput{Bytes: wide(0)}}
		}, 7},
		"a window of no time": {func(o *offer) {
			o.rate, o.rateInputs = rate, []sui.Input{sui.PureU64(0), sui.PureInput{Bytes: wide(1)}}
		}, 7},
	} {
		t.Run(name, func(t *testing.T) {
			o := good
			c.edit(&o)
			tx, err := n.run(t, n.grant(t, o))
			if err != nil || tx.GetEffects().GetStatus().GetSuccess() || code(tx.GetEffects().GetStatus()) != c.want {
				t.Errorf("%v, %v", tx.GetEffects().GetStatus(), err)
			}
		})
	}
	t.Run("an option of a rate is no pure input", func(t *testing.T) {
		tx := n.grant(t, good)
		tx.Inputs = append(tx.Inputs, none)
		tx.Commands = tx.Commands[1:]
		call := tx.Commands[0].(sui.MoveCall)
		call.Arguments[5] = sui.InputArg(5)
		tx.Commands[0] = call
		if done, err := n.run(t, tx); err != nil || done.GetEffects().GetStatus().GetSuccess() {
			t.Errorf("%v %v", done.GetEffects().GetStatus(), err)
		}
	})
}

// spend returns a transaction in which the second account takes from an allowance into its address
// balance.
func (n *served) spend(t testing.TB, of *ledger.Object, amount uint64) *sui.Transaction {
	framework, types := sui.MustAddress("0x2"), []sui.TypeTag{usdc.Tag()}
	return &sui.Transaction{
		Sender: Spender, Expiration: sui.NoExpiration{},
		Gas: sui.Gas{Payment: n.coins(Spender, sui.SUI)[:1], Owner: Spender, Price: gasPrice, Budget: 50_000_000},
		Inputs: []sui.Input{
			sui.WithdrawalInput{MaxAmount: sui.Raw(amount), Coin: usdc.Tag(), From: sui.WithdrawSenderAllowance, Funder: Account,
				Allowance: of.ID},
			sui.SharedInput{ID: of.ID, InitialVersion: of.Owner.InitialVersion, Mutable: true}, sui.ClockInput(),
			sui.PureAddress(Spender)},
		Commands: []sui.Command{
			sui.MoveCall{Package: framework, Module: "allowance", Function: "balance_spend", TypeArgs: types,
				Arguments: []sui.Argument{sui.InputArg(1), sui.InputArg(0), sui.InputArg(2)}},
			sui.MoveCall{Package: framework, Module: "balance", Function: "send_funds", TypeArgs: types,
				Arguments: []sui.Argument{sui.ResultArg(0), sui.InputArg(3)}},
		},
	}
}

// runAs executes a transaction of the second account.
func (n *served) runAs(t testing.TB, tx *sui.Transaction) (*pb.ExecutionStatus, error) {
	raw := encode(t, tx)
	_, signature := signAs(0x22, raw)
	answer, err := n.send(t, raw, signature)
	return answer.GetTransaction().GetEffects().GetStatus(), err
}

func TestAllowanceSpends(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	n := start(t, Config{Now: func() time.Time { return at }})
	if err := n.Endow(Spender); err != nil {
		t.Fatal(err)
	}
	n.Hold(Account, usdc, 0, 1_000)
	granted, err := n.run(t, n.grant(t, offer{cap: some(wide(100)), start: none,
		end:  some(u64le(uint64(at.AddDate(0, 3, 0).UnixMilli()))),
		rate: &sui.MoveCall{Function: "monthly_rate_limit"}, rateInputs: []sui.Input{sui.PureInput{Bytes: wide(40)}}}))
	if err != nil || !granted.GetEffects().GetStatus().GetSuccess() {
		t.Fatal(granted.GetEffects().GetStatus(), err)
	}
	of := n.made(t, granted, "Allowance")
	take := func(name string, amount uint64, want uint64, ok bool) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			before := n.inAddress(Spender, usdc)
			s, err := n.runAs(t, n.spend(t, of, amount))
			if err != nil || s.GetSuccess() != ok || !ok && code(s) != want {
				t.Fatalf("%v, %v", s, err)
			}
			if got := n.inAddress(Spender, usdc) - before; ok && got != amount || !ok && got != 0 {
				t.Errorf("%d arrived", got)
			}
		})
	}
	take("within the rate", 30, 0, true)
	take("above the rate", 11, 4, false)
	at = time.Date(2026, 2, 27, 23, 0, 0, 0, time.UTC)
	take("the month is not over", 11, 4, false)
	at = time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC) // last day of a shorter month
	take("in the next window", 40, 0, true)
	at = time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)
	take("above the cap", 31, 3, false)
	take("the rest of the cap", 30, 0, true)
	at = time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)
	n.AdvanceEpoch()
	take("after the end", 1, 2, false)
	for name, edit := range map[string]func(*sui.WithdrawalInput){
		"another funder":      func(w *sui.WithdrawalInput) { w.Funder = Spender },
		"another coin":        func(w *sui.WithdrawalInput) { w.Coin = sui.SUI.Tag() },
		"no allowance":        func(w *sui.WithdrawalInput) { w.Allowance = sui.Clock },
		"more than there is":  func(w *sui.WithdrawalInput) { w.MaxAmount = 901 },
		"one not named twice": func(w *sui.WithdrawalInput) { w.Allowance = Account },
	} {
		tx := n.spend(t, of, 1)
		w := tx.Inputs[0].(sui.WithdrawalInput)
		edit(&w)
		tx.Inputs[0] = w
		if s, err := n.runAs(t, tx); err == nil || !strings.Contains(err.Error(), "Invalid withdraw reservation") {
			t.Errorf("%s: %v %v", name, s, err)
		}
	}
	t.Run("another sender", func(t *testing.T) {
		tx := n.spend(t, of, 1)
		tx.Sender, tx.Gas.Owner, tx.Gas.Payment = Account, Account, n.coins(Account, sui.SUI)[:1]
		if done, err := n.run(t, tx); err == nil || !strings.Contains(err.Error(), "not the spender") {
			t.Errorf("%v %v", done, err)
		}
	})
	if left := n.inAddress(Account, usdc); left != 900 {
		t.Errorf("the funder has %d", left)
	}
}

// end returns the transaction that revokes an allowance with a cap.
func (n *served) end(t testing.TB, of sui.SharedInput, by sui.ObjectRef) *sui.Transaction {
	return &sui.Transaction{
		Sender: Account, Expiration: sui.NoExpiration{}, Gas: sui.Gas{Payment: []sui.ObjectRef{n.coin(t, sui.SUI, 0)},
			Owner: Account, Price: gasPrice, Budget: 50_000_000},
		Inputs: []sui.Input{sui.OwnedInput{Ref: by}, of},
		Commands: []sui.Command{sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "allowance", Function: "revoke",
			TypeArgs:  []sui.TypeTag{sui.MustTypeTag("0x2::balance::Balance<" + string(usdc) + ">")},
			Arguments: []sui.Argument{sui.InputArg(0), sui.InputArg(1)}}},
	}
}

func TestAllowanceRevoked(t *testing.T) {
	n := start(t, Config{})
	permit := func(funder sui.Address) (sui.SharedInput, *ledger.Object) {
		id, held := n.Permit(ledger.Allowance{Funder: funder, Spender: Spender, Coin: usdc, Cap: 1})
		return sui.SharedInput{ID: id, InitialVersion: n.Object(id).Owner.InitialVersion, Mutable: true}, n.Object(held)
	}
	first, firstCap := permit(Account)
	second, _ := permit(Account)
	_, theirs := permit(Spender)
	t.Run("by the cap of another", func(t *testing.T) {
		tx, err := n.run(t, n.end(t, second, firstCap.Ref()))
		if err != nil || code(tx.GetEffects().GetStatus()) != 11 {
			t.Errorf("%v %v", tx.GetEffects().GetStatus(), err)
		}
		firstCap = n.Object(firstCap.ID)
	})
	t.Run("by a cap that somebody else owns", func(t *testing.T) {
		if tx, err := n.run(t, n.end(t, second, theirs.Ref())); err == nil {
			t.Error(tx.GetEffects().GetStatus())
		}
	})
	t.Run("only for reading", func(t *testing.T) {
		read := first
		read.Mutable = false
		tx, err := n.run(t, n.end(t, read, firstCap.Ref()))
		if err != nil || tx.GetEffects().GetStatus().GetSuccess() {
			t.Errorf("%v %v", tx.GetEffects().GetStatus(), err)
		}
		firstCap = n.Object(firstCap.ID)
	})
	t.Run("a cap cannot be sent on", func(t *testing.T) {
		tx := n.end(t, first, firstCap.Ref())
		tx.Inputs[1] = sui.PureAddress(Spender)
		tx.Commands = []sui.Command{sui.TransferObjects{Objects: []sui.Argument{sui.InputArg(0)}, Recipient: sui.InputArg(1)}}
		done, err := n.run(t, tx)
		if err != nil || done.GetEffects().GetStatus().GetError().GetKind() != pb.ExecutionError_INVALID_TRANSFER_OBJECT {
			t.Errorf("%v %v", done.GetEffects().GetStatus(), err)
		}
		firstCap = n.Object(firstCap.ID)
	})
	tx, err := n.run(t, n.end(t, first, firstCap.Ref()))
	if err != nil || !tx.GetEffects().GetStatus().GetSuccess() || n.Object(first.ID) != nil ||
		n.Object(firstCap.ID) != nil {
		t.Fatalf("%v %v", tx.GetEffects().GetStatus(), err)
	}
	g := tx.GetEffects().GetGasUsed()
	if back := int64(g.GetStorageRebate()) - int64(g.GetStorageCost()); back < 4_000_000 || back > 8_000_000 {
		t.Errorf("%d MIST of storage came back; the chain's own recording says about 6.4 million", back)
	}
	t.Run("and not twice", func(t *testing.T) {
		if tx, err := n.run(t, n.end(t, first, firstCap.Ref())); err == nil {
			t.Error(tx.GetEffects().GetStatus())
		}
	})
}

func TestCapsMintedAndRevoked(t *testing.T) {
	n := start(t, Config{})
	id, err := n.OpenManager(Manager{Owner: Account})
	if err != nil {
		t.Fatal(err)
	}
	of := func(function string, more ...sui.Input) *sui.Transaction {
		call := sui.MoveCall{Package: registry.Packages()[0].ID, Module: "balance_manager", Function: function,
			Arguments: []sui.Argument{sui.InputArg(0)}}
		tx := &sui.Transaction{Sender: Account, Expiration: sui.NoExpiration{},
			Gas: sui.Gas{Payment: []sui.ObjectRef{n.coin(t, sui.SUI, 0)}, Owner: Account, Price: gasPrice,
				Budget: 50_000_000},
			Inputs: append([]sui.Input{sui.SharedInput{ID: id, InitialVersion: n.Object(id).Owner.InitialVersion,
				Mutable: true}}, more...)}
		for i := range more {
			call.Arguments = append(call.Arguments, sui.InputArg(1+i))
		}
		tx.Commands = []sui.Command{call}
		return tx
	}
	for function, name := range map[string]string{"mint_trade_cap": "TradeCap", "mint_deposit_cap": "DepositCap",
		"mint_withdraw_cap": "WithdrawCap"} {
		mint := of(function)
		t.Run(name+" has to go to somebody", func(t *testing.T) {
			tx, err := n.run(t, mint)
			if err != nil || tx.GetEffects().GetStatus().GetError().GetKind() != pb.ExecutionError_UNUSED_VALUE_WITHOUT_DROP {
				t.Errorf("%v %v", tx.GetEffects().GetStatus(), err)
			}
		})
		mint = of(function)
		mint.Inputs = append(mint.Inputs, sui.PureAddress(Spender))
		mint.Commands = append(mint.Commands, sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(0)},
			Recipient: sui.InputArg(1)})
		tx, err := n.run(t, mint)
		if err != nil || !tx.GetEffects().GetStatus().GetSuccess() {
			t.Fatal(tx.GetEffects().GetStatus(), err)
		}
		cap := n.made(t, tx, name)
		if cap.Owner.Address != Spender || !strings.Contains(string(n.Object(id).Contents), string(cap.ID[:])) {
			t.Errorf("%s: %+v", name, cap.Owner)
		}
		if tx, err = n.run(t, of("revoke_trade_cap", sui.PureAddress(cap.ID))); err != nil ||
			!tx.GetEffects().GetStatus().GetSuccess() {
			t.Fatal(tx.GetEffects().GetStatus(), err)
		}
		if strings.Contains(string(n.Object(id).Contents), string(cap.ID[:])) || n.Object(cap.ID) == nil {
			t.Errorf("%s is still on the list, or gone as an object", name)
		}
		tx, err = n.run(t, of("revoke_trade_cap", sui.PureAddress(cap.ID)))
		if a := tx.GetEffects().GetStatus().GetError().GetAbort(); err != nil || a.GetAbortCode() != 5 {
			t.Errorf("revoked twice: %v %v", a, err)
		}
	}
	t.Run("by somebody else", func(t *testing.T) {
		if err := n.Endow(Spender); err != nil {
			t.Fatal(err)
		}
		tx := of("mint_trade_cap")
		tx.Sender, tx.Gas.Owner, tx.Gas.Payment = Spender, Spender, n.coins(Spender, sui.SUI)[:1]
		s, err := n.runAs(t, tx)
		if err != nil || s.GetSuccess() || s.GetError().GetAbort().GetAbortCode() != 0 {
			t.Errorf("%v %v", s, err)
		}
	})
}

func TestShowPermissions(t *testing.T) {
	n := start(t, Config{})
	before := n.coins(Account, sui.SUI)
	n.ShowPermissions()
	answer, err := n.state.ListOwnedObjects(within(t), &pb.ListOwnedObjectsRequest{Owner: new(Account.String()),
		ObjectType: new("0x2::allowance::AllowanceCap")})
	if err != nil || len(answer.GetObjects()) != 2 {
		t.Fatalf("%v %v", answer, err)
	}
	if after := n.coins(Account, sui.SUI); !slices.Equal(before, after) {
		t.Error("coins changed")
	}
}
