package node

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Pace is the rate of epoch changes in a network, and one epoch known when this version was
// released. If At is zero, the start of that epoch is unknown; the current time is used, and no
// earlier epoch is accepted.
type Pace struct {
	Epoch  uint64
	At     time.Time
	Length time.Duration // minimum length of an epoch
	Ahead  uint64        // tolerance: epochs beyond those that the elapsed time allows
}

// MainnetPace returns the pace of mainnet, where an epoch is a day. On 2026-02-10, a full node
// reported epoch 1034.
func MainnetPace() Pace {
	return Pace{Epoch: 1034, At: time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC), Length: 24 * time.Hour, Ahead: 1}
}

// Seen is the stored knowledge about a chain: the highest accepted epoch and its start, and the gas
// price of the last executed transaction. Since is zero if no epoch is known; GasPrice is 0 if no
// transaction is.
type Seen struct {
	Epoch    uint64
	Since    time.Time
	GasPrice uint64
}

// SeenStore stores Seen values by chain.
type SeenStore interface {
	// Seen returns what is known about a chain, or the zero value.
	Seen(ctx context.Context, chain sui.Digest) (Seen, error)
	// See applies a transition to the stored value, in one transaction.
	See(ctx context.Context, chain sui.Digest, transition func(Seen) Seen) error
}

// The bounds of a gas price: in MIST if no transaction is known, otherwise as a multiple of the
// last price.
const (
	mostFirstPrice = 10_000
	mostPriceRise  = 10
)

// from returns the epoch and time to count from: those last seen or, if there are none, those of
// the pace.
func (p Pace) from(s Seen, now time.Time) Seen {
	if s.Since.IsZero() {
		s.Epoch, s.Since = p.Epoch, p.At
		if p.At.IsZero() {
			s.Since = now
		}
	}
	// Accepting an epoch never moves Since further into the future than this, so the value was
	// written by a wrong clock.
	if s.Since.Sub(now) > time.Duration(p.Ahead)*p.Length {
		s.Since = now
	}
	return s
}

// latest returns the highest epoch that can have started by now.
func (p Pace) latest(s Seen, now time.Time) uint64 {
	s = p.from(s, now)
	passed := now.Sub(s.Since)
	turned := int64(passed / p.Length)
	if passed < 0 && passed%p.Length != 0 {
		turned--
	}
	return uint64(max(int64(s.Epoch+p.Ahead)+turned, int64(s.Epoch)))
}

// believe returns the value after an epoch was accepted. Since advances by the length of the passed
// epochs, so that a node at the limit of the tolerance cannot gain it again with every answer.
func (p Pace) believe(s Seen, epoch uint64, now time.Time) Seen {
	vouched := epoch > p.latest(s, now) // the second node confirmed it
	s = p.from(s, now)
	turned := epoch - min(epoch, s.Epoch)
	if s.Epoch += turned; turned == 0 {
		return s
	}
	if vouched {
		s.Since = now
	} else if s.Since = s.Since.Add(time.Duration(turned) * p.Length); s.Since.Before(now) {
		s.Since = now
	}
	return s
}

// judge checks an epoch and its gas price. It returns nil, fault.ProviderUnavailable if the node
// lags behind, or fault.ProviderMismatch if the values are impossible.
func (p Pace) judge(s Seen, e sui.Epoch, now time.Time) error {
	from, latest := p.from(s, now), p.latest(s, now)
	price := uint64(mostFirstPrice)
	known := "no transaction that executed is known here, so at most"
	if s.GasPrice > 0 {
		price, known = plan.MultiplySaturating(s.GasPrice, mostPriceRise),
			fmt.Sprintf("the last transaction from here paid %d, so at most", s.GasPrice)
	}
	switch {
	//mutant:never ./review/node TestPace
	case e.Number < from.Epoch:
		return fault.New(fault.ProviderUnavailable,
			"The Sui node is still in epoch %d, and epoch %d is known to have begun: it lags behind.",
			e.Number, from.Epoch)
	//mutant:never ./review/node TestPace
	case e.Number > latest:
		return fault.New(fault.ProviderMismatch,
			"The Sui node says that epoch %d has begun; by this machine's clock it can be epoch %d at most. "+
				"The node's word is not used. If the clock is wrong, set it right.", e.Number, latest)
	//mutant:never ./review/node TestPace
	case e.GasPrice > price:
		return fault.New(fault.ProviderMismatch,
			"The Sui node says that gas costs %d MIST; %s %d is believed. The node's word is not used.",
			e.GasPrice, known, price)
	}
	return nil
}

// Epochs reads the current epoch of a network. Second is another node, and Prover knows what
// validators signed; either is nil if not configured.
type Epochs struct {
	Chain  Chain
	Second Chain
	Prover Prover
	Seen   SeenStore
	Pace   Pace
	Log    *slog.Logger
}

// confirmTime is the timeout of one attempt to have an epoch confirmed.
const confirmTime = 3 * time.Second

