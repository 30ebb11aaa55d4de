// Package lies stands between a client and a sandbox node and changes one field
// of the node's answers: what a node that lies, or is broken, could say.
//
// A field is named by its method and its place in the answer, for example
// LedgerService.GetEpoch:epoch.reference_gas_price, or graphql:data.transaction.digest
// of an answer in JSON. Values of Move structs inside bytes are fields too, eight
// bytes at a time. The package knows the shape of the wire and nothing of what the
// values mean, and it never changes what a client asks.
package lies
