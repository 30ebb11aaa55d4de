package receipts

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/draw"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Limits on what is shown of a transaction. Omitted items are counted.
const (
	mostMovers  = 20
	mostChanges = 20
	mostCalls   = 40
	mostListed  = 20
)

// view is any transaction on chain, as text.
type view struct {
	Found             bool
	Tone, Title, Text string
	Do                string
	Digest, Network   string
	Explorer          string
	At                string
	Lines, Gas        []words.Line
	Movers            []mover
	MoveNote          string
	Calls             []pastCall
	CallNote          string
	Objects, Events   []words.Line
	Steps, Warnings   []string
	Graph             template.HTML
	BytesNote         string
}

// mover is an address, with the changes of its balances.
type mover struct {
	Address, Role string
	Changes       []words.Line
}

// pastCall is one Move call, with the name of its package if that is pinned.
type pastCall struct{ Function, Package, Name string }

func (v *view) say(title, text, do string) { v.Title, v.Text, v.Do = title, text, do }

// tell fills in what the node reported.
func (v *view) tell(t sui.PastTransaction, known Source) {
	v.Found = true
	v.ended(t)
	v.place(t)
	v.moves(t, known)
	v.calls(t, known)
	v.rest(t, known)
	v.decoded(t, known)
}

func (v *view) ended(t sui.PastTransaction) {
	const text = "This is what a Sui node reports. Only what is decoded from the transaction’s own bytes was checked."
	switch t.Status {
	case sui.PastSuccess:
		v.Tone = "good"
		v.say("The chain executed it", text, "")
	case sui.PastFailed:
		v.Tone = "bad"
		v.say("The chain ran it, and it failed", "Everything was undone, and only gas was spent. "+text, "")
	default:
		v.say("The node does not report how it ended", text, "")
	}
}

func (v *view) place(t sui.PastTransaction) {
	switch {
	case t.Checkpoint != nil:
		v.Lines = append(v.Lines, words.Line{Name: "Checkpoint", Value: words.Spaced(fmt.Sprint(*t.Checkpoint)),
			Note: words.At(t.Timestamp)})
	case !t.Timestamp.IsZero():
		v.Lines = append(v.Lines, words.Line{Name: "Time", Value: words.At(t.Timestamp)})
	}
	if t.Epoch != nil {
		v.Lines = append(v.Lines, words.Line{Name: "Epoch", Value: words.Spaced(fmt.Sprint(*t.Epoch))})
	}
	if t.Sender != nil {
		v.Lines = append(v.Lines, words.Line{Name: "Sent by", Address: t.Sender.String()})
	}
	if t.GasPayer != nil && (t.Sender == nil || *t.GasPayer != *t.Sender) {
		v.Lines = append(v.Lines, words.Line{Name: "Gas paid by", Address: t.GasPayer.String(),
			Note: "somebody else than the sender"})
	}
	if t.Kind != "" && t.Kind != "ProgrammableTransaction" {
		v.Lines = append(v.Lines, words.Line{Name: "Kind", Value: words.Shown(t.Kind, 80)})
	}
	if f := t.Failure; f != nil {
		if f.Message != "" {
			v.Lines = append(v.Lines, words.Line{Name: "Why, in the node’s words", Value: words.Whole(f.Message)})
		}
		if a := f.Abort; a != nil {
			v.Lines = append(v.Lines, words.Line{Name: "Stopped in", Value: words.Whole(a.Module + "::" + a.Function),
				Mono: true,
				Note: fmt.Sprintf("code %d, in step %d", a.Code, a.Command+1)},
				words.Line{Name: "Of the package", Address: a.Package.String()})
		}
	}
	if g := t.Gas; g != nil {
		v.Gas = []words.Line{
			{Name: "Paid in all", Value: amounts.Gas(g.Net())}, {Name: "Computation",
				Value: amounts.Of(amounts.SUI.Of(g.Computation)).String()},
			{Name: "Storage", Value: amounts.Of(amounts.SUI.Of(g.Storage)).String()}, {Name: "Rebate",
				Value: amounts.Of(amounts.SUI.Of(g.Rebate)).String()},
		}
	}
}

// moves lists what left and arrived by address, the sender first.
func (v *view) moves(t sui.PastTransaction, known Source) {
	where := map[string]int{}
	put := func(owner, role string) int {
		if _, ok := where[owner]; !ok {
			where[owner] = len(v.Movers)
			v.Movers = append(v.Movers, mover{Address: owner, Role: role})
		}
		return where[owner]
	}
	if t.Sender != nil {
		for _, b := range t.Balances.Items {
			if b.Owner != nil && *b.Owner == *t.Sender {
				put(t.Sender.String(), "the sender")
				break
			}
		}
	}
	for _, b := range t.Balances.Items {
		owner, role := "", "an owner the node does not name"
		if b.Owner != nil {
			owner, role = b.Owner.String(), ""
		}
		m := &v.Movers[put(owner, role)]
		m.Changes = append(m.Changes, changeOf(b, known))
	}
	left := 0
	for i := range v.Movers {
		if n := len(v.Movers[i].Changes); n > mostChanges {
			left += n - mostChanges
			v.Movers[i].Changes = v.Movers[i].Changes[:mostChanges]
		}
	}
	if len(v.Movers) > mostMovers {
		for _, m := range v.Movers[mostMovers:] {
			left += len(m.Changes)
		}
		v.Movers = v.Movers[:mostMovers]
	}
	v.MoveNote = listNote(t.Balances, left, "changes", "Nobody’s coins changed.")
	if t.BalancesRefused {
		v.MoveNote = "What the node told of coins contradicts what the transaction cost, so it is not shown."
	}
}

