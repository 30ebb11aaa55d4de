//go:build shared

package rpc_test

import (
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// officialSchema reads the schema only once, because it has 4,841 lines.
var officialSchema = sync.OnceValues(func() (*ast.Schema, error) {
	b, err := os.ReadFile("../../../../shared/data/sui-graphql-schema.graphql")
	if err != nil {
		return nil, err
	}
	return gqlparser.LoadSchema(&ast.Source{Name: "schema", Input: string(b)})
})

// checkQuery validates a query and its variables against the official schema.
func checkQuery(t testing.TB) func(string, []byte) error {
	t.Helper()
	schema, err := officialSchema()
	if err != nil {
		t.Fatal(err)
	}
	return func(query string, variables []byte) error {
		doc, problems := gqlparser.LoadQueryWithRules(schema, query, rules.NewDefaultRules())
		if len(problems) > 0 {
			return problems
		}
		var values map[string]any
		if err := json.Unmarshal(variables, &values); err != nil {
			return err
		}
		_, err := validator.VariableValues(schema, doc.Operations[0], values)
		return err
	}
}
