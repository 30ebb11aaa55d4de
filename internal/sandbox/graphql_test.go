package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// graph queries the GraphQL service and returns status and body.
func (n *served) graph(t testing.TB, query string, variables string, edit func(*http.Request)) (int, string) {
	t.Helper()
	body := fmt.Sprintf(`{"query":%s,"variables":%s}`, mustJSON(query), variables)
	r, err := http.NewRequestWithContext(within(t), http.MethodPost, "http://"+n.addr+"/graphql", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if edit != nil {
		edit(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(b))
}

func mustJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestGraphGuard(t *testing.T) {
	n := start(t, Config{})
	for name, c := range map[string]struct {
		edit func(*http.Request)
		want int
	}{
		"plain":          {nil, 200},
		"a page":         {func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403},
		"another method": {func(r *http.Request) { r.Method = http.MethodPut }, 405},
		"another type":   {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415},
		"another host":   {func(r *http.Request) { r.Host = "node.example" }, 421},
		"a large body": {func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", 6000))), 6000
		}, 413},
		"no query": {func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader(`[1]`)), 3 }, 400},
	} {
		t.Run(name, func(t *testing.T) {
			if got, body := n.graph(t, "{chainIdentifier}", "{}", c.edit); got != c.want {
				t.Errorf("%d %s", got, body)
			}
		})
	}
}

