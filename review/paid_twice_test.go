package review_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/transfer"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/store"
)

// allHistories is how many histories a whole run walks through.
const allHistories = 120

var (
	payHistories  = flag.Int("histories", allHistories, "how many histories of two clients are walked through")
	firstHistory  = flag.Uint64("history", 1, "the seed of the first history; 0: of this moment")
	historyReplay = flag.Bool("replay", false, "tell what happens in a history")
)

// TestPaidTwiceModel walks through histories of two clients on one store, each of which
// asks for the same few payments in every way that there is: alone, in one transaction, in
// bundles by steps, as plans and programs ask. The user ticks or does not; coins are
// chosen at random, also badly; gas comes out of coins or the address balance; wallets
// decline, stay silent, and send late and in secret; nodes fail and lie about the epoch,
// the clock jumps, and processes are killed. No payment may execute twice without the user's "Yes,
// again", and none
// without the user being told.
//
// make histories walks through 10,000 others.
func TestPaidTwiceModel(t *testing.T) {
	seed := *firstHistory
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	if testing.Short() && *payHistories == allHistories {
		*payHistories = 10 // make test walks through the rest
	}
	t.Logf("%d histories from -history %d", *payHistories, seed)
	seen := map[string]int{}
	for n := range uint64(*payHistories) {
		if n%25 == 0 {
			openHouses(t, seed+n)
		}
		if wrong := newHouse(t, seed+n, seen).live(); len(wrong) > 0 {
			t.Fatalf("history %d: %v", seed+n, wrong)
		}
	}
	t.Log(seen)
	for want, least := range map[string]int{"executed": 10, "asked again": 10, "said yes": 20, "refused a program": 20,
		"a bundle is not approved": 20,
		"secretly executed":        20, "restarted": 20, "coinless executed": 120, "replaced": 120,
		"twice on the person's word": 120,
		"said yes to a bundle":       120, "believed dead": 120, "equal steps": 1000, "twice after a while": 1000} {
		if seen[want] == 0 && *payHistories >= least {
			t.Errorf("no history came to this: %s", want)
		}
	}
}

// pays is one payment of a request, as the oracle compares it.
type pays struct{ amount, to string }

// handed is one transaction that a wallet got.
type handedTx struct {
	review   record.ID
	bundle   string // that it was approved in, "" for none
	payments []pays
	accepted []string
	at       time.Time
	raw      []byte
	nonce    string
	client   int
	told     time.Time // when the user could first read that it happened
	secret   bool
}

// house is one history: an account, its chain, two clients over one store.
type house struct {
	t       testing.TB
	ctx     context.Context
	rnd     *mathrand.Rand
	chain   *ledger
	key     ed25519.PrivateKey
	account sui.Address
	reviews [2]*review.Service
	bundles [2]*request.Service
	known   []record.ID
	asked   []request.ID
	handed  []*handedTx
	seen    map[string]int
	wrong   []string
	ahead   uint64 // by how many epochs the node lies
	jumped  bool   // the clock did, for days
}

// openHouse is a store that histories share, with the clock of the one that lives.
var openHouse struct {
	dbs [2]*store.DB
	now time.Time
}

func openHouses(t testing.TB, seed uint64) {
	dir := double.Dir(t)
	openHouse.now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i := range openHouse.dbs {
		if openHouse.dbs[i] != nil {
			_ = openHouse.dbs[i].Close()
		}
		var err error
		openHouse.dbs[i], err = store.Open(context.Background(), store.Config{Dir: dir, Now: modelNow, Hub: &events.Hub{}})
		if err != nil {
			t.Fatalf("history %d: %v", seed, err)
		}
	}
	dbs := openHouse.dbs
	t.Cleanup(func() { _, _ = dbs[0].Close(), dbs[1].Close() })
}

func modelNow() time.Time { return openHouse.now }

