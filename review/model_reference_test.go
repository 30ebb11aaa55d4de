package review_test

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// reference is what a review must be, written from the contract and not from
// the laws. It sees the chain's truth through the ledger.
type reference struct {
	chain  *ledger
	status record.Status
	reason plan.Reason
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
	status     record.Status
	why        record.FailureReason
	of         *item
	submission string
	signed     time.Time
}

func (m *reference) over() bool {
	return m.status == record.Success || m.status == record.Failure || m.status == record.Expired
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

func (m *reference) end(status record.Status, why record.FailureReason) bool {
	m.status, m.reason = status, ""
	if status != record.Expired {
		m.result.status, m.result.why = status, why
	}
	return true
}

// stop takes the build back.
func (m *reference) stop(status record.Status, reason plan.Reason) bool {
	m.status, m.reason, m.built = status, reason, nil
	return true
}

// past reports whether what lives from one time until another is over.
func (m *reference) past(from, until, now time.Time) bool {
	return !now.Before(until) || from.Sub(now) > time.Minute
}

// time is what time alone does.
func (m *reference) time(now time.Time) {
	if m.over() || m.status == record.SignedPendingResult || len(m.alive()) > 0 {
		return
	}
	switch {
	case m.past(m.at, m.until, now) && len(m.handed) == 0:
		m.end(record.Expired, "")
	case m.past(m.at, m.until, now):
		why := record.FailureWalletRejected
		for _, i := range m.handed {
			if i.reported != record.OutcomeDeclined && i.reported != record.OutcomeRejected {
				why = record.FailureCannotExecute
			}
		}
		m.end(record.Failure, why)
	case m.status == record.Ready && !m.built.handed && m.past(m.builtAt, m.builtUntil, now):
		m.stop(record.RefreshRequired, plan.QuoteStale)
	}
}

// buildIsOld takes an unreleased build back; also beside living releases.
func (m *reference) buildIsOld(now time.Time) {
	if m.status == record.Ready && !m.built.handed && m.past(m.builtAt, m.builtUntil, now) {
		m.stop(record.RefreshRequired, plan.QuoteStale)
	}
}

func (m *reference) lapse(now time.Time) {
	m.time(now)
	m.buildIsOld(now)
}

func (m *reference) open(now time.Time, right bool) bool {
	m.lapse(now)
	if m.status != record.Proposed {
		return true
	}
	if !right {
		return m.stop(record.Blocked, plan.WalletMismatch)
	}
	m.status = record.WalletConnected
	return true
}

func (m *reference) computable() bool {
	switch m.status {
	case record.WalletConnected, record.Ready, record.RefreshRequired, record.Blocked:
		return true
	}
	return false
}

func (m *reference) compute(now time.Time, current bool, reason plan.Reason, b *item, life time.Duration) bool {
	m.lapse(now)
	if !m.computable() || !current {
		return false
	}
	if b == nil {
		return m.stop(record.StatusOf(reason), reason)
	}
	m.status, m.reason, m.built, m.builtUntil, m.builtAt = record.Ready, "", b, now.Add(life), now
	return true
}

// hand returns the handing-out: once, of what is shown, and only what excludes everything that was
// handed out before.
func (m *reference) hand(now time.Time, current, shown, right bool) bool {
	if m.status != record.Ready || m.built.handed || !current || !shown || m.past(m.builtAt, m.builtUntil, now) {
		return false
	}
	if len(m.alive()) == 0 && m.past(m.at, m.until, now) {
		return false
	}
	if m.chain.down || m.chain.strange {
		return false // nobody says whether it can still execute
	}
	if m.chain.epoch > m.built.last {
		m.stop(record.RefreshRequired, plan.QuoteStale)
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
	if i.reported != record.OutcomeChanged {
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
	awaited := m.status == record.SignedPendingResult
	if awaited && m.result.of != i && !m.result.of.dead {
		return false
	}
	switch {
	case i.dead:
		return false
	case !same:
		i.hear(record.OutcomeChanged)
		return false
	case made == stranger:
		i.hear(record.OutcomeSignerMismatch)
		return false
	case made == nobody:
		return false
	}
	if awaited && m.result.of == i {
		if !elsewhere && !i.kept {
			i.kept, m.result.submission = true, record.SubmissionNone
			m.send(i, true)
		} else if !elsewhere && m.result.submission == record.SubmissionNone {
			m.send(i, false)
		}
		return true
	}
	m.status, m.reason, m.built = record.SignedPendingResult, "", i
	i.known, i.kept = true, i.kept || !elsewhere
	m.result = outcome{status: m.status, of: i, signed: now}
	if elsewhere {
		m.result.submission = record.SubmissionWallet
		return true
	}
	m.send(i, false)
	return true
}

// send is one attempt at the node. What a node answered is not sent again unless the user asks.
func (m *reference) send(i *item, asked bool) {
	lost := m.result.submission == record.SubmissionNone || m.result.submission == record.SubmissionUnknown
	if m.status != record.SignedPendingResult || m.result.of != i || i.dead || !i.kept || (!asked && !lost) {
		return
	}
	_, done := m.chain.executed[i.digest]
	can := done || (m.chain.epoch <= i.last && m.chain.present(i.coin.ID) == i.coin)
	switch {
	case m.chain.strange:
		return
	case m.chain.down:
		m.result.submission = record.SubmissionUnknown
	case m.chain.refuses || !can:
		m.result.submission = record.SubmissionRefused
	case m.chain.drops:
		m.result.submission = record.SubmissionUnknown
	default:
		m.result.submission = record.SubmissionAccepted
	}
}

func (m *reference) submit(i *item) bool {
	if i == nil || m.status != record.SignedPendingResult || m.result.of != i || i.dead || !i.kept {
		return false
	}
	m.send(i, true)
	return true
}

// report returns an outcome without a signature. i is nil if the page has no nonce; known is false
// for a nonce of nothing.
func (m *reference) report(now time.Time, i *item, nonce bool, what string) bool {
	m.lapse(now)
	refusal := what == record.OutcomeDeclined || what == record.OutcomeRejected
	if !refusal && what != record.OutcomeProviderError && what != record.OutcomeDisconnected &&
		what != record.OutcomeChanged {
		return false
	}
	if m.over() || m.status == record.SignedPendingResult {
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
		return m.stop(record.RefreshRequired, plan.QuoteStale)
	}
	return true
}

func (m *reference) decline(what string) bool {
	if what != record.OutcomeDeclined {
		return false
	}
	if len(m.alive()) > 0 {
		if m.status == record.RefreshRequired && m.built == nil {
			return true // refused already: nothing new
		}
		if m.built != nil && m.built.handed {
			m.built.hear(what)
		}
		return m.stop(record.RefreshRequired, plan.QuoteStale)
	}
	if !m.computable() {
		return false
	}
	m.built = nil
	return m.end(record.Failure, record.FailureWalletRejected)
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
	if m.status == record.SignedPendingResult && m.result.of == before && now.Sub(m.result.signed) < time.Minute {
		m.send(m.result.of, false)
	}
}

func (m *reference) settle(i *item, ok bool) {
	if m.result.of == nil {
		m.result.submission = record.SubmissionWallet
	}
	m.result.of, m.built, i.known = i, i, true
	if ok {
		m.end(record.Success, "")
	} else {
		m.end(record.Failure, record.FailureChainExecution)
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
	if m.status == record.SignedPendingResult {
		if len(m.alive()) == 0 {
			m.end(record.Failure, record.FailureCannotExecute)
		}
		return
	}
	if m.status == record.Ready && m.built == i {
		m.stop(record.RefreshRequired, plan.QuoteStale)
	}
	m.lapse(now)
}
