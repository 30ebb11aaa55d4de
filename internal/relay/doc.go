// Package relay carries MCP over NATS between two machines of one user: the one with the wallet,
// which shares its program, and one where an AI client runs, which connects to it. All messages are
// sealed. The operator of the NATS server can see subjects, sizes and times and can drop messages,
// but cannot read, forge or replay them.
//
// Core NATS loses messages when a connection breaks. A stream of this package therefore numbers its
// packets, retransmits unacknowledged ones, and accepts each number once.
package relay
