package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// The fixture is a tool that uses every part of a declaration.

// notBuilt is a name that guidance may use although no tool has it.
const notBuilt = "read.not_built_yet"

type direction string

func (direction) Values() []string { return []string{"base_to_quote", "quote_to_base"} }

type amount string

func (amount) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[1-9][0-9]*$`, Rule: "a positive whole number in a string", MinLength: 1, MaxLength: 20}
}

type ticks int

func (ticks) Shape() tool.Shape { return tool.Between(1, 50) }

type inner struct {
	Symbol string `json:"symbol" description:"coin symbol"`
}

type fixtureIn struct {
	Pool      string    `json:"poolKey" description:"pool to read"`
	Direction direction `json:"direction" description:"which coin is paid"`
	Amount    amount    `json:"amountRaw,omitempty" description:"raw amount"`
	Ticks     ticks     `json:"ticks" default:"5" description:"levels"`
	Mode      string    `json:"mode" default:"deep" description:"fee mode"`
	From      *inner    `json:"from,omitempty" description:"what leaves"`
	Wanted    []inner   `json:"wanted,omitempty" description:"what is wanted"`
}

type row struct {
	ID    string `json:"id" description:"row id"`
	Extra string `json:"extra,omitempty" description:"sometimes there"`
}

type embedded struct {
	Rows []row `json:"rows" description:"rows"`
}

type fixtureOut struct {
	embedded
	Kind   string            `json:"kind" description:"what it is"`
	Quote  inner             `json:"quote" description:"quote"`
	Maybe  *inner            `json:"maybe,omitempty" description:"sometimes there"`
	At     time.Time         `json:"fetchedAt" description:"when"`
	Labels map[string]string `json:"labels,omitempty" description:"labels"`
	Echo   fixtureIn         `json:"echo" description:"the input"`
}

func fixture(change func(*tool.Spec[fixtureIn, fixtureOut])) tool.Tool {
	s := tool.Spec[fixtureIn, fixtureOut]{
		Name: "read.get_deepbook_mid_price", Title: "Fixture", Summary: "Reads a fixture.", Effect: tool.ReadsLocal,
		Errors: []fault.Code{fault.RegistryMiss},
		Cases: []tool.Case[fixtureOut]{
			{Name: "rows", When: func(o fixtureOut) bool { return len(o.Rows) > 0 }, Use: evidence.Use{
				Can:    evidence.Claims{evidence.PoolMidPrice},
				Cannot: evidence.NotPayment(),
				Answer: []string{"kind", "rows[].id", "rows[].extra", "maybe.symbol", "quote.symbol"},
				Rules:  []string{"maybe"},
				Next:   evidence.Ask("read.preview_intent_evidence", "More.").With("maybe", "kind"),
			}},
			{Name: "nothing", Use: evidence.Use{Can: evidence.Claims{evidence.PoolMidPrice}, Answer: []string{"rows[].id",
				"rows"}}},
		},
		Examples: []tool.Example{
			{Name: "rows", In: `{"poolKey":"rows","direction":"base_to_quote"}`, Case: "rows"},
			{Name: "nothing", In: `{"poolKey":"x","direction":"base_to_quote"}`, Case: "nothing"},
			{Name: "miss", In: `{"poolKey":"miss","direction":"base_to_quote"}`, Fault: fault.RegistryMiss},
		},
		Run: func(c tool.Call, in fixtureIn) (fixtureOut, error) {
			out := fixtureOut{Kind: "a <b> & c", At: time.Unix(0, 0).UTC(), Echo: in}
			switch in.Pool {
			case "rows":
				out.Rows = []row{{ID: "1", Extra: "e"}, {ID: "2", Extra: "f"}}
				out.Maybe = &inner{"SUI"}
			case "uneven":
				out.Rows = []row{{ID: "1", Extra: "e"}, {ID: "2"}}
			case "miss":
				return out, fault.New(fault.RegistryMiss, "No pool <%s>.", in.Pool).With("poolKey", in.Pool).WithList("allowed",
					[]string{"a"})
			case "plain":
				return out, errors.New("secret cause")
			case "panic":
				panic("secret cause")
			case "wait":
				<-c.Context().Done()
				return out, c.Context().Err()
			case "material":
				out.Labels = map[string]string{"transactionBytes": "AAA="}
			}
			return out, nil
		},
	}
	if change != nil {
		change(&s)
	}
	return tool.Declare(s)
}

func call(t *testing.T, target tool.Tool, args string) (tool.Answer, map[string]any) {
	t.Helper()
	answer := target.Call(tool.NewCall(context.Background(), nil, tool.Client{}), json.RawMessage(args))
	var v map[string]any
	if err := json.Unmarshal(answer.Text, &v); err != nil {
		t.Fatalf("%s: %v", answer.Text, err)
	}
	return answer, v
}
