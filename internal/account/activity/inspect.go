package activity

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Inspection is the look at one digest. Found false means that this provider has
// no such transaction; another one may. Effect is about the account that was
// asked for or is in use, nil without one. Bytes are the transaction's own, where
// the provider gave such that hash to the digest.
type Inspection struct {
	Digest      sui.Digest
	Found       bool
	Transaction Transaction
	Compact     *Compact
	Account     *sui.Address
	Effect      *Effect
	Bytes       []byte
	BytesDiffer bool // the provider gave bytes of another transaction
	Kept        Persistence
	At          time.Time // when this machine had the answer
}

var hexAddress = regexp.MustCompile(`(?i)\b(0x)?[0-9a-f]{64}\b`)

// withoutAddresses replaces whatever looks like an address.
func withoutAddresses(s string) string { return hexAddress.ReplaceAllString(s, "0x…") }

// Inspect looks one transaction up, and stores it when it concerns an account
// that a wallet gave here: the asked one, else the one in use, else the sender,
// else an owner of a balance change.
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
		return Inspection{}, fault.New(fault.ProviderMismatch, "The provider answered with another transaction than the one asked for.")
	}
	out.Found, out.Transaction = true, normalise(p, inspectCaps)
	out.Compact = s.compactOf(out.Transaction.Detail)
	out.own(p.Bytes)
	if out.Account != nil {
		e := effectOn(*out.Account, p)
		out.Effect = &e
	}
	out.Kept, err = s.keepOne(ctx, p, owners(p, asked, out.Account, known))
	return out, err
}

// own takes over bytes that are the transaction's own.
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

// owners lists the known accounts for which a transaction may be stored, the
// first that fits it wins.
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
		if k, ok := keptOf(owner, p, effectOn(owner, p), ""); ok {
			return s.store(ctx, Keep{Account: owner, Relationship: Affected, Rows: []Kept{k}}, p.Chain, 0)
		}
	}
	return Persistence{Skipped: 1, Reason: ReasonNoRelation}, nil
}
