package sui

import (
	"bytes"
	"flag"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var updateSentences = flag.Bool("update-sentences", false, "write testdata/sentences.txt")

type mandateVector struct{ Name, TxBytesBase64, Digest string }

func mandateVectors(t *testing.T) map[string]*Transaction {
	t.Helper()
	var f struct{ Vectors []mandateVector }
	readJSON(t, "testdata/mandates.json", &f)
	if len(f.Vectors) != 8 {
		t.Fatalf("there are %d vectors, want 8", len(f.Vectors))
	}
	out := map[string]*Transaction{}
	for _, v := range f.Vectors {
		in := unbase64(t, v.TxBytesBase64)
		tx, err := DecodeTransaction(in)
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		if b, err := tx.Encode(); err != nil || !bytes.Equal(b, in) || TransactionDigest(b).String() != v.Digest {
			t.Errorf("%s is written differently, or has another digest: %v", v.Name, err)
		}
		out[v.Name] = tx
	}
	return out
}

// Every transaction in the two vector files is described in the recorded sentences.
func TestVectorsInSentences(t *testing.T) {
	var f struct{ Vectors []mandateVector }
	readJSON(t, "testdata/mandates.json", &f)
	var got strings.Builder
	txs := mandateVectors(t)
	for _, v := range f.Vectors {
		fmt.Fprintf(&got, "== %s\n%s\n", v.Name, txs[v.Name].Describe().Text())
	}
	for _, v := range transactionVectors(t) {
		tx, err := DecodeTransaction(unbase64(t, v.TxBytesBase64))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "== %s\n%s\n", v.Name, tx.Describe().Text())
	}
	if *updateSentences {
		if err := os.WriteFile("testdata/sentences.txt", []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got (run with -update-sentences after a meant change):\n%s", diff)
	}
}

// sentencesOf returns the warnings about permissions.
func sentencesOf(tx *Transaction) string {
	return strings.Join(newSpeaker(tx, nil).permissionWarnings(), "\n")
}

func pureU256(n int64) PureInput {
	b := make([]byte, 32)
	big.NewInt(n).FillBytes(b)
	for i := range 16 {
		b[i], b[31-i] = b[31-i], b[i]
	}
	return PureInput{Bytes: b}
}

func call(pkg ObjectID, module, function string, inputs int) MoveCall {
	m := MoveCall{Package: pkg, Module: module, Function: function}
	for i := range inputs {
		m.Arguments = append(m.Arguments, InputArg(i))
	}
	return m
}

func TestPermissionSentences(t *testing.T) {
	manager, deepbook := ObjectID{31: 0xb1}, MustAddress("0xdeeb")
	other := Address{0: 0xcc, 31: 7}
	at := SharedInput{ID: manager, InitialVersion: 3, Mutable: true}
	two := append([]byte{2}, append(other[:], manager[:]...)...)
	for _, c := range []struct {
		name   string
		inputs []Input
		call   MoveCall
		shout  bool
		want   []string
	}{
		{"alias added", []Input{at, PureAddress(other)}, call(framework, "address_alias", "add", 2), true,
			[]string{"Let " + other.String() + " sign", "without any limit or end", "address_alias::remove"}},
		{"alias removed", []Input{at, PureAddress(other)}, call(framework, "address_alias", "remove", 2), false,
			[]string{"End the alias " + other.String()}},
		{"aliases replaced", []Input{at, PureInput{two}}, call(framework, "address_alias", "replace_all", 2), true,
			[]string{other.String() + ", " + manager.String(), "its own key can no longer sign"}},
		{"aliases that are cut", []Input{at, PureInput{two[:40]}}, call(framework, "address_alias", "replace_all", 2), true,
			[]string{"by " + unread}},
		{"alias of nobody in the bytes", []Input{at}, call(framework, "address_alias", "add", 1), true, []string{unread}},
		{"trade cap", []Input{at}, call(deepbook, "balance_manager", "mint_trade_cap", 1), true,
			[]string{"TradeCap", "0xb1", "package 0xdeeb", "bad trades can lose all of it", "revoke_trade_cap"}},
		{"withdraw cap", []Input{at}, call(deepbook, "balance_manager", "mint_withdraw_cap", 1), true,
			[]string{"take everything out of it"}},
		{"deposit cap", []Input{at}, call(deepbook, "balance_manager", "mint_deposit_cap", 1), false,
			[]string{"take nothing"}},
		{"session", []Input{at, at, PureAddress(other), PureU64(7_200_000)},
			call(deepbook, "sessions", "authorize_session", 4), true,
			[]string{"Let " + other.String() + " trade", "for 2 hours from"}},
		{"session without a time", []Input{at, at, PureAddress(other), PureBool(true)},
			call(deepbook, "sessions", "authorize_session", 4), true, []string{"cannot be read"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tx := &Transaction{Inputs: c.inputs, Commands: []Command{c.call}, Expiration: EpochExpiration{}}
			text := tx.Describe().Commands[0].Text
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s\nlacks %s", text, want)
				}
			}
			if shouts := sentencesOf(tx) != ""; shouts != c.shout {
				t.Errorf("warned: %t, want %t", shouts, c.shout)
			}
		})
	}
}

