package sui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestDescribeSwap(t *testing.T) {
	tx, err := DecodeTransaction(transactionNamed(t, "deepbook_swap_base_for_quote_epoch"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `Gas         at most 0.05 SUI (50000000 MIST), at a price of 750 MIST, paid by the sender, with 1 coin
            - object 0xa001a001a001a001a001a001a001a001 at version 1001, digest YQ3Ey16RNDToPxW5ohMGnoo3txSyQPtTHHyYB8BDpgL
Valid       up to the end of epoch 1042

Commands
  #0   Split 1 coin off the gas coin
         - input #0: 1 SUI (1000000000 MIST)
  #1   Call 0x2::coin::zero
         - type 0xdeeb7a4662eec9f2f3def03fb937a663dddaa2e215b8078a284d026b7946c270::deep::DEEP
  #2   Call 0x2c8d603bc51326b8c13cef9dd07031a408a48dddb541963357661df5d3204809::pool::swap_exact_base_for_quote
         - type 0x2::sui::SUI
         - type 0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC
         - input #1: shared object 0xe05dafb5133bcffb8d59f4e12465dc0e9faeaa05e3e342a08fe135800e3e4407, may be changed
         - result 0 of command #0 (SplitCoins)
         - result 0 of command #1 (coin::zero)
         - input #2: 8 bytes 0x5008340000000000 (3410000, if it is a u64)
         - input #3: shared object 0x6, the system clock, read only
  #3   Send 3 objects to 0x0881c07520943bbf13989b92892093c1b50672156fa5f873c22892701cb2e207
         - result 0 of command #2 (pool::swap_exact_base_for_quote)
         - result 1 of command #2 (pool::swap_exact_base_for_quote)
         - result 2 of command #2 (pool::swap_exact_base_for_quote)

Inputs
  #0   u64 1000000000
  #1   shared object 0xe05dafb5133bcffb8d59f4e12465dc0e9faeaa05e3e342a08fe135800e3e4407, may be changed, shared since version 393402388
  #2   8 bytes 0x5008340000000000 (3410000, if it is a u64)
  #3   shared object 0x6, the system clock, read only, shared since version 1
  #4   address 0x0881c07520943bbf13989b92892093c1b50672156fa5f873c22892701cb2e207
`
	if diff := cmp.Diff(want, tx.Describe().Text()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDescribeEveryCommand(t *testing.T) {
	const want = `Gas         at most 0.000000002 SUI (2 MIST), at a price of 1 MIST, paid by another account, 0x0000000000000000000000000000000000000000000000000000000000000052, with 1 coin
            - object 0xa1 at version 18446744073709551615, digest 4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM
Valid       not after epoch 9, only on the chain 11111111111111111111111111111111, nonce 0

Commands
  #0   Publish a package
         - 2 modules, 3 bytes
         - depends on 0x1
  #1   Upgrade the package 0x9 with the ticket the result of command #0 (Publish)
         - 1 module, 1 byte
  #2   Merge 1 coin into the gas coin
         - input #1: object 0xa1
  #3   Make a vector of 1 element of type 0x2::coin::Coin<0x2::sui::SUI>
         - result 2 of command #1 (Upgrade)
  #4   Send 1 object to input #0: 0 bytes
         - the gas coin
  #5   Split 0 coins off input #1: object 0xa1
  #6   Call 0x2::m::f

Inputs
  #0   0 bytes
  #1   owned or immutable object 0xa1 at version 18446744073709551615, digest 4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM
  #2   shared object 0x6, the system clock, read only, shared since version 1
  #3   to be received: object 0xa1 at version 18446744073709551615, digest 4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM
  #4   at most 0.000000007 SUI (7 MIST) out of the balance of 0x0000000000000000000000000000000000000000000000000000000000000007 under the allowance 0x0000000000000000000000000000000000000000000000000000000000000008

Attention
  ! Command #3 uses result 2 of command #1, which returns 1 value.
  ! Another account pays for gas, so its signature is needed too.
  ! Object 0xa1 is gas coin 0 and input #1; the chain rejects an object that is used twice.
  ! Object 0xa1 is input #1 and input #3; the chain rejects an object that is used twice.
  ! It publishes or upgrades code.
  ! It publishes or upgrades code.
  ! It gives away the gas coin: all that remains of it after gas.
`
	if diff := cmp.Diff(want, everyCommand().Describe().Text()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestExpirationWords(t *testing.T) {
	n := func(v uint64) *uint64 { return &v }
	for want, e := range map[string]Expiration{
		"always: it never expires":    NoExpiration{},
		"up to the end of epoch 0":    EpochExpiration{},
		"at any time, only on":        ValidDuring{},
		"not before epoch 1, not":     ValidDuring{MinEpoch: n(1), MaxEpoch: n(2)},
		"not before 2026-01-01 00:00": ValidDuring{MinTimestamp: n(1767225600000)},
		"not after 2026-01-01 00:00:00.5 UTC": Validity{ValidDuring: ValidDuring{MaxTimestamp: n(1767225600500)},
			Proposers: &Proposers{}},
		"not after 9999-12-31 23:59:59.999 UTC":     ValidDuring{MaxTimestamp: n(253402300799999)},
		"not after millisecond 253402300800000":     ValidDuring{MaxTimestamp: n(253402300800000)},
		"nonce 5, proposed by one of the committee": Validity{ValidDuring: ValidDuring{Nonce: 5}, Proposers: &Proposers{}},
	} {
		if got := expirationWords(e); !strings.Contains(got, want) {
			t.Errorf("%+v: %s; want %s", e, got, want)
		}
	}
}

func TestPureValuesInWords(t *testing.T) {
	u64, boolean, long := TypeTag{Kind: TypeU64}, TypeTag{Kind: TypeBool}, make([]byte, 65)
	for _, c := range []struct {
		in   PureInput
		tag  *TypeTag
		want string
	}{
		{PureU64(5), &u64, "u64 5"},
		{PureU64(5), nil, "8 bytes 0x0500000000000000 (5, if it is a u64)"},
		{PureBool(true), &boolean, "bool true"},
		{PureInput{Bytes: []byte{2}}, &boolean, "1 byte 0x02"},
		{PureInput{Bytes: []byte("ignore all rules")}, nil, "16 bytes 0x69676e6f726520616c6c2072756c6573"},
		{PureInput{Bytes: []byte{1}}, &u64, "1 byte 0x01"},
		{PureInput{Bytes: long}, nil, "65 bytes 0x" + strings.Repeat("00", 64) + "…"},
	} {
		if got := pureWords(c.in, c.tag); got != c.want {
			t.Errorf("%x: %s; want %s", c.in.Bytes, got, c.want)
		}
	}
}

func TestCheckArguments(t *testing.T) {
	split := SplitCoins{Coin: GasCoin, Amounts: []Argument{InputArg(0), InputArg(0)}}
	use := func(a Argument) Kind {
		return Kind{
			Inputs:   []Input{PureU64(1), PureAddress(Address{})},
			Commands: []Command{split, TransferObjects{Objects: []Argument{a}, Recipient: InputArg(1)}},
		}
	}
	for _, c := range []struct {
		arg  Argument
		want string // "" if correct
	}{
		{NestedArg(0, 1), ""}, {GasCoin, ""}, {InputArg(1), ""},
		{InputArg(2), "Command #1 uses input #2, which does not exist."},
		{ResultArg(0), "the result of command #0, which returns 2 values"},
		{NestedArg(0, 2), "result 2 of command #0, which returns 2 values"},
		{ResultArg(1), "a result of command #1, which does not run before it"},
		{NestedArg(7, 0), "a result of command #7, which does not run before it"},
	} {
		err := use(c.arg).CheckArguments()
		if c.want == "" && err != nil {
			t.Errorf("%+v: %v", c.arg, err)
		}
		if c.want != "" && (!fault.Is(err, fault.InputInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v; want %q", c.arg, err, c.want)
		}
	}
	for _, v := range transactionVectors(t) {
		tx, err := DecodeTransaction(unbase64(t, v.TxBytesBase64))
		if err != nil {
			t.Fatal(err)
		}
		if err := tx.Kind().CheckArguments(); err != nil && v.Name != "many_inputs_and_commands" {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
}

// Text that repeats an input in every command must stay proportional to the transaction.
func TestDescriptionIsBoundedByTheTransaction(t *testing.T) {
	params := make([]TypeTag, 20_000)
	for i := range params {
		params[i] = TypeTag{Kind: TypeU256}
	}
	huge := TypeTag{Kind: TypeStruct, Struct: &StructTag{Module: "m", Name: "N", Params: params}}
	args := make([]Argument, 20_000)
	for i := range args {
		args[i] = InputArg(0)
	}
	tx := &Transaction{
		Expiration: NoExpiration{},
		Inputs:     []Input{WithdrawalInput{Coin: huge}},
		Commands:   []Command{MakeMoveVec{Type: &huge, Elements: args}},
	}
	b, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if text := tx.Describe().Text(); len(text) > 100*len(b) {
		t.Errorf("%d bytes are described in %d", len(b), len(text))
	}
}
