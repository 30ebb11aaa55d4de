package sui

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Description describes a transaction using only its own bytes. It contains no names, prices or types
// that the bytes do not contain. Inputs and commands are numbered from zero, as in the bytes.
// Addresses are shortened only by leading zeros.
type Description struct {
	// Summary describes the whole transaction. It is empty if no reader knows its protocol.
	Summary    []string       `json:"summary,omitempty"`
	Gas        string         `json:"gas"`
	GasCoins   []string       `json:"gasCoins"` // empty if gas is paid from an address balance
	Expiration string         `json:"expiration"`
	Inputs     []InputWords   `json:"inputs"`
	Commands   []CommandWords `json:"commands"`
	Warnings   []string       `json:"warnings"` // things to check before signing; may be empty
}

// InputWords describes one input. Type is the Move type of a pure value if its use determines the type.
// Otherwise Type is empty, and Text shows the bytes and a possible interpretation, marked as such.
type InputWords struct {
	Text   string `json:"text"`
	Type   string `json:"type,omitempty"`
	UsedBy []int  `json:"usedBy"` // indexes of the commands that use the input
}

// CommandWords describes one command: a sentence, and one line for each of its parts.
type CommandWords struct {
	Text  string   `json:"text"`
	Parts []string `json:"parts"`
}

// CoinNames returns the symbol and decimals of a coin that the caller knows for certain. It returns
// false for every other coin.
type CoinNames func(CoinType) (symbol string, decimals uint8, ok bool)

// Describe describes the transaction without any coin names.
func (t *Transaction) Describe() Description { return t.DescribeWith(nil) }

// DescribeWith is like Describe, but also shows amounts of the coins in names in whole units, next to
// raw units and complete types.
func (t *Transaction) DescribeWith(names CoinNames) Description {
	s := newSpeaker(t, names)
	d := Description{
		Gas:        gasWords(t),
		GasCoins:   []string{},
		Expiration: expirationWords(t.Expiration),
		Inputs:     []InputWords{},
		Commands:   []CommandWords{},
		Warnings:   append(s.permissionWarnings(), t.warnings()...),
	}
	for _, p := range t.Gas.Payment {
		d.GasCoins = append(d.GasCoins, refWords(p))
	}
	used := uses(t.Kind())
	for i := range t.Inputs {
		w := InputWords{Text: s.texts[i], UsedBy: append([]int{}, used[i]...)}
		if tag := s.kinds[i]; tag != nil {
			w.Type = tag.String()
		}
		d.Inputs = append(d.Inputs, w)
	}
	for _, c := range t.Commands {
		d.Commands = append(d.Commands, s.command(c))
	}
	return d
}

// FactsJSON returns the transaction as JSON: digest, commitment, size, sender, gas, expiration, inputs,
// commands, reencoded (the bytes in base64) and words, its description. Gas, expiration, inputs and
// commands have the official library's form. The JSON contains the bytes, so show it only to the user
// who supplied them.
func (t *Transaction) FactsJSON(words Description) ([]byte, error) {
	b, err := t.Encode()
	if err != nil {
		return nil, err
	}
	d := TransactionDigest(b)
	return marshalPlain(jsonObject{
		"digest": d, "commitment": Commitment(d), "size": len(b), "sender": t.Sender,
		"gas": walletGas(t.Gas), "expiration": walletExpiration(t.Expiration),
		"inputs":   walletList(t.Inputs, walletInput),
		"commands": walletList(t.Commands, walletCommand),
		"words":    words, "reencoded": base64.StdEncoding.EncodeToString(b),
	})
}

func gasWords(t *Transaction) string {
	g := t.Gas
	//mutant:never ./internal/sui TestGaslessIsSaid
	if len(g.Payment) == 0 && g.Price == 0 && g.Budget == 0 {
		return "none: price and budget are zero and no coin pays, as in a gasless transfer"
	}
	text := fmt.Sprintf("at most %s, at a price of %d MIST, paid by ", suiAmount(g.Budget), g.Price)
	if g.Owner == t.Sender {
		text += "the sender"
	} else {
		text += "another account, " + g.Owner.String()
	}
	if len(g.Payment) == 0 {
		return text + ", out of its address balance"
	}
	reserved := reservations(g.Payment)
	if reserved == 0 {
		return text + ", with " + count(len(g.Payment), "coin")
	}
	text += ", out of its address balance (a reservation written as a coin)"
	if coins := len(g.Payment) - reserved; coins > 0 {
		text += " and with " + count(coins, "coin")
	}
	return text
}

func refWords(r ObjectRef) string {
	if r.Reservation() {
		return fmt.Sprintf("no object: a withdrawal of at most %s units from an address balance, "+
			"written as object %s at version %d, digest %s", r.reservedAmount(), r.ID.Short(), r.Version, r.Digest)
	}
	return fmt.Sprintf("object %s at version %d, digest %s", r.ID.Short(), r.Version, r.Digest)
}

// suiAmount formats an amount exactly, in SUI and in MIST.
func suiAmount(mist uint64) string {
	return fmt.Sprintf("%s SUI (%d MIST)", Raw(mist).Decimal(9), mist)
}

