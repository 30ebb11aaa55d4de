package review

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Account is the wallet account that is active at present: claimed on the
// connect page.
type Account struct {
	Address    sui.Address
	WalletName string
	WalletID   string
}

// Config holds what a Service works with. Everything but Allowed, Compare, Known,
// Limits, Log, Pace, Paid, Rand, Second and Seen is required; zero Limits are
// DefaultLimits, a zero Pace is MainnetPace.
type Config struct {
	Store     Store
	Adapters  []Adapter // in the order in which they are offered
	Chain     Chain
	Simulator Simulator
	Executor  Executor
	Second    *Second // nil: only one node is asked
	// Allowed gives what the person allows on this machine; nil allows everything.
	// It is read for every computation, and once more inside the transaction of a
	// release, so it must only read, and see what is committed.
	Allowed func(ctx context.Context) (policy.Allowance, error)
	// Active gives the active account, false when there is none.
	Active func(ctx context.Context) (Account, bool, error)
	// Paid gives the addresses that an account paid from here, by reviews that
	// ended in success. Nil: none is known, and every recipient is a new one.
	Paid func(ctx context.Context, account sui.Address) ([]sui.Address, error)
	// Known returns the addresses that wallets gave on this machine. What comes from
	// outside is searched for their keys. Nil: none is known but the active one.
	Known func(ctx context.Context) ([]sui.Address, error)
	// Compare says in which way a stored build differs from its bytes, "" for not at
	// all. Nil reads the bytes with the adapter that built them; only tests whose
	// builds no adapter made have another.
	Compare func(*Row) string
	Hub     *events.Hub
	Now     func() time.Time
	Rand    io.Reader // cryptographic randomness; nil is the operating system's
	Network string    // as in answers: sui:mainnet, sui:sandbox
	Limits  Limits
	Pace    Pace         // of the network's epochs
	Seen    SeenStore    // of what is known of chains; nil: as long as the process runs
	Log     *slog.Logger // of faults of this program; nil: nowhere
}

// Service carries reviews from intent to receipt. Its methods may be called at
// the same time from anywhere.
type Service struct {
	c       Config
	differs func(*Row) string // altered, unless the configuration has another

	life context.Context // ends with Close; background work hangs on it
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	runs     map[ID]*computation  // running and last computations
	sending  map[ID]bool          // a submission is under way
	watching map[ID]chan struct{} // wakes the watch of an unsettled review
	watcher  chan ID              // tells Run of a new unsettled review
}

// New gives a Service. Call Close when done; run Run beside it.
func New(c Config) *Service {
	if c.Limits == (Limits{}) {
		c.Limits = DefaultLimits()
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.Pace.Length <= 0 {
		c.Pace = MainnetPace()
	}
	if c.Seen == nil {
		c.Seen = &seenHere{known: map[sui.Digest]Seen{}}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		c: c, runs: map[ID]*computation{}, sending: map[ID]bool{},
		watching: map[ID]chan struct{}{}, watcher: make(chan ID, 16),
	}
	if s.differs = c.Compare; s.differs == nil {
		s.differs = s.altered
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Close ends background work and waits for it. Nothing durable is lost by it.
func (s *Service) Close() {
	s.end()
	s.work.Wait()
}

// background runs work that outlives its caller, until Close.
func (s *Service) background(work func(ctx context.Context)) {
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		s.guard(func() { work(s.life) })
	}()
}

// guard runs work whose panic ends nothing but itself. It is logged.
func (s *Service) guard(work func()) {
	_ = s.c.guarded(func() error { work(); return nil })
}

// guarded runs work and returns its error; a panic is one, too, and is logged.
func (c *Config) guarded(work func() error) (err error) {
	defer func() { c.logPanic(err) }()
	defer fault.Recover(&err)
	return work()
}

// logPanic notes a panic, and nothing else that an error may be.
func (c *Config) logPanic(err error) {
	var p *fault.Panic
	if errors.As(err, &p) {
		c.Log.Error("work on a review panicked", "panic", p)
	}
}

// Get gives a review as it stands now: one whose time has run out is expired,
// and a build that waited too long is taken back, by this call.
func (s *Service) Get(ctx context.Context, id ID) (Session, error) {
	row, err := s.kept(ctx, id)
	if err != nil {
		return Session{}, err
	}
	session := row.Session
	if session.Status.Terminal() {
		s.forget(id)
	}
	if lapsed(session, s.now()) == "" {
		return session, nil
	}
	return s.c.Store.Change(ctx, id, "lapsed", func(r *Row) error { return lapse(r, s.now()) })
}

// now gives the time to the millisecond, as it is stored.
func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// forget drops what is kept in memory of a review that is over.
func (s *Service) forget(id ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.runs[id]; c != nil && !c.running {
		delete(s.runs, id)
	}
}
