package web

import "time"

// Limits of the pages. They protect a machine from its own other programs: a
// page that is refused for a while is better than a server that is gone.
const (
	maxConnections     = 128
	keptForTokens      = 16 // of these, for connections that showed a token
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
