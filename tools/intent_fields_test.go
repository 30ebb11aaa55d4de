package tools_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
)

// TestDeclaredFields checks that the fields declared by adapters have unique names and a
// description.
func TestDeclaredFields(t *testing.T) {
	taken := map[string]bool{"recipientEntryId": true}
	for f := range reflect.TypeFor[plan.Intent]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		taken[name] = true
	}
	for _, f := range adapters.Fields() {
		if f.Name == "" || f.About == "" || taken[f.Name] || f.Pattern != "" && f.Rule == "" {
			t.Errorf("%+v", f)
		}
		if _, err := regexp.Compile(f.Pattern); err != nil {
			t.Error(err)
		}
		taken[f.Name] = true
	}
}
