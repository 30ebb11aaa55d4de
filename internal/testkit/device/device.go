// Package device decodes a transaction as a Ledger does, to check what the product displays. It shares
// no code with the product: it follows the parser of the device's Sui app byte by byte, and rejects
// whatever the device would show only as a hash.
package device

import (
	"encoding/binary"
	"errors"
)

// Shown is the content of the device's screen.
type Shown struct {
	What   string // "transfer", "stake" or "unstake"
	To     [32]byte
	Coin   string
	Amount uint64
	Gas    uint64 // gas budget
}

// Coin describes an object that the wallet sends to the device, by object digest.
type Coin struct {
	Type   string
	Amount uint64
}

// SUI is the coin type of SUI.
const SUI = "SUI"

// errBlind reports that the device would show only a hash.
var errBlind = errors.New("only a hash")

const (
	maxArguments = 8
	maxGasCoins  = 32
	maxName      = 32
)

// Kinds of inputs that commands can use.
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
	id     [32]byte // address, shared object id, or object digest
	loaded *Coin
}

type result struct {
	kind   int // 0 for none, otherwise a constant below
	coin   string
	parts  []uint64
	amount uint64
	gas    bool // the list contains the gas coin
}

const (
	split = 1 + iota
	list
	stakePart
)

// argument refers to the gas coin (0), an input (1), a result (2) or part of a result (3).
type argument struct{ kind, at, part int }

type parser struct {
	b       []byte
	objects func(digest [32]byte) (Coin, bool)
	inputs  []input
	results []result
	what    string
	to      *[32]byte
	total   *Coin
	gas     bool // the total includes the whole gas coin
	merged  uint64
}

// blind stops parsing with errBlind.
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

// Read parses transaction data. ok is false if the device would show only a hash. objects returns what
// the wallet sends about an object.
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
