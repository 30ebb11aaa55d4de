// Package swap prepares a swap on one DeepBook pool for review: it reads an
// intent against the pinned registry, asks the pool for a quote, derives the
// guaranteed minimum, and gives the transaction kind and the coin it wants.
//
// It chooses no coins, pays no gas, simulates and signs nothing: those are the
// platform's. Its [Adapter.Read] decodes a built transaction without knowing
// how it was built and refuses every shape that it does not declare.
package swap
