package sandbox

import (
	"encoding/binary"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// systemInput is the system object, taken mutably.
var systemInput = sui.SharedInput{ID: sui.MustAddress("0x5"), InitialVersion: 1, Mutable: true}

// systemCall calls a function of the system's package.
func systemCall(module, name string, args ...sui.Argument) sui.MoveCall {
	return sui.MoveCall{Package: sui.MustAddress("0x3"), Module: module, Function: name, Arguments: args}
}

// plain returns a transaction of the genesis account that pays with its largest coin.
func (n *served) plain(t *testing.T, inputs []sui.Input, commands ...sui.Command) *sui.Transaction {
	return &sui.Transaction{Inputs: inputs, Commands: commands, Sender: Account, Expiration: sui.NoExpiration{},
		Gas: sui.Gas{Owner: Account, Price: gasPrice, Budget: 500_000_000, Payment: []sui.ObjectRef{n.coin(t, sui.SUI, 0)}}}
}

// stakes lists the account's stakes: references and contents.
func (n *served) stakes(t *testing.T) (refs []sui.ObjectRef, contents [][]byte) {
	for _, o := range n.Owned(Account) {
		if o.Type.String() == sui.MustTypeTag("0x3::staking_pool::StakedSui").String() {
			refs, contents = append(refs, o.Ref()), append(contents, o.Contents)
		}
	}
	return refs, contents
}

// validators returns those of the current epoch.
func (n *served) validators(t *testing.T) []*pb.Validator {
	answer, err := n.ledger.GetEpoch(within(t),
		&pb.GetEpochRequest{ReadMask: &fieldmaskpb.FieldMask{Paths: []string{"system_state"}}})
	if err != nil {
		t.Fatal(err)
	}
	return answer.GetEpoch().GetSystemState().GetValidators().GetActiveValidators()
}

// stake stakes an amount with a validator, in the entry form.
func (n *served) stake(t *testing.T, amount uint64, with *pb.Validator) *pb.ExecutedTransaction {
	done, err := n.run(t, n.plain(t, []sui.Input{sui.PureU64(amount), systemInput,
		sui.PureAddress(sui.MustAddress(with.GetAddress()))},
		sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
		systemCall("sui_system", "request_add_stake", sui.InputArg(1), sui.NestedArg(0, 0), sui.InputArg(2))))
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// unstake returns a transaction that withdraws a stake with a minimum.
func (n *served) unstake(t *testing.T, stake sui.ObjectRef, floor uint64) *sui.Transaction {
	r := sui.ResultArg
	return n.plain(t, []sui.Input{systemInput, sui.OwnedInput{Ref: stake}, sui.PureU64(floor), sui.PureAddress(Account)},
		systemCall("sui_system", "request_withdraw_stake_non_entry", sui.InputArg(0), sui.InputArg(1)),
		sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "from_balance",
			TypeArgs:  []sui.TypeTag{sui.SUI.Tag()},
			Arguments: []sui.Argument{r(0)}},
		sui.SplitCoins{Coin: r(1), Amounts: []sui.Argument{sui.InputArg(2)}},
		sui.MergeCoins{Into: r(1), Sources: []sui.Argument{sui.NestedArg(2, 0)}},
		sui.TransferObjects{Objects: []sui.Argument{r(1)}, Recipient: sui.InputArg(3)})
}

func TestStakeEarnsAndIsWithdrawn(t *testing.T) {
	n := start(t, Config{})
	with := n.validators(t)[0]
	done := n.stake(t, 100_000_000_000, with)
	if !done.GetEffects().GetStatus().GetSuccess() {
		t.Fatal(done.GetEffects().GetStatus())
	}
	refs, contents := n.stakes(t)
	if len(refs) != 1 || len(contents[0]) != 80 {
		t.Fatalf("the account has %d stakes: %x", len(refs), contents)
	}
	if got := n.validators(t)[0]; got.GetNextEpochStake()-with.GetNextEpochStake() != 100_000_000_000 ||
		got.GetStakingPool().GetPendingStake() != 100_000_000_000 {
		t.Errorf("the validator has %v", got)
	}
	if e := done.GetEvents().GetEvents(); len(e) != 1 ||
		e[0].GetContents().GetName() != "0x0000000000000000000000000000000000000000000000000000000000000003::validator::StakingRequestEvent" ||
		len(e[0].GetContents().GetValue()) != 112 {
		t.Errorf("the events are %v", e)
	}
	for _, floor := range []struct {
		name   string
		epochs int
		least  uint64
	}{
		{"the principal before the stake starts", 0, 100_000_000_000},
		{"the principal when it starts", 1, 100_000_000_000},
		{"principal and reward", 10, 100_076_520_000}, // about 28,500 ppm a year less 2 %
	} {
		t.Run(floor.name, func(t *testing.T) {
			for range floor.epochs {
				n.AdvanceEpoch()
			}
			refs, _ := n.stakes(t)
			quote := comes(n.simulated(t, n.unstake(t, refs[0], 0)), 1, 0)
			if quote < floor.least || quote > floor.least+100_000 {
				t.Errorf("%d comes back, expected about %d", quote, floor.least)
			}
			if s := n.simulated(t, n.unstake(t, refs[0], quote)).GetTransaction().GetEffects().GetStatus(); !s.GetSuccess() {
				t.Errorf("a floor of all that comes back: %v", s)
			}
			got := flatten(n.simulated(t, n.unstake(t, refs[0], quote+1)).GetTransaction().GetEffects().GetStatus())
			if want := (failed{Kind: pb.ExecutionError_INSUFFICIENT_COIN_BALANCE, Command: 2}); got != want {
				t.Errorf("a floor of one more: %+v", got)
			}
		})
	}
	refs, _ = n.stakes(t)
	done, err := n.run(t, n.unstake(t, refs[0], 100_000_000_000))
	if err != nil || !done.GetEffects().GetStatus().GetSuccess() {
		t.Fatal(done.GetEffects().GetStatus(), err)
	}
	if refs, _ := n.stakes(t); len(refs) != 0 {
		t.Error("the stake is still there")
	}
	if e := done.GetEvents().GetEvents(); len(e) != 1 || len(e[0].GetContents().GetValue()) != 128 {
		t.Errorf("the events are %v", e)
	}
}

// simulated runs a transaction without executing it.
func (n *served) simulated(t *testing.T, tx *sui.Transaction) *pb.SimulateTransactionResponse {
	t.Helper()
	answer, err := n.dry(t, tx, true)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestStakingAborts(t *testing.T) {
	n := start(t, Config{})
	with := n.validators(t)[0]
	n.stake(t, 5_000_000_000, with)
	n.stake(t, 5_000_000_000, n.validators(t)[1])
	refs, _ := n.stakes(t)
	unknown := sui.PureAddress(sui.MustAddress("0x7a7a"))
	for _, c := range []struct {
		name   string
		amount uint64
		with   sui.PureInput
		call   sui.MoveCall
		want   failed
	}{
		{"less than a whole SUI", 999_999_999, sui.PureAddress(sui.MustAddress(with.GetAddress())),
			systemCall("sui_system", "request_add_stake", sui.InputArg(1), sui.NestedArg(0, 0), sui.InputArg(2)),
			failed{Command: 1, Module: "validator_set", Function: "request_add_stake", Code: 10}},
		{"an address that is no validator", 1_000_000_000, unknown,
			systemCall("sui_system", "request_add_stake", sui.InputArg(1), sui.NestedArg(0, 0), sui.InputArg(2)),
			failed{Command: 1, Module: "validator_set", Function: "get_candidate_or_active_validator_mut", Code: 4}},
		{"a split that leaves less than a whole SUI", 4_000_000_001, unknown,
			systemCall("staking_pool", "split_staked_sui", sui.InputArg(3), sui.InputArg(0)),
			failed{Command: 1, Module: "staking_pool", Function: "split", Code: 18}},
		{"a split of more than there is", 5_000_000_001, unknown,
			systemCall("staking_pool", "split_staked_sui", sui.InputArg(3), sui.InputArg(0)),
			failed{Command: 1, Module: "staking_pool", Function: "split", Code: 3}},
		{"stakes of two pools", 1, unknown,
			systemCall("staking_pool", "join_staked_sui", sui.InputArg(3), sui.InputArg(4)),
			failed{Command: 1, Module: "staking_pool", Function: "join_staked_sui", Code: 12}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Kind = pb.ExecutionError_MOVE_ABORT
			tx := n.plain(t, []sui.Input{sui.PureU64(c.amount), systemInput, c.with, sui.OwnedInput{Ref: refs[0]},
				sui.OwnedInput{Ref: refs[1]}}, sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}}, c.call)
			got := flatten(n.simulated(t, tx).GetTransaction().GetEffects().GetStatus())
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStakesAreSplitJoinedAndMadeOfSeveralCoins(t *testing.T) {
	n := start(t, Config{})
	with := sui.PureAddress(sui.MustAddress(n.validators(t)[2].GetAddress()))
	tx := n.plain(t, []sui.Input{sui.OwnedInput{Ref: n.coin(t, sui.SUI, 1)}, sui.OwnedInput{Ref: n.coin(t, sui.SUI, 2)},
		systemInput,
		sui.PureInput{Bytes: bcs.Bytes{1}.U64(350_000_000_000)}, with},
		sui.MakeMoveVec{Elements: []sui.Argument{sui.InputArg(0), sui.InputArg(1)}},
		systemCall("sui_system", "request_add_stake_mul_coin", sui.InputArg(2), sui.ResultArg(0), sui.InputArg(3),
			sui.InputArg(4)))
	done, err := n.run(t, tx)
	if err != nil || !done.GetEffects().GetStatus().GetSuccess() {
		t.Fatal(done.GetEffects().GetStatus(), err)
	}
	if got := n.Holding(Account, sui.SUI).Coins; got/1_000_000_000 != 649 { // 1,000 less the stake and gas
		t.Errorf("%d SUI are left", got)
	}
	refs, _ := n.stakes(t)
	done, err = n.run(t, n.plain(t, []sui.Input{sui.OwnedInput{Ref: refs[0]}, sui.PureU64(50_000_000_000)},
		systemCall("staking_pool", "split_staked_sui", sui.InputArg(0), sui.InputArg(1))))
	if err != nil || !done.GetEffects().GetStatus().GetSuccess() {
		t.Fatal(done.GetEffects().GetStatus(), err)
	}
	refs, contents := n.stakes(t)
	if len(refs) != 2 || principal(contents[0])+principal(contents[1]) != 350_000_000_000 {
		t.Fatalf("the account has %x", contents)
	}
	done, err = n.run(t, n.plain(t, []sui.Input{sui.OwnedInput{Ref: refs[0]}, sui.OwnedInput{Ref: refs[1]}},
		systemCall("staking_pool", "join_staked_sui", sui.InputArg(0), sui.InputArg(1))))
	if err != nil || !done.GetEffects().GetStatus().GetSuccess() {
		t.Fatal(done.GetEffects().GetStatus(), err)
	}
	if _, contents := n.stakes(t); len(contents) != 1 || principal(contents[0]) != 350_000_000_000 {
		t.Errorf("the account has %x", contents)
	}
}

func principal(b []byte) uint64 { return binary.LittleEndian.Uint64(b[72:]) }

func TestStakeThatNobodyTakes(t *testing.T) {
	n := start(t, Config{})
	with := sui.PureAddress(sui.MustAddress(n.validators(t)[0].GetAddress()))
	tx := n.plain(t, []sui.Input{sui.PureU64(2_000_000_000), systemInput, with},
		sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
		systemCall("sui_system", "request_add_stake_non_entry", sui.InputArg(1), sui.NestedArg(0, 0), sui.InputArg(2)))
	got := n.simulated(t, tx).GetTransaction().GetEffects().GetStatus().GetError()
	if got.GetKind() != pb.ExecutionError_UNUSED_VALUE_WITHOUT_DROP {
		t.Errorf("got %v", got)
	}
}
