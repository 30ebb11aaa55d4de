package registry

import "github.com/sayurintent/sayurintent/internal/sui"

// Ids of DeepBook's trading accounts, which exist in addition to balance managers, and of the sessions
// that act for them: the registry of accounts, and the original ids of both packages.
var (
	AccountRegistry = sui.MustAddress("0x210ba485d973b5356e9078318837137efabdd5ffb9eeb3705ba7eef3340324fc")
	AccountPackage  = sui.MustAddress("0xa6f1b22aaeb429f6fd8f01c13f605256e00876457fd122da8a0e2c1045c75929")
	SessionsPackage = sui.MustAddress("0xebfa125baee571c1f8c903c1dd54a5bc57949db82469b836c32eca251756c82a")
)