func newHouse(t testing.TB, seed uint64, seen map[string]int) *house {
	h := &house{t: t, ctx: context.Background(), rnd: mathrand.New(mathrand.NewPCG(seed, 34)), chain: newLedger(4),
		seen: seen}
	h.key, h.account = keyOf(fmt.Sprint("house", seed))
	openHouse.now = openHouse.now.Add(72 * time.Hour)
	h.start(0)
	h.start(1)
	return h
}

// start is a new process of a client over the same store.
func (h *house) start(i int) {
	if h.reviews[i] != nil {
		h.reviews[i].Close()
	}
	active := func(context.Context) (record.Account, bool, error) {
		return record.Account{Address: h.account}, true, nil
	}
	h.reviews[i] = review.New(review.Config{Store: openHouse.dbs[i], Nodes: review.Nodes{Chain: hastyNode{h.chain, h},
		Executor: freeLedger{h.chain}, Pace: modelPace},
		Hub: &events.Hub{}, Now: modelNow,
		Active: active, Network: "sui:sandbox", Limits: modelLimits, Compare: lawsAlone,
		Adapters: []plan.Adapter{transfer.New(registry.NoWallet, suins.Resolver{})}})
	h.bundles[i] = request.New(request.Config{Store: openHouse.dbs[i], Make: h.reviews[i], Active: active,
		Hub: &events.Hub{}, Now: modelNow, Rand: rand.Reader})
}

func (h *house) note(format string, args ...any) {
	if *historyReplay {
		h.t.Logf("%s "+format, append([]any{openHouse.now.Format("02 15:04:05")}, args...)...)
	}
}

// live goes through the history, lets everything come to its end, and returns what was
// wrong in it.
func (h *house) live() []string {
	ops := []struct {
		n  int
		do func(client int)
	}{
		{16, h.through}, {3, h.answer}, {4, h.build}, {4, h.hand}, {6, h.wallet}, {6, h.look}, {5, h.sweep}, {1, h.epoch},
		{4, h.tick}, {1, h.mood}, {2, h.lie}, {1, h.restart},
	}
	total := 0
	for _, o := range ops {
		total += o.n
	}
	for range 10 + h.rnd.IntN(20) {
		pick, client := h.rnd.IntN(total), h.rnd.IntN(2)
		for _, o := range ops {
			if pick -= o.n; pick < 0 {
				o.do(client)
				break
			}
		}
		h.notice()
	}
	h.chain.down, h.chain.forgets, h.chain.refuses, h.chain.drops, h.chain.strange = false, false, false, false, false
	h.ahead = 0
	for range 4 {
		h.look(0)
		h.sweep(1)
		h.notice()
		h.chain.epoch++
		openHouse.now = openHouse.now.Add(24 * time.Hour)
	}
	h.judge()
	h.reviews[0].Close()
	h.reviews[1].Close()
	return h.wrong
}

// through asks for something and continues with it as far as it comes, as a user does who wants it.
func (h *house) through(client int) {
	bundles := len(h.asked)
	next := []func(int){h.build, h.hand, h.wallet}
	if h.ask(client); len(h.asked) > bundles {
		next = []func(int){h.answer, h.sweep, h.build, h.hand, h.wallet, h.look, h.sweep, h.sweep, h.build, h.hand, h.wallet}
	}
	for _, do := range next {
		if do(client); h.rnd.IntN(12) == 0 {
			return
		}
	}
}

// late draws one of the n latest, mostly the last one.
func (h *house) late(all, n int) int {
	if h.rnd.IntN(3) > 0 {
		n = 1
	}
	return all - 1 - h.rnd.IntN(min(n, all))
}

// payments draws a few of the payments that all requests are made of.
func (h *house) payments(most int) (list []plan.Intent) {
	for range 1 + h.rnd.IntN(most) {
		amount, to := []string{"1", "1.0", "2"}[h.rnd.IntN(3)], openPayee
		if h.rnd.IntN(3) == 0 {
			to = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"
		}
		list = append(list, plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: amount},
			Recipient: to})
		if len(list) < most && h.rnd.IntN(3) == 0 {
			list = append(list, list[0])
		}
	}
	return list
}

