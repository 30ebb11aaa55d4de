// Package rpc queries a Sui full node over gRPC (sui.rpc.v2) and returns values of package sui or
// faults.
//
// It checks that every answer matches its request, caches only the chain's identifier and gas price,
// and never retries an execution. It builds and signs nothing. Values reported by a node remain
// unverified.
package rpc

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/stats"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/provider"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a call.
const (
	defaultTimeout = 10 * time.Second
	maxAnswer      = 20 << 20
	maxQuestion    = 1 << 20
	maxHeaders     = 64 << 10
)

// Config specifies the node. Timeout limits each call; 0 means 10 seconds. Admit, if set, checks the
// chain behind each new connection by its genesis digest before any other answer is used. Its error
// becomes the result of every call. Reach, if set, checks every address before it is dialed. Heard, if
// set, receives the outcome of each call.
type Config struct {
	URL     string
	Now     func() time.Time
	Timeout time.Duration
	Admit   func(genesis sui.Digest) error
	Reach   Reach
	Heard   provider.Heard
}

// Client queries one node. It is safe for concurrent use and connects on first use.
type Client struct {
	now       func() time.Time
	timeout   time.Duration
	admit     func(sui.Digest) error
	heard     provider.Heard
	conn      *grpc.ClientConn
	ledger    pb.LedgerServiceClient
	state     pb.StateServiceClient
	execution pb.TransactionExecutionServiceClient
	links     *links

	mu    sync.Mutex
	known known
}

// New returns a client without connecting. The URL is https://host[:port] or host[:port], both with
// TLS, or http://ADDRESS:port with a numeric loopback address. It returns fault.InputInvalid for
// anything else. Proxy environment variables are ignored.
func New(cfg Config) (*Client, error) {
	target, plain, err := endpoint(cfg.URL)
	if err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		return nil, fault.New(fault.InternalError, "The node client needs a clock.")
	}
	c := &Client{now: cfg.Now, timeout: cfg.Timeout, admit: cfg.Admit, heard: cfg.Heard, links: new(links)}
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	secure := credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12})
	if plain {
		secure = insecure.NewCredentials()
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(secure),
		grpc.WithNoProxy(),
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		grpc.WithUserAgent("say-ur-intent"),
		grpc.WithMaxHeaderListSize(maxHeaders),
		grpc.WithStatsHandler(c.links),
		grpc.WithConnectParams(grpc.ConnectParams{
			// Calls fail immediately while a connection waits to be retried. A short delay notices a
			// recovered node soon.
			Backoff: backoff.Config{BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2,
				MaxDelay: 3 * time.Second},
			MinConnectTimeout: c.timeout,
		}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer), grpc.MaxCallSendMsgSize(maxQuestion)),
	}
	if cfg.Reach != nil {
		dialer := cfg.Reach.Dialer(defaultTimeout)
		options = append(options, grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", address)
		}))
	}
	c.conn, err = grpc.NewClient("dns:///"+target, options...)
	if err != nil {
		return nil, fault.Wrap(err, fault.InputInvalid, "The node address %q cannot be used.", printable(cfg.URL, 100))
	}
	c.ledger = pb.NewLedgerServiceClient(c.conn)
	c.state = pb.NewStateServiceClient(c.conn)
	c.execution = pb.NewTransactionExecutionServiceClient(c.conn)
	return c, nil
}

// Close ends the connection. Calls in progress fail.
func (c *Client) Close() error { return c.conn.Close() }

// call sends a request after Admit accepted the chain.
func call[Q, A any](
	ctx context.Context, c *Client, ask func(context.Context, Q, ...grpc.CallOption) (A, error), q Q,
) (A, error) {
	if c.admit != nil {
		if _, err := c.ChainIdentifier(ctx); err != nil {
			var none A
			return none, err
		}
	}
	return put(ctx, c, ask, q)
}

