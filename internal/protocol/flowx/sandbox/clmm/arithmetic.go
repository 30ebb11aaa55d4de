package clmm

import "math/big"

// Bounds of prices and ticks. A price is the square root of Y raw units per X raw
// unit, times 2^64.
const (
	MinTick = -443636
	MaxTick = 443636
	feeUnit = 1_000_000
)

// MinSqrtPrice returns the price of MinTick.
func MinSqrtPrice() *big.Int { return integer("4295048016") }

// MaxSqrtPrice returns the price of MaxTick.
func MaxSqrtPrice() *big.Int { return integer("79226673515401279992447579055") }

func integer(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}

func number(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// maxU64 returns the largest amount of a coin.
func maxU64() *big.Int { return number(^uint64(0)) }

// div returns n/d, rounded up if up is set.
func div(n, d *big.Int, up bool) *big.Int {
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	if up && r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// positiveFactors returns sqrt(1.0001)^(2^i) times 2^96 for i from 0, as stored on chain;
// negativeFactors returns sqrt(1.0001)^-(2^i) times 2^64.
func positiveFactors() []string {
	return []string{
		"79232123823359799118286999567", "79236085330515764027303304731", "79244008939048815603706035061",
		"79259858533276714757314932305", "79291567232598584799939703904", "79355022692464371645785046466",
		"79482085999252804386437311141", "79736823300114093921829183326", "80248749790819932309965073892",
		"81282483887344747381513967011", "83390072131320151908154831281", "87770609709833776024991924138",
		"97234110755111693312479820773", "119332217159966728226237229890", "179736315981702064433883588727",
		"407748233172238350107850275304", "2098478828474011932436660412517", "55581415166113811149459800483533",
		"38992368544603139932233054999993551",
	}
}

func negativeFactors() []string {
	return []string{
		"18445821805675392311", "18444899583751176498", "18443055278223354162", "18439367220385604838",
		"18431993317065449817",
		"18417254355718160513", "18387811781193591352", "18329067761203520168", "18212142134806087854",
		"17980523815641551639",
		"17526086738831147013", "16651378430235024244", "15030750278693429944", "12247334978882834399", "8131365268884726200",
		"3584323654723342297", "696457651847595233", "26294789957452057", "37481735321082",
	}
}

// PriceAt returns the price at a tick, by the chain's own products and shifts.
func PriceAt(tick int32) *big.Int {
	factors, shift, distance := positiveFactors(), uint(96), uint32(tick)
	if tick < 0 {
		factors, shift, distance = negativeFactors(), 64, uint32(-tick)
	}
	price := new(big.Int).Lsh(big.NewInt(1), shift)
	for i, f := range factors {
		if distance&(1<<i) != 0 {
			price.Mul(price, integer(f)).Rsh(price, shift)
		}
	}
	if tick >= 0 {
		price.Rsh(price, 32)
	}
	return price
}

// TickAt returns the highest tick whose price is at most the given one.
func TickAt(price *big.Int) int32 {
	low, high := int32(MinTick), int32(MaxTick)
	for low < high {
		middle := low + (high-low+1)/2
		if PriceAt(middle).Cmp(price) <= 0 {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// amountX returns the X between two prices for a liquidity.
func amountX(a, b, liquidity *big.Int, up bool) *big.Int {
	apart := new(big.Int).Sub(a, b)
	n := apart.Abs(apart).Mul(apart, liquidity)
	return div(n.Lsh(n, 64), new(big.Int).Mul(a, b), up)
}

// amountY returns the Y between two prices for a liquidity.
func amountY(a, b, liquidity *big.Int, up bool) *big.Int {
	apart := new(big.Int).Sub(a, b)
	n := apart.Abs(apart).Mul(apart, liquidity)
	return div(n, new(big.Int).Lsh(big.NewInt(1), 64), up)
}

// afterInput returns the price after an input that does not reach the target.
func afterInput(price, liquidity, amount *big.Int, xForY bool) *big.Int {
	if xForY {
		n := new(big.Int).Mul(price, liquidity)
		d := new(big.Int).Lsh(liquidity, 64)
		return div(n.Lsh(n, 64), d.Add(d, new(big.Int).Mul(price, amount)), true)
	}
	up := new(big.Int).Lsh(amount, 64)
	return up.Quo(up, liquidity).Add(up, price)
}

// step is the part of a swap inside one range of constant liquidity.
type step struct{ price, in, out, fee *big.Int }

// stepTo moves the price toward target with at most remaining input, including the fee. If the
// price does not reach the target, the fee is the rest of the input. Otherwise the fee is rounded
// to the nearest unit.
func stepTo(price, target, liquidity, remaining *big.Int, fee uint64) step {
	xForY := price.Cmp(target) >= 0
	amount := func(a, b *big.Int, x, up bool) *big.Int {
		if x {
			return amountX(a, b, liquidity, up)
		}
		return amountY(a, b, liquidity, up)
	}
	net := new(big.Int).Mul(remaining, number(feeUnit-fee))
	net.Quo(net, number(feeUnit))
	s := step{price: target, in: amount(price, target, xForY, true)}
	if net.Cmp(s.in) < 0 {
		s.price = afterInput(price, liquidity, net, xForY)
		s.in = amount(price, s.price, xForY, true)
	}
	s.out = amount(price, s.price, !xForY, false)
	if s.price.Cmp(target) != 0 {
		s.fee = new(big.Int).Sub(remaining, s.in)
		return s
	}
	half := number((feeUnit - fee) / 2)
	n := new(big.Int).Mul(s.in, number(fee))
	s.fee = n.Add(n, half).Quo(n, number(feeUnit-fee))
	return s
}