// ask asks for payments through one of the doors.
func (h *house) ask(client int) {
	s, db := h.reviews[client], openHouse.dbs[client]
	list := h.payments(3)
	in := list[0]
	if len(list) > 1 {
		in = plan.Intent{Type: plan.Bundle, Steps: list}
	}
	var made record.Session
	var err error
	switch door := h.rnd.IntN(6); door {
	case 0, 1: // an AI client: one action, or several in one transaction
		made, err = s.Prepare(h.ctx, in)
	case 2: // one transaction of a plan
		if made, err = s.Read(h.ctx, in); err == nil {
			err = db.CreateReview(h.ctx, made)
		}
	case 3: // a transaction that a program built
		var earlier *record.Related
		if made, earlier, err = s.PrepareOnce(h.ctx, list[0]); err == nil && earlier != nil {
			h.seen["refused a program"]++
			return
		}
		if err == nil {
			err = db.CreateReview(h.ctx, made)
		}
	default: // steps of a client, of a plan's group or of a program
		var wanted []request.Wanted
		for i, one := range list {
			wanted = append(wanted, request.Wanted{ID: fmt.Sprint(i), Sequence: int64(i), Chain: "Sui", Intent: one,
				Wait: h.rnd.IntN(2) == 0, Timeout: request.DefaultReceipt})
		}
		b, err := h.bundles[client].Ask(h.ctx, "", h.rnd.IntN(3) == 0, wanted)
		if err != nil {
			return // one runs, or waits for its answer
		}
		if h.note("bundle %s of %d", b.ID, len(list)); len(list) > 1 && h.rnd.IntN(4) == 0 {
			_, _ = db.ChangeRequest(h.ctx, b.ID, "mode", func(b *request.Request) (*record.Session, error) {
				return nil, b.Choose(request.Atomic, modelNow())
			})
		}
		h.asked = append(h.asked, b.ID)
		return
	}
	if err != nil {
		h.wrong = append(h.wrong, "ask: "+err.Error())
		return
	}
	h.note("review %s of %d", made.ID, len(list))
	h.known = append(h.known, made.ID)
}

func yesToAll(context.Context) error { return nil }

// answer approves, rejects, keeps or stops a bundle.
func (h *house) answer(client int) {
	if len(h.asked) == 0 {
		return
	}
	id, svc := h.asked[h.late(len(h.asked), 3)], h.bundles[client]
	b, err := svc.Get(h.ctx, id)
	if err != nil {
		return
	}
	shown := request.Answer{Revision: b.Revision, Right: yesToAll}
	switch n := h.rnd.IntN(12); {
	case n == 0:
		_, _ = svc.Reject(h.ctx, id, shown)
	case n == 1:
		_ = svc.Later(h.ctx, id, shown, "page")
	case n == 2:
		_, _ = svc.Stop(h.ctx, id, yesToAll)
	case b.State == request.Asked:
		twins, err := svc.Twins(h.ctx, b)
		if err != nil {
			return
		}
		var accepted []string
		for _, t := range twins {
			if h.rnd.IntN(2) == 0 {
				accepted = append(accepted, t.Need())
			}
		}
		_, err = svc.Approve(h.ctx, id, shown, accepted)
		switch h.note("approve %s %v: %v", id, accepted, err); {
		case err != nil:
			h.seen["a bundle is not approved"]++
		case len(accepted) > 0:
			h.seen["said yes to a bundle"]++
		}
	}
}

// sweep carries the bundles on, and finds the reviews of their steps.
func (h *house) sweep(client int) {
	_, _ = h.bundles[client].Sweep(h.ctx)
	for _, id := range h.asked {
		b, err := h.bundles[client].Get(h.ctx, id)
		if err != nil {
			continue
		}
		for _, s := range b.Steps {
			if s.Review != "" && !slices.Contains(h.known, s.Review) {
				h.known = append(h.known, s.Review)
			}
		}
	}
}

