package book

import "strings"

// Kind is a family of chains whose addresses have the same form.
type Kind string

// The kinds, as spelled in the specification.
const (
	EVM       Kind = "evm"
	UTXO      Kind = "utxo"
	Cosmos    Kind = "cosmos"
	Sui       Kind = "sui"
	Solana    Kind = "solana"
	Polkadot  Kind = "polkadot"
	Ton       Kind = "ton"
	Ripple    Kind = "ripple"
	Tron      Kind = "tron"
	Cardano   Kind = "cardano"
	Bittensor Kind = "bittensor"
)

// Chain is one value of the chain enum in the specification.
type Chain struct {
	Name   string // name on the wire, such as "THORChain"
	Kind   Kind
	Ticker string // symbol of the coin that pays fees
	form   form
}

// SuiChain is the name of the only chain for which this program builds transactions.
const SuiChain = "Sui"

// chains lists the 36 names in the original specification and those added later, sorted by family.
// They are spelled as in the wallet that introduced them.
var chains = []Chain{
	{"Arbitrum", EVM, "ETH", evm}, {"Avalanche", EVM, "AVAX", evm}, {"Base", EVM, "ETH", evm},
	{"CronosChain", EVM, "CRO", evm}, {"BSC", EVM, "BNB", evm}, {"Blast", EVM, "ETH", evm},
	{"Ethereum", EVM, "ETH", evm}, {"Optimism", EVM, "ETH", evm}, {"Polygon", EVM, "POL", evm},
	{"Zksync", EVM, "ETH", evm}, {"Mantle", EVM, "MNT", evm}, {"Hyperliquid", EVM, "HYPE", evm},
	{"Sei", EVM, "SEI", evm},
	{"Bitcoin", UTXO, "BTC", either(base58Of(checked, 25), bech32("bc"))},
	{"Bitcoin-Cash", UTXO, "BCH", either(base58Of(checked, 25), shaped(`^(bitcoincash:)?[qp][02-9ac-hj-np-z]{41}$`))},
	{"Litecoin", UTXO, "LTC", either(base58Of(checked, 25), bech32("ltc"))},
	{"Dogecoin", UTXO, "DOGE", base58Of(checked, 25)},
	{"Dash", UTXO, "DASH", base58Of(checked, 25)},
	{"Zcash", UTXO, "ZEC", either(base58Of(checked, 26), shaped(`^(zs1|u1)[02-9ac-hj-np-z]{60,300}$`))},
	{"THORChain", Cosmos, "RUNE", bech32("thor")}, {"MayaChain", Cosmos, "CACAO", bech32("maya")},
	{"Cosmos", Cosmos, "ATOM", bech32("cosmos")}, {"Osmosis", Cosmos, "OSMO", bech32("osmo")},
	{"Dydx", Cosmos, "DYDX", bech32("dydx")}, {"Kujira", Cosmos, "KUJI", bech32("kujira")},
	{"Terra", Cosmos, "LUNA", bech32("terra")}, {"TerraClassic", Cosmos, "LUNC", bech32("terra")},
	{"Noble", Cosmos, "USDC", bech32("noble")}, {"Akash", Cosmos, "AKT", bech32("akash")},
	{SuiChain, Sui, "SUI", suiForm},
	{"Solana", Solana, "SOL", base58Of(plain, 32)},
	{"Polkadot", Polkadot, "DOT", base58Of(plain, 35)},
	{"Ton", Ton, "TON", shaped(`^([EUk0]Q[A-Za-z0-9_-]{46}|(0|-1):[0-9a-fA-F]{64})$`)},
	{"Ripple", Ripple, "XRP", shaped(`^r[1-9A-HJ-NP-Za-km-z]{24,34}$`)},
	{"Tron", Tron, "TRX", base58Of(checked, 25)},
	{"Cardano", Cardano, "ADA",
		shaped(`^(addr1[02-9ac-hj-np-z]{53,103}|Ae2[1-9A-HJ-NP-Za-km-z]{50,70}|Ddz[1-9A-HJ-NP-Za-km-z]{90,120})$`)},
	{"Bittensor", Bittensor, "TAO", base58Of(plain, 35)},
}

// Chains lists the chains that entries can belong to.
func Chains() []Chain { return append([]Chain(nil), chains...) }

// FindChain returns the chain with the given name, ignoring case, or false if there is none.
func FindChain(name string) (Chain, bool) {
	for _, c := range chains {
		if strings.EqualFold(c.Name, name) {
			return c, true
		}
	}
	return Chain{}, false
}
