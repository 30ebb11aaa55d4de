package listing

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Card is an account as text, for all pages that list accounts.
type Card struct {
	Address, Wallet, Standing, Since string
	Named                            string // the user's name for it
	InUse, Proven                    bool
}

// standing fills in how this program knows that the address belongs to the user.
func (k *Card) standing(proven bool, provenAt string) {
	k.Proven = proven
	k.Standing = "Claimed: the wallet said so, and nothing was signed to prove it."
	if proven {
		k.Standing = "Proven: its wallet signed a message for this program"
		if provenAt != "" {
			k.Standing += " on " + provenAt
		}
		k.Standing += "."
	}
}

func cardOf(k account.Known) Card {
	card := Card{Address: k.Account.String(), Wallet: words.Whole(k.WalletName),
		Since: "Connected " + words.At(k.FirstConnectedAt)}
	if !k.LastConnectedAt.Equal(k.FirstConnectedAt) {
		card.Since = "Connected first " + words.At(k.FirstConnectedAt) + ", last " + words.At(k.LastConnectedAt)
	}
	card.Since += "."
	card.standing(k.Proven, words.At(k.ProvenAt))
	return card
}

// Cards lists the account in use, followed by the remembered ones.
func (l *Lists) Cards(ctx context.Context) ([]Card, error) {
	active, used, err := l.Accounts.Active(ctx)
	if err != nil {
		return nil, err
	}
	known, err := l.Accounts.Known(ctx)
	if err != nil {
		return nil, err
	}
	var first, rest []Card
	for _, k := range known {
		card := cardOf(k)
		if used && k.Account == active.Account {
			card.InUse = true
			first = append(first, card)
			continue
		}
		rest = append(rest, card)
	}
	if used && len(first) == 0 {
		card := Card{Address: active.Account.String(), Wallet: words.Whole(active.WalletName), InUse: true,
			Since: "In use since " + words.At(active.ConnectedAt) + "."}
		card.standing(active.Proven, words.At(active.ProvenAt))
		first = append(first, card)
	}
	list := append(first, rest...)
	var marks []Mark
	for i := range list {
		marks = append(marks, Mark{list[i].Address, &list[i].Named})
	}
	l.Name(ctx, marks)
	return list, nil
}
