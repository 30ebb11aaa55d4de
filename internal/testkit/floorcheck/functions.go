package floorcheck

// Function is a function's real signature: its parameters without the context, and its results. Coin
// and Balance are the framework's.
type Function struct{ Takes, Returns []string }

const (
	pkg     = "0xf95b06141ed4a174f239417323bde3f209b972f5930d8521ea38a52aff3a6ddf::"
	ctoken  = "Coin<" + pkg + "reserve::CToken<$0,$1>>"
	system  = "&mut SuiSystemState"
	market  = "&mut lending_market::LendingMarket<$0>"
	staked  = "StakedSui"
	clock   = "&Clock"
	version = "&version::Version"
)

// Functions lists the functions in the test vectors, by module and name.
var Functions = map[string]Function{
	"sui_system::request_add_stake": {[]string{system, "Coin<" + suiCoin + ">", "address"}, nil},
	"sui_system::request_add_stake_non_entry": {[]string{system, "Coin<" + suiCoin + ">", "address"},
		[]string{staked}},
	"sui_system::request_withdraw_stake":           {[]string{system, staked}, nil},
	"sui_system::request_withdraw_stake_non_entry": {[]string{system, staked}, []string{"Balance<" + suiCoin + ">"}},
	"sui_system::request_add_stake_mul_coin": {[]string{system, "vector<Coin<" + suiCoin + ">>", "Option<u64>",
		"address"}, nil},
	"staking_pool::split":           {[]string{"&mut " + staked, "u64"}, []string{staked}},
	"staking_pool::join_staked_sui": {[]string{"&mut " + staked, staked}, nil},
	"router::swap": {[]string{"&config::GlobalConfig", "&mut pool::Pool<$0,$1>", "Coin<$0>", "Coin<$1>", "bool", "bool",
		"u64", "u128", "bool", clock},
		[]string{"Coin<$0>", "Coin<$1>"}},
	"router::check_coin_threshold": {[]string{"&Coin<$0>", "u64"}, nil},
	"pool_script_v2::swap_a2b": {[]string{"&config::GlobalConfig", "&mut pool::Pool<$0,$1>", "Coin<$0>", "Coin<$1>",
		"bool", "u64", "u64", "u128", clock}, nil},
	"pool_script_v2::swap_b2a": {[]string{"&config::GlobalConfig", "&mut pool::Pool<$0,$1>", "Coin<$0>", "Coin<$1>",
		"bool", "u64", "u64", "u128", clock}, nil},
	"router::new_swap_context_v3": {[]string{"String", "u64", "u64", "u64", "u64", "Coin<$0>", "u32", "address"},
		[]string{"router::SwapContext"}},
	"router::confirm_swap_v3": {[]string{"router::SwapContext"}, []string{"Coin<$0>"}},
	"trade::flash_swap": {[]string{"&mut pool::Pool<$0,$1>", "bool", "bool", "u64", "u128", clock, version},
		[]string{"Balance<$0>", "Balance<$1>", "trade::FlashSwapReceipt"}},
	"trade::swap_receipt_debts": {[]string{"&trade::FlashSwapReceipt"},
		[]string{"u64", "u64"}},
	"trade::repay_flash_swap": {[]string{"&mut pool::Pool<$0,$1>", "trade::FlashSwapReceipt",
		"Balance<$0>", "Balance<$1>", version}, nil},
	"slippage_check::assert_slippage": {[]string{"&mut pool::Pool<$0,$1>", "u128", "bool"}, nil},
	"liquid_staking::mint": {[]string{"&mut liquid_staking::LiquidStakingInfo<$0>",
		system, "Coin<" + suiCoin + ">"}, []string{"Coin<$0>"}},
	"liquid_staking::redeem": {[]string{"&mut liquid_staking::LiquidStakingInfo<$0>",
		"Coin<$0>", system}, []string{"Coin<" + suiCoin + ">"}},
	"weight::rebalance": {[]string{"&mut weight::WeightHook<$0>", system,
		"&mut liquid_staking::LiquidStakingInfo<$0>"}, nil},
	"lending_market::deposit_liquidity_and_mint_ctokens": {[]string{market, "u64", clock, "Coin<$1>"},
		[]string{ctoken}},
	"lending_market::create_obligation": {[]string{market},
		[]string{"lending_market::ObligationOwnerCap<$0>"}},
	"lending_market::deposit_ctokens_into_obligation": {[]string{market, "u64",
		"&lending_market::ObligationOwnerCap<$0>", clock, ctoken}, nil},
	"lending_market::rebalance_staker": {[]string{market, "u64", system}, nil},
	"storage::get_user_assets":         {[]string{"&storage::Storage", "address"}, []string{"vector<u8>", "vector<u8>"}},
	"lending_market::withdraw_ctokens": {[]string{market, "u64",
		"&lending_market::ObligationOwnerCap<$0>", clock, "u64"}, []string{ctoken}},
	"lending_market::redeem_ctokens_and_withdraw_liquidity_request": {
		[]string{market, "u64", clock, ctoken, "Option<lending_market::RateLimiterExemption<$0,$1>>"},
		[]string{"lending_market::LiquidityRequest<$0,$1>"}},
	"lending_market::unstake_sui_from_staker": {[]string{market, "u64",
		"&lending_market::LiquidityRequest<$0," + suiCoin + ">", system}, nil},
	"lending_market::fulfill_liquidity_request": {[]string{market, "u64", "lending_market::LiquidityRequest<$0,$1>"},
		[]string{"Coin<$1>"}},
	"incentive_v3::entry_deposit": {[]string{clock, "&mut storage::Storage", "&mut pool::Pool<$0>", "u8",
		"Coin<$0>", "u64", "&mut incentive_v2::Incentive", "&mut incentive_v3::Incentive"}, nil},
	"incentive_v3::withdraw_v2": {[]string{clock, "&oracle::PriceOracle", "&mut storage::Storage",
		"&mut pool::Pool<$0>", "u8", "u64", "&mut incentive_v2::Incentive", "&mut incentive_v3::Incentive", system},
		[]string{"Balance<$0>"}},
	"incentive_v3::entry_withdraw_v2": {[]string{clock, "&oracle::PriceOracle", "&mut storage::Storage",
		"&mut pool::Pool<$0>", "u8", "u64", "&mut incentive_v2::Incentive", "&mut incentive_v3::Incentive", system}, nil},
	"pool::refresh_stake": {[]string{"&mut pool::Pool<" + suiCoin + ">", system}, nil},
}

// TypeParameters counts type parameters of functions that have more than their signature mentions.
var TypeParameters = map[string]int{"router::new_swap_context_v3": 2}
