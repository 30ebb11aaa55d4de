package draw

import (
	"encoding/hex"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Dimensions of the drawing in its own units; the page scales it.
const (
	graphWidth   = 360
	graphHead    = 38
	graphRow     = 24
	graphGap     = 16
	graphLane    = 9
	graphMost    = 24 // maximum number of commands drawn
	graphMostRow = 12 // maximum number of arguments drawn for one command
)

// block is the drawing of one command, and row that of one of its arguments.
type block struct {
	title, sub string
	rows       []row
	y, height  int
}

type row struct {
	text string
	from int // index of the command with this result, -1 for none
}

// wire connects a command's result to a row of a later command.
type wire struct{ from, toBlock, toRow int }

// Transaction draws a transaction's commands in order, with their inputs and the results that they
// pass on. Styles are in the style sheet. names replace ids. own means that the transaction is the
// reader's own.
func Transaction(tx *sui.Transaction, names map[sui.Address]string, own bool) template.HTML {
	p := layout{tx: tx, names: names, whose: "the "}
	if own {
		p.whose = "your "
	}
	blocks, wires := p.lay()
	lanes := graphLane * (min(len(wires), 6) + 1)
	right := graphWidth - lanes
	var b strings.Builder
	last := blocks[len(blocks)-1]
	height := last.y + last.height + 4
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-labelledby="g-title g-desc">`, graphWidth, height)
	fmt.Fprintf(&b, `<title id="g-title">The transaction as a drawing</title><desc id="g-desc">%s</desc>`,
		template.HTMLEscapeString(p.describe(blocks)))
	for i, one := range blocks {
		one.draw(&b, i, right)
	}
	for i, w := range wires {
		drawWire(&b, blocks, w, right, right+graphLane*(i%6+1))
	}
	b.WriteString("</svg>")
	// All texts in b were escaped by HTMLEscapeString. The rest is numbers and the literals above.
	return template.HTML(b.String())
}

type layout struct {
	tx    *sui.Transaction
	names map[sui.Address]string
	whose string // prefix for objects of the sender
}

// lay places the commands in blocks from top to bottom.
func (p layout) lay() ([]block, []wire) {
	var blocks []block
	var wires []wire
	y := 4
	add := func(one block) {
		one.y, one.height = y, graphHead+graphRow*len(one.rows)
		if len(one.rows) > 0 {
			one.height += 8
		}
		y += one.height + graphGap
		blocks = append(blocks, one)
	}
	for i, c := range p.tx.Commands {
		if i == graphMost {
			add(block{title: fmt.Sprintf("… and %d more commands", len(p.tx.Commands)-graphMost)})
			return blocks, wires
		}
		one := p.block(c)
		if hidden := len(one.rows) - graphMostRow; hidden > 0 {
			one.rows = append(one.rows[:graphMostRow:graphMostRow], row{fmt.Sprintf("… and %d more", hidden), -1})
		}
		for r, argument := range one.rows {
			if argument.from >= 0 && argument.from < i {
				wires = append(wires, wire{argument.from, i, r})
			}
		}
		add(one)
	}
	if len(blocks) == 0 {
		add(block{title: "No command"})
	}
	return blocks, wires
}

// block describes one command.
func (p layout) block(c sui.Command) block {
	switch c := c.(type) {
	case sui.MoveCall:
		one := block{title: c.Function, sub: "in " + c.Module + " of " + p.named("", c.Package)}
		for _, a := range c.Arguments {
			one.rows = append(one.rows, p.argument(a, ""))
		}
		return one
	case sui.SplitCoins:
		one := block{title: "Split", sub: "take amounts out of a coin", rows: []row{p.argument(c.Coin, "from ")}}
		for _, a := range c.Amounts {
			one.rows = append(one.rows, p.argument(a, "amount "))
		}
		return one
	case sui.MergeCoins:
		one := block{title: "Merge", sub: "put coins together", rows: []row{p.argument(c.Into, "into ")}}
		for _, a := range c.Sources {
			one.rows = append(one.rows, p.argument(a, "add "))
		}
		return one
	case sui.TransferObjects:
		one := block{title: "Send", sub: "to one address"}
		for _, a := range c.Objects {
			one.rows = append(one.rows, p.argument(a, ""))
		}
		one.rows = append(one.rows, p.argument(c.Recipient, "to "))
		return one
	case sui.MakeMoveVec:
		one := block{title: "List", sub: "put values into a list"}
		for _, a := range c.Elements {
			one.rows = append(one.rows, p.argument(a, ""))
		}
		return one
	case sui.Publish:
		return block{title: "Publish a package", sub: fmt.Sprintf("%d modules", len(c.Modules))}
	case sui.Upgrade:
		return block{title: "Upgrade a package", sub: p.id(c.Package), rows: []row{p.argument(c.Ticket, "ticket ")}}
	}
	return block{title: "Unknown command"}
}

// argument describes one argument; role is its prefix.
func (p layout) argument(a sui.Argument, role string) row {
	switch a.Kind {
	case sui.ArgGasCoin:
		return row{role + p.whose + "gas coin", -1}
	case sui.ArgResult:
		return row{fmt.Sprintf("%sresult of step %d", role, a.Index+1), int(a.Index)}
	case sui.ArgNestedResult:
		return row{fmt.Sprintf("%sresult %d of step %d", role, a.Nested+1, a.Index+1), int(a.Index)}
	}
	if int(a.Index) >= len(p.tx.Inputs) {
		return row{role + "an input that does not exist", -1}
	}
	return row{role + p.input(p.tx.Inputs[a.Index]), -1}
}

func (p layout) input(in sui.Input) string {
	switch in := in.(type) {
	case sui.PureInput:
		if n, ok := in.U64(); ok {
			return words.Spaced(fmt.Sprint(n))
		}
		if a, ok := in.Address(); ok {
			return p.id(a)
		}
		const most = 8
		text := hex.EncodeToString(in.Bytes[:min(len(in.Bytes), most)])
		if len(in.Bytes) > most {
			text += "…"
		}
		return "bytes " + text
	case sui.OwnedInput:
		return p.named(p.whose+"object ", in.Ref.ID)
	case sui.SharedInput:
		return p.named("shared object ", in.ID)
	case sui.ReceivingInput:
		return p.named("received object ", in.Ref.ID)
	case sui.WithdrawalInput:
		return "from your address balance, at most " + words.Spaced(in.MaxAmount.String())
	}
	return "an unknown input"
}

func (p layout) named(role string, id sui.Address) string {
	if name, ok := p.names[id]; ok {
		return name
	}
	return role + short(id)
}

func (p layout) id(id sui.Address) string {
	if name, ok := p.names[id]; ok {
		return name + " " + short(id)
	}
	return short(id)
}

// short abbreviates an id in the drawing. The page shows each id in full, and both begin with the
// same digits.
func short(id sui.Address) string {
	if s := id.Short(); len(s) <= 14 {
		return s
	}
	s := id.String()
	return s[:6] + "…" + s[len(s)-4:]
}

// describe describes the drawing in one paragraph, for users who cannot see it.
func (p layout) describe(blocks []block) string {
	var b strings.Builder
	for i, one := range blocks {
		fmt.Fprintf(&b, "Step %d: %s", i+1, one.title)
		for j, r := range one.rows {
			sep := ", "
			if j == 0 {
				sep = ": "
			}
			b.WriteString(sep + r.text)
		}
		b.WriteString(". ")
	}
	return strings.TrimSpace(b.String())
}

func (one block) draw(b *strings.Builder, i, right int) {
	// text fits words to the width between x and the right side, using widthOf. size is the font
	// size in the style sheet, in tenths.
	text := func(class string, x, y, size int, s string) {
		drawn, title := fit(s, (right-6-x)*10_000/size), ""
		if full := words.Whole(s); full != drawn {
			title = "<title>" + template.HTMLEscapeString(full) + "</title>"
		}
		fmt.Fprintf(b, `<text class="%s" x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs">%s%s</text>`, class,
			x, y,
			(emsOf(drawn)*size+9_999)/10_000, title, template.HTMLEscapeString(drawn))
	}
	fmt.Fprintf(b, `<rect class="g-box" x="1" y="%d" width="%d" height="%d" rx="9"/>`, one.y, right-1, one.height)
	fmt.Fprintf(b, `<circle class="g-badge" cx="20" cy="%d" r="10"/>`, one.y+18)
	fmt.Fprintf(b, `<text class="g-number" x="20" y="%d">%d</text>`, one.y+22, i+1)
	text("g-title", 38, one.y+17, 135, one.title)
	text("g-sub", 38, one.y+34, 115, one.sub)
	for j, r := range one.rows {
		y := one.rowAt(j)
		class, x := "g-port", 20
		if r.from >= 0 {
			class, x = "g-port g-result", right
		}
		fmt.Fprintf(b, `<circle class="%s" cx="%d" cy="%d" r="3.5"/>`, class, x, y)
		text("g-row", 38, y+4, 125, r.text)
	}
}

// fit cuts a text to a width in thousandths of its font size.
func fit(s string, ems int) string {
	drawn := words.Whole(s)
	for most := min(utf8.RuneCountInString(drawn)-1, ems/250); emsOf(drawn) > ems && most > 0; most-- {
		drawn = words.Shown(s, most)
	}
	return drawn
}

func (one block) rowAt(j int) int { return one.y + graphHead + graphRow*j + graphRow/2 }

// drawWire draws a wire on the right side, in its own lane.
func drawWire(b *strings.Builder, blocks []block, w wire, right, lane int) {
	from, to := blocks[w.from], blocks[w.toBlock].rowAt(w.toRow)
	y := from.y + 18
	fmt.Fprintf(b, `<path class="g-wire" d="M%d %dH%dQ%d %d %d %dV%dQ%d %d %d %dH%d"/>`,
		right, y, lane-5, lane, y, lane, y+5, to-5, lane, to, lane-5, to, right+4)
	fmt.Fprintf(b, `<circle class="g-port g-result" cx="%d" cy="%d" r="3.5"/>`, right, y)
}
