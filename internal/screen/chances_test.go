package screen

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// rarely is how often a fresh secret of one shape may come through.
const rarely = 1e-9

// TestChances calculates how often chance alone makes a secret miss a rule. No
// secret is drawn but for the letters of base64, whose chance is integrated.
func TestChances(t *testing.T) {
	for _, c := range []struct {
		name string
		p    float64
	}{
		{"16 bytes of hex have fewer different digits", different(32, 16, hexDistinct)},
		{"the shortest hex without its noughts has no letter", math.Pow(10./16, leastHex)},
		{"a key of hex in groups has no letter", math.Pow(10./16, 64)},
		{"32 bytes have fewer different ones", different(byteRow, 256, leastDistinct)},
		{"32 bytes rise too seldom or too often", rises(leastUps, mostUps)},
		{"a key has fewer decimal digits", math.Pow(10, leastDecimals-1) / math.Pow(2, 256)},
		{"its digits are fewer different ones", different(leastDecimals, 10, manyFigures)},
		{"128 bits have few ones or few noughts", 2 * fewer(leastBits, .5, leastBits/leastOnes)},
		{"the places of twelve words are small", smallPlaces(12)},
		{"the places of 24 words are small", smallPlaces(24)},
		{"eleven words repeat", different(leastRun, 2048, fewInRun)},
		{"twelve words between fillers repeat", different(12, 2048, fewMingled)},
		{"base58 of a key is shorter than what is judged", math.Pow(2, -8*4)},
	} {
		t.Logf("R004-356 %-50s %.1e", c.name, c.p)
		if !(c.p < rarely) {
			t.Errorf("R004-356 %s in %.1e of all, not %.0e", c.name, c.p, rarely)
		}
	}
}

// different is the chance that so many draws of m things give fewer than least
// different ones.
func different(draws, m, least int) float64 {
	p := make([]float64, draws+2)
	p[0] = 1
	for range draws {
		for k := draws; k > 0; k-- {
			p[k] = p[k]*float64(k)/float64(m) + p[k-1]*float64(m-k+1)/float64(m)
		}
		p[0] = 0
	}
	sum := 0.0
	for _, v := range p[:least] {
		sum += v
	}
	return sum
}

// fewer is the chance of fewer than k of n.
func fewer(n int, p float64, k int) float64 {
	term, sum := math.Pow(1-p, float64(n)), 0.0
	for i := range k {
		sum += term
		term *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return sum
}

// rises is the chance that fewer than low or more than high of 32 bytes are
// larger than the one before.
func rises(low, high int) float64 {
	var p [256][byteRow]float64
	for v := range p {
		p[v][0] = 1. / 256
	}
	for range byteRow - 1 {
		var next [256][byteRow]float64
		var below, all [byteRow]float64
		for v := range p {
			for k := range byteRow {
				all[k] += p[v][k]
			}
		}
		for v := range p {
			for k := range byteRow {
				next[v][k] += (all[k] - below[k]) / 256
				if k > 0 {
					next[v][k] += below[k-1] / 256
				}
			}
			for k := range byteRow {
				below[k] += p[v][k]
			}
		}
		p = next
	}
	sum := 0.0
	for v := range p {
		for k := range byteRow {
			if k < low || k > high {
				sum += p[v][k]
			}
		}
	}
	return sum
}

// smallPlaces is the chance that the places of a phrase look like the numbers of
// any text.
func smallPlaces(words int) float64 {
	p := map[int]float64{0: 1}
	for range words {
		next := map[int]float64{}
		for cost, v := range p {
			for place := range 2048 {
				next[cost+figureCost(place)] += v / 2048
			}
		}
		p = next
	}
	sum := 0.0
	for cost, v := range p {
		if 4*cost <= mostFigures*words {
			sum += v
		}
	}
	return sum
}

// TestLikelyIsAProbability: what may follow any two letters adds up to one at
// most, on which the bound rests; so does the choice between words and
// hexadecimal.
func TestLikelyIsAProbability(t *testing.T) {
	l := newLikely(wordLists())
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/-_"
	for _, a := range alphabet {
		for _, b := range alphabet {
			sum := 0.0
			for _, c := range alphabet {
				sum += math.Exp2(-float64(l.cost(string([]rune{a, b, c}), 0, 2)) / bit)
			}
			if sum > 1 {
				t.Fatalf("after %c%c: %f", a, b, sum)
			}
		}
	}
	if sum := math.Exp2(-float64(asWords)/bit) + 2*math.Exp2(-float64(asHex)/bit); sum > 1 {
		t.Errorf("words or hexadecimal: %f", sum)
	}
	if sum := 17 * math.Exp2(-float64(hexCost)/bit); sum > 1 {
		t.Errorf("a letter of hexadecimal, or its end: %f", sum)
	}
}

// TestDrawnChance integrates the chance that 42 letters of base64 pass for words:
// they are drawn as words prefer them, and each counts for as much as chance
// alone would have made it (importance sampling, seeded).
func TestDrawnChance(t *testing.T) {
	const (
		samples = 4000
		tilt    = .4 // of the model's preference, which brings the cost near the limit
		abc     = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
	)
	l, r := newLikely(wordLists()), rand.New(rand.NewPCG(1, 2))
	var weights [64]float64
	sum, squares := 0.0, 0.0
	for range samples {
		var b strings.Builder
		cost, weight := int32(0), 0.0
		for i := range leastDrawn {
			so, all := b.String(), 0.0
			for k := range weights {
				weights[k] = math.Exp2(-tilt * float64(l.cost(so+abc[k:k+1], 0, i)) / bit)
				all += weights[k]
			}
			k := 0
			for x := r.Float64() * all; k < 63; k++ {
				if x -= weights[k]; x <= 0 {
					break
				}
			}
			cost += l.cost(so+abc[k:k+1], 0, i)
			weight += math.Log2(all/weights[k]) - 6
			b.WriteByte(abc[k])
		}
		if cost <= mostDrawn {
			sum += math.Exp2(weight)
			squares += math.Exp2(2 * weight)
		}
	}
	p := sum / samples
	off := math.Sqrt(squares/samples-p*p) / math.Sqrt(samples)
	t.Logf("R004-356 42 letters of base64 pass for words in %.1e of all, give or take %.0e", p, off)
	if !(p > 0 && p+4*off < rarely) {
		t.Errorf("R004-356 %.1e, give or take %.0e, is not below %.0e", p, off, rarely)
	}
}
