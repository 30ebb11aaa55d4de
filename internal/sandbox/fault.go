package sandbox

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// FaultKind is one way in which the sandbox can misbehave, or one event of the
// chain that a test wants now.
type FaultKind string

// The kinds of faults. Those up to Drop stay until used up (Times) or cleared;
// the others happen at once.
const (
	Slow               FaultKind = "slow"                 // Method answers after Milliseconds
	Fail               FaultKind = "fail"                 // Method answers UNAVAILABLE
	Refuse             FaultKind = "refuse"               // Method answers INVALID_ARGUMENT
	Miss               FaultKind = "miss"                 // Method answers NOT_FOUND, as before a transaction is known
	OmitBalanceChanges FaultKind = "omit_balance_changes" // simulations tell none
	AlterBalances      FaultKind = "alter_balances"       // simulations tell ten per cent more of every gain
	OtherRecipient     FaultKind = "other_recipient"      // simulations tell that somebody else gains
	OtherDigest        FaultKind = "other_digest"         // simulations tell another digest
	OtherSender        FaultKind = "other_sender"         // simulations tell another sender
	RepeatBalances     FaultKind = "repeat_balances"      // ListBalances tells its first balance twice
	StuckBalances      FaultKind = "stuck_balances"       // ListBalances goes on with the same page for ever
	Drop               FaultKind = "drop"                 // ExecuteTransaction executes, its answer is lost
	AdvanceEpoch       FaultKind = "advance_epoch"
	DisableVersion     FaultKind = "disable_version" // Pool, or every pool, stops admitting package Version
	EnableVersion      FaultKind = "enable_version"
	ShiftPrice         FaultKind = "shift_price"  // the book of Pool moves by BasisPoints
	ConsumeCoin        FaultKind = "consume_coin" // the version of Object moves on, as if spent elsewhere
	ClearFaults        FaultKind = "clear"
)

// Fault is one order to misbehave. Times 0 means until cleared; Method is the
// bare gRPC method name, empty for every method.
type Fault struct {
	Kind         FaultKind `json:"kind"`
	Method       string    `json:"method,omitempty"`
	Milliseconds int       `json:"milliseconds,omitempty"`
	Times        int       `json:"times,omitempty"`
	Version      uint64    `json:"version,omitempty"`
	Pool         string    `json:"pool,omitempty"`
	BasisPoints  int       `json:"basisPoints,omitempty"`
	Object       string    `json:"object,omitempty"`
	Number       uint64    `json:"number,omitempty"`
}

// Inject makes the fault happen from now on. Unknown kinds, pools and objects
// are refused.
func (s *Sandbox) Inject(f Fault) error {
	if f.Times < 0 || f.Milliseconds < 0 || f.Milliseconds > int(time.Hour/time.Millisecond) {
		return refuse("times or milliseconds is out of range")
	}
	switch f.Kind {
	case Slow, Fail, Refuse, Miss, OmitBalanceChanges, AlterBalances, OtherRecipient, OtherDigest, OtherSender,
		RepeatBalances, StuckBalances, LackEvents, ForeignEvent, StuckEvents, Drop,
		RepeatPage, ReversePage, HugeAnswer, PartialError, NullDetails, Prune:
		s.faults.add(f)
		return nil
	case ClearFaults:
		s.faults.clear()
		s.mu.Lock()
		defer s.mu.Unlock()
		clear(s.ledger.disabled)
		return nil
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch f.Kind {
	case AdvanceEpoch:
		s.ledger.advanceEpoch(now)
		return nil
	case DisableVersion, EnableVersion:
		return s.ledger.admit(f.Pool, f.Version, f.Kind == EnableVersion)
	case ShiftPrice:
		return s.ledger.shiftPrice(f.Pool, f.BasisPoints)
	case ConsumeCoin:
		return s.ledger.consume(f.Object)
	case ThinBook, LeastSize, LotSize, TakerFee, MakerFee, DeepPoints:
		if f.Kind == LotSize && f.Number == 0 {
			return refuse("a lot of nothing")
		}
		return s.ledger.changeBook(f, uint64(max(0, now.UnixMilli())))
	}
	return refuse("unknown fault %q", f.Kind)
}

// admit sets whether a pool, or every pool, admits a package version.
func (l *ledger) admit(pool string, version uint64, allowed bool) error {
	v := versionOf{version: version}
	if pool != "" {
		o, err := l.poolByKey(pool)
		if err != nil {
			return err
		}
		v.pool = o.id
	}
	if allowed {
		delete(l.disabled, v)
	} else {
		l.disabled[v] = true
	}
	return nil
}

func (l *ledger) poolByKey(key string) (*object, error) {
	for _, o := range l.objects {
		if o.pool != nil && o.pool.Key == key {
			return o, nil
		}
	}
	return nil, refuse("no pool %q", key)
}

// consume moves an object's version on, as a transaction from elsewhere would.
func (l *ledger) consume(id string) error {
	a, err := address(id, "object")
	if err != nil {
		return err
	}
	o := l.objects[a]
	if o == nil || o.coin == "" {
		return refuse("no coin %s", a)
	}
	l.made++
	l.put(o.next(o.version+1, hash("say-ur-intent/sandbox/consumed", bcsBytes(nil).u64(l.made)), nil))
	return nil
}

// faults holds what was injected and not used up.
type faults struct {
	mu   sync.Mutex
	list []*Fault
}

func (f *faults) add(one Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, &one)
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
}

