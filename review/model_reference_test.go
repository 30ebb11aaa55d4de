package review_test

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// reference is what a review must be, written from the contract and not from
// the laws. It sees the chain's truth through the ledger.
type reference struct {
	chain  *ledger
	status review.Status
	reason review.Reason
	built  *item // ready and not handed out, or handed out and current
	handed []*item
	result outcome

	builtUntil, until time.Time
	builtAt, at       time.Time        // a clock before these was set back
	held              map[*item]string // proofs that held once
}

// item is one built transaction.
type item struct {
	digest   sui.Digest
	coin     sui.ObjectRef
	last     uint64
	handed   bool
	dead     bool
	reported string
	known    bool // it is known that the wallet signed, or sent, it
	kept     bool // the signature is stored
}

// signer is who made a signature.
type signer int

const (
	owner signer = iota
	stranger
	nobody // it fits no key
)

// outcome is what is known of an execution.
type outcome struct {
	status     review.Status
	why        review.FailureReason
	of         *item
	submission string
	signed     time.Time
}

func (m *reference) over() bool {
	return m.status == review.Success || m.status == review.Failure || m.status == review.Expired
}

// alive lists what was handed out and is not proved dead.
func (m *reference) alive() []*item {
	var list []*item
	for _, i := range m.handed {
		if !i.dead {
			list = append(list, i)
		}
	}
	return list
}

func (m *reference) end(status review.Status, why review.FailureReason) bool {
	m.status, m.reason = status, ""
	if status != review.Expired {
		m.result.status, m.result.why = status, why
	}
	return true
}

// stop takes the build back.
func (m *reference) stop(status review.Status, reason review.Reason) bool {
	m.status, m.reason, m.built = status, reason, nil
	return true
}

// past reports whether what lives from one time until another is over.
func (m *reference) past(from, until, now time.Time) bool {
	return !now.Before(until) || from.Sub(now) > time.Minute
}

// time is what time alone does.
func (m *reference) time(now time.Time) {
	if m.over() || m.status == review.SignedPendingResult || len(m.alive()) > 0 {
		return
	}
	switch {
	case m.past(m.at, m.until, now) && len(m.handed) == 0:
		m.end(review.Expired, "")
	case m.past(m.at, m.until, now):
		why := review.FailureWalletRejected
		for _, i := range m.handed {
			if i.reported != review.OutcomeDeclined && i.reported != review.OutcomeRejected {
				why = review.FailureCannotExecute
			}
		}
		m.end(review.Failure, why)
	case m.status == review.Ready && !m.built.handed && m.past(m.builtAt, m.builtUntil, now):
		m.stop(review.RefreshRequired, review.QuoteStale)
	}
}

// buildIsOld takes an unreleased build back; also beside living releases.
func (m *reference) buildIsOld(now time.Time) {
	if m.status == review.Ready && !m.built.handed && m.past(m.builtAt, m.builtUntil, now) {
		m.stop(review.RefreshRequired, review.QuoteStale)
	}
}

func (m *reference) lapse(now time.Time) {
	m.time(now)
	m.buildIsOld(now)
}

func (m *reference) open(now time.Time, right bool) bool {
	m.lapse(now)
	if m.status != review.Proposed {
		return true
	}
	if !right {
		return m.stop(review.Blocked, review.WalletMismatch)
	}
	m.status = review.WalletConnected
	return true
}

func (m *reference) computable() bool {
	switch m.status {
	case review.WalletConnected, review.Ready, review.RefreshRequired, review.Blocked:
		return true
	}
	return false
}

func (m *reference) compute(now time.Time, current bool, reason review.Reason, b *item, life time.Duration) bool {
	m.lapse(now)
	if !m.computable() || !current {
		return false
	}
	if b == nil {
		return m.stop(reason.Status(), reason)
	}
	m.status, m.reason, m.built, m.builtUntil, m.builtAt = review.Ready, "", b, now.Add(life), now
	return true
}

// hand is the handing-out: once, of what is shown, and only what excludes
// everything that was handed out before.
func (m *reference) hand(now time.Time, current, shown, right bool) bool {
	if m.status != review.Ready || m.built.handed || !current || !shown || m.past(m.builtAt, m.builtUntil, now) {
		return false
	}
	if len(m.alive()) == 0 && m.past(m.at, m.until, now) {
		return false
	}
	if m.chain.down || m.chain.strange {
		return false // nobody says whether it can still execute
	}
	if m.chain.epoch > m.built.last {
		m.stop(review.RefreshRequired, review.QuoteStale)
		return false
	}
	for _, i := range m.alive() {
		if i.coin != m.built.coin {
			return false
		}
	}
	if !right {
		return false
	}
	m.built.handed = true
	m.handed = append(m.handed, m.built)
	return true
}

// hear is what was last reported of a release; that the wallet changed the
// transaction stays.
func (i *item) hear(what string) {
	if i.reported != review.OutcomeChanged {
		i.reported = what
	}
}

