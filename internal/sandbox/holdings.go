package sandbox

import (
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Hold gives owner a coin of any type, and any amount in its address balance,
// which is told and cannot be spent here. Nothing is given of what is zero.
func (l *ledger) Hold(owner sui.Address, coin sui.CoinType, inCoins, inAddress uint64) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if inCoins > 0 {
		l.mint(owner, coin, inCoins)
	}
	if inAddress > 0 {
		if l.reserves[owner] == nil {
			l.reserves[owner] = map[sui.CoinType]uint64{}
		}
		l.reserves[owner][coin] += inAddress
	}
	l.appendCheckpoint(now, nil)
}

// Describe makes the chain say of a coin what its creator, or a liar, would. It
// takes the place of what the registry says.
func (l *ledger) Describe(m sui.Metadata) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.described[m.Type] = m
}

// Deny bars an address from a coin, as the issuer of a regulated one can; the
// zero address stands for a pause of the coin for everybody.
func (l *ledger) Deny(coin sui.CoinType, who sui.Address) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.denied[denial{coin, who}] = true
}

// denial is an address that is barred from a coin.
type denial struct {
	coin sui.CoinType
	who  sui.Address
}

// barred stops a run that gives a coin to somebody who is barred from it.
func (r *run) barred() *failure {
	for _, c := range r.coins {
		switch {
		case c.gone || !c.sent:
		case r.ledger.denied[denial{c.typ, sui.Address{}}]:
			return fail(pb.ExecutionError_COIN_TYPE_GLOBAL_PAUSE, "the coin %s is paused", c.typ)
		case r.ledger.denied[denial{c.typ, c.holder}]:
			return fail(pb.ExecutionError_ADDRESS_DENIED_FOR_COIN, "%s is barred from %s", c.holder, c.typ)
		}
	}
	return nil
}

// description gives what the chain says of a coin.
func (l *ledger) description(coin sui.CoinType) (sui.Metadata, bool) {
	if m, ok := l.described[coin]; ok {
		return m, true
	}
	c, ok := registry.CoinByType(coin)
	return sui.Metadata{
		Type: coin, Decimals: c.Decimals, Name: c.Symbol, Symbol: c.Symbol,
		Description: "Test coin of the Say Ur Intent sandbox, worth nothing.",
	}, ok
}

// held is what an owner holds of one coin type.
type held struct {
	coin             sui.CoinType
	coins, inAddress uint64
}

// holdings sums what an owner holds, by coin type, in the order of the types.
func (l *ledger) holdings(owner sui.Address) []held {
	var list []held
	for _, o := range l.coins(owner, "") {
		if n := len(list); n == 0 || list[n-1].coin != o.coin {
			list = append(list, held{coin: o.coin})
		}
		list[len(list)-1].coins += o.balance
	}
	for coin, amount := range l.reserves[owner] {
		i := slices.IndexFunc(list, func(h held) bool { return h.coin == coin })
		if i < 0 {
			i = len(list)
			list = append(list, held{coin: coin})
		}
		list[i].inAddress = amount
	}
	slices.SortFunc(list, func(a, b held) int { return compareText(string(a.coin), string(b.coin)) })
	return list
}
