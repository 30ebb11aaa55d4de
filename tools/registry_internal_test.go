package tools

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestBrokenRegistry(t *testing.T) {
	broken := func() error { return fault.New(fault.InternalError, "A scalar is not a power of ten.") }
	t.Run("R004-63 without sound scalars nothing is listed", func(t *testing.T) {
		if out, err := pinnedTokens("sui:mainnet", broken); !fault.Is(err, fault.InternalError) || len(out.Tokens) > 0 {
			t.Errorf("%d tokens, %v", len(out.Tokens), err)
		}
		if out, err := pinnedPools("sui:mainnet", broken); !fault.Is(err, fault.InternalError) || len(out.Pools) > 0 {
			t.Errorf("%d pools, %v", len(out.Pools), err)
		}
	})
}
