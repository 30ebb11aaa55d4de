package review

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/handoff"
	"github.com/sayurintent/sayurintent/review/node"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// Nodes are how a Service asks full nodes, and what it knows of their chain.
type Nodes struct {
	Chain     node.Chain
	Simulator node.Simulator
	Executor  node.Executor
	Feed      node.Feed      // of what is executed; nil: it is only asked for
	Second    *gate.Second   // nil: only one node is asked
	Prover    node.Prover    // of results; nil: a node reports every result
	Pace      node.Pace      // of the network's epochs
	Seen      node.SeenStore // of what is known of chains; nil: as long as the process runs
}

// Config holds what a Service works with. Everything but Allowed, Compare, Known,
// Keys, Limits, Log, Named, Names, Pace, Paid, Rand, Second and Seen is required; zero Limits are
// gate.DefaultLimits, a zero Pace is node.MainnetPace.
type Config struct {
	Store    record.Store
	Adapters []plan.Adapter // in the order in which they are offered
	Nodes
	// Allowed returns the limits set on this machine; nil allows everything. It is
	// read for every computation, and once more inside the transaction of a release,
	// so it must only read, and must see what is committed.
	Allowed func(ctx context.Context) (policy.Allowance, error)
	// Active returns the active account, false when there is none.
	Active func(ctx context.Context) (record.Account, bool, error)
	// Paid returns the addresses that an account paid from here, by reviews that ended
	// in success. Nil means that none is known and every recipient is new.
	Paid func(ctx context.Context, account sui.Address) ([]sui.Address, error)
	// Recent returns the lowest and highest price of a pair in the last 24 hours, in quote
	// coins for one base coin.
	Recent func(ctx context.Context, base, quote sui.CoinType) (low, high sui.Decimal, err error)
	// Request returns what the other transactions of a review's request give to others.
	Request func(ctx context.Context, id record.ID) ([]plan.Given, error)
	// Named returns where a SuiNS name led when it was paid last from here, false for a
	// name that never was. Nil means that every name is new.
	Named func(ctx context.Context, name string) (record.PaidName, bool, error)
	// Keys returns the keys besides its own that may sign for an account, as a node tells.
	// Nil asks for none.
	Keys func(ctx context.Context, account sui.Address) ([]sui.Address, error)
	// Device reports whether an account signs on a hardware wallet. Nil means that none does.
	Device func(ctx context.Context, account sui.Address) (bool, error)
	// Known returns the addresses that wallets connected on this machine. Texts from
	// outside are searched for their keys. Nil means that only the active one is
	// known.
	Known func(ctx context.Context) ([]sui.Address, error)
	// Compare describes how a stored build differs from its bytes, or "" if it does not. Nil reads
	// the bytes with the adapter that built them; only tests whose builds no adapter made set
	// another.
	Compare func(*record.Row) string
	// Stages records that stages of a computation began, in their order, for those who
	// follow the review from elsewhere. Nil records none; an error loses only that.
	Stages  func(ctx context.Context, id record.ID, stages []plan.StageID) error
	Hub     *events.Hub
	Now     func() time.Time
	Rand    io.Reader // cryptographic randomness; nil is the operating system's
	Network string    // as in answers: sui:mainnet, sui:sandbox
	Limits  gate.Limits
	// Unproved lists results of earlier processes whose proofs are still looked for; nil
	// looks for none.
	Unproved func(ctx context.Context, since time.Time) ([]record.ID, error)
	// LookedFor lists failed sessions that have a dead release whose effects are still
	// looked for; nil: they are not.
	LookedFor func(ctx context.Context) ([]record.ID, error)
	Names     node.Names   // nil: no recipient can be named
	Log       *slog.Logger // of faults of this program; nil: nowhere
}

// Service carries reviews from intent to receipt. Its methods may be called
// concurrently.
type Service struct {
	*handoff.Service
	c     Config
	guard node.Guard
	gates gate.Config
	wish  record.WishReader

	life context.Context // ends with Close; background work hangs on it
	end  context.CancelFunc
	work sync.WaitGroup

	mu   sync.Mutex
	runs map[record.ID]*computation // running and last computations
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

// Gates returns the part of the configuration that the gates work with.
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

// background runs work that outlives its caller, until Close. A panic ends only the
// work.
func (s *Service) background(work func(ctx context.Context)) {
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		_ = s.guard.Guarded(func() error { work(s.life); return nil })
	}()
}

// Get returns a review as it stands now. A review whose time has run out expires by
// this call, and a build that waited too long is taken back.
func (s *Service) Get(ctx context.Context, id record.ID) (record.Session, error) {
	session, err := s.Service.Get(ctx, id)
	if err == nil && session.Status.Terminal() {
		s.forget(id)
	}
	return session, err
}

// now returns the time to the millisecond, as it is stored.
func (c Config) now() time.Time { return c.Now().UTC().Truncate(time.Millisecond) }

func (s *Service) now() time.Time { return s.c.now() }

// forget drops what is kept in memory of a final review.
func (s *Service) forget(id record.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.runs[id]; c != nil && !c.running {
		delete(s.runs, id)
	}
}

// withhold removes from the view bytes that are not those of the released transaction.
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
