package web

import "time"

// Limits of the pages. They protect the server from other programs on the same machine: rejecting
// some requests is better than failing all of them.
const (
	maxConnections     = 128
	keptForTokens      = 16 // of maxConnections, reserved for connections that presented a token
	maxRequestsSession = 16
	maxStreams         = 64
	maxStreamsSession  = 4
	maxBody            = 64 << 10
	maxHeader          = 8 << 10
	maxPath            = 256
	headerTime         = 3 * time.Second
	bodyTime           = 10 * time.Second
	answerTime         = 15 * time.Second
	idleTime           = 30 * time.Second
	streamWriteTime    = 5 * time.Second
	streamHeartbeat    = 15 * time.Second
	streamLife         = 30 * time.Minute
	shutdownTime       = 2 * time.Second
)