// any returns one of the latest reviews.
func (h *house) any() record.ID { return h.known[h.late(len(h.known), 6)] }

// build ends a computation of a review with a transaction on some coins: no gate chose
// them, so the release alone has to keep what may not happen twice apart.
func (h *house) build(client int) {
	if len(h.known) == 0 {
		return
	}
	id := h.any()
	s, err := h.reviews[client].Opened(h.ctx, id)
	if err != nil || s.Status.Terminal() || s.Status == record.SignedPendingResult {
		return
	}
	h.chain.made++
	tx := &sui.Transaction{Inputs: []sui.Input{sui.PureU64(h.chain.made), sui.PureAddress(h.account)},
		Commands: []sui.Command{sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)}},
		Sender: h.account, Gas: sui.Gas{Owner: h.account, Price: 500, Budget: 5_000_000}}
	last := h.chain.epoch + 1
	coin := func() sui.ObjectRef {
		if n := len(h.handed); n > 0 && h.rnd.IntN(2) == 0 { // that another one uses
			if other, err := sui.DecodeTransaction(h.handed[h.rnd.IntN(n)].raw); err == nil && len(other.Gas.Payment) > 0 {
				return other.Gas.Payment[0]
			}
		}
		return h.chain.present(sui.Address{0xc0, byte(h.rnd.IntN(2))})
	}
	if h.rnd.IntN(4) == 0 {
		last = h.chain.epoch
		tx.Expiration = sui.ValidDuring{MinEpoch: &last, MaxEpoch: &last}
	} else {
		tx.Expiration, tx.Gas.Payment = sui.EpochExpiration{Epoch: last}, []sui.ObjectRef{coin()}
		if rel := s.Outstanding(); len(rel) > 0 && !rel[0].Coinless() { // as the gate does
			tx.Gas.Payment[0] = rel[0].GasCoin
		}
	}
	if h.rnd.IntN(4) == 0 {
		tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: h.chain.present(sui.Address{0xc0, byte(2 + h.rnd.IntN(2))})})
	}
	raw, err := tx.Encode()
	if err != nil {
		h.wrong = append(h.wrong, "build: "+err.Error())
		return
	}
	m := sui.NewMaterial(raw)
	facts := plan.Facts{Sender: h.account, LastEpoch: last,
		Gas: plan.GasFacts{Budget: 5_000_000, Price: 500, Owner: h.account, Payment: tx.Gas.Payment}}
	for range s.Intent.Each() {
		facts.Steps = append(facts.Steps, plan.StepFacts{Sends: h.account,
			Promise: plan.SwapPromise([]plan.Amount{plan.SUI.Of(10)}, plan.SUI.Of(9))})
	}
	_, err = openHouse.dbs[client].Change(h.ctx, id, "computed", func(r *record.Row) error {
		return review.Adopt(r, s.Revision, "", &review.Build{Bytes: m, Facts: facts,
			Expires: modelNow().Add(modelLimits.BuildLife)}, ledgerChain.String(), modelNow())
	})
	h.note("build %s on %v: %v", id, tx.Gas.Payment, err)
}

// hand asks for the transaction of a review, with some of what the page asks to be ticked.
func (h *house) hand(client int) {
	if len(h.known) == 0 {
		return
	}
	id, svc := h.any(), h.reviews[client]
	s, err := svc.Get(h.ctx, id)
	if err != nil || s.Status != record.Ready || s.Current() != nil {
		return
	}
	list, err := svc.Related(h.ctx, s)
	if err != nil {
		h.wrong = append(h.wrong, "beside: "+err.Error())
		return
	}
	var accepted []string
	for _, b := range list {
		if need := b.Need(); need != "" && h.rnd.IntN(2) == 0 {
			accepted = append(accepted, need)
		}
	}
	of, _, err := openHouse.dbs[client].RequestOf(h.ctx, id)
	if err != nil {
		return
	}
	out, err := svc.HandoffTo(h.ctx, id, func(ctx context.Context) error { return h.bundles[client].Handing(ctx, id) },
		s.Revision, s.Commitment, accepted...)
	h.note("hand out %s with %v: %v", id, accepted, err)
	if err != nil {
		if len(list) > 0 {
			h.seen["asked again"]++
		}
		return
	}
	tx := &handedTx{review: id, accepted: append(accepted, of.Accepted...), at: modelNow(), raw: out.Bytes.Bytes(),
		nonce: out.Nonce, client: client}
	if of.State == request.Running {
		tx.bundle = string(of.ID)
	}
	for _, in := range s.Intent.Each() {
		amount := in.From.Amount
		if amount == "1.0" {
			amount = "1"
		}
		tx.payments = append(tx.payments, pays{amount, in.Recipient})
	}
	for _, a := range accepted {
		h.seen[map[bool]string{true: "said yes", false: "replaced"}[a[0] == 'a']]++
	}
	h.handed = append(h.handed, tx)
}