// Present reads the current epoch and gas price, and checks them against what is known. Implausible
// values are accepted only if the second node reports them too, or validators signed the end of the
// previous epoch. A higher epoch is stored only if the second node or signatures confirm it.
func (c Epochs) Present(ctx context.Context, now time.Time) (sui.Epoch, error) {
	e, err := c.Chain.Epoch(ctx)
	if err != nil {
		return sui.Epoch{}, err
	}
	chain, err := c.Chain.ChainIdentifier(ctx)
	if err != nil {
		return sui.Epoch{}, err
	}
	known, err := c.known(ctx, chain, now)
	if err != nil {
		return sui.Epoch{}, err
	}
	wrong := c.Pace.judge(known, e, now)
	if fault.Is(wrong, fault.ProviderUnavailable) || wrong == nil && e.Number <= known.Epoch {
		return e, wrong
	}
	second, answered := c.second(ctx, chain)
	sure := answered && second.Number >= e.Number || wrong != nil && c.signed(ctx, e.Number)
	if sure && wrong != nil && second != e {
		known = known.signed(e.Number, now)
		wrong = c.Pace.judge(known, e, now) // the epoch is confirmed; check only its gas price
	}
	switch {
	case wrong != nil && !answered:
		return sui.Epoch{}, wrong
	//mutant:never ./review TestEpochAndGasPriceOfALyingNode
	case wrong != nil && second != e:
		return sui.Epoch{}, fault.New(fault.ProviderMismatch, "The first node says that epoch %d has begun and that gas "+
			"costs %d MIST; the second node says epoch %d and %d MIST. The program uses neither value until they "+
			"agree.",
			e.Number, e.GasPrice, second.Number, second.GasPrice)
	//mutant:always ./review TestLyingEpochBuriesNothing
	case sure:
		err = c.Seen.See(ctx, chain, func(s Seen) Seen { return c.Pace.believe(s, e.Number, now) })
	}
	return e, err
}

// known returns what is stored about a chain, updated with the epoch that stored signatures show.
func (c Epochs) known(ctx context.Context, chain sui.Digest, now time.Time) (Seen, error) {
	known, err := c.Seen.Seen(ctx, chain)
	if err != nil || c.Prover == nil {
		return known, err
	}
	begun, err := c.Prover.Begun(ctx, chain)
	if err != nil || begun <= c.Pace.from(known, now).Epoch {
		return known, err
	}
	known = known.signed(begun, now)
	return known, c.Seen.See(ctx, chain, func(s Seen) Seen { return s.signed(begun, now) })
}

// second returns the epoch that the second node reports. It returns false if there is no second
// node, it does not answer, or it serves another chain.
func (c Epochs) second(ctx context.Context, chain sui.Digest) (sui.Epoch, bool) {
	if c.Second == nil {
		return sui.Epoch{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, confirmTime)
	defer cancel()
	there, err := c.Second.ChainIdentifier(ctx)
	if err != nil || there != chain {
		return sui.Epoch{}, false
	}
	e, err := c.Second.Epoch(ctx)
	return e, err == nil
}

// signed reports whether validators' signatures show that an epoch has started.
func (c Epochs) signed(ctx context.Context, epoch uint64) bool {
	if c.Prover == nil || epoch == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, confirmTime)
	defer cancel()
	ended, err := c.Prover.Ended(ctx, epoch-1)
	return err == nil && ended
}

// Over reports whether an epoch is over, after the first node reported so. The second node or
// validators' signatures must confirm it; otherwise why explains what is missing. contradicted
// reports that the second node denies it.
func (c Epochs) Over(ctx context.Context, chain sui.Digest, epoch, reported uint64) (sure, contradicted bool,
	why string) {
	second, answered := c.second(ctx, chain)
	//mutant:never `second.Number > epoch` ./review/node TestOver
	if answered && second.Number > epoch || c.signed(ctx, epoch+1) {
		return true, false, ""
	}
	if answered {
		return false, true, fmt.Sprintf("The first node says that epoch %d has begun; the second node says epoch %d. "+
			"Validators' signatures do not decide it, so the transaction is treated as one that can still execute.",
			reported, second.Number)
	}
	return false, false, fmt.Sprintf("One node says that epoch %d has begun, so the transaction could no longer execute. "+
		"Neither a second node nor validators' signatures confirm it.", reported)
}

// NotePrice records the gas price of an executed transaction.
func (c Epochs) NotePrice(ctx context.Context, chainID string, price sui.Raw) {
	chain, err := sui.ParseDigest(chainID)
	if err != nil || price == 0 {
		return
	}
	if err := c.Seen.See(ctx, chain, func(s Seen) Seen { s.GasPrice = uint64(price); return s }); err != nil {
		c.Log.Error("a gas price was not noted", "cause", err)
	}
}

// signed returns the value after validators signed that an epoch had started by the given time. It
// replaces accepted values for the same or earlier epochs, because signatures need no tolerance.
func (s Seen) signed(epoch uint64, at time.Time) Seen {
	//mutant:never ./review/node TestSignedEpoch
	if epoch < s.Epoch {
		return s
	}
	if epoch > s.Epoch || s.Since.IsZero() || at.Before(s.Since) {
		s.Epoch, s.Since = epoch, at
	}
	return s
}

// NoteSigned records an epoch that validators signed, with the time of their checkpoint.
func (c Epochs) NoteSigned(ctx context.Context, chainID string, epoch uint64, at time.Time) {
	chain, err := sui.ParseDigest(chainID)
	if err != nil || at.IsZero() {
		return
	}
	if err := c.Seen.See(ctx, chain, func(s Seen) Seen { return s.signed(epoch, at) }); err != nil {
		c.Log.Error("a signed epoch was not noted", "cause", err)
	}
}

// NewSeen returns a store in memory.
func NewSeen() SeenStore { return &seenHere{known: map[sui.Digest]Seen{}} }

// seenHere is a SeenStore in memory.
type seenHere struct {
	mu    sync.Mutex
	known map[sui.Digest]Seen
}

// Seen implements SeenStore.
func (h *seenHere) Seen(_ context.Context, chain sui.Digest) (Seen, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known[chain], nil
}

// See implements SeenStore.
func (h *seenHere) See(_ context.Context, chain sui.Digest, transition func(Seen) Seen) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known[chain] = transition(h.known[chain])
	return nil
}
