package actions_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
)

const (
	usdcType = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"
	evm      = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
)

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

// seed runs actions of the specification's types and compares their whole results.
type seed struct {
	*place
	n   int
	ids []string // ids of new entries; $1 refers to the first
}

func (s *seed) data(t *testing.T, kind, params, want string) {
	t.Helper()
	r := s.do(t, kind, params)
	text := string(r.Data)
	for _, id := range uuid.FindAllString(text, -1) {
		if !slices.Contains(s.ids, id) {
			s.ids = append(s.ids, id)
		}
	}
	if !r.Success || r.Error != "" || text != s.filled(want) {
		t.Errorf("%q\n%s\nwant\n%s", r.Error, text, s.filled(want))
	}
}

func (s *seed) do(t *testing.T, kind, params string) actions.Result {
	t.Helper()
	s.n++
	return s.run(t, trusted, fmt.Sprintf(`{"id":"%d","type":%q,"params":%s,"auto_execute":true}`, s.n, kind,
		s.filled(params))).Result
}

func (s *seed) filled(text string) string {
	for i, id := range s.ids {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i+1), id)
	}
	return strings.ReplaceAll(text, "$me", owner.String())
}

// refuses removes each of these fields from params in turn.
func (s *seed) refuses(t *testing.T, kind, params string, needed ...string) {
	t.Helper()
	for _, name := range needed {
		without := regexp.MustCompile(`"`+name+`":("[^"]*"|\d+),?`).ReplaceAllString(params, "")
		without = strings.ReplaceAll(without, ",}", "}")
		if r := s.do(t, kind, without); r.Error != actions.InvalidParams {
			t.Errorf("without %s: %+v", name, r)
		}
	}
}

// told counts the notifications that pages received about a changed list.
func (s *seed) told(t *testing.T, area string) (n int) {
	t.Helper()
	list, err := s.db.Latest(t.Context(), bus.Filter{Session: "conv_test", Sees: bus.UI,
		Types: []bus.Type{bus.TypeInlineDisplay}}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if strings.Contains(string(e.Payload), `{"type":"vault_modified","areas":["`+area+`"]}`) {
			n++
		}
	}
	return n
}

func TestSeedActions(t *testing.T) {
	s := &seed{place: at(t, t.TempDir())}
	t.Run("R000-3 R000-4 R000-5 R000-6 R000-7 an action has id, type, title, description and parameters",
		func(t *testing.T) {
			a := s.run(t, actions.Caller{ID: "key/asks"},
				`{"id":"u1","type":"add_chain","title":"Watch Sui","description":"For the swap.","params":{"chains":[{"chain":"Sui"}]},"auto_execute":true}`)
			offered, err := s.Waiting(t.Context(), 0)
			if err != nil || !a.Accepted || len(offered) != 1 {
				t.Fatalf("%+v %+v %v", a, offered, err)
			}
			if o := offered[0].Action; o.ID == "" || o.Type != "add_chain" || o.Title != "Watch Sui" ||
				o.Description != "For the swap." || !strings.Contains(string(o.Params), `"Sui"`) {
				t.Errorf("%+v", o)
			}
			if _, err := s.Report(t.Context(), actions.Result{Action: "add_chain", ActionID: offered[0].Action.ID,
				Error: actions.UserRejected}); err != nil {
				t.Error(err)
			}
			for raw, word := range map[string]string{`{"id":"u2","params":{}}`: actions.UnknownType,
				`{"id":7,"type":"add_chain","params":{}}`:              actions.InvalidParams,
				`{"id":"u3","type":"add_chain","params":[]}`:           actions.InvalidParams,
				`{"id":"u4","type":"add_chain","title":7,"params":{}}`: actions.InvalidParams} {
				if a := s.run(t, trusted, raw); a.Result.Error != word {
					t.Errorf("%s: %+v", raw, a.Result)
				}
			}
		})
	t.Run("R000-9 R000-13 R000-14 R000-15 the report says how it went", func(t *testing.T) {
		for params, want := range map[string]string{
			`{"chain":"Moon"}`: `{"action":"get_address_book","action_id":"$","success":false,"error":"unknown_chain"}`,
			`{}`:               `{"action":"get_address_book","action_id":"$","success":true,"data":{"entries":[],"total_count":0}}`,
		} {
			b, err := json.Marshal(s.do(t, "get_address_book", params))
			if got := strings.Replace(string(b), fmt.Sprintf(`"action_id":"%d"`, s.n), `"action_id":"$"`, 1); err != nil ||
				got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		}
	})
}