// wallet does something with a transaction that it has, or says something of it.
func (h *house) wallet(client int) {
	if len(h.handed) == 0 {
		return
	}
	tx, svc := h.handed[h.late(len(h.handed), 4)], h.reviews[client]
	switch n := h.rnd.IntN(10); {
	case n < 4:
		_, err := svc.Signed(h.ctx, tx.review, tx.nonce, tx.raw, signedBy(h.key, tx.raw))
		h.note("signed %s: %v", tx.review, err)
	case n < 8:
		what := []string{record.OutcomeDeclined, record.OutcomeRejected, record.OutcomeProviderError,
			record.OutcomeDisconnected}[n-4]
		_, err := svc.Outcome(h.ctx, tx.review, tx.nonce, what)
		h.note("%s %s: %v", what, tx.review, err)
	default: // it signed and sent all the same
		tx.secret = true
		ran := freeLedger{h.chain}.run(tx.raw)
		h.note("sent in secret %s: %t", tx.review, ran)
	}
	svc.Idle()
}

// look asks the chain of everything that is awaited.
func (h *house) look(client int) {
	ids, err := openHouse.dbs[client].Unsettled(h.ctx)
	dead, errDead := openHouse.dbs[client].LookedFor(h.ctx)
	if err != nil || errDead != nil {
		h.wrong = append(h.wrong, fmt.Sprint("unsettled: ", err, errDead))
	}
	for _, id := range slices.Concat(ids, dead) {
		if !slices.Contains(h.known, id) {
			continue // of another history
		}
		h.reviews[client].Watcher(id).Look(h.ctx)
		s, err := openHouse.dbs[client].Review(h.ctx, id)
		if err == nil && slices.ContainsFunc(s.Releases, record.Release.BelievedDead) {
			h.seen["believed dead"]++
		}
	}
}

func (h *house) epoch(int) { h.chain.epoch++ }

func (h *house) tick(int) {
	openHouse.now = openHouse.now.Add([]time.Duration{time.Second, 20 * time.Second, time.Minute, 9 * time.Minute,
		11 * time.Minute,
		-30 * time.Second, -20 * time.Minute}[h.rnd.IntN(7)])
}

// lie has the node tell epochs that have not come; now and then for days, until what is
// open is believed dead.
func (h *house) lie(client int) {
	h.ahead = []uint64{0, 0, 1, 5}[h.rnd.IntN(4)]
	if h.jumped || h.ahead < 5 {
		return
	}
	h.jumped = true
	h.look(client)
	h.notice() // what was found can be read during these days
	openHouse.now = openHouse.now.Add(73 * time.Hour)
	h.look(client)
}

func (h *house) mood(int) {
	moods := []*bool{&h.chain.down, &h.chain.forgets, &h.chain.refuses, &h.chain.drops, &h.chain.strange}
	for _, m := range moods {
		*m = false
	}
	if h.rnd.IntN(2) == 0 {
		*moods[h.rnd.IntN(len(moods))] = true
	}
}

func (h *house) restart(client int) {
	h.seen["restarted"]++
	h.start(client)
}
