// Package relay carries MCP between two machines of one person over NATS: the one
// with the wallet, which shares its program, and one where an AI client runs, which
// connects to it. Everything between the two is sealed, so that who runs the NATS
// server sees subjects, sizes and times, can drop messages, and can neither read,
// forge nor repeat them.
//
// Messages of core NATS are lost when a connection breaks, so a stream of this package
// numbers its packets, sends again what was not acknowledged, and takes each number once.
package relay