// put sends a request with the client's timeout and converts a failure to a fault.
func put[Q, A any](
	ctx context.Context, c *Client, ask func(context.Context, Q, ...grpc.CallOption) (A, error), q Q,
) (A, error) {
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := ask(bounded, q)
	if err != nil {
		c.heard.Tell(outcome(ctx, err))
		var none A
		return none, refusal(ctx, err)
	}
	// A node is not known to work before Admit accepted its chain.
	if _, first := any(q).(*pb.GetServiceInfoRequest); !first {
		c.heard.Tell(provider.Answered)
	}
	return answer, nil
}

// links counts ended connections. After one ends, the address may lead to another chain, such as a
// restarted test node.
type links struct{ ended atomic.Uint64 }

// HandleConn counts an ended connection.
func (l *links) HandleConn(_ context.Context, s stats.ConnStats) {
	if _, ok := s.(*stats.ConnEnd); ok {
		l.ended.Add(1)
	}
}

// TagConn returns the context unchanged.
func (l *links) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// TagRPC returns the context unchanged.
func (l *links) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC does nothing.
func (l *links) HandleRPC(context.Context, stats.RPCStats) {}

// known caches facts about the chain behind the connection.
type known struct {
	chain sui.Digest
	links uint64 // number of ended connections when chain was read
	price uint64 // reference gas price
	until time.Time
}

// priceAge is how long a reference gas price is cached for simulations that pay nothing. The price
// changes with the epoch.
const priceAge = time.Minute

// ChainIdentifier returns the digest of the chain's genesis checkpoint, or the error of
// Config.Admit. It is requested once per connection.
func (c *Client) ChainIdentifier(ctx context.Context) (sui.Digest, error) {
	ended := c.links.ended.Load()
	c.mu.Lock()
	k := c.known
	c.mu.Unlock()
	if !k.chain.IsZero() && k.links == ended {
		return k.chain, nil
	}
	info, err := put(ctx, c, c.ledger.GetServiceInfo, &pb.GetServiceInfoRequest{})
	if err != nil {
		return sui.Digest{}, err
	}
	chain, err := sui.ParseDigest(info.GetChainId())
	if err != nil || chain.IsZero() {
		return sui.Digest{}, mismatch("its chain identifier is not a digest")
	}
	if c.admit != nil {
		if err := c.admit(chain); err != nil {
			return sui.Digest{}, err
		}
	}
	c.heard.Tell(provider.Answered)
	c.mu.Lock()
	c.known.chain, c.known.links = chain, ended
	c.mu.Unlock()
	return chain, nil
}

// mostGasPrice is the maximum plausible gas price in MIST. At a higher price, even the cheapest
// transaction would cost more than any account holds.
const mostGasPrice = 1 << 40

// Epoch returns the current epoch and its reference gas price.
func (c *Client) Epoch(ctx context.Context) (sui.Epoch, error) {
	answer, err := call(ctx, c, c.ledger.GetEpoch, &pb.GetEpochRequest{ReadMask: mask("epoch", "reference_gas_price")})
	if err != nil {
		return sui.Epoch{}, err
	}
	e := answer.GetEpoch()
	if e == nil || e.Epoch == nil || e.GetReferenceGasPrice() == 0 {
		return sui.Epoch{}, mismatch("the epoch or its gas price is missing")
	}
	if e.GetEpoch() > sui.MostEpoch || e.GetReferenceGasPrice() > mostGasPrice {
		return sui.Epoch{}, mismatch("the epoch or its gas price is impossibly large")
	}
	c.mu.Lock()
	c.known.price, c.known.until = e.GetReferenceGasPrice(), c.now().Add(priceAge)
	c.mu.Unlock()
	return sui.Epoch{Number: e.GetEpoch(), GasPrice: e.GetReferenceGasPrice()}, nil
}

// gasPrice returns a recent reference gas price.
func (c *Client) gasPrice(ctx context.Context) (uint64, error) {
	c.mu.Lock()
	k := c.known
	c.mu.Unlock()
	if k.price > 0 && c.now().Before(k.until) {
		return k.price, nil
	}
	e, err := c.Epoch(ctx)
	return e.GasPrice, err
}