func TestGraphAnswers(t *testing.T) {
	n := start(t, Config{})
	raw, signature := n.signed(t, n.swapTx(t, "SUI_USDC", 10_000_000_000, 1, nil))
	if _, err := n.send(t, raw, signature); err != nil {
		t.Fatal(err)
	}
	digest := sui.TransactionDigest(raw).String()
	chain := n.Chain().String()
	for name, c := range map[string]struct{ query, variables, want string }{
		"an alias": {`{who: chainIdentifier}`, `{}`, `{"data":{"who":"` + chain + `"}}`},
		"a named query with a variable": {`query Q($d: String!) { transaction(digest: $d) { digest } }`, `{"d":"` + digest +
			`"}`,
			`{"data":{"transaction":{"digest":"` + digest + `"}}}`},
		"a named fragment, and what is left out": {`query($i: Boolean = true, $o: Boolean! = true) { ...F b: chainIdentifier @include(if: $i) }
			fragment F on Query { a: chainIdentifier @skip(if: $o) c: chainIdentifier @include(if: $i) @skip(if: false) }`,
			`{"o":false}`,
			`{"data":{"a":"` + chain + `","c":"` + chain + `","b":"` + chain + `"}}`},
		"a text in the query": {`{transaction(digest: "` + digest + `"){sender{address}}}`, `{}`,
			`{"data":{"transaction":{"sender":{"address":"` + Account.String() + `"}}}}`},
		"fragments by type": {`{transaction(digest:"` + digest +
			`"){kind{__typename ... on ProgrammableTransaction{commands(first:2){nodes{__typename ... on MoveCallCommand{function{fullyQualifiedName}}}}} ... on ChangeEpochTransaction{nothing}}}}`, `{}`,
			`{"data":{"transaction":{"kind":{"__typename":"ProgrammableTransaction","commands":{"nodes":[{"__typename":"SplitCoinsCommand"},{"__typename":"MoveCallCommand","function":{"fullyQualifiedName":"0x0000000000000000000000000000000000000000000000000000000000000002::coin::zero"}}]}}}}}`},
		"a limit that is not one": {`{serviceConfig{a: maxPageSize(type:"Query",field:"digest") b: maxPageSize(type:"TransactionEffects",field:"objectChanges")}}`, `{}`,
			`{"data":{"serviceConfig":{"a":null,"b":1024}}}`},
		"what is not there": {`{transaction(digest:"` + chain +
			`"){digest} checkpoint(sequenceNumber: 99999){digest} multiGetCheckpoints(keys:$k){sequenceNumber}}`,
			`{"k":[0,77777]}`,
			`{"data":{"transaction":null,"checkpoint":null,"multiGetCheckpoints":[{"sequenceNumber":0},null]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			status, got := n.graph(t, c.query, c.variables, nil)
			if d := cmp.Diff(c.want, got); d != "" || status != 200 {
				t.Errorf("%d %s", status, d)
			}
		})
	}
	for name, c := range map[string]struct{ query, variables, code string }{
		"nothing":                {``, `{}`, "GRAPHQL_PARSE_FAILED"},
		"an open brace":          {`{chainIdentifier`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"two queries":            {`{chainIdentifier} {chainIdentifier}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"a mutation":             {`mutation{chainIdentifier}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"a list in the query":    {`{multiGetCheckpoints(keys:[1]){sequenceNumber}}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"an object in the query": {`{transactions(filter:{function:"0x2"}){nodes{digest}}}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"a word in the query":    {`{transaction(digest: WORD){digest}}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"a subscription":         {`subscription{chainIdentifier}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"a directive of a query": {`query Q @skip(if:true){chainIdentifier}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"a fragment of no type":  {`{...{chainIdentifier}}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"a directive of a fragment": {`{...F} fragment F on Query @skip(if:true){chainIdentifier}`, `{}`,
			"GRAPHQL_PARSE_FAILED"},
		"an unknown fragment":      {`{...F}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"a fragment in itself":     {`{...F} fragment F on Query{...F}`, `{}`, "BAD_USER_INPUT"},
		"an unknown directive":     {`{chainIdentifier @defer(if: true)}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"a directive of nothing":   {`query($x:Boolean){chainIdentifier @skip(if: $x)}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"an unknown field":         {`{coins}`, `{}`, "GRAPHQL_VALIDATION_FAILED"},
		"an object without fields": {`{serviceConfig}`, `{}`, "GRAPHQL_PARSE_FAILED"},
		"too deep":                 {strings.Repeat("{a", 21) + strings.Repeat("}", 21), `{}`, "BAD_USER_INPUT"},
		"too many fields":          {"{" + strings.Repeat("chainIdentifier ", 301) + "}", `{}`, "BAD_USER_INPUT"},
		"a page that is too large": {`{transactions(last: 51){nodes{digest}}}`, `{}`, "BAD_USER_INPUT"},
		"both ends":                {`{transactions(last: 1, first: 1){nodes{digest}}}`, `{}`, "BAD_USER_INPUT"},
		"a cursor of elsewhere":    {`{transactions(before: "eA=="){nodes{digest}}}`, `{}`, "BAD_USER_INPUT"},
		"two filters": {`query($f: TransactionFilter){transactions(filter: $f){nodes{digest}}}`,
			`{"f":{"affectedAddress":"0x2","function":"0x2::coin"}}`, "BAD_USER_INPUT"},
		"a filter that is not had": {`query($f: TransactionFilter){transactions(filter: $f){nodes{digest}}}`,
			`{"f":{"kind":"SYSTEM_TX"}}`, "BAD_USER_INPUT"},
		"a function that is none": {`query($f: TransactionFilter){transactions(filter: $f){nodes{digest}}}`,
			`{"f":{"function":"0x2::a::b::c"}}`, "BAD_USER_INPUT"},
		"an address that is none": {`query($f: TransactionFilter){transactions(filter: $f){nodes{digest}}}`,
			`{"f":{"sentAddress":"bob"}}`, "BAD_USER_INPUT"},
		"a digest that is none": {`{transaction(digest:"0OIl"){digest}}`, `{}`, "BAD_USER_INPUT"},
		"too many checkpoints": {`query($k:[UInt53!]!){multiGetCheckpoints(keys:$k){sequenceNumber}}`,
			`{"k":[` + strings.TrimSuffix(strings.Repeat("0,", 201), ",") + `]}`, "BAD_USER_INPUT"},
	} {
		t.Run(name, func(t *testing.T) {
			status, got := n.graph(t, c.query, c.variables, nil)
			if status != 200 || !strings.Contains(got, `"code":"`+c.code+`"`) || !strings.Contains(got, `"data":null`) {
				t.Errorf("%d %s", status, got)
			}
		})
	}
}

func TestGraphFilters(t *testing.T) {
	n := start(t, Config{})
	for range 3 {
		raw, signature := n.signed(t, n.swapTx(t, "SUI_USDC", 10_000_000_000, 1, nil))
		if _, err := n.send(t, raw, signature); err != nil {
			t.Fatal(err)
		}
	}
	last := n.mined()
	other := sui.Address{7}
	for filter, want := range map[string]int{
		`{}`: 3,
		`{"sentAddress":"` + Account.String() + `"}`:     3,
		`{"sentAddress":"` + other.String() + `"}`:       0,
		`{"affectedAddress":"` + Account.String() + `"}`: 3,
		`{"affectedAddress":"` + other.String() + `"}`:   0,
		`{"function":"0x2::coin"}`:                       3,
		`{"function":"0x2"}`:                             3,
		`{"function":"0x2::coin::zero"}`:                 3,
		`{"function":"0x2::coin::one"}`:                  0,
		fmt.Sprintf(`{"atCheckpoint":%d}`, last):         1,
		fmt.Sprintf(`{"afterCheckpoint":%d}`, last):      0,
		fmt.Sprintf(`{"afterCheckpoint":%d}`, last-1):    1,
		fmt.Sprintf(`{"beforeCheckpoint":%d}`, last):     2,
		fmt.Sprintf(`{"beforeCheckpoint":%d}`, last+1):   3,
	} {
		_, got := n.graph(t, `query($f: TransactionFilter){transactions(filter: $f){nodes{digest}}}`, `{"f":`+filter+`}`, nil)
		if c := strings.Count(got, "digest"); c != want || strings.Contains(got, "errors") {
			t.Errorf("%s: %s, want %d", filter, got, want)
		}
	}
}

// mined returns the checkpoint of the newest transaction.
func (n *served) mined() uint64 {
	for _, c := range slices.Backward(n.Checkpoints()) {
		if c.Executed != nil {
			return c.Number
		}
	}
	return 0
}
