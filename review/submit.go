package review

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// sendTime bounds one attempt to send.
const sendTime = 20 * time.Second

// Submit sends the same signed bytes again, for the page that holds the nonce.
// The chain executes a transaction at most once, however often it is sent.
func (s *HandoffService) Submit(ctx context.Context, id ID, nonce string) (Session, error) {
	row, err := s.c.Store.ReviewRow(ctx, id)
	if err != nil {
		return Session{}, err
	}
	rel := row.byNonce(hashOf(nonce))
	if rel == nil {
		return Session{}, unknownNonce()
	}
	x := row.Session.Execution
	if row.Session.Status.Terminal() {
		return Session{}, notNow(row.Session.Status, "sending")
	}
	if row.Session.Status != SignedPendingResult || x.TxDigest != rel.Digest.String() {
		return Session{}, fault.New(fault.InvalidSessionTransition, "This transaction is not signed, so there is nothing to send.")
	}
	if rel.Dead {
		return Session{}, fault.New(fault.InvalidSessionTransition, "This transaction can never execute, so it is not sent again.")
	}
	if m, ok := row.Material(rel.Digest); !ok || m.Signature.Size() == 0 {
		return Session{}, fault.New(fault.InvalidSessionTransition,
			"The wallet sent this transaction by itself; only the wallet can send it again.")
	}
	s.send(id, true)
	s.watch(id)
	return row.Session, nil
}

// send submits the signed transaction in the background, one attempt at a time.
// Unless the person asked for it, nothing is sent that a node answered already.
func (s *HandoffService) send(id ID, asked bool) {
	s.mu.Lock()
	busy := s.sending[id]
	s.sending[id] = true
	s.mu.Unlock()
	if busy {
		return
	}
	s.c.Go(func(ctx context.Context) {
		defer func() {
			s.mu.Lock()
			delete(s.sending, id)
			s.mu.Unlock()
		}()
		s.submit(ctx, id, asked)
	})
}

// submit makes one attempt and records what came of it.
func (s *HandoffService) submit(ctx context.Context, id ID, asked bool) {
	row, err := s.c.Store.ReviewRow(ctx, id)
	if err != nil || row.Session.Status != SignedPendingResult || row.Session.signedDead() ||
		!asked && !row.Session.Execution.lost() {
		return
	}
	d, err := sui.ParseDigest(row.Session.Execution.TxDigest)
	if err != nil {
		return
	}
	m, ok := row.Material(d)
	if !ok || m.Signature.Size() == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	_, err = s.c.Executor.Execute(ctx, m.Bytes.Bytes(), m.Signature.Bytes())
	if fault.Is(err, fault.NetworkMismatch) {
		return // it is another chain, so nothing was sent; the watch says so
	}
	submission, refusal := SubmissionAccepted, ""
	switch {
	case err == nil:
	case definite(err):
		submission, refusal = SubmissionRefused, fault.As(err).Text
	default:
		submission = SubmissionUnknown
	}
	_, _ = s.c.Store.Change(context.WithoutCancel(ctx), id, "submitted: "+submission, func(r *Row) error {
		return sent(r, d, submission, refusal, s.now())
	})
	if submission == SubmissionAccepted {
		s.watch(id) // the result is there to be read
	}
}

// lost reports whether it is unknown whether any node got the transaction.
func (x *Execution) lost() bool {
	return x.Submission == SubmissionNone || x.Submission == SubmissionUnknown
}

// definite reports whether a node itself answered and refused.
func definite(err error) bool {
	switch fault.As(err).Code {
	case fault.ProviderRefused, fault.InputInvalid:
		return true
	}
	return false
}
