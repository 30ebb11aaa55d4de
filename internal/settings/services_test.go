package settings_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// TestServiceNames checks that the names under which addresses are stored and exported do not
// change.
func TestServiceNames(t *testing.T) {
	want := map[settings.Which][3]string{
		settings.GRPC:    {"grpc", "sui_grpc_url", "suiGrpcUrl"},
		settings.Second:  {"second", "sui_grpc_url_2", "suiGrpcUrl2"},
		settings.Archive: {"archive", "sui_archive_url", "suiArchiveUrl"},
		settings.GraphQL: {"graphql", "sui_graphql_url", "suiGraphqlUrl"},
		settings.Indexer: {"indexer", "deepbook_indexer_url", "deepbookIndexerUrl"},
		settings.Quoter:  {"quoter", "flowx_quoter_url", "flowxQuoterUrl"},
	}
	for w := range settings.Count {
		about := w.Info()
		if got := [3]string{about.Code, about.Key(), about.Member()}; got != want[w] {
			t.Errorf("%d is %q, want %q", w, got, want[w])
		}
		if again, err := settings.ParseWhich(about.Code); err != nil || again != w {
			t.Errorf("%s reads as %d, %v", about.Code, again, err)
		}
		if about.Name == "" || about.Title == "" || !strings.HasSuffix(about.Hint, ".") {
			t.Errorf("%s has no words: %+v", w, about)
		}
	}
}

// TestPositions checks that off and on are false and true in JSON, that further positions are
// numbers, and that a switch accepts only the positions that it declares.
func TestPositions(t *testing.T) {
	for p, want := range []string{"false", "true", "2", "3"} {
		text, err := json.Marshal(settings.Position(p))
		again, wrong := strictjson.Decode[settings.Position](text)
		if string(text) != want || again != settings.Position(p) || err != nil || wrong != nil {
			t.Errorf("%d is %s and read as %d: %v, %v", p, text, again, err, wrong)
		}
	}
	for _, bad := range []string{"0", "1", "256", "-1", `"true"`, "null", "1.5"} {
		if p, err := strictjson.Decode[settings.Position]([]byte(bad)); err == nil {
			t.Errorf("%s is read as %d", bad, p)
		}
	}
	if settings.Material.Known(settings.On) != nil || settings.Material.Known(settings.On+1) == nil {
		t.Error("a position that is not declared is known")
	}
}

func TestStoredInJSON(t *testing.T) {
	var all settings.Stored
	for w := range settings.Count {
		all.Addresses[w] = "https://" + w.Info().Code + ".example"
	}
	all.Switches[settings.Material] = settings.On
	for _, s := range []settings.Stored{{}, all} {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := strictjson.Decode[settings.Stored](text)
		if err != nil || again.Addresses != s.Addresses || again.Switches != s.Switches {
			t.Errorf("%s is %+v, %v", text, again, err)
		}
	}
	t.Run("what versions with two addresses wrote", func(t *testing.T) {
		s, err := strictjson.Decode[settings.Stored]([]byte(`{"suiGrpcUrl":"https://n","suiGraphqlUrl":"https://g","allowance":{}}`))
		if err != nil || s.Addresses != [settings.Count]string{settings.GRPC: "https://n", settings.GraphQL: "https://g"} {
			t.Errorf("%+v, %v", s, err)
		}
	})
	for _, text := range []string{`{"suiGrpcUrl":null,"allowance":{}}`, `{"suiGrpcUrl":1,"allowance":{}}`,
		`{"SuiGrpcUrl":"https://n","allowance":{}}`,
		`{"other":"https://n","allowance":{}}`, `{"allowance":{"other":1}}`,
		`{"suiGrpcUrl":"a","suiGrpcUrl":"b","allowance":{}}`, `[]`} {
		if s, err := strictjson.Decode[settings.Stored]([]byte(text)); err == nil {
			t.Errorf("%s reads as %+v", text, s)
		}
	}
}