func expirationWords(e Expiration) string {
	switch v := e.(type) {
	case EpochExpiration:
		return fmt.Sprintf("up to the end of epoch %d", v.Epoch)
	case ValidDuring:
		return validityWords(v)
	case Validity:
		text := validityWords(v.ValidDuring)
		if p := v.Proposers; p != nil {
			text += fmt.Sprintf(", proposed by one of the committee members %v of epoch %d",
				p.Members, p.Epoch)
		}
		return text
	}
	return "always: it never expires"
}

func validityWords(v ValidDuring) string {
	parts := []string{}
	add := func(n *uint64, before string, show func(uint64) string) {
		if n != nil {
			parts = append(parts, before+show(*n))
		}
	}
	number := func(n uint64) string { return decimal(n) }
	add(v.MinEpoch, "not before epoch ", number)
	add(v.MaxEpoch, "not after epoch ", number)
	add(v.MinTimestamp, "not before ", moment)
	add(v.MaxTimestamp, "not after ", moment)
	if len(parts) == 0 {
		parts = append(parts, "at any time")
	}
	return fmt.Sprintf("%s, only on the chain %s, nonce %d", strings.Join(parts, ", "), v.Chain, v.Nonce)
}

// moment formats milliseconds since 1970 as a date and time if the year has four digits.
func moment(ms uint64) string {
	const year10000 = 253402300800000
	if ms >= year10000 {
		return fmt.Sprintf("millisecond %d", ms)
	}
	return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02 15:04:05.999 UTC")
}

// maxBrief limits how much of an input each command repeats, so that the description stays proportional
// to the transaction.
const maxBrief = 240

// sharedSince precedes the initial version in the text of a shared object.
const sharedSince = ", shared since version "

// speaker describes the arguments of one transaction.
type speaker struct {
	inputs   []Input
	commands []Command
	kinds    map[int]*TypeTag
	names    CoinNames
	texts    []string // texts of inputs
	brief    []string // texts of inputs, shortened for use in commands
}

func newSpeaker(t *Transaction, names CoinNames) *speaker {
	s := &speaker{inputs: t.Inputs, commands: t.Commands, kinds: pureTypes(t.Kind()), names: names}
	for i, in := range t.Inputs {
		text := s.input(in, i)
		s.texts = append(s.texts, text)
		if owned, ok := in.(OwnedInput); ok && !owned.Ref.Reservation() {
			text = "object " + owned.Ref.ID.Short()
		}
		text, _, _ = strings.Cut(text, sharedSince)
		if len(text) > maxBrief {
			text = text[:maxBrief] + "…"
		}
		s.brief = append(s.brief, text)
	}
	return s
}

func (s *speaker) input(in Input, i int) string {
	switch v := in.(type) {
	case OwnedInput:
		if v.Ref.Reservation() {
			return refWords(v.Ref)
		}
		return "owned or immutable " + refWords(v.Ref)
	case ReceivingInput:
		return "to be received: " + refWords(v.Ref)
	case SharedInput:
		change := "read only"
		if v.Mutable {
			change = "may be changed"
		}
		name := ""
		if v.ID == Clock {
			name = ", the system clock"
		}
		return fmt.Sprintf("shared object %s%s, %s%s%d", v.ID.Short(), name, change, sharedSince, v.InitialVersion)
	case WithdrawalInput:
		from := [...]string{"the sender's address balance", "the sponsor's address balance"}
		source := fmt.Sprintf("the balance of %s under the allowance %s", v.Funder, v.Allowance)
		if int(v.From) < len(from) {
			source = from[v.From]
		}
		return fmt.Sprintf("at most %s out of %s", s.amount(new(big.Int).SetUint64(uint64(v.MaxAmount)), v.Coin), source)
	}
	p, _ := in.(PureInput)
	return pureWords(p, s.kinds[i])
}

// maxShownBytes limits how many bytes of one value are shown.
const maxShownBytes = 64

// pureWords formats a value of a known type. For any other value, it shows the bytes and the number
// that they may represent, marked as a possibility.
func pureWords(p PureInput, tag *TypeTag) string {
	if tag != nil {
		if text, ok := readPure(p, *tag); ok {
			return shortType(*tag) + " " + text
		}
	}
	shown, rest := p.Bytes, ""
	if len(shown) > maxShownBytes {
		shown, rest = shown[:maxShownBytes], "…"
	}
	text := count(len(p.Bytes), "byte")
	if len(shown) > 0 {
		text += " 0x" + hex.EncodeToString(shown) + rest
	}
	if n, ok := p.U64(); ok {
		text += fmt.Sprintf(" (%d, if it is a u64)", n)
	}
	return text
}

// shortType formats a type in canonical form without leading zeros in addresses.
func shortType(t TypeTag) string {
	switch t.Kind {
	case TypeVector:
		return "vector<" + shortType(*t.Elem) + ">"
	case TypeStruct:
		name := t.Struct.Address.Short() + "::" + t.Struct.Module + "::" + t.Struct.Name
		if len(t.Struct.Params) == 0 {
			return name
		}
		return name + "<" + shortTypes(t.Struct.Params) + ">"
	}
	return t.String()
}

func shortTypes(tags []TypeTag) string {
	parts := make([]string, len(tags))
	for i, t := range tags {
		parts[i] = shortType(t)
	}
	return strings.Join(parts, ", ")
}
