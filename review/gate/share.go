package gate

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// The bounds of the share of a coin that goes to somebody else, in basis points of what
// the account has: a caution, and what is typed for a recipient never paid before.
const (
	shareCaution = 5000
	shareTyped   = 7500
)

const checkShare = "share_of_holding"

// weighShares judges how much of what the account has goes to somebody else, by this
// transaction and the other ones of the same request.
func (r *run) weighShares(ctx context.Context) error {
	given := plan.Gives(r.facts.Steps, r.session.Intent.Each(), r.session.Account)
	if len(given) == 0 {
		return nil
	}
	known := []sui.Address(nil)
	if r.c.Paid != nil {
		var err error
		if known, err = r.c.Paid(ctx, r.session.Account); err != nil {
			return err
		}
	}
	if r.c.Request != nil {
		more, err := r.c.Request(ctx, r.session.ID)
		if err != nil {
			return err
		}
		for _, g := range more {
			// Who was paid a moment ago by the same request is still new to the person.
			known = slices.DeleteFunc(known, func(a sui.Address) bool { return g.Done && a == g.To })
		}
		given = append(given, more...)
	}
	held := func(coin sui.CoinType) sui.Raw {
		for _, h := range r.holdings {
			if h.CoinType == coin {
				return h.Before
			}
		}
		return 0
	}
	for _, p := range plan.Portions(given, held, func(a sui.Address) bool { return slices.Contains(known, a) }) {
		r.weighShare(p)
	}
	return nil
}

func (r *run) weighShare(p plan.Portion) {
	share := plan.PercentOf(p.Bps)
	text := share + " of the " + p.Coin.Symbol + " in your account goes to somebody else: " + p.Sum.String() + "." + wordOfNode
	const do = "Make sure of the amount and of every recipient. A payment cannot be taken back."
	c := plan.Warn(plan.SourceWallet, checkShare, "Share", text, do)
	switch {
	//mutant:never ./review/gate TestShareOfWhatLeaves
	case p.Now.Raw > 0 && p.New >= shareTyped:
		r.check(c.MustAccept(plan.AcceptShare+string(p.Coin.CoinType)+":"+string(p.Now.Display),
			"You never paid the recipient before. To go on, type how much "+p.Coin.Symbol+" you send: "+string(p.Now.Display)))
	//mutant:never ./review/gate TestShareOfWhatLeaves
	case p.Bps >= shareCaution:
		r.check(c)
	default:
		r.check(plan.Pass(plan.SourceWallet, checkShare, "Share", text))
	}
}
