package coins

import "github.com/sayurintent/sayurintent/internal/sui"

// Provenance of this file: the mainnet constants of npm @mysten/deepbook-v3 1.4.1. Nothing was read
// from a live chain.

// DEEP is the type of the coin in which DeepBook charges fees.
const DEEP sui.CoinType = "0xdeeb7a4662eec9f2f3def03fb937a663dddaa2e215b8078a284d026b7946c270::deep::DEEP"

// rows has one row per coin: symbol, type, and raw units per whole coin. Symbols are the keys of the
// npm package, not the coins' own names.
var rows = []row{
	{"DEEP", "0xdeeb7a4662eec9f2f3def03fb937a663dddaa2e215b8078a284d026b7946c270::deep::DEEP", 1_000_000},
	{"SUI", "0x0000000000000000000000000000000000000000000000000000000000000002::sui::SUI", 1_000_000_000},
	{"USDC", "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC", 1_000_000},
	{"WAL", "0x356a26eb9e012a68958082340d4c4116e7f55615cf27affcff209cf0ae544f59::wal::WAL", 1_000_000_000},
	{"SUIUSDE", "0x41d587e5336f1c86cad50d38a7136db99333bb9bda91cea4ba69115defeb1402::sui_usde::SUI_USDE", 1_000_000},
	{"XBTC", "0x876a4b7bce8aeaef60464c11f4026903e9afacab79b9b142686158aa86560b50::xbtc::XBTC", 100_000_000},
	{"USDSUI", "0x44f838219cf67b058f3b37907b655f226153c18e33dfcd0da559a844fea9b1c1::usdsui::USDSUI", 1_000_000},
	{"WUSDC", "0x5d4b302506645c37ff133b98c4b50a5ae14841659738d6d733d59d0d217a93bf::coin::COIN", 1_000_000},
	{"WETH", "0xaf8cd5edc19c4512f4259f0bee101a40d41ebed738ade5874359610ef8eeced5::coin::COIN", 100_000_000},
	{"BETH", "0xd0e89b2af5e4910726fbcd8b8dd37bb79b29e5f83f7491bca830e94f7f226d29::eth::ETH", 100_000_000},
	{"WBTC", "0x027792d9fed7f9844eb4839566001bb6f6cb4804f66aa2da6fe1ee242d896881::coin::COIN", 100_000_000},
	{"WUSDT", "0xc060006111016b8a020ad5b33834984a437aaa7d3c74c18e09a95d48aceab08c::coin::COIN", 1_000_000},
	{"NS", "0x5145494a5f5100e645e4b0aa950fa6b68f614e8c59e17bc5ded3495123a79178::ns::NS", 1_000_000},
	{"TYPUS", "0xf82dc05634970553615eef6112a1ac4fb7bf10272bf6cbe0f80ef44a6c489385::typus::TYPUS", 1_000_000_000},
	{"AUSD", "0x2053d08c1e2bd02791056171aab0fd12bd7cd7efad2ab8f6b9c8902f14df2ff2::ausd::AUSD", 1_000_000},
	{"DRF", "0x294de7579d55c110a00a7c4946e09a1b5cbeca2592fbb83fd7bfacba3cfeaf0e::drf::DRF", 1_000_000},
	{"SEND", "0xb45fcfcc2cc07ce0702cc2d229621e046c906ef14d9b25e8e4d25f6e8763fef7::send::SEND", 1_000_000},
	{"IKA", "0x7262fb2f7a3a14c888c438a3cd9b912469a58cf60f367352c46584262e8299aa::ika::IKA", 1_000_000_000},
	{"ALKIMI", "0x1a8f4bc33f8ef7fbc851f156857aa65d397a6a6fd27a7ac2ca717b51f2fd9489::alkimi::ALKIMI", 1_000_000_000},
	{"LZWBTC", "0x0041f9f9344cac094454cd574e333c4fdb132d7bcc9379bcd4aab485b2a63942::wbtc::WBTC", 100_000_000},
	{"USDT", "0x375f70cf2ae4c00bf37117d0c85a2c71545e6ee05c4a5c7d282cd66a4504b068::usdt::USDT", 1_000_000},
}
