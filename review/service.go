package review

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/handoff"
	"github.com/sayurintent/sayurintent/review/node"
)

// Nodes has the clients of full nodes and what is known about their chain.
type Nodes struct {
	Chain     node.Chain
	Simulator node.Simulator
	Executor  node.Executor
	Feed      node.Feed      // reports executed transactions, or nil to poll
	Second    *gate.Second   // nil if only one node is asked
	Prover    node.Prover    // proves results; nil means that a node reports every result
	Pace      node.Pace      // rate of the network's epochs
	Seen      node.SeenStore // what is known about chains; nil keeps it in memory
}

// Config configures a Service. All fields are required except Allowed, Compare, Known, Keys,
// Limits, Log, Named, Names, Pace, Paid, Rand, Second and Seen. Zero Limits mean
// gate.DefaultLimits; a zero Pace means node.MainnetPace.
type Config struct {
	Store    record.Store
	Adapters []plan.Adapter // in the order in which they are offered to users
	Nodes
	// Allowed returns the limits set on this machine; nil allows everything. It is called for every
	// computation and again inside the transaction of a release, so it must only read, and must see
	// committed data.
	Allowed func(ctx context.Context) (policy.Allowance, error)
	// Active returns the active account, or false if there is none.
	Active func(ctx context.Context) (record.Account, bool, error)
	// Paid returns the addresses that an account paid in successful reviews on this machine. If
	// Paid is nil, every recipient is new.
	Paid func(ctx context.Context, account sui.Address) ([]sui.Address, error)
	// Recent returns the lowest and highest price of a pair in the last 24 hours, in quote
	// coins for one base coin.
	Recent func(ctx context.Context, base, quote sui.CoinType) (low, high sui.Decimal, err error)
	// Request returns what the other transactions of a review's request give to others.
	Request func(ctx context.Context, id record.ID) ([]plan.Given, error)
	// Named returns the address and registration of a SuiNS name when it was last paid from this
	// machine, or false if it was never paid. If Named is nil, every name is new.
	Named func(ctx context.Context, name string) (record.PaidName, bool, error)
	// Keys returns additional keys that may sign for an account, as reported by a node. If Keys is
	// nil, they are not checked.
	Keys func(ctx context.Context, account sui.Address) ([]sui.Address, error)
	// Device reports whether an account signs with a hardware wallet. If Device is nil, none does.
	Device func(ctx context.Context, account sui.Address) (bool, error)
	// Known returns the addresses of wallets that were connected on this machine. Texts from
	// outside are searched for their keys. If Known is nil, only the active address is known.
	Known func(ctx context.Context) ([]sui.Address, error)
	// Compare describes how a stored build differs from its bytes; "" if it does not. If Compare is
	// nil, the adapter that built the bytes reads them. Only tests of builds without an adapter set
	// it.
	Compare func(*record.Row) string
	// Stages records the stages of a computation that began, in order, for observers outside this
	// process. If Stages is nil, none are recorded. An error loses only the record.
	Stages  func(ctx context.Context, id record.ID, stages []plan.StageID) error
	Hub     *events.Hub
	Now     func() time.Time
	Rand    io.Reader // cryptographic randomness; nil is the operating system's
	Network string    // as in answers: sui:mainnet, sui:sandbox
	Limits  gate.Limits
	// Unproved lists results of earlier processes that still lack proofs. If Unproved is nil, no
	// such proofs are looked for.
	Unproved func(ctx context.Context, since time.Time) ([]record.ID, error)
	// LookedFor lists failed sessions with a dead release whose effects are still looked up. If
	// LookedFor is nil, none are.
	LookedFor func(ctx context.Context) ([]record.ID, error)
	Names     node.Names   // nil means that recipients cannot be named
	Log       *slog.Logger // logs faults of this program; nil discards them
}

