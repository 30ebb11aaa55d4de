package rpc_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

const unended = `"pageInfo":{"hasNextPage":false,"endCursor":null}`

// onlyOne requests one transaction from a service.
func onlyOne(t *testing.T, effects string) sui.PastTransaction {
	t.Helper()
	h := canned(t, 200, "application/json", page(node(`,"effects":`+effects),
		`{"hasPreviousPage":false,"startCursor":null}`))
	got, err := h.Transactions(context.Background(), sui.PastQuery{Sent: &payee, Most: 1})
	if err != nil {
		t.Fatal(err)
	}
	return got.Transactions[0]
}

// TestWhatBecameOfObjects reads every combination of object states that a service can report.
func TestWhatBecameOfObjects(t *testing.T) {
	id := sui.MustAddress("0xa1")
	state := func(typ, owner string) string {
		if typ == "package" {
			return `{"asMoveObject":null,"owner":` + owner + `}`
		}
		return `{"asMoveObject":{"contents":{"type":{"repr":"` + typ + `"}}},"owner":` + owner + `}`
	}
	in := func(typ string) string { return strings.Replace(state(typ, "0"), `,"owner":0`, "", 1) }
	const old, fresh = "0x2::m::Old", "0x2::m::New"
	wide := func(typ string) string { return sui.MustTypeTag(typ).String() }
	owned := func(kind string) string {
		alias := map[string]string{"AddressOwner": "byAddress", "ObjectOwner": "byObject",
			"ConsensusAddressOwner": "byConsensus"}[kind]
		return `{"__typename":"` + kind + `","` + alias + `":{"address":"` + id.String() + `"}}`
	}
	for name, c := range map[string]struct {
		object string // idCreated, idDeleted, inputState, outputState
		want   *sui.PastObject
	}{
		"created": {fmt.Sprintf("true,false,null,%s", state(fresh, owned("AddressOwner"))),
			&sui.PastObject{ID: id, Type: wide(fresh), Change: "created", Owner: &sui.Owner{Kind: sui.OwnerAddress,
				Address: id}}},
		"created inside another": {"true,false,null,null", &sui.PastObject{ID: id, Change: "created"}},
		"mutated, its type too": {fmt.Sprintf("false,false,%s,%s", in(old), state(fresh, owned("ObjectOwner"))),
			&sui.PastObject{ID: id, Type: wide(fresh), Change: "mutated", Owner: &sui.Owner{Kind: sui.OwnerObject,
				Address: id}}},
		"deleted": {fmt.Sprintf("false,true,%s,null", in(old)), &sui.PastObject{ID: id, Type: wide(old),
			Change: "deleted"}},
		"deleted inside another": {"false,true,null,null", &sui.PastObject{ID: id, Change: "deleted"}},
		"wrapped": {fmt.Sprintf("null,null,%s,null", in(old)), &sui.PastObject{ID: id, Type: wide(old),
			Change: "wrapped"}},
		"unwrapped, shared": {"false,false,null," + state(fresh, `{"__typename":"Shared","initialSharedVersion":7}`),
			&sui.PastObject{ID: id, Type: wide(fresh), Change: "unwrapped", Owner: &sui.Owner{Kind: sui.OwnerShared,
				InitialVersion: 7}}},
		"by consensus": {"true,false,null," + state(fresh, strings.Replace(owned("ConsensusAddressOwner"), "}}",
			`},"startVersion":3}`, 1)),
			&sui.PastObject{ID: id, Type: wide(fresh), Change: "created", Owner: &sui.Owner{Kind: sui.OwnerConsensusAddress,
				Address: id}}},
		"a package": {"true,false,null," + state("package", `{"__typename":"Immutable"}`),
			&sui.PastObject{ID: id, Change: "created", Owner: &sui.Owner{Kind: sui.OwnerImmutable}}},
		"an owner of a kind to come": {"true,false,null," + state(fresh, `{"__typename":"Nobody"}`), &sui.PastObject{ID: id,
			Type: wide(fresh), Change: "created"}},
		"no object": {"false,false,null,null", nil},
	} {
		t.Run(name, func(t *testing.T) {
			parts := strings.SplitN(c.object, ",", 3)
			states := strings.Replace(parts[2], `,{"asMove`, `,"outputState":{"asMove`, 1)
			if !strings.Contains(states, "outputState") {
				states = strings.TrimSuffix(states, "null") + `"outputState":null`
			}
			object := `{"address":"` + id.String() + `","idCreated":` + parts[0] + `,"idDeleted":` + parts[1] +
				`,"inputState":` + states + `}`
			got := onlyOne(t, `{"status":"SUCCESS","objectChanges":{"nodes":[`+object+`],`+unended+`}}`).Objects
			var want []sui.PastObject
			if c.want != nil {
				want = append(want, *c.want)
			}
			if d := cmp.Diff(want, got.Items); d != "" || !got.Whole() {
				t.Errorf("%s (%s)", d, object)
			}
		})
	}
}