func changeOf(b sui.PastBalance, known Source) words.Line {
	if symbol, decimals, ok := known.Coin(b.Coin); ok {
		return words.Line{Name: words.Shown(symbol, 16), Value: amounts.Delta(b.Amount, plan.Asset{Symbol: symbol,
			Decimals: decimals})}
	}
	// If the decimals are unknown, only the raw number is reliable.
	return words.Line{Name: amounts.Tail(string(b.Coin)), Value: amounts.Delta(b.Amount, plan.Asset{Symbol: "raw units"}),
		Note: words.Whole(words.ShortType(string(b.Coin)))}
}

// listNote describes how a list is incomplete, or that it is empty. It returns "" for a complete
// list.
func listNote[T any](l sui.Listed[T], left int, what, none string) string {
	switch {
	case !l.Known:
		return "The node reported nothing about it."
	case left > 0 && l.More:
		return fmt.Sprintf("And %d more %s, and others that the node did not list.", left, what)
	case left > 0:
		return fmt.Sprintf("And %d more %s.", left, what)
	case l.More:
		return "There are more, which the node did not list."
	case len(l.Items) == 0:
		return none
	}
	return ""
}

func (v *view) calls(t sui.PastTransaction, known Source) {
	for i, c := range t.Calls.Items {
		if i == mostCalls {
			break
		}
		name, _ := known.Name(c.Package)
		v.Calls = append(v.Calls, pastCall{words.Whole(c.Module + "::" + c.Function), c.Package.String(), words.Shown(name,
			60)})
	}
	v.CallNote = listNote(t.Calls, len(t.Calls.Items)-len(v.Calls), "calls", "It calls no contract.")
}

// rest counts changed objects by kind of change, and events by type.
func (v *view) rest(t sui.PastTransaction, known Source) {
	for i, o := range t.Objects.Items {
		if i == mostListed {
			break
		}
		one := words.Line{Name: words.UpperFirst(words.Shown(o.Change, 20)), Address: o.ID.String(),
			Note: words.Whole(words.ShortType(o.Type))}
		if name, ok := known.Name(o.ID); ok {
			one.Note = words.Shown(name, 60)
		}
		v.Objects = append(v.Objects, one)
	}
	if note := listNote(t.Objects, len(t.Objects.Items)-len(v.Objects), "objects", "No object changed."); note != "" {
		v.Objects = append(v.Objects, words.Line{Name: "…", Value: note})
	}
	for i, e := range t.Events.Items {
		if i == mostListed {
			break
		}
		v.Events = append(v.Events, words.Line{Name: amounts.Tail(e.Type), Value: words.Whole(words.ShortType(e.Type)),
			Mono: true})
	}
	if note := listNote(t.Events, len(t.Events.Items)-len(v.Events), "events", "None."); note != "" {
		v.Events = append(v.Events, words.Line{Name: "…", Value: note})
	}
}

// decoded describes the transaction as decoded from its bytes, if their digest is the requested
// one.
func (v *view) decoded(t sui.PastTransaction, known Source) {
	if len(t.Bytes) == 0 {
		v.BytesNote = "The node did not give the transaction’s own bytes, so nothing of it could be checked here."
		return
	}
	if sui.TransactionDigest(t.Bytes) != t.Digest {
		v.BytesNote = "The bytes that the node gave are not those of this digest. Do not rely on what it tells."
		return
	}
	tx, err := sui.DecodeTransaction(t.Bytes)
	if err != nil {
		v.BytesNote = "The bytes are those of this digest, and of a form that this program does not read."
		return
	}
	v.BytesNote = "Decoded here from the transaction’s own bytes, which have exactly this digest."
	d := floor.Describe(tx)
	for _, line := range d.Summary {
		v.Steps = append(v.Steps, words.Whole(line))
	}
	for i, c := range d.Commands {
		if i == mostCalls {
			v.Steps = append(v.Steps, fmt.Sprintf("… and %d more steps", len(d.Commands)-mostCalls))
			break
		}
		v.Steps = append(v.Steps, words.Whole(c.Text))
	}
	for _, w := range d.Warnings {
		v.Warnings = append(v.Warnings, words.Whole(w))
	}
	names := map[sui.Address]string{sui.Clock: "the chain's clock", tx.Sender: "the sender"}
	for _, in := range tx.Inputs {
		if shared, ok := in.(sui.SharedInput); ok {
			if name, ok := known.Name(shared.ID); ok {
				names[shared.ID] = words.Shown(name, 40)
			}
		}
	}
	for _, c := range tx.Commands {
		if call, ok := c.(sui.MoveCall); ok {
			if name, ok := known.Name(call.Package); ok {
				names[call.Package] = strings.TrimSpace(words.Shown(name, 24))
			}
		}
	}
	v.Graph = draw.Transaction(tx, names, false)
}
