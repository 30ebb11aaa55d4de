package sui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// everyCommand returns a transaction with every command and input and a rare expiration, some of which
// no vector has.
func everyCommand() *Transaction {
	ref := ObjectRef{ID: MustAddress("0xa1"), Version: 1<<64 - 1, Digest: Digest{1}}
	coin := MustTypeTag("0x2::coin::Coin<0x2::sui::SUI>")
	last := uint64(9)
	return &Transaction{
		Sender: MustAddress("0x51"),
		Gas:    Gas{Owner: MustAddress("0x52"), Price: 1, Budget: 2, Payment: []ObjectRef{ref}},
		Inputs: []Input{
			PureInput{}, OwnedInput{ref}, SharedInput{ID: MustAddress("0x6"), InitialVersion: 1},
			ReceivingInput{ref}, WithdrawalInput{MaxAmount: 7, Coin: SUI.Tag(), From: WithdrawSenderAllowance,
				Funder: MustAddress("0x7"), Allowance: MustAddress("0x8")},
		},
		Commands: []Command{
			Publish{Modules: [][]byte{{1, 2, 3}, nil}, Dependencies: []ObjectID{MustAddress("0x1")}},
			Upgrade{Modules: [][]byte{{4}}, Package: MustAddress("0x9"), Ticket: ResultArg(0)},
			MergeCoins{Into: GasCoin, Sources: []Argument{InputArg(1)}},
			MakeMoveVec{Type: &coin, Elements: []Argument{NestedArg(1, 2)}},
			TransferObjects{Objects: []Argument{GasCoin}, Recipient: InputArg(0)},
			SplitCoins{Coin: InputArg(1)},
			MoveCall{Package: MustAddress("0x2"), Module: "m", Function: "f"},
		},
		Expiration: Validity{ValidDuring: ValidDuring{MaxEpoch: &last}},
	}
}

func TestEveryCommandBothWays(t *testing.T) {
	want := everyCommand()
	b, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTransaction(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bytes (-want +got):\n%s", diff)
	}
	text, err := want.WalletJSON()
	if err != nil {
		t.Fatal(err)
	}
	if got, err = ParseWalletJSON(text); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wallet JSON (-want +got):\n%s", diff)
	}
}

func TestWalletJSONLargeEpoch(t *testing.T) {
	for epoch, want := range map[uint64]string{maxSafeInteger: `"Epoch":9007199254740991`,
		1 << 53: `"Epoch":"9007199254740992"`} {
		tx := everyCommand()
		tx.Expiration = EpochExpiration{Epoch: epoch}
		text, err := tx.WalletJSON()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%d: %s, %v", epoch, text, err)
		}
		back, err := ParseWalletJSON(text)
		if err != nil || back.Expiration != tx.Expiration {
			t.Errorf("%d reads back as %v, %v", epoch, back, err)
		}
	}
}

