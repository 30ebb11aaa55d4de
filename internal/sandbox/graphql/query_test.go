package graphql

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
)

// FuzzGraphQuestion reads anything without harm, and answers what it reads with
// JSON.
func FuzzGraphQuestion(f *testing.F) {
	for _, seed := range []string{
		`{chainIdentifier}`, `query Q($a:Int!$b:String){a:transactions(last:$a,before:$b){nodes{digest,... on X{y}}}}`, `{a(b:"c",d:-1.5e3,e:true){f}}`,
		`query($a:[Int!]!=1 $b:Boolean=true){...F@include(if:$b)} fragment F on Query{chainIdentifier @skip(if:false) ...F}`,
		`query`, `query(`, `{a(`, `{a(b:`, `{a(b:$`, `{...`, `{... on`, `{a:}`, "{a(b:\"\\u0041\")}", "\ufeff{a}",
	} {
		f.Add(seed)
	}
	s := view{faults: &faults.Set{}}
	f.Fuzz(func(t *testing.T, query string) {
		fields, err := parse(query, map[string]json.RawMessage{"a": json.RawMessage("1")})
		if err != nil {
			return
		}
		var out bytes.Buffer
		root := typed("Query", map[string]field{"chainIdentifier": fixed(text("x")), "transactions": s.transactions, "serviceConfig": fixed(typed("S", nil))})
		if root.write(&out, fields) == nil && !json.Valid(out.Bytes()) {
			t.Errorf("%q gives %s", query, out.String())
		}
	})
}
