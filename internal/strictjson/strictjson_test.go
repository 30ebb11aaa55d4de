package strictjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

type side struct {
	Symbol string `json:"symbol"`
	Amount string `json:"amount"`
}

type common struct {
	ID string `json:"id"`
}

type body struct {
	common
	Revision int64             `json:"revision"`
	Side     side              `json:"side"`
	Next     *side             `json:"next"`
	List     []side            `json:"list"`
	Words    map[string]string `json:"words"`
	Raw      json.RawMessage   `json:"raw"`
	hidden   int
}

func TestDecode(t *testing.T) {
	got, err := strictjson.Decode[body]([]byte(` {"id":"x","revision":3,"side":{"symbol":"SUI","amount":"1"},
		"next":null,"list":[{"symbol":"\ud83d\ude00"}],"words":{"any":"thing"},"raw":{"a":[1,{"b":null}]}} `))
	if err != nil {
		t.Fatal(err)
	}
	want := body{common: common{"x"}, Revision: 3, Side: side{"SUI", "1"}, List: []side{{Symbol: "😀"}},
		Words: map[string]string{"any": "thing"}, Raw: json.RawMessage(`{"a":[1,{"b":null}]}`), hidden: 0}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(body{}, common{})); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals(t *testing.T) {
	deep := strings.Repeat("[", strictjson.MaxDepth+1) + strings.Repeat("]", strictjson.MaxDepth+1)
	for _, c := range []struct{ name, in, says string }{
		{"empty", ``, "malformed or cut off"},
		{"cut off", `{"revision":1`, "cut off"},
		{"two values", `{} {}`, "has data after its end"},
		{"trailing garbage", `{}x`, "has data after its end"},
		{"duplicate", `{"revision":1,"revision":2}`, `"revision" appears twice`},
		{"duplicate below", `{"side":{"symbol":"a","symbol":"b"}}`, `"side.symbol" appears twice`},
		{"duplicate in free part", `{"raw":{"a":1,"a":2}}`, `"raw.a" appears twice`},
		{"duplicate by escape", `{"revision":1,"revis\u0069on":2}`, "twice"},
		{"unknown", `{"revisions":1}`, `"revisions" is not known. Known: id, revision,`},
		{"unknown below", `{"list":[{"symbl":"a"}]}`, `"list.symbl" is not known`},
		{"unexported", `{"hidden":1}`, "not known"},
		{"wrong case", `{"Revision":1}`, `"Revision" is not known`},
		{"long s", "{\"li\u017ft\":[]}", "not known"},
		{"kelvin sign", "{\"\u212aey\":1}", "not known"},
		{"NUL suffix", `{"revision\u0000":1}`, "not known"},
		{"null", `{"revision":null}`, `"revision" is null`},
		{"null in list", `{"list":[null]}`, `"list" is null`},
		{"wrong type", `{"revision":"3"}`, `"revision" has the wrong type: it is a JSON string.`},
		{"fraction for integer", `{"revision":1.5}`, `"revision" has the wrong type`},
		{"not an object", `[]`, "wrong type"},
		{"deep", `{"raw":` + deep + `}`, "nests deeper than 32"},
		{"bad UTF-8", "{\"id\":\"\xff\"}", "UTF-8"},
		{"byte order mark", "\ufeff{}", "malformed"},
		{"high surrogate alone", `{"id":"\ud83d"}`, "surrogate"},
		{"low surrogate alone", `{"id":"\ude00"}`, "surrogate"},
		{"surrogates reversed", `{"id":"\ude00\ud83d"}`, "surrogate"},
		{"high surrogate then text", `{"id":"\ud83d\u0041"}`, "surrogate"},
		{"raw control character", "{\"id\":\"a\nb\"}", "malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := strictjson.Decode[body]([]byte(c.in))
			if !fault.Is(err, fault.InputInvalid) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %+v, %v; want input_invalid with %q", got, err, c.says)
			}
			if err != nil && strings.Contains(err.Error(), "strictjson") {
				t.Errorf("the sentence shows a Go type: %v", err)
			}
		})
	}
}

func TestEscapedBackslashIsNoSurrogate(t *testing.T) {
	if err := strictjson.Check([]byte(`{"id":"\\ud83d"}`)); err != nil {
		t.Error(err)
	}
}

// FuzzDecode: accepted input decodes to the same value as with the standard decoder, and its
// encoding is accepted again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"x","revision":3,"side":{"symbol":"SUI","amount":"1"},"raw":[1,{"a":"\ud83d\ude00"}]}`))
	f.Add([]byte(`{"revision":1,"revision":2}`))
	f.Add([]byte(`{"id":"\ud83d"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := strictjson.Decode[body](data)
		if err != nil {
			return
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := strictjson.Check(again); err != nil && !bytes.Contains(again, []byte("null")) {
			t.Fatalf("%s was accepted, its own spelling %s is not: %v", data, again, err)
		}
		w, err := strictjson.Decode[body](again)
		if err != nil {
			t.Fatalf("%s was accepted, its own spelling %s is not: %v", data, again, err)
		}
		if diff := cmp.Diff(v.Side, w.Side); diff != "" {
			t.Fatal(diff)
		}
	})
}
