// Package indexer reads a pool's past prices from DeepBook's official indexer. The indexer is a
// service outside the chain that may lag, lose data or be wrong.
//
// The package keeps every number as an exact decimal, and reports which candles can still change and
// which are missing. It reads nothing from the chain.
package indexer

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/provider"
)

// DefaultURL is the mainnet indexer that DeepBook's authors run.
const DefaultURL = "https://deepbook-indexer.mainnet.mystenlabs.com"

// maxBody is the maximum size of an answer in bytes.
const maxBody = 2 << 20

// Config configures a client.
type Config struct {
	URL     string           // https://host[:port], or http:// to a numeric loopback address
	Now     func() time.Time // this machine's clock; required
	Timeout time.Duration    // for one call with all its requests; 0 means ten seconds
	Reach   provider.Reach   // checks every dialed address; nil allows all
	Heard   provider.Heard   // receives the outcome of each call
}

// Client queries one indexer. It is safe for concurrent use.
type Client struct {
	server  *provider.Client
	now     func() time.Time
	timeout time.Duration

	mu     sync.Mutex // guards listed and until
	listed map[string]listing
	until  time.Time
}

// New returns a client without sending a request. It returns fault.InputInvalid for an address without
// TLS, unless it is on this machine.
func New(c Config) (*Client, error) {
	if c.Now == nil {
		return nil, errors.New("indexer: no clock")
	}
	if c.Timeout == 0 {
		c.Timeout = provider.DefaultTimeout
	}
	server, err := provider.New(provider.Config{
		URL: c.URL, Name: "the DeepBook indexer", Advice: "the current price on chain needs no indexer.",
		MaxBody: maxBody, Timeout: c.Timeout, Reach: c.Reach, Heard: c.Heard,
	})
	if err != nil {
		return nil, err
	}
	return &Client{server: server, now: c.Now, timeout: c.Timeout}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.server.Close() }

// get requests a path and decodes the JSON of the response.
func get[T any](ctx context.Context, c *Client, path string, query url.Values) (T, error) {
	answer, err := c.server.Get(ctx, path, query)
	if err != nil {
		var none T
		return none, err
	}
	return provider.Decode[T](c.server, answer.Body)
}

func nonsense(cause error, text string) *fault.Error {
	return fault.Wrap(cause, fault.ProviderMismatch, "%s Nothing of it is used.", text)
}