// take gives the first fault of one of the kinds for the method and counts it.
func (f *faults) take(method string, kinds ...FaultKind) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.list {
		if !slices.Contains(kinds, one.Kind) || (one.Method != "" && method != "" && one.Method != method) {
			continue
		}
		if one.Times > 0 {
			if one.Times--; one.Times == 0 {
				f.list = slices.Delete(f.list, i, i+1)
			}
		}
		c := *one
		return &c
	}
	return nil
}

func unavailable(text string) error { return status.Error(codes.Unavailable, text) }

// intercept applies the faults that concern every method.
func (f *faults) intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := f.befall(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

// interceptStream applies the same faults to a method that answers in a stream.
func (f *faults) interceptStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := f.befall(stream.Context(), info.FullMethod); err != nil {
		return err
	}
	return next(server, stream)
}

// befall waits, or gives the error, that a method was told to.
func (f *faults) befall(ctx context.Context, fullMethod string) error {
	method := fullMethod[strings.LastIndexByte(fullMethod, '/')+1:]
	if slow := f.take(method, Slow); slow != nil {
		select {
		case <-time.After(time.Duration(slow.Milliseconds) * time.Millisecond):
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	if hit := f.take(method, Fail, Refuse, Miss); hit != nil {
		switch hit.Kind {
		case Fail:
			return unavailable("the sandbox was told to fail")
		case Miss:
			return notFound("the sandbox was told not to find it")
		}
		return refuse("the sandbox was told to refuse")
	}
	return nil
}

// dropped reports whether the answer of an execution is to be lost.
func (f *faults) dropped() bool { return f.take("ExecuteTransaction", Drop) != nil }

// distortBalances makes a list of balances untrue where it was told to.
func (f *faults) distortBalances(answer *pb.ListBalancesResponse) {
	if len(answer.Balances) > 0 && f.take("ListBalances", RepeatBalances) != nil {
		answer.Balances = append(answer.Balances, answer.Balances[0])
	}
	if f.take("ListBalances", StuckBalances) != nil {
		answer.NextPageToken = []byte("0x")
	}
}

// distort makes a simulation's answer untrue where it was told to.
func (f *faults) distort(answer *pb.SimulateTransactionResponse) {
	t := answer.GetTransaction()
	if f.take("SimulateTransaction", OmitBalanceChanges) != nil {
		t.BalanceChanges = nil
	}
	if f.take("SimulateTransaction", AlterBalances) != nil {
		for _, c := range t.BalanceChanges {
			if n, ok := new(big.Int).SetString(c.GetAmount(), 10); ok && n.Sign() > 0 {
				c.Amount = ptr(n.Add(n, new(big.Int).Div(n, big.NewInt(10))).String())
			}
		}
	}
	stranger := sui.Address(hash("say-ur-intent/sandbox/stranger", nil))
	if f.take("SimulateTransaction", OtherRecipient) != nil {
		for _, c := range t.BalanceChanges {
			if !strings.HasPrefix(c.GetAmount(), "-") {
				c.Address = ptr(stranger.String())
			}
		}
	}
	if f.take("SimulateTransaction", OtherDigest) != nil {
		other := hash("say-ur-intent/sandbox/other", []byte(t.GetDigest())).String()
		t.Digest, t.Transaction.Digest, t.Effects.TransactionDigest = &other, &other, &other
	}
	if f.take("SimulateTransaction", OtherSender) != nil {
		t.Transaction.Sender = ptr(stranger.String())
	}
}
