package review_test

import (
	"github.com/sayurintent/sayurintent/internal/sui"
)

const usdcType sui.CoinType = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"