func TestSeedCoins(t *testing.T) {
	s := &seed{place: at(t, t.TempDir())}
	const one = `{"chain":"sUI","ticker":"USDC","contract_address":"` + usdcType +
		`","decimals":6,"logo":"https://x.example/u.png","price_provider_id":"usd-coin","is_native":false}`
	t.Run("R000-58 R000-59 R000-60 R000-62 R000-82 R000-141 what is required is required", func(t *testing.T) {
		s.refuses(t, "add_token", `{"tokens":[`+one+`]}`, "chain", "ticker", "decimals")
		s.refuses(t, "add_chain", `{"chains":[{"chain":"Sui"}]}`, "chain")
		for _, params := range []string{`{}`, `{"tokens":` + one + `}`, `{"tokens":[]}`} {
			if r := s.do(t, "add_token", params); r.Error != actions.InvalidParams {
				t.Errorf("%s: %+v", params, r)
			}
		}
	})
	t.Run("R000-61 R000-65 a coin that is not said to be native needs its type", func(t *testing.T) {
		s.data(t, "add_token", `{"tokens":[{"chain":"Sui","ticker":"X","decimals":6}]}`,
			`{"results":[{"chain":"Sui","ticker":"X","address":"$me","contract_address":"","success":false,"error":"contract_address_required","chain_added":false}]}`)
	})
	t.Run("R000-67 R000-68 R000-70 R000-71 R000-72 R000-74 R000-75 R000-89 one result for each, in order, whatever "+
		"the spelling of the chain", func(t *testing.T) {
		s.data(t, "add_token", `{"tokens":[{"chain":"Moon","ticker":"M","decimals":6,"is_native":true},`+one+`,`+one+
			`,{"chain":"Base","ticker":"B","decimals":18,"is_native":true}]}`,
			`{"results":[{"chain":"Moon","ticker":"M","address":"","contract_address":"","success":false,"error":"unknown_chain","chain_added":false},`+
				`{"chain":"Sui","ticker":"USDC","address":"$me","contract_address":"`+usdcType+
				`","success":true,"error":null,"chain_added":true,"decimals_source":"chain"},`+
				`{"chain":"Sui","ticker":"USDC","address":"$me","contract_address":"`+usdcType+
				`","success":false,"error":"already_exists","chain_added":false},`+
				`{"chain":"Base","ticker":"B","address":"","contract_address":"","success":false,"error":"unsupported_chain","chain_added":false}]}`)
	})
	t.Run("R000-63 R000-64 R000-78 R000-79 it is stored as it was given, and pages hear of it", func(t *testing.T) {
		list, err := s.watch.List(t.Context(), owner)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(list)
		for _, want := range []string{"https://x.example/u.png", "usd-coin", usdcType} {
			if !strings.Contains(string(b), want) {
				t.Errorf("%s is not in %s", want, b)
			}
		}
		if n := s.told(t, "coins"); n != 1 {
			t.Errorf("told %d times", n)
		}
	})
	s = &seed{place: at(t, t.TempDir())}
	t.Run("R000-81 R000-83 R000-84 R000-85 R000-86 R000-87 R000-88 R000-91 R000-92 a chain comes with its coin, under "+
		"the account's address", func(t *testing.T) {
		s.data(t, "add_chain", `{"chains":[{"chain":"sui"},{"chain":"Solana"},{"chain":"Moon"},{"chain":"SUI"}]}`,
			`{"results":[{"chain":"Sui","ticker":"SUI","address":"$me","success":true,"error":null,"decimals_source":"registry"},`+
				`{"chain":"Solana","ticker":"SOL","address":"","success":false,"error":"unsupported_chain"},`+
				`{"chain":"Moon","ticker":"","address":"","success":false,"error":"unknown_chain"},`+
				`{"chain":"Sui","ticker":"SUI","address":"$me","success":false,"error":"already_exists"}]}`)
		s.data(t, "add_token", `{"tokens":[{"chain":"Sui","ticker":"SUI","decimals":9,"is_native":true}]}`,
			`{"results":[{"chain":"Sui","ticker":"SUI","address":"$me","contract_address":"","success":false,"error":"already_exists","chain_added":false}]}`)
	})
	t.Run("R000-93 pages hear of it", func(t *testing.T) {
		if n := s.told(t, "coins"); n != 1 {
			t.Errorf("told %d times", n)
		}
	})
	t.Run("R000-66 R000-151 R000-152 the earlier names take one object", func(t *testing.T) {
		s := &seed{place: at(t, t.TempDir())}
		s.data(t, "add_chain", `{"chain":"Sui"}`,
			`{"results":[{"chain":"Sui","ticker":"SUI","address":"$me","success":true,"error":null,"decimals_source":"registry"}]}`)
		s.data(t, "add_coin", one, `{"results":[{"chain":"Sui","ticker":"USDC","address":"$me","contract_address":"`+usdcType+
			`","success":true,"error":null,"chain_added":false,"decimals_source":"chain"}]}`)
	})
}