// signed takes a signature, or the word of a wallet that sends by itself.
func (m *reference) signed(now time.Time, i *item, same bool, made signer, elsewhere bool) bool {
	if i == nil {
		return false
	}
	if m.over() {
		return same && m.result.of == i
	}
	awaited := m.status == review.SignedPendingResult
	if awaited && m.result.of != i && !m.result.of.dead {
		return false
	}
	switch {
	case i.dead:
		return false
	case !same:
		i.hear(review.OutcomeChanged)
		return false
	case made == stranger:
		i.hear(review.OutcomeSignerMismatch)
		return false
	case made == nobody:
		return false
	}
	if awaited && m.result.of == i {
		if !elsewhere && !i.kept {
			i.kept, m.result.submission = true, review.SubmissionNone
			m.send(i, true)
		} else if !elsewhere && m.result.submission == review.SubmissionNone {
			m.send(i, false)
		}
		return true
	}
	m.status, m.reason, m.built = review.SignedPendingResult, "", i
	i.known, i.kept = true, i.kept || !elsewhere
	m.result = outcome{status: m.status, of: i, signed: now}
	if elsewhere {
		m.result.submission = review.SubmissionWallet
		return true
	}
	m.send(i, false)
	return true
}

// send is one attempt at the node. What a node answered is not sent again
// unless the person asks.
func (m *reference) send(i *item, asked bool) {
	lost := m.result.submission == review.SubmissionNone || m.result.submission == review.SubmissionUnknown
	if m.status != review.SignedPendingResult || m.result.of != i || i.dead || !i.kept || (!asked && !lost) {
		return
	}
	_, done := m.chain.executed[i.digest]
	can := done || (m.chain.epoch <= i.last && m.chain.present(i.coin.ID) == i.coin)
	switch {
	case m.chain.strange:
		return
	case m.chain.down:
		m.result.submission = review.SubmissionUnknown
	case m.chain.refuses || !can:
		m.result.submission = review.SubmissionRefused
	case m.chain.drops:
		m.result.submission = review.SubmissionUnknown
	default:
		m.result.submission = review.SubmissionAccepted
	}
}

func (m *reference) submit(i *item) bool {
	if i == nil || m.status != review.SignedPendingResult || m.result.of != i || i.dead || !i.kept {
		return false
	}
	m.send(i, true)
	return true
}

// report is an outcome without a signature. i is nil where the page has no
// nonce; known is false for a nonce of nothing.
func (m *reference) report(now time.Time, i *item, nonce bool, what string) bool {
	m.lapse(now)
	refusal := what == review.OutcomeDeclined || what == review.OutcomeRejected
	if !refusal && what != review.OutcomeProviderError && what != review.OutcomeDisconnected && what != review.OutcomeChanged {
		return false
	}
	if m.over() || m.status == review.SignedPendingResult {
		return false
	}
	if !nonce {
		return m.decline(what)
	}
	if i == nil {
		return false
	}
	if i.dead {
		return true
	}
	first := i.reported != what
	i.hear(what)
	if refusal && first && m.built == i {
		return m.stop(review.RefreshRequired, review.QuoteStale)
	}
	return true
}

func (m *reference) decline(what string) bool {
	if what != review.OutcomeDeclined {
		return false
	}
	if len(m.alive()) > 0 {
		if m.status == review.RefreshRequired && m.built == nil {
			return true // refused already: nothing new
		}
		if m.built != nil && m.built.handed {
			m.built.hear(what)
		}
		return m.stop(review.RefreshRequired, review.QuoteStale)
	}
	if !m.computable() {
		return false
	}
	m.built = nil
	return m.end(review.Failure, review.FailureWalletRejected)
}

// look is one look of the watch at the chain.
func (m *reference) look(now time.Time) {
	if m.over() || len(m.alive()) == 0 {
		return
	}
	before := m.result.of
	if m.chain.down || m.chain.strange {
		m.held = map[*item]string{}
		return
	}
	for _, i := range m.alive() {
		if e, ok := m.chain.executed[i.digest]; ok && !m.chain.forgets {
			m.settle(i, e.Status.OK)
			return
		}
		p := m.proof(i)
		if p == "" || m.held[i] != p {
			delete(m.held, i)
			if p != "" {
				m.held[i] = p
			}
			continue
		}
		if m.bury(i, now); m.over() {
			return
		}
	}
	if m.status == review.SignedPendingResult && m.result.of == before && now.Sub(m.result.signed) < time.Minute {
		m.send(m.result.of, false)
	}
}

func (m *reference) settle(i *item, ok bool) {
	if m.result.of == nil {
		m.result.submission = review.SubmissionWallet
	}
	m.result.of, m.built, i.known = i, i, true
	if ok {
		m.end(review.Success, "")
	} else {
		m.end(review.Failure, review.FailureChainExecution)
	}
}

// proof names what the chain proves: the coin is unspent after the last epoch,
// or another transaction that the node can show used it.
func (m *reference) proof(i *item) string {
	by, spent := m.chain.user(i.coin)
	switch {
	case !spent && m.chain.epoch > i.last:
		return "over"
	case spent && by != i.digest && !m.chain.forgets:
		return by.String()
	}
	return ""
}

// bury records that a release is proved dead.
func (m *reference) bury(i *item, now time.Time) {
	i.dead = true
	if m.status == review.SignedPendingResult {
		if len(m.alive()) == 0 {
			m.end(review.Failure, review.FailureCannotExecute)
		}
		return
	}
	if m.status == review.Ready && m.built == i {
		m.stop(review.RefreshRequired, review.QuoteStale)
	}
	m.lapse(now)
}