// A module of the same name in another package is not treated as the framework's.
func TestPermissionsByLookAlikes(t *testing.T) {
	for _, module := range []string{"allowance", "address_alias"} {
		tx := &Transaction{Expiration: EpochExpiration{}}
		tx.Inputs = []Input{PureAddress(Address{}), PureAddress(Address{})}
		for _, f := range []string{"new", "add", "balance_spend"} {
			tx.Commands = append(tx.Commands, call(lowID(0x22), module, f, 2))
		}
		if text := sentencesOf(tx); text != "" {
			t.Errorf("another package's %s is taken for the framework's: %s", module, text)
		}
	}
}

// A grant whose limits are not in the bytes is described as such, without any limit.
func TestGrantsThatCannotBeRead(t *testing.T) {
	for name, change := range map[string]func(*Transaction){
		"a trailing byte in the cap": func(tx *Transaction) {
			p := tx.Inputs[2].(PureInput)
			tx.Inputs[2] = PureInput{append(bytes.Clone(p.Bytes), 0)}
		},
		"an end that is no number": func(tx *Transaction) { tx.Inputs[4] = PureInput{[]byte{1, 2}} },
		"a spender out of a call": func(tx *Transaction) {
			tx.Commands[1].(MoveCall).Arguments[1] = ResultArg(0)
		},
		"a rate of a look-alike": func(tx *Transaction) {
			tx.Inputs = append(tx.Inputs, pureU256(5))
			m := tx.Commands[1].(MoveCall)
			m.Arguments[5] = ResultArg(2)
			some := call(lowID(1), "option", "some", 0)
			some.Arguments = []Argument{ResultArg(1)}
			limit := call(lowID(0x22), "allowance", "monthly_rate_limit", 0)
			limit.Arguments = []Argument{InputArg(5)}
			tx.Commands = []Command{tx.Commands[0], limit, some, m}
		},
		"no type of a balance": func(tx *Transaction) { tx.Commands[1].(MoveCall).TypeArgs[0] = SUI.Tag() },
	} {
		t.Run(name, func(t *testing.T) {
			tx := mandateVectors(t)["issue_cap_expiry"]
			change(tx)
			text := sentencesOf(tx)
			if !strings.Contains(text, "cannot be read from the bytes") || strings.Contains(text, "100000000") {
				t.Error(text)
			}
		})
	}
}

func day(t *testing.T, s string) uint64 {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(at.UnixMilli())
}