func TestParseWalletJSONAcceptsLibraryForms(t *testing.T) {
	good := string(mustJSON(t, everyCommand()))
	want, _ := everyCommand().Encode()
	digest := TransactionDigest(want).String()
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in %s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, text := range map[string]string{
		"white space":       " \n" + strings.ReplaceAll(good, `":`, "\" : \n") + "\n",
		"digest":            replace(`"version":2`, `"version":2,"digest":"`+digest+`"`),
		"no digest":         replace(`"version":2`, `"version":2,"digest":null`),
		"kind marker":       replace(`{"GasCoin":true}`, `{"$kind":"GasCoin","GasCoin":true}`),
		"type of an input":  replace(`{"Input":0}`, `{"Input":0,"type":"pure"}`),
		"number for u64":    replace(`"price":"1"`, `"price":1`),
		"short address":     replace(MustAddress("0x52").String(), "0x52"),
		"spelled-out space": replace("::coin::Coin<", `::coin::Coin\u003c`),
	} {
		tx, err := ParseWalletJSON([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if b, _ := tx.Encode(); string(b) != string(want) {
			t.Errorf("%s: other bytes", name)
		}
	}
}

func mustJSON(t *testing.T, tx *Transaction) []byte {
	t.Helper()
	b, err := tx.WalletJSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParseWalletJSONRefuses(t *testing.T) {
	good := string(mustJSON(t, everyCommand()))
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in %s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	sender := MustAddress("0x51").String()
	for name, text := range map[string]string{
		"nothing":             "",
		"null":                "null",
		"list":                "[]",
		"text after":          good + "{}",
		"cut":                 good[:len(good)-1],
		"not UTF-8":           replace(`"m"`, "\"m\xff\""),
		"unknown name":        replace(`"version":2`, `"version":2,"extra":1`),
		"other case":          replace(`"version"`, `"Version"`),
		"repeated name":       replace(`"version":2`, `"version":2,"version":2`),
		"repeated inside":     replace(`"price":"1"`, `"price":"1","price":"1"`),
		"version 1":           replace(`"version":2`, `"version":1`),
		"version as text":     replace(`"version":2`, `"version":"2"`),
		"no sender":           replace(`"sender":"`+sender+`",`, ""),
		"null sender":         replace(`"sender":"`+sender+`"`, `"sender":null`),
		"bad sender":          replace(`"sender":"`+sender+`"`, `"sender":"51"`),
		"null payment":        replace(`"payment":[`, `"payment":null,"x":[`),
		"null budget":         replace(`"budget":"2"`, `"budget":null`),
		"negative budget":     replace(`"budget":"2"`, `"budget":-2`),
		"fractional budget":   replace(`"budget":"2"`, `"budget":2.5`),
		"exponent budget":     replace(`"budget":"2"`, `"budget":2e3`),
		"budget over u64":     replace(`"budget":"2"`, `"budget":"18446744073709551616"`),
		"inexact number":      replace(`"budget":"2"`, `"budget":9007199254740993`),
		"hex budget":          replace(`"budget":"2"`, `"budget":"0x2"`),
		"bad digest":          replace(`"version":2`, `"version":2,"digest":"`+Digest{9}.String()+`"`),
		"unresolved input":    replace(`{"Pure":{"bytes":""}}`, `{"UnresolvedPure":{"value":1}}`),
		"unresolved object":   replace(`{"Pure":{"bytes":""}}`, `{"UnresolvedObject":{"objectId":"0x6"}}`),
		"unknown input":       replace(`{"Pure":{"bytes":""}}`, `{"Pure2":{"bytes":""}}`),
		"two cases":           replace(`{"Pure":{"bytes":""}}`, `{"Pure":{"bytes":""},"Object":{}}`),
		"no case":             replace(`{"Pure":{"bytes":""}}`, `{}`),
		"bad base64":          replace(`{"bytes":""}`, `{"bytes":"A"}`),
		"loose base64":        replace(`{"bytes":""}`, `{"bytes":"AB=="}`),
		"intent":              replace(`{"SplitCoins":`, `{"$Intent":`),
		"wrong marker":        replace(`{"GasCoin":true}`, `{"$kind":"Input","GasCoin":true}`),
		"false gas coin":      replace(`{"GasCoin":true}`, `{"GasCoin":false}`),
		"type of a result":    replace(`{"Result":0}`, `{"Result":0,"type":"pure"}`),
		"unknown type":        replace(`{"Input":0}`, `{"Input":0,"type":"other"}`),
		"index over u16":      replace(`{"Input":0}`, `{"Input":65536}`),
		"negative index":      replace(`{"Input":0}`, `{"Input":-1}`),
		"three indexes":       replace(`{"NestedResult":[1,2]}`, `{"NestedResult":[1,2,3]}`),
		"index as text":       replace(`{"Input":0}`, `{"Input":"0"}`),
		"bad identifier":      replace(`"module":"m"`, `"module":"m n"`),
		"bad type":            replace("::coin::Coin<", "::coin::Coin<<"),
		"unknown expiration":  replace(`{"Validity":`, `{"Forever":`),
		"missing nonce":       replace(`,"nonce":0`, ""),
		"nonce over u32":      replace(`"nonce":0`, `"nonce":4294967296`),
		"object as list":      replace(`"gasData":{`, `"gasData":[],"x":{`),
		"deep":                strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		"mutable as number":   replace(`"mutable":false`, `"mutable":0`),
		"unknown reservation": replace(`"MaxAmountU64"`, `"All"`),
		"unknown source":      replace(`"SenderAllowance"`, `"Thief"`),
		"unknown withdrawal":  replace(`"Balance"`, `"Coin"`),
	} {
		if tx, err := ParseWalletJSON([]byte(text)); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%s: read as %v, %v", name, tx, err)
		}
	}
	_, err := ParseWalletJSON([]byte(replace(`"module":"m"`, `"module":5`)))
	if err == nil || !strings.Contains(err.Error(), "commands[6].MoveCall.module") {
		t.Errorf("the place is not named: %v", err)
	}
}

func TestParseJSON(t *testing.T) {
	if v, err := parseJSON([]byte("\"\xff\"")); err == nil {
		t.Errorf("bad UTF-8 reads as %q", v)
	}
	for _, depth := range []int{maxJSONDepth, maxJSONDepth + 1} {
		for _, pair := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			text := strings.Repeat(pair[0], depth) + "1" + strings.Repeat(pair[1], depth)
			if _, err := parseJSON([]byte(text)); (err == nil) != (depth == maxJSONDepth) {
				t.Errorf("%d deep: %v", depth, err)
			}
		}
	}
}

func TestFactsJSON(t *testing.T) {
	for _, v := range transactionVectors(t) {
		tx, err := DecodeTransaction(unbase64(t, v.TxBytesBase64))
		if err != nil {
			t.Fatal(err)
		}
		b, err := tx.FactsJSON(tx.Describe())
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Digest, Commitment, Sender, Reencoded string
			Size                                  int
			Gas, Expiration, Inputs, Commands     any
			Words                                 Description
		}
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		if err := json.Unmarshal(v.TransactionData, &want); err != nil {
			t.Fatal(err)
		}
		if got.Digest != v.Digest || got.Reencoded != v.TxBytesBase64 || got.Sender != want["sender"] ||
			got.Size != len(v.TxBytesHex)/2 || got.Commitment != Commitment(mustDigest(t, v.Digest)) {
			t.Errorf("%s: %s", v.Name, b)
		}
		for _, pair := range [][2]any{{got.Gas, want["gasData"]}, {got.Expiration, want["expiration"]},
			{got.Inputs, want["inputs"]}, {got.Commands, want["commands"]}} {
			if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", v.Name, diff)
			}
		}
		if len(got.Words.Inputs) != len(tx.Inputs) || len(got.Words.Commands) != len(tx.Commands) {
			t.Errorf("%s: %d inputs and %d commands in words", v.Name, len(got.Words.Inputs), len(got.Words.Commands))
		}
	}
}

func mustDigest(t *testing.T, s string) Digest {
	t.Helper()
	d, err := ParseDigest(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
