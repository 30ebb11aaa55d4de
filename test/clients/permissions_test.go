//go:build clients

package clients_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestPermissions lets the official client grant and end permissions on the sandbox.
func TestPermissions(t *testing.T) {
	usdc, _ := coins.BySymbol("USDC")
	s, url := serve(t)
	manager, err := s.OpenManager(sandbox.Manager{Owner: sandbox.Account})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Granted, Revoked, Minted, Dropped string
		Listed, Deleted                   int
		Allowance, Cap                    string
	}
	node(t, &got, nil, "permissions.mjs", url, "binary", string(usdc.Type), sandbox.Spender.String(),
		fmt.Sprint(s.Now().Add(time.Hour).UnixMilli()), manager.String(), registry.Packages()[0].ID.String())
	for what, status := range map[string]string{"grant": got.Granted, "revoke": got.Revoked, "mint": got.Minted,
		"revoke the cap": got.Dropped} {
		if status != "success" {
			t.Errorf("%s: %s", what, status)
		}
	}
	if got.Listed != 1 || got.Deleted != 2 {
		t.Fatalf("%+v", got)
	}
	if s.Object(sui.MustAddress(got.Allowance)) != nil {
		t.Error("the allowance is still there")
	}
	id := sui.MustAddress(got.Cap)
	if held := s.Object(id); held == nil || held.Owner.Address != sandbox.Spender ||
		bytes.Contains(s.Object(manager).Contents, id[:]) {
		t.Errorf("the cap: %+v", held)
	}
}
