// Package swap prepares a swap on one DeepBook pool for review. It reads an intent against the pinned
// registry, requests a quote from the pool, derives the guaranteed minimum, and returns the transaction
// kind and the coin that it needs.
//
// It chooses no coins, pays no gas, simulates nothing and signs nothing: the platform does. Its
// [Adapter.Read] decodes a built transaction without knowing how it was built, and rejects every shape
// that it does not declare.
package swap
