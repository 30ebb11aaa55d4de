package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

func anywhere(netip.Addr) error { return nil }

func TestGraphQLChain(t *testing.T) {
	whole := sui.Digest{0x35, 0x83, 0x4a, 0x8a, 5}.String()
	for _, c := range []struct {
		name, kind, body string
		status           int
		want             string // of the identifier; empty for a fault
		code             fault.Code
	}{
		{"four bytes", "application/json", `{"data":{"chainIdentifier":"35834a8a"}}`, 200, "35834a8a", ""},
		{"whole digest", "application/graphql-response+json; charset=utf-8", `{"data":{"chainIdentifier":"` + whole +
			`"},"extensions":{}}`, 200, whole, ""},
		{"errors", "application/json", `{"data":null,"errors":[{"message":"no"}]}`, 200, "", fault.ProviderMismatch},
		{"page", "text/html", `<html>`, 200, "", fault.ProviderMismatch},
		{"other json", "application/json", `{"chainIdentifier":"35834a8a"}`, 200, "", fault.ProviderMismatch},
		{"no identifier", "application/json", `{"data":{"chainIdentifier":"mainnet"}}`, 200, "", fault.ProviderMismatch},
		{"cut off", "application/json", `{"data":{"chainId`, 200, "", fault.ProviderMismatch},
		{"endless", "application/json", strings.Repeat(" ", 20<<10) + `{"data":{"chainIdentifier":"35834a8a"}}`, 200, "",
			fault.ProviderMismatch},
		{"not found", "application/json", `{}`, 404, "", fault.ProviderMismatch},
		{"redirect", "application/json", ``, 302, "", fault.ProviderMismatch},
		{"down", "application/json", ``, 503, "", fault.ProviderUnavailable},
		{"busy", "application/json", ``, 429, "", fault.ProviderUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s %s", r.Method, r.Header)
				}
				w.Header().Set("Content-Type", c.kind)
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			defer server.Close()
			d, told, err := rpc.GraphQLChain(t.Context(), server.URL+"/graphql", anywhere)
			if asked != 1 || told != c.want || (c.code == "") != (err == nil) || err != nil && !fault.Is(err, c.code) {
				t.Fatalf("%q, %v after %d questions", told, err, asked)
			}
			if err == nil && !strings.HasPrefix(fmt.Sprintf("%x", d[:]), "35834a8a") {
				t.Errorf("%x", d)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		_, _, err := rpc.GraphQLChain(t.Context(), "http://127.0.0.1:1/graphql", anywhere)
		if !fault.Is(err, fault.ProviderUnavailable) {
			t.Error(err)
		}
	})
}

// No kind of request connects to an address that reach refuses.
func TestReach(t *testing.T) {
	connected := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { connected++ }))
	defer server.Close()
	no := fault.New(fault.InputInvalid, "Not there.")
	var judged []netip.Addr
	reach := func(a netip.Addr) error { judged = append(judged, a); return no }
	_, _, err := rpc.GraphQLChain(t.Context(), server.URL, reach)
	if !fault.Is(err, fault.InputInvalid) {
		t.Errorf("GraphQL: %v", err)
	}
	client, err := rpc.New(rpc.Config{URL: server.URL, Now: time.Now, Timeout: 2 * time.Second, Reach: reach})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.ChainIdentifier(t.Context()); err == nil {
		t.Error("gRPC: it was asked")
	}
	if connected != 0 || len(judged) < 2 || !judged[0].IsLoopback() {
		t.Errorf("%d connections, judged %v", connected, judged)
	}
}
