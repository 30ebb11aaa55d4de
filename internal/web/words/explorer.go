package words

import "github.com/sayurintent/sayurintent/internal/sui"

// explorerAddress is the explorer that pages link to. Pages send no request to it.
const explorerAddress = "https://suivision.xyz/txblock/"

// mainnet is the only network with an explorer.
const mainnet = "sui:mainnet"

// Explorer returns the explorer's address of a transaction, or "" on other networks.
func Explorer(network, digest string) string {
	if _, err := sui.ParseDigest(digest); err != nil || network != mainnet {
		return ""
	}
	return explorerAddress + digest
}
