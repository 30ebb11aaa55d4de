package sandbox

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"

	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// DefaultSeed makes the books of a sandbox that was given no seed.
const DefaultSeed = 1

// Config is what a sandbox is made of.
type Config struct {
	Now   func() time.Time // the chain's clock; needed
	Seed  int64            // of the generated books; 0 is DefaultSeed
	Books io.Reader        // recorded books that take the place of generated ones; may be nil

	// Genesis is what the chain's identifier and the ids of its first coins are
	// derived from. Sandboxes of one Genesis and one Seed begin as the same chain,
	// so that a transaction built on one executes on the other. Random when empty.
	Genesis []byte

	// Past and PastObjects are recorded transactions, and objects that tell the
	// types of some of what they wrote, in the form of real-transactions.json and
	// real-objects.json. The GraphQL service lists them before the chain's own;
	// either may be nil.
	Past, PastObjects io.Reader

	// Before stands before everything that is served over the network and may change
	// it, as a node that lies would; may be nil.
	Before func(http.Handler) http.Handler

	// CheckQuery judges each question to the GraphQL service, with its variables
	// as a JSON object, before it is answered; may be nil. Tests set it to a
	// validator over the whole schema.
	CheckQuery func(query string, variables []byte) error
}

// Sandbox is one chain and the servers over it. It is safe for concurrent use.
type Sandbox struct {
	now    func() time.Time
	key    ed25519.PrivateKey
	faults *faults
	grpc   *grpc.Server
	http   *http.Server
	tape   tape // past trades; never changes
	check  func(query string, variables []byte) error

	recorded []*past // transactions of elsewhere; never changes

	mu     sync.Mutex // guards ledger
	ledger *ledger
}

// New makes a chain of its own: without a Genesis every sandbox has another chain
// identifier. It fails when the recorded books cannot be read.
func New(c Config) (*Sandbox, error) {
	if c.Now == nil {
		return nil, errors.New("sandbox: no clock")
	}
	if c.Seed == 0 {
		c.Seed = DefaultSeed
	}
	s := &Sandbox{now: c.Now, key: genesisKey(), faults: &faults{}, check: c.CheckQuery}
	now := c.Now()
	var err error
	if s.recorded, err = readPast(c.Past, c.PastObjects); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if len(c.Genesis) == 0 {
		c.Genesis = randomSeed()
	}
	s.ledger = newLedger(c.Genesis, now)
	if err := s.ledger.populate(c.Seed, c.Books, now); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	books := []*clob.Pool{}
	for _, o := range s.ledger.objects {
		if o.pool != nil {
			books = append(books, o.pool)
		}
	}
	s.tape = newTape(c.Seed, books, now)
	s.grpc = grpc.NewServer(grpc.UnaryInterceptor(s.faults.intercept), grpc.StreamInterceptor(s.faults.interceptStream))
	s.grpc.RegisterService(ledgerWithEvents(s), ledgerService{sandbox: s})
	pb.RegisterStateServiceServer(s.grpc, stateService{sandbox: s})
	pb.RegisterTransactionExecutionServiceServer(s.grpc, execution{sandbox: s})
	pb.RegisterMovePackageServiceServer(s.grpc, packageService{})
	pb.RegisterNameServiceServer(s.grpc, nameService{})
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	served := s.Handler()
	if c.Before != nil {
		served = c.Before(served)
	}
	s.http = &http.Server{
		Handler: served, Protocols: &protocols,
		ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	return s, nil
}

// Chain is the chain's identifier: the digest of its first checkpoint.
func (s *Sandbox) Chain() sui.Digest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.genesis
}

// Endow gives an address the coins of the faucet: SUI, USDC, DEEP and WAL.
func (s *Sandbox) Endow(owner sui.Address) error {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ledger.endow(owner, faucetHoldings); err != nil {
		return err
	}
	s.ledger.appendCheckpoint(now, nil)
	return nil
}

// Serve answers on ln until Close; it returns nil then. The listener must be on
// a loopback address.
func (s *Sandbox) Serve(ln net.Listener) error {
	if a, ok := ln.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return fmt.Errorf("sandbox: %s is not a loopback address", ln.Addr())
	}
	if err := s.http.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// closing is how long calls that are being answered may take to end.
const closing = 500 * time.Millisecond

// Close stops serving: running calls get a moment to end. It may be called more
// than once.
func (s *Sandbox) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	s.grpc.Stop()
}
