package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestAddressBook(t *testing.T) {
	const alice = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
	w := build(t, nil)
	w.Connect(sandbox.Account)
	added := w.must("agent.add_address_book", `{"entries":[{"title":"Alice","address":"`+alice+`","chain":"sui"},
		{"title":"Bad","address":"0xabc","chain":"Ethereum"},{"title":"Moon","address":"0x1","chain":"Moon"}]}`)
	same(t, added, map[string]any{"results.0.success": true, "results.0.error": nil, "results.0.chain": "Sui",
		"results.1.error": "invalid_address", "results.2.error": "unknown_chain"})
	id, _ := at(added, "results.0.id").(string)
	t.Run("R000-99 R000-104 R000-105 the book is read with kinds and a count", func(t *testing.T) {
		same(t, w.must(toolGetBook, `{"chain":"SUI"}`), map[string]any{"entries.0.id": id, "entries.0.title": "Alice",
			"entries.0.chain_kind": "sui", "entries.0.confirmed": false, "total_count": 1.0})
	})
	pay := func(more string) string {
		return `{"intent":{"type":"transfer","from":{"symbol":"SUI","amount":"5"},` + more + `}}`
	}
	t.Run("a payment to an entry is one call, and the review holds the whole address", func(t *testing.T) {
		data := w.must("action.prepare_sui_action_review", pay(`"recipientEntryId":"`+id+`"`))
		s, err := w.Store.Review(t.Context(), record.ID(data["reviewSessionId"].(string)))
		if err != nil || s.Intent.Recipient != alice || !strings.Contains(at(data, "plans.0.summary").(string), alice) {
			t.Errorf("%v %+v", err, s.Intent)
		}
	})
	t.Run("the name stands beside the address in what is answered of a review, unless the person keeps the book",
		func(t *testing.T) {
			named := "“Alice” (named by your AI client) in your address book, not confirmed by a payment."
			list := w.must("read.list_review_activity", `{}`)
			same(t, list, map[string]any{"activities.0.recipientName": named, "activities.0.intent.recipient": alice})
			session := `{"reviewSessionId":"` + at(list, "activities.0.reviewSessionId").(string) + `"}`
			same(t, w.must("read.get_review_session_detail", session), map[string]any{"recipientName": named})
			own := book.NewService(w.Store, time.Now)
			if err := own.LetRead(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			same(t, w.must("read.list_review_activity", `{}`), map[string]any{"activities.0.recipientName": nil})
			for name, in := range map[string]string{toolGetBook: `{}`,
				"agent.delete_address_book": `{"entries":[{"title":"Alice"}]}`} {
				if a, _ := w.call(name, in); a.Fault == nil {
					t.Errorf("%s reads a closed book", name)
				}
			}
			if err := own.LetRead(t.Context(), true); err != nil {
				t.Fatal(err)
			}
		})
	t.Run("a payment to a name is one call, and the review holds the whole address", func(t *testing.T) {
		data := w.must("action.prepare_sui_action_review", pay(`"recipientName":"@Alice"`))
		s, err := w.Store.Review(t.Context(), record.ID(data["reviewSessionId"].(string)))
		if err != nil || s.Intent.RecipientName != "alice.sui" || len(s.Intent.Recipient) != 66 ||
			!strings.Contains(at(data, "plans.0.summary").(string), "alice.sui, which leads to the address "+
				s.Intent.Recipient) {
			t.Errorf("%v %+v", err, s.Intent)
		}
		for _, more := range []string{`"recipientName":"nobody.sui"`, `"recipientName":"alice.eth"`,
			`"recipientName":"alice.sui","recipientEntryId":"` + id + `"`,
			`"recipientName":"alice.sui","recipient":"` + alice + `"`} {
			if a, _ := w.call("action.prepare_sui_action_review", pay(more)); a.Fault == nil ||
				a.Fault.Code != fault.InputInvalid {
				t.Errorf("%s: %+v", more, a.Fault)
			}
		}
	})
	t.Run("an entry that is none, or stands beside an address, is refused", func(t *testing.T) {
		for _, more := range []string{`"recipientEntryId":"nobody"`, `"recipientEntryId":"` + id + `","recipient":"` + alice +
			`"`} {
			if a, _ := w.call("action.prepare_sui_action_review", pay(more)); a.Fault == nil {
				t.Errorf("%s is taken", more)
			}
		}
	})
	t.Run("a call of no entry or of 33 is refused whole", func(t *testing.T) {
		one := `{"title":"A","address":"` + alice + `","chain":"Sui"}`
		for _, list := range []string{"", one + strings.Repeat(","+one, 32)} {
			if a, _ := w.call("agent.add_address_book", `{"entries":[`+list+`]}`); a.Fault == nil {
				t.Error("taken")
			}
		}
		same(t, w.must(toolGetBook, `{}`), map[string]any{"total_count": 1.0})
	})
	t.Run("R000-135 a deletion has the refusals of the seed", func(t *testing.T) {
		same(t, w.must("agent.delete_address_book", `{"entries":[{"title":"Alice","chain":"Sui"},{"id":"`+id+`"}]}`),
			map[string]any{"results.0.id": id, "results.0.success": true, "results.1.success": false,
				"results.1.error": "not_found"})
		if a, _ := w.call("action.prepare_sui_action_review", pay(`"recipientEntryId":"`+id+`"`)); a.Fault == nil {
			t.Error("a deleted entry is paid")
		}
	})
}

func TestWatchList(t *testing.T) {
	usdc, _ := coins.BySymbol("USDC")
	w := build(t, nil)
	add := `{"tokens":[{"chain":"sui","ticker":"USDC","contract_address":"` + string(usdc.Type) + `","decimals":6},
		{"chain":"Ethereum","ticker":"ETH","decimals":18,"is_native":true}]}`
	t.Run("R000-57 without an account every coin says so", func(t *testing.T) {
		same(t, w.must("agent.add_token", add), map[string]any{"results.0.error": "active_account_not_set",
			"results.1.error": "unsupported_chain"})
	})
	w.Connect(sui.MustAddress("0xb0b"))
	t.Run("R000-69 R000-73 R000-142 a coin of the chain is watched, others are refused by name", func(t *testing.T) {
		same(t, w.must("agent.add_token", add), map[string]any{"results.0.success": true, "results.0.chain_added": true,
			"results.0.address": sui.MustAddress("0xb0b").String(), "results.0.decimals_source": "chain",
			"results.1.error": "unsupported_chain"})
		same(t, w.must("agent.add_token", add), map[string]any{"results.0.error": "already_exists"})
		same(t, w.must("agent.add_chain", `{"chains":[{"chain":"Sui"}]}`), map[string]any{"results.0.error": "already_exists",
			"results.0.ticker": "SUI"})
	})
	t.Run("it is listed, and stands among the holdings with its checked unit", func(t *testing.T) {
		same(t, w.must("agent.list_watch", `{}`), map[string]any{"coins.0.is_native": true,
			"coins.1.contract_address": string(usdc.Type)})
		b, _ := json.Marshal(w.must("read.summarize_wallet_assets", `{}`))
		if !strings.Contains(string(b), `"balance":"0"`) || !strings.Contains(string(b), string(usdc.Type)) {
			t.Errorf("%s", b)
		}
	})
}

// TestActionExamples calls the tools with the examples of the specification.
func TestActionExamples(t *testing.T) {
	b, err := os.ReadFile("../internal/actions/testdata/examples.json")
	var list []struct {
		Name, Type, Data string
		Params           json.RawMessage
	}
	if err != nil || json.Unmarshal(b, &list) != nil {
		t.Fatal(err)
	}
	w := build(t, nil)
	for _, x := range list {
		if x.Type == "sign_transaction_bundle" {
			continue // not implemented: no tool signs
		}
		t.Run(x.Name, func(t *testing.T) {
			data := w.must("agent."+x.Type, string(x.Params))
			var want struct{ Results []struct{ Error any } }
			if id, _ := data["action_id"].(string); id == "" || json.Unmarshal([]byte(x.Data), &want) != nil {
				t.Error(data)
			}
			for i, r := range want.Results {
				if got := at(data, fmt.Sprintf("results.%d.error", i)); got != r.Error {
					t.Errorf("entry %d: %v, want %v", i, got, r.Error)
				}
			}
		})
	}
}

const toolGetBook = "agent.get_address_book"

// TestNameInTheBook checks that a title is looked up in the book, and distinguished from a SuiNS
// name.
func TestNameInTheBook(t *testing.T) {
	const alice = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
	w := build(t, nil)
	w.Connect(sandbox.Account)
	w.must("agent.add_address_book", `{"entries":[{"title":"Alice","address":"`+alice+`","chain":"sui"}]}`)
	pay := func(more string) string {
		return `{"intent":{"type":"transfer","from":{"symbol":"SUI","amount":"5"},` + more + `}}`
	}
	data := w.must("action.prepare_sui_action_review", pay(`"recipientName":"alice"`))
	same(t, data, map[string]any{"recipient.name": "Alice", "recipient.source": "address_book",
		"recipient.address": alice})
	data = w.must("action.prepare_sui_action_review", pay(`"recipientName":"alice.sui"`))
	same(t, data, map[string]any{"recipient.name": "alice.sui", "recipient.source": "suins"})
	steps := w.must("agent.sign_transaction_bundle", `{"transactions":[
		{"id":"a","sequence":0,"chain":"Sui","intent":{"type":"transfer","from":{"symbol":"SUI","amount":"2"},"recipientName":"ALICE"}},
		{"id":"b","sequence":1,"chain":"Sui","intent":{"type":"transfer","from":{"symbol":"SUI","amount":"3"},"recipient":"`+
		alice+`"}}]}`)
	same(t, steps, map[string]any{"transactions.0.recipient.source": "address_book",
		"transactions.0.recipient.name": "Alice", "transactions.1.recipient": nil})
	w.must("agent.add_address_book", `{"entries":[{"title":"ALICE","address":"`+sandbox.Account.String()+
		`","chain":"sui"}]}`)
	_, refusal := w.call("action.prepare_sui_action_review", pay(`"recipientName":"Alice"`))
	same(t, refusal, map[string]any{"details.reason": "ambiguous_match", "details.field": "intent.recipientName"})
	if ids, _ := at(refusal, "details.entries").([]any); len(ids) != 2 {
		t.Errorf("%v", refusal)
	}
	w.must("agent.delete_address_book", `{"entries":[{"title":"ALICE"}]}`)
	_, refusal = w.call("action.prepare_sui_action_review", pay(`"recipientName":"Nobody"`))
	same(t, refusal, map[string]any{"details.reason": "not_found", "details.field": "intent.recipientName"})
}
