//go:build clients

package clients_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// TestPast lets the official GraphQL client read what was sent, and compares it
// with the official gRPC client and with the program's own.
func TestPast(t *testing.T) {
	s, url := serve(t)
	var got struct {
		Sent, First, Rest, Newest []sui.Digest
		More                      []bool
		Chain                     string
		One, Grpc                 map[string]json.RawMessage
		Missing                   *problem
	}
	node(t, &got, nil, "past.mjs", url)
	if len(got.Sent) != 3 {
		t.Fatalf("%+v", got)
	}
	if d := cmp.Diff(got.Sent, append(got.First, got.Rest...)); d != "" || !cmp.Equal(got.More, []bool{true, false}) {
		t.Errorf("%v %s", got.More, d)
	}
	if d := cmp.Diff(got.Sent[2:], got.Newest); d != "" {
		t.Error(d)
	}
	if got.Chain != s.Chain().String() || got.Missing == nil {
		t.Errorf("chain %s, missing %+v", got.Chain, got.Missing)
	}
	for part, want := range got.Grpc {
		if string(got.One[part]) != string(want) {
			t.Errorf("%s: %.300s over GraphQL, %.300s over gRPC", part, got.One[part], want)
		}
	}
	h, err := rpc.NewHistory(rpc.Config{URL: url + "/graphql", Now: func() time.Time { return present }})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	account := sandbox.Account
	page, err := h.Transactions(context.Background(), sui.PastQuery{Sent: &account, Most: 10})
	if err != nil || len(page.Transactions) != 3 {
		t.Fatalf("%+v %v", page, err)
	}
	for i, p := range page.Transactions {
		if p.Digest != got.Sent[2-i] || p.Status != sui.PastSuccess {
			t.Errorf("%d: %+v", i, p)
		}
	}
}
