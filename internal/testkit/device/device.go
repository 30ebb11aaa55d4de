// Package device reads a transaction as a Ledger does, to be compared with what the product
// says of it. It shares no code with the product: it follows the parser of the device's Sui
// app byte by byte, and refuses where the device would show only a hash.
package device

import (
	"encoding/binary"
	"errors"
)

// Shown is what the device shows.
type Shown struct {
	What   string // "transfer", "stake" or "unstake"
	To     [32]byte
	Coin   string
	Amount uint64
	Gas    uint64 // the budget
}

// Coin is what an object is that the wallet gives the device, by the digest of the object.
type Coin struct {
	Type   string
	Amount uint64
}

// SUI is the type of SUI.
const SUI = "SUI"

// errBlind means that the device shows a hash.
var errBlind = errors.New("only a hash")

const (
	maxArguments = 8
	maxGasCoins  = 32
	maxName      = 32
)

// The tags of inputs that a command can use.
const (
	other = iota
	amount
	optional
	address
	object
	shared
)

type input struct {
	kind   int
	n      uint64
	id     [32]byte // an address, a shared object, or the digest of an object
	loaded *Coin
}

type result struct {
	kind   int // 0 nothing, then as below
	coin   string
	parts  []uint64
	amount uint64
	gas    bool // the gas coin is in the list
}

const (
	split = 1 + iota
	list
	stakePart
)

// argument is 0 gas coin, 1 input, 2 result, 3 part of a result.
type argument struct{ kind, at, part int }

type parser struct {
	b       []byte
	objects func(digest [32]byte) (Coin, bool)
	inputs  []input
	results []result
	what    string
	to      *[32]byte
	total   *Coin
	gas     bool // all of the gas coin is in the total
	merged  uint64
}

// blind ends reading.
func blind() { panic(errBlind) }

func need(ok bool) {
	if !ok {
		blind()
	}
}

func (p *parser) take(n int) []byte {
	need(n >= 0 && n <= len(p.b))
	out := p.b[:n]
	p.b = p.b[n:]
	return out
}

func (p *parser) uleb() int {
	n, size := binary.Uvarint(p.b)
	need(size > 0 && size <= 5)
	p.b = p.b[size:]
	return int(n)
}

func (p *parser) u64() uint64  { return binary.LittleEndian.Uint64(p.take(8)) }
func (p *parser) id() [32]byte { return [32]byte(p.take(32)) }
func (p *parser) digest() (d [32]byte) {
	p.take(32 + 8)
	need(p.uleb() == 32)
	return p.id()
}

// Read reads transaction data; false if the device would show only a hash. objects are those
// that the wallet gives it.
func Read(tx []byte, objects func(digest [32]byte) (Coin, bool)) (s Shown, ok bool) {
	p := &parser{b: tx, objects: objects}
	defer func() {
		if r := recover(); r != nil {
			if r != any(errBlind) {
				panic(r)
			}
			s, ok = Shown{}, false
		}
	}()
	need(p.uleb() == 0) // version
	need(p.uleb() == 0) // programmable
	for range p.uleb() {
		p.inputs = append(p.inputs, p.input())
	}
	need(len(p.inputs) > 0)
	for range p.uleb() {
		p.results = append(p.results, p.command())
	}
	need(p.total != nil && p.what != "" && (p.what == "transfer" || p.total.Type == SUI))
	p.take(32) // sender
	coins := p.uleb()
	need(coins <= maxGasCoins)
	paying, known := uint64(0), true
	for range coins {
		c, given := p.objects(p.digest())
		paying, known = paying+c.Amount, known && given
	}
	p.take(32 + 8) // owner, price
	s = Shown{What: p.what, Coin: p.total.Type, Amount: p.total.Amount, Gas: p.u64()}
	switch p.uleb() {
	case 0:
	case 1:
		p.u64()
	default:
		blind()
	}
	if p.gas {
		need(known && s.Coin == SUI)
		s.Amount += paying + p.merged
	}
	if p.to != nil {
		s.To = *p.to
	}
	return s, true
}

func (p *parser) input() input {
	switch p.uleb() {
	case 0:
		switch n := p.uleb(); n {
		case 8:
			return input{kind: amount, n: p.u64()}
		case 1, 9:
			some := p.take(1)[0]
			need(int(some) == n/9)
			if some == 1 {
				return input{kind: optional, n: p.u64()}
			}
			return input{kind: optional}
		case 32:
			return input{kind: address, id: p.id()}
		default:
			p.take(n)
			return input{}
		}
	case 1:
		switch p.uleb() {
		case 0:
			return input{kind: object, id: p.digest()}
		case 1:
			id := p.id()
			p.take(8 + 1)
			return input{kind: shared, id: id}
		}
	}
	blind()
	return input{}
}
