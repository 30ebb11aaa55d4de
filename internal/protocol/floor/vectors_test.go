package floor

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

type amountIn struct {
	Coin  string  `json:"coin"`
	Most  sui.Raw `json:"most"`
	Least sui.Raw `json:"least"`
	By    string  `json:"by"`
}

type vector struct {
	Name    string `json:"name"`
	Form    string `json:"form"`
	Stated  string `json:"stated"`
	Refuse  string `json:"refuse"`
	Data    string `json:"transactionData"`
	Digest  string `json:"digest"`
	Expects struct {
		Calls []struct {
			Command  int    `json:"command"`
			Package  string `json:"package"`
			Function string `json:"function"`
			Args     []struct {
				Kind  string `json:"kind"`
				Value string `json:"value"`
				From  string `json:"from"`
			} `json:"arguments"`
		} `json:"calls"`
		Leaves    []amountIn `json:"leaves_at_most"`
		Exactly   bool       `json:"leaves_exactly"`
		Back      []amountIn `json:"comes_back_at_least"`
		Unbounded []amountIn `json:"comes_back_unbounded"`
		Owned     []string   `json:"owned_objects"`
		Objects   struct {
			In   []string `json:"in"`
			Out  []string `json:"out"`
			Uses []string `json:"uses"`
		} `json:"objects"`
		Floor *struct {
			Command int     `json:"command"`
			Result  int     `json:"result"`
			Least   sui.Raw `json:"least"`
		} `json:"floor"`
	} `json:"expect"`
}

type vectors struct {
	Valid   []vector `json:"valid"`
	Hostile []vector `json:"hostile"`
	Owned   []struct {
		ID      sui.ObjectID `json:"id"`
		Balance sui.Raw      `json:"balance"`
	} `json:"owned_objects"`
}

func loadVectors(t testing.TB) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/protocols.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Valid) != 33 || len(v.Hostile) != 67 {
		t.Fatalf("%d valid and %d hostile vectors", len(v.Valid), len(v.Hostile))
	}
	return v
}

