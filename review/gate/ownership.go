package gate

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// own is the gate object_ownership. It reads every object that the bytes name. Each must be shared,
// or belong to the account at exactly the named version.
func own(ctx context.Context, from *decoded) (*owned, error) {
	r := &owned{decoded: from}
	var ids []sui.ObjectID
	refs := map[sui.ObjectID]sui.ObjectRef{}
	roles := map[sui.ObjectID]string{}
	shared := map[sui.ObjectID]uint64{}
	owned := func(ref sui.ObjectRef, role string) {
		ids, refs[ref.ID], roles[ref.ID] = append(ids, ref.ID), ref, role
	}
	//mutant:never ./review/gate TestRules/C11 a withdrawal written as a coin
	if r.tx.Reserves() {
		return r, unowned(plan.AllowlistViolation, "unsupported",
			"The transaction withdraws funds of an address balance, written as a coin, which no review does.").Under("C11")
	}
	//mutant:never ./review/gate TestAddressBalance
	if !slices.EqualFunc(withdrawalsOf(r.tx), r.chosen.withdrawals(), sameWithdrawal) {
		return r, unowned(plan.AllowlistViolation, "unsupported",
			"The transaction withdraws other funds of an address balance than the review says.").Under("C11")
	}
	for _, ref := range r.tx.Gas.Payment {
		owned(ref, "gas")
	}
	for _, input := range r.tx.Inputs {
		switch in := input.(type) {
		case sui.PureInput, sui.WithdrawalInput:
		case sui.OwnedInput:
			role := "coin"
			if r.usedObject(in.Ref) != nil {
				role = "object"
			}
			owned(in.Ref, role)
		case sui.SharedInput:
			ids, roles[in.ID], shared[in.ID] = append(ids, in.ID), "shared", in.InitialVersion
		default:
			return r, unowned(plan.AllowlistViolation, "unsupported",
				"The transaction uses a kind of input that no review supports.").Under("C07")
		}
	}
	if len(roles) != len(ids) {
		return r, unowned(plan.AllowlistViolation, "unsupported", "The transaction names one object twice.")
	}
	var objects []sui.Object
	var coins []sui.Metadata
	if err := r.c.Together(
		func() (err error) { objects, err = r.c.Chain.Objects(ctx, ids); return err },
		func() (err error) { coins, err = r.describeCoins(ctx, r.c.Chain); return err },
	); err != nil {
		return r, err
	}
	if stop := r.judgeCoins(coins); stop != nil {
		return r, stop
	}
	if len(objects) != len(ids) {
		return r, fault.New(fault.ProviderRefused, "The node did not answer for every object of the transaction.")
	}
	return r, r.judgeOwned(objects, ids, refs, roles, shared)
}

// judgeOwned checks every object as reported by the node. objects and ids have the same order.
func (r *owned) judgeOwned(objects []sui.Object, ids []sui.ObjectID, refs map[sui.ObjectID]sui.ObjectRef,
	roles map[sui.ObjectID]string,
	shared map[sui.ObjectID]uint64) error {
	r.objects = objects
	r.ownership = record.ContractOwnership{CheckedAt: r.c.Now(), OwnerAccount: r.session.Account,
		BoundToCommitment: r.commitment}
	what := "Every coin"
	for i, o := range objects {
		if o.Ref.ID != ids[i] {
			return fault.New(fault.ProviderRefused, "The node answered for another object than was asked.")
		}
		entry := record.OwnershipObject{ObjectID: o.Ref.ID, Role: roles[o.Ref.ID], Type: o.Type,
			Ownership: "owned_by_account"}
		var stop *plan.Stop
		if entry.Role == "shared" {
			entry.Ownership = "shared"
			stop = ownShared(o, shared[o.Ref.ID])
		} else {
			entry.Version = o.Ref.Version
			stop = r.ownCoin(o, refs[o.Ref.ID], entry.Role)
			if entry.Role == "object" {
				what = "Everything"
			}
		}
		if stop != nil {
			return stop
		}
		r.ownership.Objects = append(r.ownership.Objects, entry)
	}
	r.check(plan.Pass(plan.SourceWallet, "transaction_object_ownership_verified", "Ownership",
		what+" that the transaction uses belongs to your account; the rest are shared objects of the protocol."))
	return nil
}

func unowned(reason plan.Reason, what, message string) *plan.Stop {
	do := "Update to rebuild the transaction with your current coins."
	if record.StatusOf(reason) == record.Blocked {
		do = "Check again. If the problem persists, prepare a new review."
	}
	return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceWallet, "transaction_object_ownership_"+what,
		"Ownership", message, do)}
}

func ownShared(o sui.Object, initial uint64) *plan.Stop {
	//mutant:never `o.Owner.InitialVersion != initial` ./review/gate TestOwnership/the pool was shared at another version
	if o.Owner.Kind != sui.OwnerShared || o.Owner.InitialVersion != initial {
		return unowned(plan.ObjectResolutionFailed, "unverified",
			"The object "+o.Ref.ID.String()+" is not the shared object that the transaction names.")
	}
	return nil
}

func (r *built) ownCoin(o sui.Object, ref sui.ObjectRef, role string) *plan.Stop {
	want, called := sui.SUI.Object(), "coin"
	for _, s := range r.chosen.selections {
		if role != "gas" && slices.Contains(s.Coins, ref) {
			want = s.Coin.Object()
		}
	}
	if used := r.usedObject(ref); used != nil && role == "object" {
		want, called = used.Type, "object"
	}
	//mutant:never ./review/gate TestOwnership/a coin is of another kind
	if o.Type != want {
		return unowned(plan.AssetMismatch, "unverified",
			"The object "+o.Ref.ID.String()+" is not of the kind it is used as.")
	}
	//mutant:never `o.Owner.Address != r.session.Account` ./review/gate TestOwnership/somebody else owns a coin
	if o.Owner.Kind != sui.OwnerAddress || o.Owner.Address != r.session.Account {
		return unowned(plan.ObjectResolutionFailed, "unverified",
			"The "+called+" "+o.Ref.ID.String()+" no longer belongs to your account.")
	}
	//mutant:never ./review/gate TestOwnership/a coin moved on
	if o.Ref != ref {
		return unowned(plan.QuoteStale, "moved",
			"A "+called+" of your account was used elsewhere while the transaction was built.").Under("C13")
	}
	return nil
}

// usedObject returns the object at that version that a step uses up, or nil.
func (r *planned) usedObject(ref sui.ObjectRef) *plan.OwnedObject {
	for _, s := range r.steps {
		for i := range s.Objects {
			if s.Objects[i].Ref == ref {
				return &s.Objects[i]
			}
		}
	}
	return nil
}
