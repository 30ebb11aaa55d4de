package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestHistoryOfABadService tries every fault that the sandbox can simulate.
func TestHistoryOfABadService(t *testing.T) {
	long.Skip(t, "a service that does not answer is asked for seconds")
	e := newEra(t, sandbox.Config{})
	ctx := context.Background()
	var paid []sui.Digest
	for range 4 {
		e.pass(time.Second)
		paid = append(paid, e.pay(t, payee, 5000))
	}
	slices.Reverse(paid)
	account := sandbox.Account
	ask := func() (sui.PastPage, error) {
		return e.Transactions(ctx, sui.PastQuery{Sent: &account, Most: 2})
	}
	first, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	clear := func() { e.inject(t, sandbox.Fault{Kind: sandbox.ClearFaults}) }

	t.Run("a repeated page does not advance", func(t *testing.T) {
		e.inject(t, sandbox.Fault{Kind: sandbox.RepeatPage, Method: "transactions"})
		defer clear()
		_, err := e.Transactions(ctx, sui.PastQuery{Sent: &account, Most: 2, Cursor: first.Cursor})
		if !fault.Is(err, fault.ProviderMismatch) || !strings.Contains(err.Error(), "does not advance") {
			t.Error(err)
		}
	})
	t.Run("order and senders are told as they are told", func(t *testing.T) {
		e.inject(t, sandbox.Fault{Kind: sandbox.ReversePage, Times: 1})
		page, err := ask()
		if err != nil || page.Transactions[0].Digest != paid[1] ||
			*page.Transactions[0].Checkpoint >= *page.Transactions[1].Checkpoint {
			t.Errorf("%+v %v", page, err)
		}
		e.inject(t, sandbox.Fault{Kind: sandbox.OtherSender, Method: "transactions", Times: 1})
		page, err = ask()
		if err != nil || *page.Transactions[0].Sender == account || page.Transactions[0].Digest != paid[0] {
			t.Errorf("%+v %v", page, err)
		}
	})
	t.Run("50 MB are not read, and a smaller question is tried", func(t *testing.T) {
		e.inject(t, sandbox.Fault{Kind: sandbox.HugeAnswer, Times: 1})
		page, err := ask()
		if err != nil || len(page.Transactions) != 1 || page.Transactions[0].Digest != paid[0] || page.Cursor == "" {
			t.Errorf("%+v %v", page, err)
		}
		e.inject(t, sandbox.Fault{Kind: sandbox.HugeAnswer, Times: 2})
		page, err = ask()
		if err != nil || len(page.Transactions) != 1 || page.Transactions[0].Digest != paid[0] {
			t.Errorf("with little detail: %+v %v", page, err)
		}
		e.questions()
		e.inject(t, sandbox.Fault{Kind: sandbox.HugeAnswer})
		defer clear()
		if _, err := ask(); !fault.Is(err, fault.TooLarge) {
			t.Error(err)
		}
		if _, _, err := e.Transaction(ctx, paid[0]); !fault.Is(err, fault.TooLarge) {
			t.Error(err)
		}
	})
	t.Run("an error beside a result keeps its path and code, and the result is not used", func(t *testing.T) {
		e.inject(t, sandbox.Fault{Kind: sandbox.PartialError, Times: 1})
		_, err := ask()
		f := fault.As(err)
		if f.Code != fault.ProviderUnavailable || f.Detail.Get("code") != "INTERNAL_SERVER_ERROR" {
			t.Fatalf("%+v", err)
		}
		want := "INTERNAL_SERVER_ERROR at transactions.nodes.0.effects: an injected fault inside transactions"
		if list := f.Detail[len(f.Detail)-1].List; len(list) != 1 || list[0] != want {
			t.Error(list)
		}
	})
	t.Run("a refusal is one, an outage is one", func(t *testing.T) {
		e.inject(t, sandbox.Fault{Kind: sandbox.Refuse, Times: 1})
		if _, err := ask(); !fault.Is(err, fault.ProviderRefused) {
			t.Error(err)
		}
		e.inject(t, sandbox.Fault{Kind: sandbox.Fail, Times: 1})
		if _, err := ask(); !fault.Is(err, fault.ProviderUnavailable) {
			t.Error(err)
		}
	})
	t.Run("lists that are not told are not empty ones", func(t *testing.T) {
		e.inject(t, sandbox.Fault{Kind: sandbox.NullDetails, Times: 1})
		page, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		p := page.Transactions[0]
		if p.Balances.Known || p.Objects.Known || p.Events.Known || p.Gas == nil || p.Status != sui.PastSuccess {
			t.Errorf("%+v", p)
		}
	})
	t.Run("a slow one is an outage, a call that is given up is not", func(t *testing.T) {
		hasty, err := rpc.NewHistory(rpc.Config{URL: e.url + "/graphql", Now: e.now, Timeout: 1500 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		defer hasty.Close()
		if _, err := hasty.Limits(ctx); err != nil {
			t.Fatal(err)
		}
		e.inject(t, sandbox.Fault{Kind: sandbox.Slow, Milliseconds: 20_000, Method: "transactions"})
		defer clear()
		if _, err := hasty.Transactions(ctx, sui.PastQuery{Sent: &account}); !fault.Is(err, fault.ProviderUnavailable) ||
			!strings.Contains(err.Error(), "in time") {
			t.Error(err)
		}
		given, cancel := context.WithCancel(ctx)
		time.AfterFunc(50*time.Millisecond, cancel)
		if _, err := e.Transactions(given, sui.PastQuery{Sent: &account}); !fault.Is(err, fault.RequestAborted) {
			t.Error(err)
		}
	})
	t.Run("another chain is refused before anything of it is used", func(t *testing.T) {
		other, refused := errors.New("another chain"), sui.Digest{}
		h, err := rpc.NewHistory(rpc.Config{URL: e.url + "/graphql", Now: e.now, Admit: func(d sui.Digest) error {
			refused = d
			return other
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		for name, call := range map[string]func() error{
			"transactions": func() error { _, err := h.Transactions(ctx, sui.PastQuery{Sent: &account}); return err },
			"transaction":  func() error { _, _, err := h.Transaction(ctx, paid[0]); return err },
			"range":        func() error { _, err := h.Range(ctx); return err },
			"limits":       func() error { _, err := h.Limits(ctx); return err },
		} {
			if err := call(); !errors.Is(err, other) || refused != e.chain.Chain() {
				t.Errorf("%s: %v, %s", name, err, refused)
			}
		}
	})
	t.Run("a service that is reached through an address that is not admitted is not asked", func(t *testing.T) {
		h, err := rpc.NewHistory(rpc.Config{URL: e.url + "/graphql", Now: e.now, Reach: func(netip.Addr) error {
			return fault.New(fault.InputInvalid, "Not there.")
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		if _, err := h.Limits(ctx); !fault.Is(err, fault.InputInvalid) {
			t.Error(err)
		}
	})
}

// TestHistoryAddresses rejects invalid addresses of a service.
func TestHistoryAddresses(t *testing.T) {
	for _, url := range []string{
		"", "graphql.example", "http://graphql.example/graphql", "http://10.0.0.1/graphql", "https://u:p@h.example/graphql",
		"https://h.example/graphql?k=1", "https://h.example/graphql#x", "ftp://h.example/graphql",
		"https://h.example:0/graphql",
	} {
		if _, err := rpc.NewHistory(rpc.Config{URL: url, Now: time.Now}); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := rpc.NewHistory(rpc.Config{URL: "https://h.example/graphql"}); !fault.Is(err, fault.InternalError) {
		t.Error(err)
	}
}

// canned serves one body for every query except the one for limits.
func canned(t testing.TB, status int, kind, body string) *rpc.History {
	t.Helper()
	return scripted(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	})
}

// scripted answers every query except the one for limits with a function.
func scripted(t testing.TB, answer func(w http.ResponseWriter, query string)) *rpc.History {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Query string }
		if json.NewDecoder(r.Body).Decode(&q) == nil && strings.Contains(q.Query, "maxMultiGetSize") {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w,
				`{"data":{"chainIdentifier":"35834a8a","serviceConfig":{"transactions":5,"calls":null,"inputs":3,"balances":9,"objects":9,"events":9,"maxMultiGetSize":7}}}`)
			return
		}
		answer(w, q.Query)
	}))
	t.Cleanup(s.Close)
	h, err := rpc.NewHistory(rpc.Config{URL: s.URL, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

const goodDigest = "5Z6Qfvdjg8LE7Rpu5rJMVj3sKqnE2src1G58zu83oufg"

// page wraps nodes in an answer.
func page(nodes, info string) string {
	return `{"data":{"chainIdentifier":"35834a8a","transactions":{"nodes":[` + nodes + `],"pageInfo":` + info + `}}}`
}

func node(fields string) string {
	return `{"digest":"` + goodDigest + `","sender":null,"kind":null,"gasInput":null` + fields + `}`
}

// TestHistoryOfOddAnswers uses a service that returns answers that no honest one does.
func TestHistoryOfOddAnswers(t *testing.T) {
	const last, more = `{"hasPreviousPage":false,"startCursor":null}`, `{"hasPreviousPage":true,"startCursor":%s}`
	sender := sui.MustAddress("0xa1")
	long := strings.Repeat("c", 2000)
	for name, c := range map[string]struct {
		status int
		kind   string
		body   string
		want   fault.Code
	}{
		"no data and no error":        {200, "application/json", `{"data":null}`, fault.ProviderMismatch},
		"no JSON":                     {200, "application/json", `<html>`, fault.ProviderMismatch},
		"a page of the web":           {200, "text/html", `<html>`, fault.ProviderMismatch},
		"a redirect":                  {302, "application/json", `{}`, fault.ProviderMismatch},
		"too many questions":          {429, "application/json", `{}`, fault.ProviderUnavailable},
		"a proxy without its server":  {502, "text/html", `<html>`, fault.ProviderUnavailable},
		"refused by status":           {400, "application/json", `{}`, fault.ProviderRefused},
		"true, and forbidden":         {403, "application/json", page(node(""), last), fault.ProviderRefused},
		"true, and failed":            {500, "application/json", page(node(""), last), fault.ProviderUnavailable},
		"true, and of a proxy":        {502, "application/json", page(node(""), last), fault.ProviderUnavailable},
		"refused by status and error": {400, "application/json", `{"errors":[{"message":"no"}]}`, fault.ProviderRefused},
		"no list": {200, "application/json",
			`{"data":{"chainIdentifier":"35834a8a","transactions":null}}`, fault.ProviderMismatch},
		"a field nobody asked for": {200, "application/json", `{"data":{"chainIdentifier":"35834a8a","secrets":1}}`,
			fault.ProviderMismatch},
		"a missing chain": {200, "application/json", `{"data":{"chainIdentifier":"","transactions":null}}`,
			fault.ProviderMismatch},
		"a null in the list": {200, "application/json", page("null", last), fault.ProviderMismatch},
		"no digest":          {200, "application/json", page(`{"digest":"0OIl"}`, last), fault.ProviderMismatch},
		"one twice":          {200, "application/json", page(node("")+","+node(""), last), fault.ProviderMismatch},
		"a sender that is none": {200, "application/json", page(`{"digest":"`+goodDigest+
			`","sender":{"address":"alice"}}`, last), fault.ProviderMismatch},
		"success with an error": {200, "application/json",
			page(node(`,"effects":{"status":"SUCCESS","executionError":{"message":"x"}}`), last), fault.ProviderMismatch},
		"a checkpoint beyond 2^53": {200, "application/json",
			page(node(`,"effects":{"checkpoint":{"sequenceNumber":9007199254740993}}`), last), fault.ProviderMismatch},
		"a checkpoint as text": {200, "application/json",
			page(node(`,"effects":{"checkpoint":{"sequenceNumber":"7"}}`), last), fault.ProviderMismatch},
		"a time of no calendar": {200, "application/json", page(node(`,"effects":{"timestamp":"yesterday"}`), last),
			fault.ProviderMismatch},
		"gas beyond all SUI": {200, "application/json",
			page(node(`,"effects":{"gasEffects":{"gasSummary":{"computationCost":18446744073709551615,"storageCost":1,"storageRebate":1,"nonRefundableStorageFee":0}}}`), last), fault.ProviderMismatch},
		"more without a cursor": {200, "application/json", page(node(""), fmt.Sprintf(more, "null")),
			fault.ProviderMismatch},
		"a cursor without end": {200, "application/json", page(node(""), fmt.Sprintf(more, `"`+long+`"`)),
			fault.ProviderMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			h := canned(t, c.status, c.kind, c.body)
			if _, err := h.Transactions(context.Background(), sui.PastQuery{Sent: &sender, Most: 2}); !fault.Is(err, c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	t.Run("more than asked for", func(t *testing.T) {
		h := canned(t, 200, "application/json", page(node("")+","+strings.Replace(node(""), "5Z6Q", "5Z6R", 1), last))
		if _, err := h.Transactions(context.Background(), sui.PastQuery{Sent: &sender, Most: 1}); !fault.Is(err,
			fault.ProviderMismatch) {
			t.Error(err)
		}
	})
	t.Run("errors beyond a bound are counted, and their words made harmless", func(t *testing.T) {
		one := `{"message":"line\u001b[31m one ` + strings.Repeat("x", 500) +
			`","path":["a",0],"extensions":{"code":"BAD_USER_INPUT"}},`
		h := canned(t, 200, "application/json", `{"errors":[`+strings.TrimSuffix(strings.Repeat(one, 13), ",")+`]}`)
		_, err := h.Transactions(context.Background(), sui.PastQuery{Sent: &sender, Most: 2})
		f := fault.As(err)
		list := f.Detail[len(f.Detail)-1].List
		if f.Code != fault.ProviderRefused || len(list) != 11 || list[10] != "and 3 more" || len(list[0]) > 300 ||
			strings.Contains(list[0], "\x1b") {
			t.Errorf("%q", list)
		}
	})
}

// TestHistoryOfOddItems omits unreadable list items and reports that.
func TestHistoryOfOddItems(t *testing.T) {
	const more = `"pageInfo":{"hasNextPage":false,"endCursor":null}`
	coin := `"coinType":{"repr":"0x2::sui::SUI"},"owner":{"address":"0x00000000000000000000000000000000000000000000000000000000000000a1"}`
	balances := func(items string) string {
		return page(node(`,"effects":{"status":"SUCCESS","balanceChanges":{"nodes":[`+items+`],`+more+`}}`),
			`{"hasPreviousPage":false,"startCursor":null}`)
	}
	sender := sui.MustAddress("0xa1")
	good := `{"amount":"-5",` + coin + `}`
	for name, c := range map[string]struct {
		items string
		kept  int
		whole bool
	}{
		"all of them read":        {good, 1, true},
		"more than asked for":     {strings.TrimSuffix(strings.Repeat(good+",", 12), ","), 9, false},
		"a null":                  {good + ",null", 1, false},
		"an amount beyond u64":    {good + `,{"amount":"99999999999999999999999",` + coin + `}`, 1, false},
		"an amount with a point":  {good + `,{"amount":"1.5",` + coin + `}`, 1, false},
		"no amount":               {`{"amount":null,` + coin + `},` + good, 1, false},
		"a coin that is no type":  {`{"amount":"1","coinType":{"repr":"money"},"owner":null},` + good, 1, false},
		"an owner nobody told":    {`{"amount":"1","coinType":{"repr":"0x2::sui::SUI"},"owner":null}`, 1, true},
		"an owner that is no one": {`{"amount":"1","coinType":{"repr":"0x2::sui::SUI"},"owner":{"address":"bob"}}`, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := canned(t, 200, "application/json", balances(c.items)).Transactions(context.Background(),
				sui.PastQuery{Sent: &sender, Most: 2})
			if err != nil {
				t.Fatal(err)
			}
			if b := got.Transactions[0].Balances; len(b.Items) != c.kept || b.Whole() != c.whole {
				t.Errorf("%+v", b)
			}
		})
	}
	t.Run("an amount and a coin are read exactly", func(t *testing.T) {
		got, err := canned(t, 200, "application/json", balances(`{"amount":"-18446744073709551615",`+coin+
			`}`)).Transactions(context.Background(), sui.PastQuery{Sent: &sender})
		if err != nil {
			t.Fatal(err)
		}
		want := []sui.PastBalance{{Owner: &sender, Coin: sui.SUI, Amount: sui.Delta{Negative: true, Amount: 1<<64 - 1}}}
		if d := cmp.Diff(want, got.Transactions[0].Balances.Items); d != "" {
			t.Error(d)
		}
	})
	t.Run("a list that is not told is not whole", func(t *testing.T) {
		got, err := canned(t, 200, "application/json", page(node(`,"effects":{"status":"SUCCESS","balanceChanges":null}`),
			`{"hasPreviousPage":false,"startCursor":null}`)).
			Transactions(context.Background(), sui.PastQuery{Sent: &sender})
		if err != nil || got.Transactions[0].Balances.Known {
			t.Errorf("%+v %v", got, err)
		}
	})
}

// TestHistoryOfADrip uses a service that sends an endless answer one byte at a time.
func TestHistoryOfADrip(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		pace := time.NewTicker(5 * time.Millisecond)
		defer pace.Stop()
		for r.Context().Err() == nil {
			_, _ = fmt.Fprint(w, " ")
			w.(http.Flusher).Flush()
			<-pace.C
		}
	}))
	t.Cleanup(s.Close)
	h, err := rpc.NewHistory(rpc.Config{URL: s.URL, Now: time.Now, Timeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	ctx, stop := context.WithTimeout(t.Context(), double.Patience)
	defer stop()
	_, err = h.Transactions(ctx, sui.PastQuery{Sent: &payee})
	if !fault.Is(err, fault.ProviderUnavailable) || !strings.Contains(err.Error(), "in time") || ctx.Err() != nil {
		t.Errorf("%v; the test gave up: %v", err, ctx.Err())
	}
}

// TestHistoryOfTricks puts characters that hide or reorder text, or break lines, into every text of a
// service.
func TestHistoryOfTricks(t *testing.T) {
	const trick = "a\u202eb\u200b\u2066c\u0000\n\u001b[2J\U000e0041\ufeff"
	word, err := json.Marshal(trick)
	if err != nil {
		t.Fatal(err)
	}
	id := `"` + payee.String() + `"`
	honest := `"digest":"` + goodDigest + `","sender":{"address":` + id +
		`},"kind":{"__typename":"ProgrammableTransaction",` +
		`"commands":{"nodes":[{"__typename":"MoveCallCommand","function":{"fullyQualifiedName":"0x2::coin::zero"}}],` +
		unended + `},` +
		`"inputs":{"nodes":[{"__typename":"SharedInput","address":` + id + `}],` + unended +
		`}},"gasInput":{"gasSponsor":{"address":` + id + `}},` +
		`"effects":{"status":"FAILURE","timestamp":"2026-01-01T00:00:00Z","checkpoint":{"sequenceNumber":7},"epoch":{"epochId":1},` +
		`"executionError":{"message":"no","abortCode":"7","module":{"fullyQualifiedName":"0x2::coin"},"function":{"name":"zero"}},` +
		`"gasEffects":{"gasSummary":{"computationCost":1,"storageCost":1,"storageRebate":1,"nonRefundableStorageFee":0}},` +
		`"balanceChanges":{"nodes":[{"amount":"-1","coinType":{"repr":"0x2::sui::SUI"},"owner":{"address":` + id + `}}],` +
		unended + `},` +
		`"objectChanges":{"nodes":[{"address":` + id +
		`,"idCreated":true,"idDeleted":false,"inputState":null,"outputState":` +
		`{"asMoveObject":{"contents":{"type":{"repr":"0x2::m::T"}}},"owner":{"__typename":"AddressOwner","byAddress":{"address":` + id + `}}}}],` + unended + `},` +
		`"events":{"nodes":[{"sender":{"address":` + id +
		`},"transactionModule":{"fullyQualifiedName":"0x2::coin"},"contents":{"type":{"repr":"0x2::coin::E"}}}],` + unended +
		`}}`
	ask := func(fields string) (sui.PastTransaction, error) {
		h := canned(t, 200, "application/json", page("{"+fields+"}", `{"hasPreviousPage":false,"startCursor":null}`))
		got, err := h.Transactions(context.Background(), sui.PastQuery{Sent: &payee, Most: 1})
		if err != nil {
			return sui.PastTransaction{}, err
		}
		return got.Transactions[0], nil
	}
	whole, err := ask(honest)
	if err != nil || !whole.Balances.Whole() || len(whole.Calls.Items)+len(whole.Objects.Items)+len(whole.Events.Items)+
		len(whole.Shared.Items) != 4 || whole.Failure.Abort == nil {
		t.Fatalf("%+v %v", whole, err)
	}
	if _, err := ask(strings.Replace(honest, `"epochId":1`, `"epochId":4294967297`, 1)); !fault.Is(err,
		fault.ProviderMismatch) {
		t.Errorf("an epoch that cannot be: %v", err)
	}
	values := regexp.MustCompile(`:"[^"]+"`).FindAllStringIndex(honest, -1)
	if len(values) < 24 {
		t.Fatalf("%d words", len(values))
	}
	for _, at := range values {
		p, err := ask(honest[:at[0]] + ":" + string(word) + honest[at[1]:])
		if err != nil {
			if !fault.Is(err, fault.ProviderMismatch) {
				t.Errorf("%s: %v", honest[at[0]:at[1]], err)
			}
			continue
		}
		if told := fmt.Sprintf("%+v %+v %+v", p, p.Failure, p.Failure.Abort); strings.ContainsAny(told,
			"\u202e\u200b\u2066\x00\n\x1b\ufeff\U000e0041") {
			t.Errorf("%s: %q", honest[at[0]:at[1]], told)
		}
	}
}
