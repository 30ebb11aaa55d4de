package account_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A multisig account is connected only by the members that its address follows from, and is remembered
// with them.
func TestConnectMultiSig(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t)
	m := sui.MultiSig{Threshold: 2}
	for _, n := range []string{"a", "b", "c"} {
		m.Members = append(m.Members, sui.MultiSigMember{Key: []byte("\x00" + strings.Repeat(n, 32)), Weight: 1})
	}
	id := p.reach(t, "opened")
	other := m
	other.Threshold = 3
	if _, err := p.ConnectMultiSig(ctx, id, m.Address(), other); !fault.Is(err, fault.InputInvalid) ||
		fault.As(err).Detail.Get("account") != other.Address().String() {
		t.Fatalf("another threshold: %v", err)
	}
	other.Threshold = 9
	if _, err := p.ConnectMultiSig(ctx, id, other.Address(), other); !fault.Is(err, fault.InputInvalid) {
		t.Fatalf("out of reach: %v", err)
	}
	i, err := p.ConnectMultiSig(ctx, id, m.Address(), m)
	if err != nil || i.Status != account.Connected || *i.Account != m.Address() || i.WalletName != account.MultiSigName {
		t.Fatalf("%+v, %v", i, err)
	}
	if _, err := p.ConnectMultiSig(ctx, id, m.Address(), m); err != nil {
		t.Fatalf("a second time: %v", err)
	}
	read, err := p.MultiSig(ctx, m.Address())
	if err != nil || read == nil || read.Address() != m.Address() {
		t.Fatalf("remembered are %v, %v", read, err)
	}
	active, ok, err := p.Active(ctx)
	if err != nil || !ok || active.Account != m.Address() {
		t.Fatalf("in use is %+v, %v", active, err)
	}
	// A wallet that provides the same address signs for it alone.
	p.connect(t, m.Address().String(), "Slush")
	if read, err := p.MultiSig(ctx, m.Address()); err != nil || read != nil {
		t.Errorf("after a wallet gave it: %v, %v", read, err)
	}
}
