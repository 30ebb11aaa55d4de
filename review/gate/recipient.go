package gate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// readKeys reads the other keys that may sign for the account.
func (r *funded) readKeys(ctx context.Context) (err error) {
	if r.c.Keys != nil {
		r.keys, err = r.c.Keys(ctx, r.session.Account)
	}
	return err
}

// otherKeys warns about an account for which other keys may sign, because their holders can do
// everything that the account can, without any review.
func (r *funded) otherKeys() {
	if len(r.keys) == 0 {
		return
	}
	keys := make([]string, 0, len(r.keys))
	for _, key := range r.keys {
		keys = append(keys, key.String())
	}
	r.check(plan.Warn(plan.SourceWallet, "account_aliases", "Other keys",
		"For your account other keys than its own may sign, in everything and "+
			"without a limit: "+strings.Join(keys, ", ")+wordOfNode,
		"If you did not allow that yourself, move what you have to another account: this one is in other hands too."))
}

// checkRecipient is the check that covers C15 if somebody is paid.
const checkRecipient = "payment_recipient"

// meet compares a payment's recipient with those paid from this machine before. It warns about a
// new recipient, and stops the review if the recipient only resembles an earlier one.
func meet(ctx context.Context, r *described) error {
	var payees []sui.Address
	for _, s := range r.facts.Steps {
		if to := s.Promise.Payee(); !to.IsZero() && !slices.Contains(payees, to) {
			payees = append(payees, to)
		}
	}
	names := r.chosenNames(ctx, payees)
	for i, to := range payees {
		if err := r.meetOne(ctx, to); err != nil {
			return err
		}
		r.decorate(names[i])
	}
	for _, in := range r.session.Intent.Each() {
		if err := r.meetName(ctx, in); err != nil {
			return err
		}
	}
	r.otherKeys()
	return nil
}

// nameTime is the timeout for reading the names that recipients chose.
const nameTime = 2 * time.Second

// chosenNames reads which name each address chose for itself, or "" if it chose none or the answer
// came too late. The names are only informative, so no review fails without them.
func (r *input) chosenNames(ctx context.Context, of []sui.Address) []suins.Name {
	names := make([]suins.Name, len(of))
	if r.c.Names == nil {
		return names
	}
	ctx, stop := context.WithTimeout(ctx, nameTime)
	defer stop()
	reads := make([]func() error, len(of))
	for i, a := range of {
		reads[i] = func() error {
			if found, ok, err := r.c.Names.Chosen(ctx, a); err == nil && ok {
				names[i] = found.Name
			}
			return nil
		}
	}
	if r.c.Together(reads...) != nil {
		return make([]suins.Name, len(of))
	}
	return names
}

// decorate notes the name that a recipient chose, unless the user paid by that name.
func (r *input) decorate(name suins.Name) {
	if name == "" || slices.ContainsFunc(r.session.Intent.Each(),
		func(in plan.Intent) bool { return in.RecipientName == string(name) }) {
		return
	}
	r.check(plan.Warn(plan.SourceNetwork, "recipient_chose_name", "Name", "The recipient calls itself "+string(name)+
		" (SuiNS), and that name leads to it now."+wordOfNode+
		" Anybody can register a name that resembles another: what counts is the address.", "").AsNote())
}

const (
	checkPin = "payment_name"
	// acceptName is the id for accepting that a name resolves to another address.
	acceptName = "name"
)

// meetName compares the target of a name with its target when it was last paid from this machine. A
// different registration may belong to somebody else, so it stops the review. A different address
// may be the holder's choice, so the user may accept it.
func (r *input) meetName(ctx context.Context, in plan.Intent) error {
	if in.RecipientName == "" || r.c.Named == nil {
		return nil
	}
	paid, ok, err := r.c.Named(ctx, in.RecipientName)
	if err != nil || !ok {
		return err
	}
	before := in.RecipientName + " led to " + paid.Target + " when you paid it on " + paid.At.UTC().Format(time.DateOnly)
	//mutant:never ./review/gate TestPaymentByName
	if paid.NFT != in.RecipientNFT {
		return &plan.Stop{Reason: plan.WalletMismatch, Check: plan.Fail(plan.SourceWallet, checkPin, "Name",
			before+". Since then the name was registered again, so somebody else may hold it.",
			"Ask the recipient for the full address through another channel. If the name is theirs, remove "+
				"the earlier payment from your address book, then prepare a new review.")}
	}
	//mutant:never ./review/gate TestPaymentByName
	if paid.Target != in.Recipient {
		r.check(plan.Warn(plan.SourceWallet, checkPin, "Name", before+". Now it leads to another address.",
			"Ask the recipient whether they changed it, from another source than this name.").Under("C15").
			MustAccept(acceptName, "I know that "+in.RecipientName+" leads to another address than the one that I paid before."))
	}
	return nil
}

func (r *input) meetOne(ctx context.Context, to sui.Address) error {
	if _, object, err := r.c.Executor.Object(ctx, to, 0); err != nil {
		return err
		//mutant:never ./review/gate TestPaymentToAnObject
	} else if object {
		return &plan.Stop{Reason: plan.WalletMismatch, Check: plan.Fail(plan.SourceNetwork, checkRecipient, "Recipient",
			to.String()+" is an object on chain, as a balance manager is, and no wallet: what is sent there is lost.",
			"Give the address of a wallet in a new review. To fill a balance manager, ask your AI client for a deposit.")}
	}
	var known []sui.Address
	if r.c.Paid != nil {
		var err error
		if known, err = r.c.Paid(ctx, r.session.Account); err != nil {
			return err
		}
	}
	if slices.Contains(known, to) {
		r.check(plan.Pass(plan.SourceWallet, checkRecipient, "Recipient", "You paid this address from here before."))
		return nil
	}
	for _, old := range append([]sui.Address{r.session.Account}, known...) {
		if to.LooksLike(old) {
			return &plan.Stop{Reason: plan.WalletMismatch, Check: plan.Fail(plan.SourceWallet, checkRecipient, "Recipient",
				"The recipient "+to.String()+" only looks like "+old.String()+", which is "+r.whose(old)+
					". Such addresses are made to be mistaken.",
				"Compare the complete address with the one that the recipient gave you. Prepare a new "+
					"review with the right one.").Under("C16")}
		}
	}
	r.check(plan.Warn(plan.SourceWallet, checkRecipient, "Recipient", "You never paid this address from here.",
		"Compare all of it with the one that you were given. A payment cannot be taken back.").Under("C15"))
	return nil
}

func (r *input) whose(a sui.Address) string {
	if a == r.session.Account {
		return "your own account"
	}
	return "an address that you paid before"
}

// Thresholds for the share of a coin that goes to others, in basis points of the account's balance:
// for a warning, and for typing the amount if the recipient was never paid before.
const (
	shareCaution = 5000
	shareTyped   = 7500
)

const checkShare = "share_of_holding"

// weighShares checks how much of the account's balance goes to others, in this transaction and the
// other transactions of the request.
func weighShares(ctx context.Context, r *described) error {
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
			// A recipient first paid a moment ago by the same request is still new to the user.
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

func (r *input) weighShare(p plan.Portion) {
	share := plan.PercentOf(p.Bps)
	text := share + " of the " + p.Coin.Symbol + " in your account goes to somebody else: " + p.Sum.String() + "." +
		wordOfNode
	const do = "Check the amount and every recipient. A payment cannot be taken back."
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
