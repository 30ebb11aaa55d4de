package registry

import "github.com/sayurintent/sayurintent/internal/sui"

// Provenance of this file: packages, registry and versioned objects, fee rates and tick spacings are
// the mainnet constants of npm @flowx-finance/sdk 2.1.0 and of FlowX's Move contracts. Initial shared
// versions come from mainnet checkpoints. Pool ids were read from the chain on 2026-06-12. `make
// verify-pins` compares all of it with a node and fails at any difference.

// OriginalPackage is the first published package. Every Move type of FlowX's CLMM names it, whichever
// package is called.
var OriginalPackage = sui.MustAddress("0x25929e7f29e0a30eb4e692952ba1b5b65a3a4d65ab5f2a32e1ba3edcb587f26d")

// Package is the package to call; PackageVersion is its version on chain. Only the newest package
// works, because every entry function compares its version with the Versioned object.
var Package = sui.MustAddress("0xde2c47eb0da8c74e4d0f6a220c41619681221b9c2590518095f0f0c2d3f3c772")

// PackageVersion is the version of Package on chain.
const PackageVersion uint64 = 7

// Object is the shared PoolRegistry, which owns every pool. Its initial shared version is
// ObjectVersion.
var Object = sui.MustAddress("0x27565d24a4cd51127ac90e4074a841bbe356cca7bf5759ddc14a975be1632abc")

// ObjectVersion is the initial shared version of Object.
const ObjectVersion uint64 = 101644053

// Versioned is the shared object that determines which package may be called. Its initial shared
// version is VersionedVersion.
var Versioned = sui.MustAddress("0x67624a1533b5aff5d0dfcf5e598684350efd38134d2d245f475524c03a64e656")

// VersionedVersion is the initial shared version of Versioned.
const VersionedVersion uint64 = 101644053

// WrappedRouter is the package through which the aggregator's universal router calls the pools. The
// aggregator's responses name it.
var WrappedRouter = sui.MustAddress("0x1d200e5a0709f84736d1ec06a5e9a961f4fa86f2d43d15e3a0441ae152440ede")

// Fees lists the fee tiers that FlowX enables, with the tick spacing of each. `make verify-pins` looks
// for a pool of every pair at every tier.
func Fees() map[uint64]uint32 {
	return map[uint64]uint32{0: 1, 10: 1, 100: 2, 500: 10, 1000: 20, 2000: 40, 3000: 60, 10000: 200}
}
