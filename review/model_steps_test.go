package review_test

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
)

// op is one step of a history; what a and b mean depends on the kind.
type op struct {
	Kind string
	A, B int
}

func (o op) String() string { return fmt.Sprintf("{%q, %d, %d}", o.Kind, o.A, o.B) }

// steps are all kinds of steps, of the page, a second page, the wallet, the
// chain and the clock. Each takes the step in both worlds and tells whether the
// service allowed it and whether the reference does.
var steps = map[string]func(w *world, a, b int) (did error, may bool){
	"open": func(w *world, a, _ int) (error, bool) {
		w.active = &record.Account{Address: w.account}
		if a%16 == 0 {
			w.active = &record.Account{Address: sui.MustAddress("0xb0b")}
		}
		may := w.want.open(w.now, a%16 != 0)
		_, err := w.service.Opened(w.ctx, w.id)
		w.active = &record.Account{Address: w.account}
		return err, may
	},
	"see": func(w *world, a, _ int) (error, bool) {
		w.want.lapse(w.now)
		s, err := w.service.Get(w.ctx, w.id)
		p := &w.pages[a%2]
		p.revision, p.commitment = s.Revision, s.Commitment
		return err, true
	},
	"compute": (*world).compute,
	"handoff": (*world).handoff,
	"signed":  (*world).signed,
	"sent": func(w *world, a, b int) (error, bool) {
		i := w.handedOut(a)
		d := sui.Digest{9}
		if i != nil && b%8 != 0 {
			d = i.digest
		}
		may := w.want.signed(w.now, i, i != nil && d == i.digest, owner, true)
		_, err := w.service.SignedElsewhere(w.ctx, w.id, w.nonce(i), d)
		return err, may
	},
	"outcome": func(w *world, a, b int) (error, bool) {
		what := []string{record.OutcomeDeclined, record.OutcomeRejected, record.OutcomeProviderError,
			record.OutcomeDisconnected, "success", record.OutcomeChanged}[b%6]
		i, nonce := w.handedOut(a/8), ""
		if a%8 > 0 {
			nonce = w.nonce(i)
		}
		may := w.want.report(w.now, i, nonce != "", what)
		_, err := w.service.Outcome(w.ctx, w.id, nonce, what)
		return err, may
	},
	"submit": func(w *world, a, _ int) (error, bool) {
		i := w.handedOut(a)
		may := w.want.submit(i)
		_, err := w.service.Submit(w.ctx, w.id, w.nonce(i))
		return err, may
	},
	"look": func(w *world, _, _ int) (error, bool) {
		w.want.look(w.now)
		w.watcher.Look(w.ctx)
		return nil, true
	},
	"restart": func(w *world, _, _ int) (error, bool) { w.restart(); return nil, true },
	"epoch":   func(w *world, _, _ int) (error, bool) { w.chain.epoch++; return nil, true },
	"spend": func(w *world, a, _ int) (error, bool) { // elsewhere, by another transaction
		w.chain.run(w.chain.fresh(), w.account, w.chain.present(sui.Address{0xc0, byte(a % 3)}), w.chain.epoch, true)
		return nil, true
	},
	"wallet": func(w *world, a, b int) (error, bool) { // it sends without saying so
		if i := w.handedOut(a); i != nil {
			w.chain.run(i.digest, w.account, i.coin, i.last, b%3 > 0)
		}
		return nil, true
	},
	"node": func(w *world, a, b int) (error, bool) {
		moods := []*bool{&w.chain.down, &w.chain.forgets, &w.chain.refuses, &w.chain.drops, &w.chain.strange}
		for _, m := range moods {
			*m = false
		}
		if b%3 > 0 {
			*moods[a%len(moods)] = true
		}
		return nil, true
	},
	"clock": func(w *world, a, _ int) (error, bool) {
		w.now = w.now.Add([]time.Duration{time.Second, 10 * time.Second, 61 * time.Second, 10 * time.Minute,
			31 * time.Minute, 48 * time.Hour, -time.Minute, -time.Hour}[a%8])
		return nil, true
	},
}

// compute ends a computation of what a page showed. One that is ready uses the
// coin of the living releases, as the rebuild rule demands; now and then, and
// against the rule, another one: that must never be handed out.
func (w *world) compute(a, b int) (error, bool) {
	before, err := w.service.Get(w.ctx, w.id)
	if err != nil {
		return err, true
	}
	seen := w.pages[a%2].revision
	reasons := append(plan.BlockedReasons(), plan.RefreshReasons()...)
	reason := reasons[b%len(reasons)]
	var i *item
	var build *review.Build
	if b%4 > 0 {
		coin := w.chain.present(sui.Address{0xc0, byte(b % 3)})
		if alive := w.want.alive(); len(alive) > 0 && b%16 != 1 {
			if coin = alive[0].coin; w.chain.present(coin.ID) != coin {
				coin = sui.ObjectRef{}
				reason = plan.ObjectResolutionFailed // it waits for proof
			}
		}
		if coin != (sui.ObjectRef{}) {
			i, build = w.build(coin)
			reason = ""
		}
	}
	may := w.want.compute(w.now, seen == before.Revision, reason, i, modelLimits.BuildLife)
	_, err = w.store.Change(w.ctx, w.id, "computed", func(r *record.Row) error {
		return review.Adopt(r, seen, reason, build, ledgerChain.String(), w.now)
	})
	return err, may
}

