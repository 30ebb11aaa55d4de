package coins_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestGasless: the chain lists seven coins for payments without gas.
func TestGasless(t *testing.T) {
	list := coins.GaslessTypes()
	if len(list) != 7 {
		t.Errorf("%d coins: %v", len(list), list)
	}
	for _, coin := range list {
		parsed, err := sui.ParseCoinType(string(coin))
		if err != nil || parsed != coin || !coins.Gasless(coin) {
			t.Errorf("%s: %s, %v", coin, parsed, err)
		}
	}
	for _, coin := range []sui.CoinType{sui.SUI, "", "0x2::fdusd::FDUSD"} {
		if coins.Gasless(coin) {
			t.Errorf("%s is listed", coin)
		}
	}
}
