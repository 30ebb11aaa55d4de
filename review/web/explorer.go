package web

import "github.com/sayurintent/sayurintent/internal/sui"

// explorer is the public explorer of mainnet that pages link to by a digest. A page
// asks it nothing: only a person's click opens it.
const explorer = "https://suivision.xyz/txblock/"

// mainnet is the network whose transactions a public explorer knows.
const mainnet = "sui:mainnet"

// explorerOf returns the address of a transaction at the explorer, "" where none
// knows it.
func explorerOf(network, digest string) string {
	if _, err := sui.ParseDigest(digest); err != nil || network != mainnet {
		return ""
	}
	return explorer + digest
}