func TestSeedBook(t *testing.T) {
	s := &seed{place: at(t, t.TempDir())}
	const both = `{"entries":[{"title":"alice evm","address":"` + evm + `","chain":"base"},{"title":"Alice","address":"` +
		alice + `","chain":"SUI"}]}`
	t.Run("R000-110 R000-111 R000-112 R000-113 what is required is required", func(t *testing.T) {
		s.refuses(t, "add_address_book", `{"entries":[{"title":"A","address":"`+alice+`","chain":"Sui"}]}`, "title",
			"address", "chain")
		if r := s.do(t, "add_address_book", `{"entries":{}}`); r.Error != actions.InvalidParams {
			t.Errorf("%+v", r)
		}
	})
	t.Run("R000-109 R000-114 R000-115 R000-116 R000-117 each entry is made under an id of its own", func(t *testing.T) {
		s.data(t, "add_address_book", both, `{"results":[{"id":"$1","title":"alice evm","address":"`+evm+
			`","chain":"Base","success":true,"error":null},`+
			`{"id":"$2","title":"Alice","address":"`+alice+`","chain":"Sui","success":true,"error":null}]}`)
		if len(s.ids) != 2 || s.ids[0] == s.ids[1] {
			t.Error(s.ids)
		}
	})
	const onBase = `{"id":"$1","title":"alice evm","address":"` + evm +
		`","chain":"Base","chain_kind":"evm","confirmed":false,"source":"agent"}`
	const onSui = `{"id":"$2","title":"Alice","address":"` + alice +
		`","chain":"Sui","chain_kind":"sui","confirmed":false,"source":"agent"}`
	t.Run("R000-95 R000-96 R000-100 R000-101 R000-102 R000-103 R000-153 all is read without a filter, and less with one",
		func(t *testing.T) {
			s.data(t, "get_address_book", `{}`, `{"entries":[`+onSui+`,`+onBase+`],"total_count":2}`)
			s.data(t, "get_address_book", `{"chain":"sui"}`, `{"entries":[`+onSui+`],"total_count":1}`)
			s.data(t, "get_address_book", `{"query":"EVM"}`, `{"entries":[`+onBase+`],"total_count":1}`)
		})
	t.Run("R000-106 an address of the EVM is found under the chain that it was saved for, and its kind is told",
		func(t *testing.T) {
			s.data(t, "get_address_book", `{"chain":"Ethereum"}`, `{"entries":[],"total_count":0}`)
			s.data(t, "get_address_book", `{"chain":"Base"}`, `{"entries":[`+onBase+`],"total_count":1}`)
		})
	t.Run("R000-124 R000-125 R000-126 R000-127 R000-128 R000-132 R000-133 R000-134 R000-137 an entry is deleted by "+
		"id, by name or by address", func(t *testing.T) {
		s.data(t, "add_address_book", `{"entries":[{"title":"Carol","address":"`+alice+`","chain":"Sui"}]}`,
			`{"results":[{"id":"$3","title":"Carol","address":"`+alice+`","chain":"Sui","success":true,"error":null}]}`)
		s.data(t, "delete_address_book", `{"entries":[{"id":"$2"},{"title":"Carol","chain":"sui"},{"address":"`+evm+
			`","chain":"BASE"},{"id":"$2"}]}`,
			`{"results":[{"id":"$2","title":"Alice","address":"`+alice+`","chain":"Sui","success":true,"error":null},`+
				`{"id":"$3","title":"Carol","address":"`+alice+`","chain":"Sui","success":true,"error":null},`+
				`{"id":"$1","title":"alice evm","address":"`+evm+`","chain":"Base","success":true,"error":null},`+
				`{"id":"$2","title":"","address":"","chain":"","success":false,"error":"not_found"}]}`)
		s.data(t, "get_address_book", `{}`, `{"entries":[],"total_count":0}`)
	})
	t.Run("R000-140 pages hear of every change", func(t *testing.T) {
		if n := s.told(t, "address_book"); n != 3 {
			t.Errorf("told %d times", n)
		}
	})
	t.Run("R000-154 R000-155 the earlier names", func(t *testing.T) {
		s := &seed{place: at(t, t.TempDir())}
		s.data(t, "address_book_add", `{"title":"A","address":"`+alice+`","chain":"Sui"}`,
			`{"results":[{"id":"$1","title":"A","address":"`+alice+`","chain":"Sui","success":true,"error":null}]}`)
		s.data(t, "address_book_remove", `{"id":"$1"}`, `{"results":[{"id":"$1","title":"A","address":"`+alice+
			`","chain":"Sui","success":true,"error":null}]}`)
	})
}
