package sandbox

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/graphql"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sandbox/node"
	"github.com/sayurintent/sayurintent/internal/sandbox/offchain"
	"github.com/sayurintent/sayurintent/internal/sandbox/past"
)

// DefaultSeed generates the books of a sandbox without a seed.
const DefaultSeed = 1

// Config configures a sandbox.
type Config struct {
	Now   func() time.Time // the chain's clock; required
	Seed  int64            // of the generated books; 0 means DefaultSeed
	Books io.Reader        // recorded books that replace generated ones; may be nil

	// Genesis is the seed of the chain's identifier and of its first coins' ids. Sandboxes with the
	// same Genesis and Seed begin as the same chain, so a transaction built on one executes on the
	// other. Random if empty.
	Genesis []byte

	// Past and PastObjects are recorded transactions, and objects with the types of some of what
	// they wrote, in the form of real-transactions.json and real-objects.json. The GraphQL service
	// lists them before the chain's own. Either may be nil.
	Past, PastObjects io.Reader

	// Before wraps everything served over the network and may change it, as a lying node would; may
	// be nil.
	Before func(http.Handler) http.Handler

	// CheckQuery validates each GraphQL query, with its variables as a JSON object, before it is
	// answered; may be nil. Tests validate with the whole schema.
	CheckQuery func(query string, variables []byte) error
}

// Sandbox is a chain with its servers. It is safe for concurrent use.
type Sandbox struct {
	*ledger.Ledger
	key     ed25519.PrivateKey
	faults  *faults.Set
	node    *node.Server
	handler http.Handler
	http    *http.Server
}

// New makes a chain. Without a Genesis, every sandbox has a different chain identifier. It fails if
// the recorded books cannot be read.
func New(c Config) (*Sandbox, error) {
	if c.Now == nil {
		return nil, errors.New("sandbox: no clock")
	}
	c.Seed = cmp.Or(c.Seed, DefaultSeed)
	recorded, err := past.Read(c.Past, c.PastObjects)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	l, err := ledger.New(ledger.Config{Now: c.Now, Genesis: c.Genesis, Seed: c.Seed, Books: c.Books, Account: Account,
		Programs: programs()})
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s := &Sandbox{Ledger: l, key: genesisKey(), faults: &faults.Set{}}
	s.node = node.NewServer(l, s.faults)
	mux := http.NewServeMux()
	mux.Handle("/", s.node)
	mux.Handle("/graphql", graphql.NewService(l, s.faults, recorded, c.CheckQuery, s.node.SimulateJSON))
	mux.Handle("/sandbox/", s.control())
	mux.Handle("/v2/gas", s.control())
	offchain.Register(mux, l, c.Seed)
	for _, p := range programs() {
		if p.Serve != nil {
			p.Serve(mux, l)
		}
	}
	s.handler = loopback(mux)
	served := s.handler
	if c.Before != nil {
		served = c.Before(served)
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s.http = &http.Server{
		Handler: served, Protocols: &protocols,
		ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	return s, nil
}

// Handler serves gRPC over HTTP/2, gRPC-web in its binary and text forms, the /sandbox/ endpoints,
// GraphQL, the paths of the DeepBook indexer, and FlowX's quoter. It serves only loopback hosts.
func (s *Sandbox) Handler() http.Handler { return s.handler }

// loopback refuses requests for other hosts.
func loopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !node.LoopbackHost(r.Host) {
			http.Error(w, "this sandbox serves loopback hosts only", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Inject starts a fault. It refuses unknown kinds, pools and objects.
func (s *Sandbox) Inject(f faults.Fault) error { return s.faults.Inject(f, s.Ledger) }

// Serve serves ln until Close, and then returns nil. The listener must have a loopback address.
func (s *Sandbox) Serve(ln net.Listener) error {
	if a, ok := ln.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return fmt.Errorf("sandbox: %s is not a loopback address", ln.Addr())
	}
	if err := s.http.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// closing is how long running calls may take to end.
const closing = 500 * time.Millisecond

// Close stops serving. Running calls get a short time to end. It may be called more than once.
func (s *Sandbox) Close() {
	s.node.Release()
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	s.node.Stop()
}
