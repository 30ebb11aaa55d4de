package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var liveScans = []string{"read.scan_sui_account_activity", "read.summarize_sui_activity_scan",
	"read.scan_sui_function_activity",
	"read.summarize_sui_function_activity_scan"}

// scanArgs returns arguments of a live scan of the swap.
func scanArgs(name, more string) string {
	args := more
	if strings.Contains(name, "function") {
		args = `"function":"0x0e735f8c93a95722efd73521aca7a7652c0bb71ed1daf41b26dfd7d1ff71f748::pool::swap_exact_base_for_quote"`
		if more != "" {
			args += "," + more
		}
	}
	return "{" + args + "}"
}

func TestLiveScans(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	for _, name := range liveScans {
		data := w.must(name, scanArgs(name, `"limit":5,"detail":"full"`))
		rows := each(t, data, "transactions")
		t.Run("R004-29 R004-30 R004-31 R004-32 R004-217 R004-327 the swap is found: "+name, func(t *testing.T) {
			if len(rows) != 1 || rows[0]["digest"] != w.values["txDigest"] || rows[0]["status"] != "success" {
				t.Fatalf("%v", rows)
			}
		})
		if strings.Contains(name, "summarize_sui_activity") {
			t.Run("R004-30 the account's facts and their analysis, bounded and without details", func(t *testing.T) {
				same(t, data, map[string]any{"analysis.overview.transactionCount": 1.0,
					"requestedAccount.account": sandbox.Account.String()})
				if facts := each(t, data, "requestedAccountTransactionFacts"); len(facts) != 1 ||
					facts[0]["digest"] != w.values["txDigest"] {
					t.Errorf("%v", facts)
				}
				text, err := json.Marshal(data["transactions"])
				if err != nil || rows[0]["details"] != nil || strings.Contains(string(text), "gasObjectChanges") {
					t.Errorf("%s %v", text, err)
				}
				again := w.must(name, scanArgs(name, `"limit":5`))
				if diff := cmp.Diff(data["analysis"], again["analysis"]); diff != "" {
					t.Errorf("the same rows, another analysis: %s", diff)
				}
				if _, refusal := w.call(name, scanArgs(name, `"limit":101`)); refusal["kind"] != "input_invalid" {
					t.Errorf("it is not bounded: %v", refusal)
				}
			})
		}
		t.Run("R004-223 R004-265 R004-292 R004-293 R004-294 R004-295 R004-296 R004-298 raw facts of the account: "+name,
			func(t *testing.T) {
				facts := each(t, data, "requestedAccountTransactionFacts")
				if len(facts) != 1 || facts[0]["accountBalanceChangeEvidence"] != "account_balance_changes_returned" {
					t.Fatalf("%v", facts)
				}
				if absent, ok := facts[0]["accountBalanceChangeAbsenceProven"].(bool); !ok || absent {
					t.Errorf("%v", facts[0])
				}
				for _, list := range []string{"accountBalanceChanges", "requestedAccountEffect.balanceChanges"} {
					changes, _ := at(facts[0], list).([]any)
					if len(changes) < 2 {
						t.Fatalf("%s: %v", list, changes)
					}
					for _, c := range changes {
						if _, err := sui.ParseDelta(c.(map[string]any)["amountRaw"].(string)); err != nil {
							t.Errorf("%s: %v", list, err)
						}
					}
				}
				if flows, _ := at(rows[0], "requestedAccountEffect.coinFlows").([]any); len(flows) < 2 {
					t.Errorf("%v", flows)
				}
			})
		t.Run("R004-213 R004-328 context and the way to details, no details: "+name, func(t *testing.T) {
			if rows[0]["details"] != nil || rows[0]["transactionContext"] == nil ||
				at(rows[0], "detailLookup.tool") != "read.inspect_sui_transaction" {
				t.Errorf("%v", rows[0])
			}
		})
		t.Run("R004-308 R004-310 R004-311 R004-312 R004-314 raw integers, and what a display form needs: "+name,
			func(t *testing.T) {
				same(t, data, map[string]any{"quantitySemantics.rawIntegerFields": []any{"amountRaw", "increaseRaw", "decreaseRaw",
					"netRaw"},
					"quantitySemantics.displayConversionRequires": []any{"verified_decimals", "returned_display_amount"}})
				refuses(t, data, "display_conversion_without_verified_decimals", "profit_and_loss", "complete_wallet_history",
					"absence_of_activity",
					"account_amounts_inferred_from_transaction_context", "supported_protocol_list", "position_inventory",
					"signing_readiness")
			})
		t.Run("R004-225 R004-257 R004-258 R004-309 the account's fields come first: "+name, func(t *testing.T) {
			fields := claims(data, "answerFields")
			own, whole := slices.Index(fields, "requestedAccountTransactionFacts"), slices.Index(fields,
				"transactions[].transactionContext")
			if own < 0 || whole < own {
				t.Errorf("%v", fields)
			}
		})
		t.Run("R004-329 analysis is of the summaries: "+name, func(t *testing.T) {
			if summary := strings.Contains(name, "summarize"); (data["analysis"] != nil) != summary {
				t.Errorf("%v", data["analysis"])
			} else if summary {
				same(t, data, map[string]any{"analysis.overview.transactionCount": 1.0,
					"analysis.overview.analyzedTransactionCount": 1.0})
			}
		})
		t.Run("R004-318 R004-320 R004-321 R004-322 R004-332 how far the rows go, and where details are: "+name,
			func(t *testing.T) {
				same(t, data, map[string]any{"hasMore": false, "windowComplete": true, "orderingVerified": true,
					"incompleteReason":            nil,
					"userAnswerUse.followUp.tool": "read.inspect_sui_transaction"})
			})
		t.Run("R004-247 R004-248 the active account, or any that is named: "+name, func(t *testing.T) {
			same(t, data, map[string]any{"accountScope.source": "active_account",
				"accountScope.account": sandbox.Account.String()})
			other := w.must(name, scanArgs(name,
				`"account":"0x00000000000000000000000000000000000000000000000000000000000a11ce"`))
			same(t, other, map[string]any{"accountScope.source": "explicit_public_address", "persistence.stored": false,
				"requestedAccountTransactionFacts": []any{}})
			refuses(t, other, "absence_of_activity") // R004-231 R004-246
			if _, refusal := w.call(name, scanArgs(name, `"account":"0xa11ce"`)); refusal["kind"] != "input_invalid" {
				t.Errorf("a short address: %v", refusal)
			}
		})
	}
	t.Run("R004-219 R004-230 what the rows are not", func(t *testing.T) {
		same(t, w.must(liveScans[0], `{}`), map[string]any{"boundary": "bounded_provider_page_not_complete_wallet_history",
			"relationship": "affected"})
		f := w.must(liveScans[2], scanArgs(liveScans[2], ""))
		same(t, f, map[string]any{"boundary": "bounded_page_of_sent_function_calls_not_recipient_activity_not_dapp_history",
			"relationship": "sent"})
		refuses(t, f, "global_function_history", "complete_dapp_history")
	})
	t.Run("R004-227 another function finds nothing, and that proves nothing", func(t *testing.T) {
		data := w.must(liveScans[2], `{"function":"0x2::coin::split"}`)
		text, err := json.Marshal(data)
		// R004-232
		if len(each(t, data, "transactions")) != 0 || err != nil || strings.Contains(string(text), "accepted_empty") {
			t.Errorf("%s", text)
		}
	})
	t.Run("R004-216 a summary's rows are the scan's", func(t *testing.T) {
		for i := 0; i < len(liveScans); i += 2 {
			scan, summary := w.must(liveScans[i], scanArgs(liveScans[i], "")), w.must(liveScans[i+1], scanArgs(liveScans[i+1],
				""))
			if diff := cmp.Diff(scan["transactions"], summary["transactions"]); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("R004-284 R004-286 the labels are labels", func(t *testing.T) {
		data := w.must(liveScans[1], `{"limit":5}`)
		protocols := each(t, at(data, "analysis").(map[string]any), "protocols")
		if len(protocols) != 2 || protocols[0]["protocolId"] != "deepbook-v3" ||
			protocols[1]["protocolId"] != "sui-framework" {
			t.Errorf("%v", protocols)
		}
	})
}

// TestScanPages scans an account that has more rows than are requested.
func TestScanPages(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	first := w.values["txDigest"]
	w.swapped()
	for _, name := range liveScans {
		t.Run("R004-323 R004-318 R004-319 R004-244 the latest one, then the one before it: "+name, func(t *testing.T) {
			data := w.must(name, scanArgs(name, `"limit":1`))
			if v, told := data["windowComplete"]; !told || v != nil {
				t.Errorf("windowComplete is %v, told %v", v, told)
			}
			same(t, data, map[string]any{"hasMore": true, "orderingVerified": true})
			older := w.must(name, scanArgs(name, `"limit":1,"cursor":"`+data["continuationCursor"].(string)+`"`))
			if rows := each(t, older, "transactions"); len(rows) != 1 || rows[0]["digest"] != first {
				t.Errorf("%v", rows)
			}
			same(t, older, map[string]any{"hasMore": false, "windowComplete": true, "continuationCursor": nil})
		})
		t.Run("R004-326 a cursor is of one scan: "+name, func(t *testing.T) {
			cursor := w.must(name, scanArgs(name, `"limit":1`))["continuationCursor"].(string)
			_, refusal := w.call(name, scanArgs(name, `"fromCheckpoint":"1","cursor":"`+cursor+`"`))
			if refusal["kind"] != "input_invalid" || !strings.Contains(refusal["message"].(string), "another scan") {
				t.Errorf("%v", refusal)
			}
		})
	}
}

func TestInspectTransaction(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	data := w.must("read.inspect_sui_transaction", `{"digest":"`+w.values["txDigest"]+`","detail":"full"}`)
	t.Run("R004-214 R004-330 one digest with all its details, decoded from its own bytes", func(t *testing.T) {
		same(t, data, map[string]any{"found": true, "transaction.status": "success", "transactionGraph.status": "decoded",
			"transactionGraph.sender": sandbox.Account.String(), "requestedAccountEffect.role": "sender",
			"persistence.stored": true})
		if words, _ := at(data, "transactionGraph.description.commands").([]any); len(words) < 2 {
			t.Errorf("%v", words)
		}
	})
	t.Run("R004-38 when it was read, also where nothing was found", func(t *testing.T) {
		for _, data := range []map[string]any{data, w.must("read.inspect_sui_transaction",
			`{"digest":"4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"}`)} {
			text, _ := data["fetchedAt"].(string)
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil || !strings.HasSuffix(text, "Z") || w.Clock.Now().Sub(at).Abs() > time.Hour {
				t.Errorf("%v, %v", data["fetchedAt"], err)
			}
		}
	})
	t.Run("R004-297 balance changes have raw amounts alone", func(t *testing.T) {
		for _, c := range each(t, at(data, "transaction.details").(map[string]any), "balanceChanges") {
			if c["amount"] != nil || c["amountRaw"] == nil {
				t.Errorf("%v", c)
			}
		}
	})
	t.Run("R004-299 R004-302 R004-313 gas in MIST and in SUI", func(t *testing.T) {
		raw, _ := at(data, "transaction.details.gas.netGasCostRaw").(string)
		d, err := sui.ParseDelta(raw)
		if err != nil || at(data, "transaction.details.gas.gasCost.display") != d.Decimal(9) {
			t.Errorf("%v %v", raw, at(data, "transaction.details.gas.gasCost"))
		}
	})
	t.Run("malformed digests", func(t *testing.T) {
		for _, text := range []string{"", "0xabc", "l0OI", strings.Repeat("1", 99),
			"4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi4vJ9JU1bJJE96FWSJKvHsmm"} {
			if answer, _ := w.call("read.inspect_sui_transaction", `{"digest":"`+text+`"}`); answer.Fault == nil ||
				answer.Fault.Code != fault.InputInvalid {
				t.Errorf("%q: %s", text, answer.Text)
			}
		}
	})
}

func TestStoredActivity(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	w.scanned()
	w.Inject(sandbox.Fault{Kind: sandbox.Fail})
	data := w.must("read.summarize_sui_account_activity", `{"detail":"full"}`)
	t.Run("R004-33 R004-218 R004-331 with the provider gone the stored facts answer", func(t *testing.T) {
		same(t, data, map[string]any{"summary.transactionCount": 1.0, "analysis.overview.transactionCount": 1.0,
			"coverage.status": "partial",
			"source.kind":     "local_stored_activity_facts", "boundary": "stored_local_facts_not_complete_wallet_history"})
	})
	t.Run("R004-236 R004-237 the shallow counts beside the analysis", func(t *testing.T) {
		same(t, data, map[string]any{"summary.transactionCount": 1.0, "summary.successCount": 1.0,
			"summary.failureCount": 0.0, "summary.unknownCount": 0.0,
			"analysis.overview.transactionCount": 1.0, "analysis.overview.successCount": 1.0})
	})
	t.Run("R004-239 R004-256 details are named where every row has them", func(t *testing.T) {
		for _, f := range []string{"transactions[].compact", "transactions[].details"} {
			if !slices.Contains(claims(data, "answerFields"), f) {
				t.Errorf("answerFields lacks %s", f)
			}
		}
	})
	t.Run("R004-235 no kind, no function", func(t *testing.T) {
		for _, args := range []string{`{"kind":"account_scan"}`, `{"function":"0x2::coin::split"}`} {
			if answer, _ := w.call("read.summarize_sui_account_activity", args); answer.Fault == nil ||
				answer.Fault.Code != fault.InputInvalid {
				t.Errorf("%s: %s", args, answer.Text)
			}
		}
	})
	t.Run("R004-234 the kind of scan is not told", func(t *testing.T) {
		text, err := json.Marshal(data)
		if err != nil || strings.Contains(string(text), "scanKind") {
			t.Errorf("%s", text)
		}
	})
}

// TestBareScans checks that guidance does not name fields that the provider did not return.
func TestBareScans(t *testing.T) {
	w := build(t, nil)
	w.bare()
	for _, name := range liveScans {
		data := w.must(name, scanArgs(name, `"limit":5`))
		t.Run("R004-224 R004-225 R004-257 R004-258 rows without details are counted, and their fields not named: "+name,
			func(t *testing.T) {
				same(t, data, map[string]any{"transactionDetailAvailability.allReturnedTransactionsHaveDetails": false,
					"transactionDetailAvailability.withoutDetailsCount": 1.0})
				if fields := claims(data, "answerFields"); slices.Contains(fields, "transactions[].transactionContext") ||
					!slices.Contains(fields, "transactionDetailAvailability") {
					t.Errorf("%v", fields)
				}
				if row := each(t, data, "transactions")[0]; row["transactionContext"] != nil ||
					at(row, "detailLookup.tool") != "read.inspect_sui_transaction" {
					t.Errorf("%v", row)
				}
			})
	}
	stored := w.must("read.summarize_sui_account_activity", `{}`)
	t.Run("R004-239 R004-257 R004-258 nor are those of stored rows", func(t *testing.T) {
		same(t, stored, map[string]any{"transactionDetailAvailability.allReturnedTransactionsHaveDetails": false})
		for _, f := range []string{"transactions[].compact", "transactions[].details"} {
			if slices.Contains(claims(stored, "answerFields"), f) {
				t.Errorf("answerFields has %s", f)
			}
		}
	})
}

func TestDisorderedScans(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	w.swapped()
	w.Inject(sandbox.Fault{Kind: sandbox.ReversePage})
	for _, name := range liveScans {
		t.Run("R004-240 R004-241 R004-321 R004-322 R004-325 an order that is none is said: "+name, func(t *testing.T) {
			same(t, w.must(name, scanArgs(name, "")), map[string]any{"orderingVerified": false, "windowComplete": false,
				"incompleteReason": "ordering_unverified"})
		})
	}
	t.Run("R004-303 R004-240 a stored row keeps why its scan proved nothing", func(t *testing.T) {
		data := w.must("read.summarize_sui_account_activity", `{}`)
		if row := each(t, data, "transactions")[0]; row["lastScanIncompleteReason"] != "ordering_unverified" {
			t.Errorf("%v", row)
		}
		same(t, data, map[string]any{"coverage.incompleteScanRowCount": 2.0})
	})
}

// TestActivityInWords checks that each row describes in words what the transaction did, and that a
// summary contains each fact only once.
func TestActivityInWords(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	const words = "swapped 9.9012375 SUI for 12.79674 USDC"
	for _, name := range liveScans {
		data := w.must(name, scanArgs(name, ""))
		fact, row := each(t, data, "requestedAccountTransactionFacts")[0], each(t, data, "transactions")[0]
		if fact["what"] != words || row["what"] != words {
			t.Errorf("%s: %v, %v", name, fact["what"], row["what"])
		}
		if len(row) != 3 || at(row, "detailLookup.digest") != row["digest"] {
			t.Errorf("%s: more than the way to its details: %v", name, row)
		}
		same(t, fact, map[string]any{"requestedAccountEffect.role": "sender",
			"requestedAccountEffect.changes": []any{"-9.907923896 SUI", "+12.79674 USDC"},
			"transactionContext":             nil, "accountBalanceChanges": nil})
		same(t, data, map[string]any{"netChanges": []any{"-9.907923896 SUI", "+12.79674 USDC"}})
	}
	t.Run("one digest, and what is stored, in the same words", func(t *testing.T) {
		same(t, w.must("read.inspect_sui_transaction", `{"digest":"`+w.values["txDigest"]+`"}`), map[string]any{"what": words,
			"gas":                            "0.006686396 SUI",
			"requestedAccountEffect.changes": []any{"-9.907923896 SUI", "+12.79674 USDC"}, "transaction.details": nil,
			"transactionGraph": nil})
		stored := w.must("read.summarize_sui_account_activity", `{}`)
		row := each(t, stored, "transactions")[0]
		if row["what"] != words || row["details"] != nil || row["compact"] != nil {
			t.Errorf("%v", row)
		}
	})
	t.Run("a page of a summary is bounded, and its cursor goes on", func(t *testing.T) {
		w.swapped()
		data := w.must(liveScans[0], `{"limit":1}`)
		older := w.must(liveScans[0], `{"limit":1,"cursor":"`+data["continuationCursor"].(string)+`"}`)
		if a, b := each(t, data, "transactions")[0], each(t, older, "transactions")[0]; a["digest"] == b["digest"] {
			t.Errorf("%v twice", a)
		}
	})
}
