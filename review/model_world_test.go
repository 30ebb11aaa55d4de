package review_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/handoff"
	"github.com/sayurintent/sayurintent/review/node"
)

// world is a review service and its reference side by side: every step is taken
// in both.
type world struct {
	ctx     context.Context
	now     time.Time
	chain   *ledger
	store   record.Store
	service *review.Service
	watcher *handoff.Watcher
	id      record.ID
	want    *reference

	key     ed25519.PrivateKey
	account sui.Address
	active  *record.Account

	pages [2]struct {
		revision   int64
		commitment string
	}
	items  map[sui.Digest]*item
	bytes  map[*item]sui.Material
	nonces map[*item]string
	broken string // what the two do not agree on
}

var modelLimits = gate.DefaultLimits()

func modelKey() (ed25519.PrivateKey, sui.Address) {
	return keyOf(strings.Repeat("m", ed25519.SeedSize))
}

// keyOf returns a key and its account: an account of its own for each history over
// one store, for all releases of an account are judged together.
func keyOf(seed string) (ed25519.PrivateKey, sui.Address) {
	sum := sha256.Sum256([]byte(seed))
	key := ed25519.NewKeyFromSeed(sum[:])
	return key, sui.PublicKeyAddress(0, key.Public().(ed25519.PublicKey))
}

func newWorld(store record.Store, id record.ID) *world {
	w := &world{
		ctx: context.Background(), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), chain: newLedger(3), store: store,
		id:    id,
		items: map[sui.Digest]*item{}, bytes: map[*item]sui.Material{}, nonces: map[*item]string{},
	}
	w.key, w.account = keyOf(string(id))
	w.active = &record.Account{Address: w.account}
	s := record.Session{ID: id, Network: "sui:sandbox", Account: w.account, Protocol: "deep", Action: "swap",
		Status: record.Proposed, Revision: 1, CreatedAt: w.now, UpdatedAt: w.now,
		ExpiresAt: w.now.Add(modelLimits.SessionLife)}
	w.want = &reference{chain: w.chain, status: record.Proposed, until: s.ExpiresAt, at: s.CreatedAt,
		held: map[*item]string{}}
	if err := store.CreateReview(w.ctx, s); err != nil {
		w.broken = "create: " + err.Error()
	}
	w.restart()
	return w
}

// modelPace lets the model turn epochs as it likes.
var modelPace = node.Pace{Epoch: 10, Length: 24 * time.Hour, Ahead: 1_000_000}

// confirming returns an honest second node that confirms epochs and what became of coins.
func confirming(l *ledger) *gate.Second { return &gate.Second{Chain: l, Executor: l} }

// restart forgets everything that is not stored.
func (w *world) restart() { w.use(w.chain, w.chain) }

// use restarts the service with this node before the chain.
func (w *world) use(chain node.Chain, executor node.Executor) {
	if w.service != nil {
		w.service.Close()
	}
	w.service = review.New(review.Config{
		Store: w.store, Nodes: review.Nodes{Chain: chain, Executor: executor, Pace: modelPace, Second: confirming(w.chain)},
		Hub: &events.Hub{}, Now: func() time.Time { return w.now },
		Active: func(context.Context) (record.Account, bool, error) {
			if w.active == nil {
				return record.Account{}, false, nil
			}
			return *w.active, true, nil
		},
		Network: "sui:sandbox", Limits: modelLimits,
		Compare: lawsAlone,
	})
	w.watcher = w.service.Watcher(w.id)
	w.want.held = map[*item]string{}
}

// build makes a transaction that uses a coin, valid up to the next epoch.
func (w *world) build(coin sui.ObjectRef) (*item, *review.Build) {
	w.chain.made++
	tx := &sui.Transaction{
		Inputs: []sui.Input{sui.PureU64(w.chain.made), sui.PureAddress(w.account)},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)},
		},
		Sender: w.account, Expiration: sui.EpochExpiration{Epoch: w.chain.epoch + 1},
		Gas: sui.Gas{Payment: []sui.ObjectRef{coin}, Owner: w.account, Price: 500, Budget: 5_000_000},
	}
	raw, err := tx.Encode()
	if err != nil {
		panic(err)
	}
	coinOf := func(symbol string) plan.Asset { return plan.Asset{Symbol: symbol, CoinType: sui.SUI, Decimals: 9} }
	facts := plan.Facts{
		Sender: w.account, LastEpoch: w.chain.epoch + 1,
		Steps: []plan.StepFacts{{Sends: w.account, Promise: plan.SwapPromise([]plan.Amount{coinOf("SUI").Of(10)},
			coinOf("USDC").Of(9))}},
		Gas: plan.GasFacts{Budget: 5_000_000, Price: 500, Owner: w.account, Payment: []sui.ObjectRef{coin}},
	}
	m := sui.NewMaterial(raw)
	i := &item{digest: m.Digest(), coin: coin, last: facts.LastEpoch}
	w.items[i.digest], w.bytes[i] = i, m
	return i, &review.Build{Bytes: m, Facts: facts, Expires: w.now.Add(modelLimits.BuildLife)}
}

// sign signs bytes as a wallet does.
func (w *world) sign(raw []byte) []byte { return signedBy(w.key, raw) }

func signedBy(key ed25519.PrivateKey, raw []byte) []byte {
	message := sui.Hash([]byte{0, 0, 0}, raw)
	signature := append([]byte{0}, ed25519.Sign(key, message[:])...)
	return append(signature, key.Public().(ed25519.PublicKey)...)
}

// shape is what is compared after every step.
type shape struct {
	Status     record.Status
	Reason     plan.Reason
	Built      string
	Handed     string
	Result     record.Status
	Why        record.FailureReason
	Digest     string
	Submission string
}

func (w *world) wanted() shape {
	m := w.want
	v := shape{Status: m.status, Reason: m.reason, Result: m.result.status, Why: m.result.why,
		Submission: m.result.submission}
	if m.built != nil && !m.over() {
		v.Built = sui.Commitment(m.built.digest)
	}
	if m.result.of != nil {
		v.Digest = m.result.of.digest.String()
	}
	for _, i := range m.handed {
		v.Handed += fmt.Sprintf("%s dead=%t known=%t %s; ", i.digest, i.dead, i.known, i.reported)
	}
	return v
}

func shapeOf(s record.Session) shape {
	v := shape{Status: s.Status, Reason: s.Reason}
	if !s.Status.Terminal() {
		v.Built = s.Commitment
	}
	if x := s.Execution; x != nil {
		v.Result, v.Why, v.Digest, v.Submission = x.Status, x.FailureReason, x.TxDigest, x.Submission
	}
	for _, r := range s.Releases {
		v.Handed += fmt.Sprintf("%s dead=%t known=%t %s; ", r.Digest, r.Dead, r.Signed(), r.Outcome)
	}
	return v
}

// handedOut returns one of the releases, nil when n hits none.
func (w *world) handedOut(n int) *item {
	if len(w.want.handed) == 0 {
		return nil
	}
	return w.want.handed[n%len(w.want.handed)]
}

// nonce returns the nonce of a release; a made-up one for nil.
func (w *world) nonce(i *item) string {
	if i == nil {
		return "made up"
	}
	return w.nonces[i]
}
