package activity

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// Inspection is the result for one digest. If Found is false, this provider has no such
// transaction, but another may. Effect concerns the given account, or else the active one; it may
// be nil. Bytes are the transaction's bytes, if the provider returned bytes with this digest.
type Inspection struct {
	Digest      sui.Digest
	Found       bool
	Transaction Transaction
	Compact     *Compact
	Account     *sui.Address
	Effect      *Effect
	Bytes       []byte
	BytesDiffer bool // the provider returned bytes with another digest
	Kept        Persistence
	At          time.Time // when the answer arrived

	// Signed is what validators signed about the transaction; NotSigned is the reason why that is
	// unknown. Both are nil if no proof was requested.
	Signed    *proof.Outcome
	NotSigned error
}

// proofTime is the maximum time that an inspection waits for a proof.
const proofTime = 5 * time.Second

var hexAddress = regexp.MustCompile(`(?i)\b(0x)?[0-9a-f]{64}\b`)

// withoutAddresses masks everything that looks like an address.
func withoutAddresses(s string) string { return hexAddress.ReplaceAllString(s, "0x…") }

// Inspect looks up one transaction. It stores the transaction if it concerns an account that was
// connected here: the given one, the active one, the sender, or the owner of a balance change, in
// this order.
func (s *Service) Inspect(ctx context.Context, digest sui.Digest, asked *sui.Address) (Inspection, error) {
	out := Inspection{Digest: digest, Account: asked}
	p, found, err := s.c.Source.Transaction(ctx, digest)
	out.At = s.c.Now().UTC()
	if err != nil {
		return Inspection{}, err
	}
	known, err := s.known(ctx)
	if err != nil {
		return Inspection{}, err
	}
	active, ok, err := s.c.Accounts.Active(ctx)
	if err != nil {
		return Inspection{}, err
	}
	if asked == nil && ok {
		out.Account = &active.Account
	}
	if !found {
		out.Kept = Persistence{Reason: ReasonNotFound}
		return out, nil
	}
	if p.Digest != digest {
		return Inspection{}, fault.New(fault.ProviderMismatch,
			"The provider answered with another transaction than the one asked for.")
	}
	if err := out.prove(ctx, s.c.Prove, p); err != nil {
		return Inspection{}, err
	}
	out.Found, out.Transaction = true, s.labels.normalise(p, inspectCaps)
	out.Compact = s.compactOf(out.Transaction.Detail)
	out.own(p.Bytes)
	if out.Account != nil {
		e := effectOn(*out.Account, p)
		e.report(out.Transaction.Detail)
		out.Effect = &e
	}
	out.Kept, err = s.keepOne(ctx, p, owners(p, asked, out.Account, known))
	return out, err
}

// own adds the bytes if they have the transaction's digest.
func (i *Inspection) own(raw []byte) {
	if len(raw) == 0 {
		return
	}
	if sui.TransactionDigest(raw) == i.Digest {
		i.Bytes = raw
	} else {
		i.BytesDiffer = true
	}
}

// prove requests a proof of the report. It returns fault.ProviderMismatch if the report differs
// from what validators signed, or if the proof is forged.
func (i *Inspection) prove(ctx context.Context, prove func(context.Context, sui.Digest) (*proof.Outcome, error),
	reported sui.PastTransaction) error {
	if prove == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, proofTime)
	defer cancel()
	i.Signed, i.NotSigned = prove(ctx, i.Digest)
	//mutant:never ./tools TestInspectionProof
	if proof.ReasonOf(i.NotSigned) == proof.Mismatch || i.Signed != nil && !signedAs(reported, i.Signed) {
		return fault.Wrap(i.NotSigned, fault.ProviderMismatch,
			"The reported transaction is not the one that the validators signed. Set another node or provider.")
	}
	return nil
}

// signedAs reports whether the report agrees with what validators signed. Nobody signs balance
// changes, which the provider computes.
func signedAs(reported sui.PastTransaction, o *proof.Outcome) bool {
	e, c := o.Effects, o.Checkpoint.Summary
	//mutant:never ./tools TestInspectionProof
	if reported.Status != sui.PastUnknown && (reported.Status == sui.PastSuccess) != e.OK() {
		return false
	}
	if reported.Gas != nil && *reported.Gas != e.Gas || reported.Epoch != nil && *reported.Epoch != e.Epoch ||
		reported.Checkpoint != nil && *reported.Checkpoint != c.Sequence || !reported.Timestamp.IsZero() &&
		!reported.Timestamp.Equal(o.Time) {
		return false
	}
	events := reported.Events
	if events.Whole() && len(events.Items) != len(o.Events) || len(events.Items) > len(o.Events) {
		return false
	}
	for i, v := range events.Items {
		p := o.Events[i]
		if v.Package != p.Package || v.Module != p.Module || v.Type != p.Type.String() || v.Sender != nil &&
			*v.Sender != p.Sender ||
			v.Contents != nil && !bytes.Equal(v.Contents, p.Contents) {
			return false
		}
	}
	return true
}

// owners lists the known accounts for which a transaction may be stored, in order of preference.
func owners(p sui.PastTransaction, asked, active *sui.Address, known []sui.Address) []sui.Address {
	var order []sui.Address
	add := func(a *sui.Address) {
		if a != nil && slices.Contains(known, *a) && !slices.Contains(order, *a) {
			order = append(order, *a)
		}
	}
	add(asked)
	add(active)
	add(p.Sender)
	for _, b := range p.Balances.Items {
		add(b.Owner)
	}
	return order
}

func (s *Service) keepOne(ctx context.Context, p sui.PastTransaction, order []sui.Address) (Persistence, error) {
	for _, owner := range order {
		if k, ok := s.labels.keptOf(owner, p, effectOn(owner, p), ""); ok {
			return s.store(ctx, Keep{Account: owner, Relationship: Affected, Rows: []Kept{k}}, p.Chain, 0)
		}
	}
	return Persistence{Skipped: 1, Reason: ReasonNoRelation}, nil
}