// The expected values are counted by hand.
func TestGrantWorstCases(t *testing.T) {
	days := func(n uint64) *Rate { return &Rate{Limit: big.NewInt(10), PeriodMs: n * 86_400_000} }
	months := func(n uint8) *Rate { return &Rate{Limit: big.NewInt(10), Months: n} }
	for _, c := range []struct {
		name             string
		limit            int64 // total; 0 means no cap
		rate             *Rate
		start, from, end string
		want             string // "" if nothing limits it
	}{
		{"a cap alone", 70, nil, "", "2026-01-01 00:00", "2026-02-01 00:00", "70"},
		{"a rate without an end", 0, days(30), "", "2026-01-01 00:00", "", ""},
		{"a rate without an end, and a cap", 70, days(30), "", "2026-01-01 00:00", "", "70"},
		{"two whole windows", 0, days(10), "", "2026-01-01 00:00", "2026-01-21 00:00", "20"},
		{"a last window cut short", 0, days(10), "", "2026-01-01 00:00", "2026-01-21 00:01", "30"},
		{"the rate is less than the cap", 70, days(10), "", "2026-01-01 00:00", "2026-01-21 00:00", "20"},
		{"the cap is less than the rate", 15, days(10), "", "2026-01-01 00:00", "2026-01-21 00:00", "15"},
		{"the start is later than now", 0, days(10), "2026-01-11 00:00", "2026-01-01 00:00", "2026-01-21 00:00", "10"},
		{"now is later than the start", 0, days(10), "2026-01-01 00:00", "2026-01-15 00:00", "2026-01-21 00:00", "10"},
		{"over", 70, days(10), "", "2026-01-21 00:00", "2026-01-21 00:00", "0"},
		{"a month, to its last moment", 0, months(1), "", "2026-01-15 12:00", "2026-02-15 00:00", "10"},
		{"a month is over at midnight of its day", 0, months(1), "", "2026-01-15 12:00", "2026-02-15 00:01", "20"},
		{"the month is not over", 0, months(1), "", "2026-01-15 12:00", "2026-02-14 23:59", "10"},
		{"a shorter month ends on its last day", 0, months(1), "", "2026-01-31 00:00", "2026-02-28 00:01", "20"},
		{"a leap year's", 0, months(1), "", "2028-01-31 00:00", "2028-02-29 00:00", "10"},
		{"quarters", 0, months(3), "", "2026-01-01 00:00", "2026-12-31 00:00", "40"},
		{"years over a change of year", 0, months(12), "", "2026-06-01 00:00", "2028-05-31 00:00", "20"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := Grant{Rate: c.rate}
			if c.limit > 0 {
				g.Cap = big.NewInt(c.limit)
			}
			at := func(s string) *uint64 {
				if s == "" {
					return nil
				}
				n := day(t, s)
				return &n
			}
			g.Start, g.End = at(c.start), at(c.end)
			got := ""
			if worst := g.Worst(day(t, c.from)); worst != nil {
				got = worst.String()
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestReservationsAreNoCoins(t *testing.T) {
	reserved := ObjectRef{ID: ObjectID{31: 0xee}, Version: 1}
	copy(reserved.Digest[12:], bytes.Repeat([]byte{0xac}, 20))
	reserved.Digest[0] = 9
	near := reserved
	near.Digest[12] = 0xab
	t.Run("gas and input", func(t *testing.T) {
		tx := &Transaction{Gas: Gas{Payment: []ObjectRef{reserved}}, Expiration: EpochExpiration{}}
		tx.Inputs = []Input{OwnedInput{Ref: reserved}}
		d := tx.Describe()
		for _, text := range []string{d.GasCoins[0], d.Inputs[0].Text} {
			if !strings.Contains(text, "no object: a withdrawal of at most 9 units from an address balance") {
				t.Error(text)
			}
		}
		if strings.Contains(d.Gas, "with 1 coin") || !strings.Contains(d.Gas, "address balance") {
			t.Error(d.Gas)
		}
	})
	t.Run("another digest", func(t *testing.T) {
		tx := &Transaction{Gas: Gas{Payment: []ObjectRef{near, reserved}}, Expiration: EpochExpiration{}}
		if d := tx.Describe(); near.Reservation() || !strings.Contains(d.Gas, "with 1 coin") {
			t.Error(d.Gas)
		}
	})
}

func TestGaslessIsSaid(t *testing.T) {
	tx := mandateVectors(t)["gasless_1_usdc"]
	if got := tx.Describe().Gas; !strings.HasPrefix(got, "none: ") {
		t.Error(got)
	}
	for name, change := range map[string]func(*Gas){
		"a price": func(g *Gas) { g.Price = 1 }, "a budget": func(g *Gas) { g.Budget = 1 },
		"a coin": func(g *Gas) { g.Payment = []ObjectRef{{}} },
	} {
		paid := *tx
		change(&paid.Gas)
		if got := paid.Describe().Gas; strings.HasPrefix(got, "none") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