// TestOneTransactionOfABadService requests one transaction by its digest.
func TestOneTransactionOfABadService(t *testing.T) {
	ctx := context.Background()
	digest, err := sui.ParseDigest(goodDigest)
	if err != nil {
		t.Fatal(err)
	}
	one := func(fields string) string {
		return `{"data":{"chainIdentifier":"35834a8a","transaction":{"digest":"` + goodDigest + `"` + fields + `}}}`
	}
	other := base64.StdEncoding.EncodeToString([]byte("another transaction"))
	for name, body := range map[string]string{
		"bytes of another":                         one(`,"transactionBcs":"` + other + `"`),
		"bytes that are no":                        one(`,"transactionBcs":"%"`),
		"another digest":                           strings.Replace(one(""), "5Z6Q", "5Z6R", 1),
		"a list that goes on without saying where": one(`,"effects":{"events":{"nodes":[],"pageInfo":{"hasNextPage":true,"endCursor":null}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			if p, ok, err := canned(t, 200, "application/json", body).Transaction(ctx, digest); !fault.Is(err,
				fault.ProviderMismatch) {
				t.Errorf("%+v %v %v", p, ok, err)
			}
		})
	}
	begin := one(`,"effects":{"events":{"nodes":[],"pageInfo":{"hasNextPage":true,"endCursor":"a"}}}`)
	follow := func(answers ...string) (sui.PastTransaction, error) {
		at := 0
		h := scripted(t, func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, answers[min(at, len(answers)-1)])
			at++
		})
		p, _, err := h.Transaction(ctx, digest)
		return p, err
	}
	event := `{"sender":null,"transactionModule":{"fullyQualifiedName":"0x` + strings.Repeat("0", 63) +
		`2::m"},"contents":{"type":{"repr":"0x2::m::E"}}}`
	next := func(events, info string) string {
		return `{"data":{"chainIdentifier":"35834a8a","transaction":{"effects":{"events":{"nodes":[` + events +
			`],"pageInfo":` + info + `}}}}}`
	}
	t.Run("a list is followed to its end", func(t *testing.T) {
		p, err := follow(begin, next(event, `{"hasNextPage":true,"endCursor":"b"}`),
			next(event, `{"hasNextPage":false,"endCursor":"c"}`))
		if err != nil || len(p.Events.Items) != 2 || !p.Events.Whole() {
			t.Errorf("%+v %v", p.Events, err)
		}
	})
	t.Run("a list that never ends is cut, and said to be", func(t *testing.T) {
		turn := 0
		h := scripted(t, func(w http.ResponseWriter, query string) {
			turn++
			w.Header().Set("Content-Type", "application/json")
			if strings.Contains(query, "transactionBcs") {
				_, _ = fmt.Fprint(w, begin)
				return
			}
			_, _ = fmt.Fprint(w, next(event, fmt.Sprintf(`{"hasNextPage":true,"endCursor":"c%d"}`, turn)))
		})
		p, ok, err := h.Transaction(ctx, digest)
		if err != nil || !ok || len(p.Events.Items) == 0 || p.Events.Whole() || turn > 50 {
			t.Errorf("%d questions, %d events, %v", turn, len(p.Events.Items), err)
		}
	})
	for name, answer := range map[string]string{
		"does not advance":              next(event, `{"hasNextPage":true,"endCursor":"a"}`),
		"disappeared while it was read": `{"data":{"chainIdentifier":"35834a8a","transaction":null}}`,
		"chain identifier is not": strings.Replace(next(event, `{"hasNextPage":false,"endCursor":null}`), "35834a8a", "?",
			1),
		"list inside a transaction ": `{"data":{"chainIdentifier":"35834a8a","transaction":{"effects":{"events":null}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := follow(begin, answer); !fault.Is(err, fault.ProviderMismatch) || !strings.Contains(err.Error(), name) {
				t.Error(err)
			}
		})
	}
}

// TestHistoryOfNobody queries a closed port.
func TestHistoryOfNobody(t *testing.T) {
	h, err := rpc.NewHistory(rpc.Config{URL: "http://127.0.0.1:1/graphql", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if _, err := h.Limits(context.Background()); !fault.Is(err, fault.ProviderUnavailable) {
		t.Error(err)
	}
}

// TestBalancesAgainstTheRest uses a service that reports impossible balance changes.
func TestBalancesAgainstTheRest(t *testing.T) {
	payer := sui.MustAddress("0xa1")
	change := func(owner, coin, amount string) string {
		o := "null"
		if owner != "" {
			o = `{"address":"` + sui.MustAddress(owner).String() + `"}`
		}
		return `{"amount":"` + amount + `","coinType":{"repr":"` + coin + `"},"owner":` + o + `}`
	}
	tell := func(status, balances string) string {
		return `"kind":{"__typename":"ProgrammableTransaction"},"gasInput":{"gasSponsor":{"address":"` + payer.String() +
			`"}},` +
			`"effects":{"status":"` + status +
			`","gasEffects":{"gasSummary":{"computationCost":50,"storageCost":30,"storageRebate":20,"nonRefundableStorageFee":0}},` +
			`"balanceChanges":{"nodes":[` + balances + `],` + unended + `}}`
	}
	const coin, other = "0x2::sui::SUI", "0x5::c::C"
	gas := change("0xa1", coin, "-60")
	for name, c := range map[string]struct {
		status, balances string
		refused          bool
	}{
		"failed, and it cost the gas":      {"FAILURE", gas, false},
		"failed, and an owner is not told": {"FAILURE", change("", coin, "-60"), false},
		"failed, and cost another amount":  {"FAILURE", change("0xa1", coin, "-61"), true},
		"failed, and cost nothing":         {"FAILURE", "", true},
		"failed, and somebody else paid":   {"FAILURE", change("0xb0b", coin, "-60"), true},
		"failed, and another coin went":    {"FAILURE", gas + "," + change("0xa1", other, "-1"), true},
		"failed, and a coin went there and back": {"FAILURE", gas + "," + change("0xa1", other, "-1") + "," + change("0xb0b",
			other, "1"), true},
		"succeeded: what calls did is not known": {"SUCCESS", change("0xa1", coin, "900"), false},
		"how it ended is not told":               {"", change("0xa1", coin, "900"), false},
	} {
		t.Run(name, func(t *testing.T) {
			body := page(`{"digest":"`+goodDigest+`","sender":null,`+tell(c.status, c.balances)+`}`,
				`{"hasPreviousPage":false,"startCursor":null}`)
			got, err := canned(t, 200, "application/json", body).Transactions(context.Background(), sui.PastQuery{Sent: &payer,
				Most: 1})
			if err != nil {
				t.Fatal(err)
			}
			if p := got.Transactions[0]; p.BalancesRefused != c.refused || p.Balances.Known == c.refused {
				t.Errorf("%+v", p)
			}
		})
	}
	payment := &sui.Transaction{
		Inputs: []sui.Input{sui.PureU64(7), sui.PureAddress(sui.MustAddress("0xb0b"))},
		Commands: []sui.Command{sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)}},
		Sender: payer, Gas: sui.Gas{Owner: payer, Price: 1, Budget: 1000, Payment: []sui.ObjectRef{{ID: payer, Version: 1}}},
		Expiration: sui.NoExpiration{},
	}
	call := *payment
	call.Commands = append([]sui.Command{sui.MoveCall{Package: payer, Module: "m", Function: "f"}}, payment.Commands...)
	for name, c := range map[string]struct {
		tx       *sui.Transaction
		balances string
		refused  bool
	}{
		"a payment that adds up": {payment, change("0xa1", coin, "-67") + "," + change("0xb0b", coin, "7"),
			false},
		"a payment that makes money": {payment, change("0xa1", coin, "-67") + "," + change("0xb0b", coin, "8"),
			true},
		"a payment that makes another coin": {payment, change("0xa1", coin, "-67") + "," + change("0xb0b", coin, "7") +
			"," + change("0xb0b", other, "9"), true},
		"a call may do what a payment cannot": {&call, change("0xa1", coin, "-67") + "," + change("0xb0b", coin, "8"), false},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := c.tx.Encode()
			if err != nil {
				t.Fatal(err)
			}
			digest := sui.TransactionDigest(raw)
			body := `{"data":{"chainIdentifier":"35834a8a","transaction":{"digest":"` + digest.String() +
				`","transactionBcs":"` + base64.StdEncoding.EncodeToString(raw) +
				`",` + tell("SUCCESS", c.balances) + `}}}`
			p, ok, err := canned(t, 200, "application/json", body).Transaction(context.Background(), digest)
			if err != nil || !ok || p.BalancesRefused != c.refused || p.Balances.Known == c.refused {
				t.Errorf("%+v %v", p, err)
			}
		})
	}
}
