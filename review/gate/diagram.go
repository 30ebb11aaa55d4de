package gate

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const renderer = "say-ur-intent-flowchart-v1"

// visualise draws the transaction of the contract. If drawing fails, it adds only a warning,
// because nothing depends on the drawing.
func (r *judged) visualise() {
	names := map[sui.Address]string{}
	for i, s := range r.steps {
		names[s.Target.Package], names[s.Target.RouteID] = s.Meta.Protocol, r.facts.Steps[i].Route
	}
	names[r.session.Account] = "your account"
	names[sui.Address{31: 1}], names[sui.Address{31: 2}], names[sui.Address{31: 6}] = "Move library", "Sui framework",
		"clock"
	most := r.c.Limits.MostDiagram
	raw, err := flowchart(r.tx, nil, most)
	named := ""
	if err == nil {
		named, err = flowchart(r.tx, names, most)
	}
	if err != nil {
		r.check(plan.Warn(plan.SourceAdapter, r.meta.CheckPrefix+"_ptb_visualization_unavailable", "Drawing",
			"The transaction could not be drawn as text: "+err.Error()+".",
			"Nothing depends on the drawing; the facts next to it are valid.").AsNote())
		return
	}
	diagnostics := []string{fmt.Sprintf("%d inputs, %d commands", len(r.tx.Inputs), len(r.tx.Commands))}
	r.visual = &record.Visualization{
		Version: "ptb-visualization-v1", GeneratedAt: r.c.Now(),
		Source: record.VisualSource{AdapterID: r.meta.AdapterID, Kind: "decoded_transaction", Renderer: renderer,
			BoundToCommitment: r.commitment},
		Mermaid: record.Mermaid{DiagramType: "flowchart", Text: raw, NamedText: named}, Diagnostics: diagnostics,
		UnsupportedUse: []string{"transaction_building", "wallet_authorization", "signing_data", "signing_readiness",
			"payment_execution_readiness", "route_recommendation", "simulation_replacement"},
	}
	r.check(plan.Pass(plan.SourceAdapter, r.meta.CheckPrefix+"_ptb_visualization", "Drawing",
		"The decoded transaction was drawn. The drawing explains it and is nothing to sign."))
}

// chart writes a flowchart. All text must go through label.
type chart struct {
	strings.Builder
	tx    *sui.Transaction
	names map[sui.Address]string
}

// flowchart writes a transaction as a Mermaid flowchart, with inputs and commands as nodes and the
// flow of values as arrows. names maps ids to names; other ids are shortened. If names is nil,
// every id is complete. Text from the chain is always escaped. flowchart fails if an argument
// refers to nothing or the text exceeds most characters.
func flowchart(tx *sui.Transaction, names map[sui.Address]string, most int) (string, error) {
	if err := tx.Kind().CheckArguments(); err != nil {
		return "", fmt.Errorf("an argument refers to nothing")
	}
	c := &chart{tx: tx, names: names}
	c.WriteString("flowchart LR\n")
	c.node("g", "Gas coin of "+c.id(tx.Gas.Owner))
	for i, in := range tx.Inputs {
		c.node(fmt.Sprintf("i%d", i), c.input(in))
	}
	for i, command := range tx.Commands {
		c.command(i, command)
		if c.Len() > most {
			break
		}
	}
	if c.Len() > most {
		return "", fmt.Errorf("the text is longer than %d characters", most)
	}
	return c.String(), nil
}

func (c *chart) node(id, text string) { fmt.Fprintf(c, "  %s[\"%s\"]\n", id, label(text)) }

// command writes a command and its incoming arrows.
func (c *chart) command(i int, command sui.Command) {
	text, parts := "", []sui.Argument{}
	switch v := command.(type) {
	case sui.MoveCall:
		text = c.id(v.Package) + "::" + v.Module + "::" + v.Function
		if len(v.TypeArgs) > 0 {
			var types []string
			for _, t := range v.TypeArgs {
				types = append(types, c.typeText(t))
			}
			text += " <" + strings.Join(types, ", ") + ">"
		}
		parts = v.Arguments
	case sui.TransferObjects:
		text, parts = "Send", append(append(parts, v.Objects...), v.Recipient)
	case sui.SplitCoins:
		text, parts = "Split", append(append(parts, v.Coin), v.Amounts...)
	case sui.MergeCoins:
		text, parts = "Merge", append(append(parts, v.Into), v.Sources...)
	case sui.MakeMoveVec:
		text, parts = "List", v.Elements
	case sui.Publish:
		text = "Publish a package"
	case sui.Upgrade:
		text, parts = "Upgrade "+c.id(v.Package), []sui.Argument{v.Ticket}
	}
	c.node(fmt.Sprintf("c%d", i), fmt.Sprintf("%d. %s", i+1, text))
	for _, a := range parts {
		switch a.Kind {
		case sui.ArgGasCoin:
			fmt.Fprintf(c, "  g --> c%d\n", i)
		case sui.ArgInput:
			fmt.Fprintf(c, "  i%d --> c%d\n", a.Index, i)
		case sui.ArgResult:
			fmt.Fprintf(c, "  c%d --> c%d\n", a.Index, i)
		case sui.ArgNestedResult:
			fmt.Fprintf(c, "  c%d -->|result %d| c%d\n", a.Index, int(a.Nested)+1, i)
		}
	}
}

func (c *chart) input(in sui.Input) string {
	switch in := in.(type) {
	case sui.PureInput:
		if n, ok := in.U64(); ok {
			return fmt.Sprintf("number %d", n)
		}
		if a, ok := in.Address(); ok {
			return "address " + c.id(a)
		}
		const most = 16
		text := "value 0x" + hex.EncodeToString(in.Bytes[:min(len(in.Bytes), most)])
		if len(in.Bytes) > most {
			text += fmt.Sprintf("… (%d bytes)", len(in.Bytes))
		}
		return text
	case sui.OwnedInput:
		return "owned " + c.id(in.Ref.ID)
	case sui.SharedInput:
		if in.Mutable {
			return "shared, changed: " + c.id(in.ID)
		}
		return "shared, read: " + c.id(in.ID)
	case sui.ReceivingInput:
		return "received " + c.id(in.Ref.ID)
	case sui.WithdrawalInput:
		return "withdrawal of at most " + in.MaxAmount.String()
	}
	return "unknown input"
}

// id writes an address as its name or shortened, or in full without names.
func (c *chart) id(a sui.Address) string {
	if c.names == nil {
		return a.String()
	}
	if name, ok := c.names[a]; ok && name != "" {
		return name
	}
	return brief(a.Short())
}

// typeText writes a type, shortened if names are used.
func (c *chart) typeText(t sui.TypeTag) string {
	text := t.String()
	if i := strings.LastIndex(text, "::"); c.names != nil && i >= 0 && !strings.Contains(text, "<") {
		return text[i+2:]
	}
	return text
}

func brief(id string) string {
	if len(id) <= 14 {
		return id
	}
	return id[:8] + "…" + id[len(id)-4:]
}

// label escapes text for a quoted Mermaid label. It keeps letters, digits and a few signs. Every
// other character becomes a numbered entity, which cannot end the label, begin a directive or
// become markup.
func label(text string) string {
	const most = 400
	var b strings.Builder
	for i, c := range text {
		if i > most {
			b.WriteString("#8230;")
			break
		}
		plain := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune(" .,:_", c)
		if plain {
			b.WriteRune(c)
			continue
		}
		if c < ' ' || hidden(c) {
			c = '?'
		}
		fmt.Fprintf(&b, "#%d;", c)
	}
	return b.String()
}
