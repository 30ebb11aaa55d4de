// Package lies changes single fields in a sandbox node's answers, to simulate a lying or broken
// node.
//
// A field is named by its method and its path in the answer, for example
// LedgerService.GetEpoch:epoch.reference_gas_price, or graphql:data.transaction.digest for JSON.
// Numbers in Move structs are fields too, in windows of eight bytes. The package knows the wire
// format but not the meaning of values, and never changes requests.
package lies
