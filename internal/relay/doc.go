// Package relay carries MCP over NATS between two machines of one user: the one with the wallet,
// which shares its program, and one where an AI client runs, which connects to it. Everything is
// sealed: the operator of the NATS server can see subjects, sizes and times and can drop messages,
// but can neither read, forge nor replay them.
//
// Core NATS loses messages when a connection breaks, so a stream of this package numbers its
// packets, retransmits unacknowledged ones, and accepts each number once.
package relay
