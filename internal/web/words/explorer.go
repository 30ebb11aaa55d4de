package words

import "github.com/sayurintent/sayurintent/internal/sui"

// explorerAddress is the explorer that pages link to. Pages send no request to it.
const explorerAddress = "https://suivision.xyz/"

// mainnet is the only network with an explorer.
const mainnet = "sui:mainnet"

// Explorer returns the address of a transaction's page in the explorer, or "" on other networks.
func Explorer(network, digest string) string {
	if _, err := sui.ParseDigest(digest); err != nil || network != mainnet {
		return ""
	}
	return explorerAddress + "txblock/" + digest
}

// ExplorerObject returns the address of an object's page in the explorer, or "" on other networks.
func ExplorerObject(network string, id sui.ObjectID) string {
	if network != mainnet {
		return ""
	}
	return explorerAddress + "object/" + id.String()
}
