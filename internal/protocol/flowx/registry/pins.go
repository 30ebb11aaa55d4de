package registry

import "github.com/sayurintent/sayurintent/internal/sui"

// Provenance of this file: packages, registry and versioned objects, fee rates
// and tick spacings are the mainnet constants of npm @flowx-finance/sdk 2.1.0 and
// of FlowX's Move contracts; initial shared versions were seen in mainnet
// checkpoints; pool ids were read from the chain on 2026-06-12. `make verify-pins`
// reads all of it again from a node, and stops where anything differs.

// OriginalPackage is the first published package. Every Move type of FlowX's CLMM
// names it, whatever package is called.
var OriginalPackage = sui.MustAddress("0x25929e7f29e0a30eb4e692952ba1b5b65a3a4d65ab5f2a32e1ba3edcb587f26d")

// Package is the package to call; PackageVersion is its version on chain. Only
// the newest one works: every entry compares a constant with the Versioned object.
var Package = sui.MustAddress("0xde2c47eb0da8c74e4d0f6a220c41619681221b9c2590518095f0f0c2d3f3c772")

// PackageVersion is the version of Package on chain.
const PackageVersion uint64 = 7

// Object is the shared PoolRegistry, which owns every pool; its initial shared
// version is ObjectVersion.
var Object = sui.MustAddress("0x27565d24a4cd51127ac90e4074a841bbe356cca7bf5759ddc14a975be1632abc")

// ObjectVersion is the initial shared version of Object.
const ObjectVersion uint64 = 101644053

// Versioned is the shared object that says which package may be called; its
// initial shared version is VersionedVersion.
var Versioned = sui.MustAddress("0x67624a1533b5aff5d0dfcf5e598684350efd38134d2d245f475524c03a64e656")

// VersionedVersion is the initial shared version of Versioned.
const VersionedVersion uint64 = 101644053

// WrappedRouter is the package through which the aggregator's universal router
// reaches the pools. The quoter names it in its answers.
var WrappedRouter = sui.MustAddress("0x1d200e5a0709f84736d1ec06a5e9a961f4fa86f2d43d15e3a0441ae152440ede")

var coinRows = []coinRow{
	{"SUI", "0x0000000000000000000000000000000000000000000000000000000000000002::sui::SUI", 9},
	{"USDC", "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC", 6},
}

// poolRows has one row per pool: X, Y, fee, tick spacing, object, and the dynamic
// field of Object that owns it. A pair is here with every fee tier it has, or not
// at all: other pairs of which single pools are known are left out.
var poolRows = []poolRow{
	{"SUI", "USDC", 10, 1, "0xf143ac1cc2c012e31df55f21a5d9f406adc8f1ac08d014f84475a3b21953dd37",
		"0xb0182bdb0c4931b17c81bc149672de15ba9b1f1ba6d3ee39be061e1dd67c35af"},
	{"SUI", "USDC", 100, 2, "0x9c1cc6fc3c0060b9544dcaba50c9564706a558ef7e089895e86fbca1851c3d43",
		"0x643e0831910e35b4f59fc152fa57f0f1a7631e5455488a995e203629ef54def3"},
	{"SUI", "USDC", 500, 10, "0x6b3791da0ae8b8d94d112c21b682e9f7d49a0b177cddd5b0dd61ca3ff27bc847",
		"0x8d6849527d2e7ac2bc38213c10e0906d7cbf33e96ab5ffdb3a2f20ef1e348bd1"},
	{"SUI", "USDC", 1000, 20, "0xd477e8830f9aa070475149d75f285a4bd0a0386d8ce12f0e88e1c112cda21dfe",
		"0xccd75c52c9f72f3efcb92a0c3c4caadce42d4dee6b4e6b7e80a93fe45f447d27"},
	{"SUI", "USDC", 2000, 40, "0x1aed0146a85e0aa58639bfaca3ae55aa7db119eaeae35d3ec4a90742ebbb3933",
		"0x95cb30e4c04e70e1692690ea509c4ef972d1da28eb35bd02d6a7b8fb0a4c04ba"},
	{"SUI", "USDC", 3000, 60, "0x325239132e2b619147c00052986461cea02815172ea9d000c58e68484f514a90",
		"0xd551438276c1a177bf383c3e9b43a3a3ea248e98a46d75f682bc01febd2183e6"},
	{"SUI", "USDC", 10000, 200, "0x8903db2e9aea9e76d310c52a8745cff1f1d11fe38bc120828bd7280e7497ba8c",
		"0xe34962275a4fff7cb9dcbe8b466096862dc4e78bf9470212b0090f31fbda96e5"},
}
