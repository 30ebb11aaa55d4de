package plan_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// TestOwn: fields that adapters declare are members of an intent in JSON, inside steps too, and an
// adapter without such a field refuses it.
func TestOwn(t *testing.T) {
	stake := plan.Intent{Type: "stake", From: plan.IntentSource{Symbol: "SUI", Amount: "1"},
		Own: plan.Own{"validator": "0x1", "a<b": "é"}}
	for _, in := range []plan.Intent{stake, {Type: "swap"},
		{Type: plan.Bundle, Steps: []plan.Intent{stake, {Type: "x"}}}} {
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := strictjson.Decode[plan.Intent](text)
		if err != nil || !reflect.DeepEqual(out, in) {
			t.Errorf("%s: %+v, %v", text, out, err)
		}
	}
	text, _ := json.Marshal(stake)
	if want := `"validator":"0x1"`; !strings.Contains(string(text), want) {
		t.Errorf("%s has no member %s", text, want)
	}
	for _, bad := range []string{`{"type":"x","Type":"y"}`, `{"type":"x","other":1}`, `{"type":"x","other":null}`,
		`{"type":"x","a":"1","a":"2"}`, `{"type":"x","from":{"symbol":"SUI","other":"1"}}`, `[]`} {
		in, err := strictjson.Decode[plan.Intent]([]byte(bad))
		if err == nil {
			err = in.Only()
		}
		if err == nil {
			t.Errorf("%s is read as %+v", bad, in)
		}
	}
	if err := stake.Only("from", "validator", "a<b"); err != nil {
		t.Error(err)
	}
	if err := stake.Only("from", "validator"); err == nil {
		t.Error("a field that the adapter does not have is accepted")
	}
}
