package graphql

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
)

// FuzzQuery checks that no input panics, and that accepted queries are answered with JSON.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		`{chainIdentifier}`, `query Q($a:Int!$b:String){a:transactions(last:$a,before:$b){nodes{digest,... on X{y}}}}`,
		`{a(b:"c",d:-1.5e3,e:true){f}}`,
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
		root := typed("Query", map[string]field{"chainIdentifier": fixed(text("x")), "transactions": s.transactions,
			"serviceConfig": fixed(typed("S", nil))})
		if root.write(&out, fields) == nil && !json.Valid(out.Bytes()) {
			t.Errorf("%q gives %s", query, out.String())
		}
	})
}

// TestGraphPages walks lists in both directions with any page size: every item appears once, in
// order.
func TestGraphPages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		places := counted(r.IntN(60))
		places = slices.DeleteFunc(places, func(int) bool { return r.IntN(3) == 0 })
		size := 1 + r.IntN(10)
		backward := r.IntN(2) == 0
		var seen []int
		cursor := "null"
		for range 100 {
			args := map[string]json.RawMessage{"first": json.RawMessage(fmt.Sprint(size)), "after": json.RawMessage(cursor)}
			if backward {
				args = map[string]json.RawMessage{"last": json.RawMessage(fmt.Sprint(size)), "before": json.RawMessage(cursor)}
			}
			w, err := pageOf(args, places, 50)
			if err != nil {
				t.Fatal(err)
			}
			shown := w.places[w.from:w.to]
			if len(shown) > size {
				t.Fatalf("%d on a page of %d", len(shown), size)
			}
			if backward {
				seen = append(slices.Clone(shown), seen...)
			} else {
				seen = append(seen, shown...)
			}
			if backward && w.from == 0 || !backward && w.to == len(places) {
				break
			}
			edge := shown[len(shown)-1]
			if backward {
				edge = shown[0]
			}
			cursor = strconv.Quote(cursorOf(edge))
		}
		if d := cmp.Diff(append([]int(nil), places...), append([]int(nil), seen...)); d != "" {
			t.Fatalf("size %d, backward %v: %s", size, backward, d)
		}
	}
}
