package handoff

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// sendTime is the timeout of one attempt to send.
const sendTime = 20 * time.Second

// Submit sends the same signed bytes again for the page with the nonce. The chain executes a
// transaction at most once, however often it is sent.
func (s *Service) Submit(ctx context.Context, id record.ID, nonce string) (record.Session, error) {
	row, err := s.c.Store.ReviewRow(ctx, id)
	if err != nil {
		return record.Session{}, err
	}
	rel := row.ByNonce(record.HashOf(nonce))
	if rel == nil {
		return record.Session{}, unknownNonce()
	}
	x := row.Session.Execution
	if row.Session.Status.Terminal() {
		return record.Session{}, record.NotNow(row.Session.Status, "sending")
	}
	if row.Session.Status != record.SignedPendingResult || x.TxDigest != rel.Digest.String() {
		return record.Session{}, fault.New(fault.InvalidSessionTransition,
			"This transaction is not signed, so there is nothing to send.")
	}
	if rel.Dead {
		return record.Session{}, fault.New(fault.InvalidSessionTransition,
			"This transaction can never execute, so it is not sent again.")
	}
	if m, ok := row.Material(rel.Digest); !ok || m.Signature.Size() == 0 {
		return record.Session{}, fault.New(fault.InvalidSessionTransition,
			"The wallet sent this transaction by itself; only the wallet can send it again.")
	}
	s.send(id, true)
	s.watch(id)
	return row.Session, nil
}

// send submits the signed transaction in the background, one attempt at a time. If a node already
// answered, it sends the transaction again only if the user asked for it.
func (s *Service) send(id record.ID, asked bool) {
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

// submit makes one attempt to send and records the result.
func (s *Service) submit(ctx context.Context, id record.ID, asked bool) {
	row, err := s.c.Store.ReviewRow(ctx, id)
	if err != nil || row.Session.Status != record.SignedPendingResult || signedDead(&row.Session) ||
		!asked && !lost(row.Session.Execution) {
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
		return // another chain, so nothing was sent; the watch reports it
	}
	submission, refusal := record.SubmissionAccepted, ""
	switch {
	case err == nil:
	case definite(err):
		submission, refusal = record.SubmissionRefused, fault.As(err).Text
	default:
		submission = record.SubmissionUnknown
	}
	_, _ = s.c.Store.Change(context.WithoutCancel(ctx), id, "submitted: "+submission, func(r *record.Row) error {
		return sent(r, d, submission, refusal, s.now())
	})
	if submission == record.SubmissionAccepted {
		s.watch(id) // the result can be read now
	}
}

// lost reports whether no node is known to have received the transaction.
func lost(x *record.Execution) bool {
	return x.Submission == record.SubmissionNone || x.Submission == record.SubmissionUnknown
}

// definite reports whether err is a refusal from the node itself.
func definite(err error) bool {
	switch fault.As(err).Code {
	case fault.ProviderRefused, fault.InputInvalid:
		return true
	}
	return false
}