// Service takes reviews from intent to receipt. Its methods may be called concurrently.
type Service struct {
	*handoff.Service
	c     Config
	guard node.Guard
	gates gate.Config
	wish  record.WishReader

	life context.Context // ends with Close; the context of background work
	end  context.CancelFunc
	work sync.WaitGroup

	mu   sync.Mutex
	runs map[record.ID]*computation // running and latest computations
}

// New returns a Service. Call Close when done; Run must run concurrently.
func New(c Config) *Service {
	c = c.complete()
	g := c.Gates()
	s := &Service{c: c, guard: g.Guard, gates: g, wish: record.Wishes(c.Adapters, c.now),
		runs: map[record.ID]*computation{}}
	var second node.Executor
	if c.Second != nil {
		second = c.Second.Executor
	}
	s.Service = handoff.New(handoff.Config{
		Second: second,
		Guard:  g.Guard, Store: c.Store, Adapters: c.Adapters, Chain: c.Chain, Executor: c.Executor, Epochs: g.Epochs,
		Feed:   c.Feed,
		Prover: c.Prover, Unproved: c.Unproved, LookedFor: c.LookedFor, Names: c.Names,
		Allowed: c.Allowed, Active: c.Active, Compare: c.Compare, Go: s.background, Now: c.now, Rand: c.Rand,
	})
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// complete fills in defaults.
func (c Config) complete() Config {
	if c.Limits == (gate.Limits{}) {
		c.Limits = gate.DefaultLimits()
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.Pace.Length <= 0 {
		c.Pace = node.MainnetPace()
	}
	if c.Seen == nil {
		c.Seen = node.NewSeen()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Gates returns the configuration of the gates.
func (c Config) Gates() gate.Config {
	c = c.complete()
	epochs := node.Epochs{Chain: c.Chain, Seen: c.Seen, Pace: c.Pace, Prover: c.Prover, Log: c.Log}
	if c.Second != nil {
		epochs.Second = c.Second.Chain
	}
	return gate.Config{
		Guard: node.Guard{Log: c.Log}, Store: c.Store, Adapters: c.Adapters, Chain: c.Chain, Simulator: c.Simulator,
		Executor: c.Executor,
		Second:   c.Second, Epochs: epochs, Allowed: c.Allowed, Active: c.Active, Paid: c.Paid, Named: c.Named, Keys: c.Keys,
		Device: c.Device, Names: c.Names, Recent: c.Recent, Request: c.Request, Now: c.now, Limits: c.Limits,
	}
}

// Close ends background work and waits for it. No durable state depends on that work.
func (s *Service) Close() {
	s.end()
	s.work.Wait()
}

// background runs work that outlives its caller, until Close. A panic ends only that work.
func (s *Service) background(work func(ctx context.Context)) {
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		_ = s.guard.Guarded(func() error { work(s.life); return nil })
	}()
}

// Get returns the current state of a review. It first expires a review whose time has run out and
// withdraws a build that was not used in time.
func (s *Service) Get(ctx context.Context, id record.ID) (record.Session, error) {
	session, err := s.Service.Get(ctx, id)
	if err == nil && session.Status.Terminal() {
		s.forget(id)
	}
	return session, err
}

// now returns the current time, truncated to milliseconds like stored times.
func (c Config) now() time.Time { return c.Now().UTC().Truncate(time.Millisecond) }

func (s *Service) now() time.Time { return s.c.now() }

// forget deletes the computation of a final review from memory.
func (s *Service) forget(id record.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.runs[id]; c != nil && !c.running {
		delete(s.runs, id)
	}
}

// withhold removes the transaction from the view if its bytes differ from the released ones.
func (s *Service) withhold(row *record.Row, v *View) {
	what := s.Differs(row)
	if what == "" {
		return
	}
	v.Transaction, v.CanHandOff, v.CanSubmit = nil, false, false
	v.Session.State.Checks = plan.WorstFirst(append([]plan.Check{handoff.AlteredCheck(what,
		"Do not sign again. Look into the wallet: what it signed "+
			"is what it showed. Run say-ur-intent doctor to see what is damaged here.")}, v.Session.State.Checks...))
}
