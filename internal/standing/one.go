package standing

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// maxPages is the number of pages of caps that are searched for the cap of an allowance.
const maxPages = 20

// Allowance returns the allowance with an ID that an account funds. It returns fault.InputInvalid,
// with a message for the user, if the object does not exist, is not an allowance, or is funded by
// another account.
func (r Reader) Allowance(ctx context.Context, account sui.Address, id sui.ObjectID) (Permission, error) {
	o, err := r.Chain.Contents(ctx, id)
	if missing(err) {
		return Permission{}, gone("There is nothing to end: the object %s does not exist on the chain.", id)
	}
	if err != nil {
		return Permission{}, err
	}
	t, err := sui.ParseTypeTag(o.Type)
	//mutant:never ./internal/protocol/permission TestRevokeRefused/a look-alike
	if err != nil || !strings.HasPrefix(o.Type, allowanceType()) || len(t.Struct.Params) != 1 {
		return Permission{},
			gone("The object %s is not one of the chain's own allowances: its type is %s. For a balance manager's cap, "+
				"specify its manager too.", id, o.Type)
	}
	a, err := sui.ReadAllowance(o)
	if err != nil {
		return Permission{}, err
	}
	if o.Owner.Kind != sui.OwnerShared {
		return Permission{}, misshapen("an allowance")
	}
	//mutant:never ./internal/protocol/permission TestRevokeRefused/of another account
	if a.Funder != account {
		return Permission{}, gone("The allowance %s takes from the account %s, and only that account can end "+
			"it.", id, a.Funder)
	}
	held, err := r.ender(ctx, account, sui.AllowanceCapType()+"<"+t.Struct.Params[0].String()+">", id)
	if err != nil {
		return Permission{}, err
	}
	return Permission{Kind: Allowance, ID: id, Holder: a.Spender, Allowance: &a, Initial: o.Owner.InitialVersion,
		EndedBy: held}, nil
}

func allowanceType() string { return strings.TrimSuffix(sui.AllowanceCapType(), "Cap") + "<" }

func gone(format string, args ...any) error { return fault.New(fault.InputInvalid, format, args...) }

// ender searches the account's objects for the cap that can end an allowance.
func (r Reader) ender(ctx context.Context, account sui.Address, of string, id sui.ObjectID) (sui.ObjectRef, error) {
	var token []byte
	for range maxPages {
		caps, next, err := r.Chain.Owned(ctx, account, of, token, Most)
		if err != nil {
			return sui.ObjectRef{}, err
		}
		for _, o := range caps {
			if !isCap(o) {
				return sui.ObjectRef{}, misshapen("the cap of an allowance")
			}
			if sui.ObjectID(o.Contents[32:]) == id {
				return o.Ref, nil
			}
		}
		if token = next; token == nil {
			return sui.ObjectRef{}, gone("This account does not have the object that ends the allowance %s.", id)
		}
	}
	return sui.ObjectRef{},
		gone("The object that ends the allowance %s was not among this account's first %d.", id,
			maxPages*Most)
}

// Cap returns a cap that a balance manager of the account accepts. It returns fault.InputInvalid,
// with a message for the user, if the manager does not accept the cap or belongs to another
// account.
func (r Reader) Cap(ctx context.Context, account sui.Address, manager, id sui.ObjectID) (Permission, error) {
	owner, caps, err := r.admits(ctx, manager)
	if err != nil {
		return Permission{}, err
	}
	if owner != account {
		return Permission{}, gone("The balance manager %s is not this account's.", manager)
	}
	for _, c := range caps {
		if c == id {
			return r.capOf(ctx, manager, id)
		}
	}
	return Permission{},
		gone("There is nothing to end: the balance manager %s does not accept the cap %s. It has already ended, or "+
			"belongs to another manager.", manager, id)
}

// Reported returns everything that a node reported about a permission, except what depends on the
// current time. Two nodes that agree return equal texts.
func (p Permission) Reported() string {
	who := p.Holder.String()
	if p.Inside {
		who = "inside of " + who
	}
	a := p.Allowance
	if a == nil {
		return fmt.Sprintf("%s cap of %s, held by %s", p.Right, p.Manager, who)
	}
	text := fmt.Sprintf("%s to take %s, at most %s, from %s to %s, of which %s was taken", who, a.Coin, orNone(a.Cap),
		orEver(a.Start), orEver(a.End), a.Taken)
	if a.Rate != nil {
		text += fmt.Sprintf(", and %s in each window of %d ms or %d months", a.Rate.Limit, a.Rate.PeriodMs, a.Rate.Months)
	}
	if a.AppID != "" {
		text += ", for the app " + a.AppID
	}
	return text
}

func orNone(n *big.Int) string {
	if n == nil {
		return "any amount"
	}
	return n.String()
}

func orEver(ms *uint64) string {
	if ms == nil {
		return "ever"
	}
	return fmt.Sprint(*ms)
}
