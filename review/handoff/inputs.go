package handoff

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// offers reports whether the review is ready with the transaction of the commitment and has not
// released it.
func offers(s *record.Session, commitment string) bool {
	return s.Status == record.Ready && s.Current() == nil && s.State.Contract != nil && s.Commitment == commitment
}

// latest reads, just before a release, the account's objects that the built transaction uses up. If
// any has another version or digest than the bytes name, it withdraws the build, because the signed
// transaction could not execute, and returns the error for the page.
func (s *Service) latest(ctx context.Context, row *record.Row) error {
	session := &row.Session
	id, commitment := session.ID, session.Commitment
	var ids []sui.ObjectID
	for _, o := range session.State.Contract.Ownership.Objects {
		if o.Version != 0 {
			ids = append(ids, o.ObjectID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	used := map[sui.ObjectID]sui.ObjectRef{}
	if m := row.Present(); m != nil {
		if tx, err := m.Bytes.Transaction(); err == nil {
			for _, ref := range record.OwnedInputs(tx) {
				used[ref.ID] = ref
			}
		}
	}
	objects, err := s.c.Chain.Objects(ctx, ids)
	if err != nil && plan.ReasonOf(fault.As(err).Code) == plan.ProviderUnavailable {
		return err
	}
	same := err == nil && len(objects) == len(ids)
	for i := range objects {
		same = same && objects[i].Owner == sui.Owner{Kind: sui.OwnerAddress, Address: session.Account}
		//mutant:never ./review TestDigestAtTheHandout
		if same && objects[i].Ref != used[ids[i]] {
			same = false
		}
	}
	if same {
		return nil
	}
	moved := plan.Fail(plan.SourceWallet, "transaction_object_ownership_moved", "Ownership",
		"Something of your account that the transaction uses was used elsewhere since the review was made.",
		"Update to rebuild the transaction with the account's current balance.").
		Under("C13")
	_, err = s.c.Store.Change(ctx, id, "coins moved", func(r *record.Row) error {
		if r.Session.Status != record.Ready || r.Session.Commitment != commitment || r.Session.Current() != nil {
			return nil
		}
		return r.Stop(plan.QuoteStale, moved, s.now())
	})
	if err != nil {
		return err
	}
	return fault.New(fault.HandoffUnavailable, "%s Nothing was sent to your wallet. %s", moved.Message, moved.Do).With("reason",
		"coins_moved")
}

// recheck asks the adapters whether their steps became pointless since the build, for example
// because another program did the same. It then returns a *plan.Stop.
func (s *Service) recheck(ctx context.Context, session record.Session) error {
	in := session.Wanted()
	for i, a := range plan.AdaptersOf(s.c.Adapters, in) {
		again, ok := a.(plan.Rechecker)
		if !ok {
			continue
		}
		//mutant:never ./review TestPermissionEndedMeanwhile
		if err := again.Recheck(ctx, session.Account, in.Each()[i]); err != nil {
			return err
		}
	}
	return nil
}

// sameNames resolves every paid name again just before a release, because the bytes contain only
// the address. It returns a *plan.Stop if a name now resolves differently.
func (s *Service) sameNames(ctx context.Context, session record.Session) error {
	for _, in := range session.Intent.Each() {
		if in.RecipientName == "" {
			continue
		}
		what := "Names are not read here."
		if s.c.Names != nil {
			found, err := s.c.Names.Resolve(ctx, suins.Name(in.RecipientName))
			if what = found.Differs(in.Recipient, in.RecipientNFT); err != nil {
				what = fault.As(err).Text
			}
			if err != nil && fault.As(err).Code != fault.InputInvalid {
				return err
			}
		}
		//mutant:never ./review/gate TestPaymentByName
		if what != "" {
			return &plan.Stop{Reason: plan.WalletMismatch, Check: plan.Fail(plan.SourceNetwork, "transfer_name", "Name", what,
				"Ask the recipient for the whole address, from another source than this name, and prepare a new review.")}
		}
	}
	return nil
}