func (w *world) handoff(a, b int) (error, bool) {
	before, err := w.store.Review(w.ctx, w.id)
	if err != nil {
		return err, true
	}
	p := w.pages[a%2]
	shown := p.commitment
	if b%16 == 0 {
		shown = sui.Commitment(sui.Digest{1})
	}
	if b%16 == 1 {
		w.active = nil
	}
	current := p.revision == before.Revision
	right := current && shown != "" && shown == before.Commitment
	may := w.want.hand(w.now, current, right, w.active != nil)
	out, err := w.service.Handoff(w.ctx, w.id, p.revision, shown)
	w.active = &record.Account{Address: w.account}
	if err != nil {
		return err, may
	}
	i := w.items[out.Bytes.Digest()]
	if i == nil || w.nonces[i] != "" || sui.Commitment(i.digest) != shown {
		w.broken = "handed out what was not shown, or twice"
		return nil, may
	}
	w.nonces[i] = out.Nonce
	return nil, may
}

// signed posts a signature: mostly a good one over the release that the nonce
// is of.
func (w *world) signed(a, b int) (error, bool) {
	i := w.handedOut(a)
	raw, same, made := []byte("nothing that was handed out"), false, owner
	signature := make([]byte, 97)
	if i != nil {
		raw, same = w.bytes[i].Bytes(), true
		signature = w.sign(raw)
		switch b % 10 {
		case 0:
			raw, same = append(raw, 0), false
		case 1:
			signature[20] ^= 1
			made = nobody
		case 2: // over another release of this review
			other := w.handedOut(a + 1)
			raw = w.bytes[other].Bytes()
			signature, same = w.sign(raw), other == i
		case 3: // another account of the wallet
			signature, made = signedBy(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), raw), stranger
		}
	}
	may := w.want.signed(w.now, i, same, made, false)
	_, err := w.service.Signed(w.ctx, w.id, w.nonce(i), raw, signature)
	return err, may
}

// take takes one step in both worlds and compares them.
func (w *world) take(o op) string {
	if w.broken != "" {
		return w.broken
	}
	before, err := w.store.ReviewRow(w.ctx, w.id)
	if err != nil {
		return err.Error()
	}
	did, may := steps[o.Kind](w, o.A, o.B)
	w.service.Idle()
	after, err := w.store.ReviewRow(w.ctx, w.id)
	if err != nil {
		return err.Error()
	}
	switch {
	case w.broken != "":
		return w.broken
	case (did == nil) != may:
		return fmt.Sprintf("%v: allowed by the contract: %t, the service says: %v", o, may, did)
	}
	if diff := cmp.Diff(w.wanted(), shapeOf(after.Session)); diff != "" {
		return fmt.Sprintf("after %v (-contract +service):\n%s", o, diff)
	}
	return w.laws(before.Session, after)
}

// laws hold after every step, whatever the reference thinks.
func (w *world) laws(before record.Session, after record.Row) string {
	s := after.Session
	switch {
	case before.Status.Terminal() && before.Revision != s.Revision:
		return "a final review changed"
	case before.Status != s.Status && before.Revision == s.Revision:
		return "a state changed without a new revision"
	case s.Status.Terminal() && len(after.Materials) > 0:
		return "a final review keeps material"
	case s.Status == record.Expired && len(s.Releases) > 0:
		return "a review with a release expired"
	}
	for _, m := range after.Materials {
		if s.Released(m.Digest) == nil && sui.Commitment(m.Digest) != s.Commitment {
			return "material is kept that was never handed out and is not shown"
		}
	}
	ran := 0
	for _, r := range s.Releases {
		if _, ok := w.chain.executed[r.Digest]; ok {
			if ran++; r.Dead {
				return "proved dead, yet executed"
			}
		}
		if sui.Commitment(r.Digest) != r.Commitment || w.nonces[w.items[r.Digest]] == "" {
			return "a release is not of what was handed out"
		}
		if _, kept := after.Material(r.Digest); !kept && !r.Dead && !s.Status.Terminal() {
			return "the bytes of a living release are gone"
		}
	}
	switch {
	case ran > 1:
		return "two transactions of one review executed"
	case s.Status == record.Success && ran == 0:
		return "success without effects"
	case s.Status == record.Failure && ran == 1 && s.Execution.FailureReason != record.FailureChainExecution:
		return "called failed, yet it executed"
	}
	return ""
}

var _ node.Executor = (*ledger)(nil)
var _ node.Chain = (*ledger)(nil)
