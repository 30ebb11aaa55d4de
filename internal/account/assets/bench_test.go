package assets_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// BenchmarkWalletOf200 reads a wallet of 200 coin types: cold with nothing known
// of any coin, warm with all of it in the cache.
func BenchmarkWalletOf200(b *testing.B) {
	p := build(b)
	for i := range 200 {
		c := coin(fmt.Sprint("C", i))
		p.Sandbox.Describe(sui.Metadata{Type: c, Decimals: 6, Symbol: fmt.Sprint("C", i), Name: fmt.Sprint("Coin ", i)})
		p.Sandbox.Hold(owner, c, uint64(i+1), 0)
	}
	read := func() {
		page, err := p.Holdings(context.Background(), owner, "", assets.MostHoldings)
		if err != nil || len(page.Holdings) != 200 || page.Holdings[0].Unit.Status != assets.UnitAvailable {
			b.Fatalf("%d holdings, %v", len(page.Holdings), err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for range b.N {
			p.Clock.Advance(assets.MetadataLife + time.Second)
			read()
		}
	})
	b.Run("warm", func(b *testing.B) {
		read()
		b.ResetTimer()
		for range b.N {
			read()
		}
	})
}