func (v vector) decode(t testing.TB) *sui.Transaction {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(v.Data)
	if err != nil {
		t.Fatal(err)
	}
	if got := sui.TransactionDigest(raw).String(); got != v.Digest {
		t.Fatalf("digest %s, not %s", got, v.Digest)
	}
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

func catalog(t testing.TB) *Catalog {
	t.Helper()
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestValidVectors(t *testing.T) {
	all, c := loadVectors(t), catalog(t)
	balance := map[sui.ObjectID]sui.Raw{}
	for _, o := range all.Owned {
		balance[o.ID] = o.Balance
	}
	for _, v := range all.Valid {
		t.Run(v.Name, func(t *testing.T) {
			r, err := c.Read(v.decode(t))
			if err != nil {
				t.Fatal(err)
			}
			expectLeaves(t, v, r, balance)
			expectFloor(t, v, r)
			expectObjects(t, v, r)
		})
	}
}

func expectLeaves(t *testing.T, v vector, r *Reading, balance map[sui.ObjectID]sui.Raw) {
	t.Helper()
	if len(r.Leaves) != len(v.Expects.Leaves) {
		t.Fatalf("leaves %v, not %v", r.Leaves, v.Expects.Leaves)
	}
	for i, want := range v.Expects.Leaves {
		got := r.Leaves[i]
		for _, whole := range got.Whole {
			got.Most += balance[whole.ID]
		}
		if string(got.Coin) != want.Coin || got.Most != want.Most {
			t.Errorf("leaves %s %s, not %s %s", got.Most, got.Coin, want.Most, want.Coin)
		}
		if v.Expects.Exactly && !got.Exact {
			t.Errorf("not exact")
		}
	}
	pays := func(a amountIn) bool {
		return slices.ContainsFunc(v.Expects.Leaves, func(l amountIn) bool { return l.Coin == a.Coin })
	}
	for _, back := range v.Expects.Unbounded {
		returned := slices.ContainsFunc(v.Expects.Calls, func(c struct {
			Command  int    `json:"command"`
			Package  string `json:"package"`
			Function string `json:"function"`
			Args     []struct {
				Kind  string `json:"kind"`
				Value string `json:"value"`
				From  string `json:"from"`
			} `json:"arguments"`
		}) bool {
			return strings.Contains(c.Function, "entry") || strings.Contains(c.Function, "pool_script")
		})
		if back.Coin != "" && !pays(back) && !returned && !slices.Contains(r.Warnings, NoMinimum) {
			t.Errorf("%s has no bound, and nobody is warned: %v", back.Coin, r.Warnings)
		}
	}
}

// expectFloor compares the guaranteed minimum.
func expectFloor(t *testing.T, v vector, r *Reading) {
	t.Helper()
	floors := r.Floors()
	if (v.Form == "floor") == slices.Contains(r.Warnings, NoMinimum) && !strings.HasPrefix(v.Name, "stake") {
		t.Errorf("form %s, warnings %v", v.Form, r.Warnings)
	}
	if v.Expects.Floor == nil {
		if len(floors) > 0 {
			t.Errorf("a floor that is not there: %v", floors)
		}
		for _, want := range v.Expects.Back {
			if r.Bound == nil || string(r.Bound.Coin) != want.Coin || r.Bound.Least != want.Least {
				t.Errorf("claims %v, not %v", r.Bound, want)
			}
		}
		return
	}
	want := v.Expects.Back[0]
	if len(floors) != 1 || string(floors[0].Coin) != want.Coin || floors[0].Least != want.Least {
		t.Fatalf("floors %v, not %v", floors, want)
	}
	if floors[0].Command != v.Expects.Floor.Command && !strings.Contains(v.Name, "stake") {
		// A separate command converts a balance to a coin, and the vector names that command.
		if floors[0].Split != v.Expects.Floor.Command+1 && floors[0].Split != v.Expects.Floor.Command+2 {
			t.Errorf("floor of command %d, not %d", floors[0].Command, v.Expects.Floor.Command)
		}
	}
	if _, ok := r.AtFloor(floors[0].Split); !ok {
		t.Errorf("no floor at command %d", floors[0].Split)
	}
}

func expectObjects(t *testing.T, v vector, r *Reading) {
	t.Helper()
	var in, uses []string
	for _, o := range r.Own {
		if o.Ref {
			uses = append(uses, o.ID.String())
		} else {
			in = append(in, o.ID.String())
		}
	}
	if !slices.Equal(in, v.Expects.Objects.In) || !slices.Equal(uses, v.Expects.Objects.Uses) {
		t.Errorf("objects in %v, used %v", in, uses)
	}
	gives := slices.Concat(r.Gives, r.Function.Gives)
	if len(gives) != len(v.Expects.Objects.Out) {
		t.Errorf("gives %v, not %v", gives, v.Expects.Objects.Out)
	}
	for i, c := range v.Expects.Calls {
		if c.Package == "framework" || c.Package == "std" {
			continue
		}
		if !slices.ContainsFunc(r.Calls, func(g Call) bool { return g.Command == c.Command && g.Fn == c.Function }) {
			t.Errorf("call %d, %s, is not read", i, c.Function)
		}
	}
}

// differs stands for a reading that differs from the stated one. Read accepts such a vector; the test in
// internal/protocol/floored proves that no action does.
const differs Reason = "differs"

// terms returns what a reading says about a use, in a form that can be compared.
func terms(t testing.TB, r *Reading) string {
	t.Helper()
	var parts []any
	for _, c := range r.Calls {
		parts = append(parts, c.Package, c.Fn)
	}
	for _, l := range r.Leaves {
		parts = append(parts, l.Coin, l.Most, l.Whole)
	}
	for _, a := range r.Floors() {
		parts = append(parts, a.Coin, a.Least)
	}
	types := map[string]string{}
	for name, tag := range r.Types {
		types[name] = tag.String()
	}
	text, err := json.Marshal(append(parts, r.Function.ID, r.Account, types, r.Shared, r.Named, r.Values, r.Own, r.Gives))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reasonsOf lists alternative reasons for which a hostile vector may be refused.
var reasonsOf = map[string][]Reason{
	"floor missing":                      {differs},
	"floor one unit lower":               {differs},
	"floor a tenth":                      {differs},
	"floor zero":                         {FloorZero},
	"floor measures itself":              {ExtraCall},
	"floor on the gas coin":              {OwnAfter},
	"merged into another coin first":     {MergedAway},
	"own coin added before the floor":    {OwnAfter},
	"merged and left":                    {MergedAway},
	"part of the floor goes elsewhere":   {FloorNotBack},
	"only the least comes":               {FloorNotBack},
	"floor in two halves":                {FloorParts},
	"recipient other":                    {NotHome},
	"taken after the floor":              {FloorAgain},
	"result into a foreign call":         {ExtraCall},
	"extra command: another object sent": {OwnObject},
	"extra call":                         {ExtraCall},
	"extra payment from gas":             {OwnAfter},
	"foreign package":                    {OtherPackage},
	"foreign router":                     {OtherPackage},
	"old package of the lineage":         {OtherPackage},
	"wrong type argument":                {OtherTypes, differs},
	"type arguments exchanged":           {OtherTypes},
	"fee recipient inside":               {differs},
	"fee recipient other":                {differs},
	"slippage nearly all":                {differs},
	"quoted out lower":                   {differs},
	"sender authority":                   {Authority},
	"balance taken out of the context":   {OtherCall},
	"more is paid":                       {differs},
	"another pool":                       {differs},
	"rest goes elsewhere":                {NotHome},
	"more is split than stated":          {differs},
	"whole coin passed in":               {WholeCoin, ResultAmount},
	"result unused":                      {Unused},
	"new cap goes elsewhere":             {NotHome},
	"a borrow inside":                    {OtherCall},
	"supply for somebody else":           {OtherCall},
	"another asset":                      {differs},
	"stake goes elsewhere":               {NotHome},
	"two stakes":                         {ExtraCall},
	"whole stake, entry function":        {differs},
	"config may be changed":              {OtherShared},
	"gas owner other":                    {GasOwner},
}

func TestHostileVectors(t *testing.T) {
	all, c := loadVectors(t), catalog(t)
	stated := map[string]*Reading{}
	for _, v := range all.Valid {
		r, err := c.Read(v.decode(t))
		if err != nil {
			t.Fatal(v.Name, err)
		}
		stated[v.Name] = r
	}
	for _, v := range all.Hostile {
		t.Run(v.Name, func(t *testing.T) {
			r, err := c.Read(v.decode(t))
			reason := reasonOf(err)
			if err == nil && terms(t, r) != terms(t, stated[v.Stated]) {
				reason = differs
			}
			if !slices.Contains(reasonsOf[v.Refuse], reason) {
				t.Errorf("%s: refused for %q: %v", v.Refuse, reason, err)
			}
		})
	}
}
