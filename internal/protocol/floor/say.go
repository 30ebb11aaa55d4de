package floor

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Describe describes a transaction: its commands and, if it consists of uses of described protocols,
// the effect of each use.
func Describe(tx *sui.Transaction) sui.Description {
	c, d := Known(), tx.DescribeWith(Name)
	uses, err := c.uses(tx)
	for _, r := range uses {
		d.Summary = append(d.Summary, r.Sentences(Name)...)
		for _, w := range r.Warnings {
			if text := WarningText(w); !slices.Contains(d.Warnings, text) {
				d.Warnings = append(d.Warnings, text)
			}
		}
	}
	if name, ok := c.touched(tx); ok && err != nil {
		d.Warnings = append(d.Warnings, "This is not a use of "+name+" that Say Ur Intent understands. "+err.Error())
	}
	return d
}

// mostUses is the maximum number of uses in one transaction.
const mostUses = 16

// uses reads a transaction as one or more consecutive uses of protocols. If it cannot, it returns the
// error of the first use that it does not understand.
func (c *Catalog) uses(tx *sui.Transaction) ([]*Reading, error) {
	one, err := c.Read(tx)
	if err == nil {
		return []*Reading{one}, nil
	}
	var refused *Refused
	if errors.As(err, &refused) && refused.Reason == GasOwner {
		return nil, err
	}
	r := readback.New(tx)
	var list []*Reading
	for r.Left() > 0 && len(list) < mostUses {
		if len(list) > 0 {
			r.NextStep()
		}
		next, wrong := c.ReadStep(r, nil)
		if wrong != nil {
			if len(list) > 0 {
				err = wrong
			}
			return nil, err
		}
		_, taken := r.Taken()
		kept := slices.ContainsFunc(next.Arrives, func(a Arrival) bool { return a.Kept })
		if taken || kept || len(r.Parts()) > 0 { // without a request, it is unknown how steps share results
			return nil, err
		}
		list = append(list, next)
	}
	if end := r.End(); end != nil || len(list) < 2 {
		return nil, err
	}
	return list, nil
}

// touched returns the name of the protocol whose package a transaction calls, or whose objects it
// uses.
func (c *Catalog) touched(tx *sui.Transaction) (name string, ok bool) {
	for _, p := range c.Protocols {
		if slices.ContainsFunc(tx.Commands, func(command sui.Command) bool {
			call, is := command.(sui.MoveCall)
			return is && call.Package != system && p.pinned(call.Package)
		}) || slices.ContainsFunc(tx.Inputs, func(in sui.Input) bool {
			shared, is := in.(sui.SharedInput)
			return is && slices.ContainsFunc(p.Objects, func(o Object) bool { return o.ID == shared.ID })
		}) {
			return p.Name, true
		}
	}
	return "", false
}

// amountText formats an amount of a coin.
func amountText(n sui.Raw, of sui.CoinType, names sui.CoinNames) string {
	if names != nil {
		if symbol, decimals, ok := names(of); ok {
			return string(n.Decimal(decimals)) + " " + symbol
		}
	}
	return n.String() + " units of " + string(of)
}

var placeholder = regexp.MustCompile(`\{[a-z_]+(:[a-z]+)?\}|\$[a-z]+`)

// Headline describes the action, with its minimum if there is one.
func (r *Reading) Headline(names sui.CoinNames) string {
	text := placeholder.ReplaceAllStringFunc(r.Function.Say, func(m string) string {
		if m[0] == '$' {
			return r.coinText(m[1:], names)
		}
		return r.filled(m[1:len(m)-1], names)
	})
	var floors []string
	for _, a := range r.Floors() {
		floors = append(floors, amountText(a.Least, a.Coin, names))
	}
	switch {
	case len(floors) > 0 && len(r.Leaves) == 0: // the function pays nothing
		text += " and receive at least " + strings.Join(floors, " and ")
	case len(floors) > 0:
		text += " for at least " + strings.Join(floors, " and ")
	case slices.Contains(r.Warnings, NoMinimum):
		text += ", with no minimum"
	}
	return text + "."
}

// wholeText describes how much of whole coins is used: an amount in the bytes, or all.
func (r *Reading) wholeText(l Leaving, names sui.CoinNames) string {
	coins := fmt.Sprintf("%d whole coins of %s", len(l.Whole), r.coinText("sui", names))
	if n, err := sui.ParseRaw(r.Values["amount"]); err == nil {
		return amountText(n, l.Coin, names) + " out of " + coins
	}
	return "all of " + coins
}

// coinText returns the symbol of the coin that a type variable names.
func (r *Reading) coinText(name string, names sui.CoinNames) string {
	of := sui.CoinType(r.Types[name].String())
	if names != nil {
		if symbol, _, ok := names(of); ok {
			return symbol
		}
	}
	return string(of)
}

// filled returns the text for a placeholder. For example, {amount:coin} is the value amount in units
// of the coin $coin.
func (r *Reading) filled(word string, names sui.CoinNames) string {
	switch word {
	case "in":
		var list []string
		for _, l := range r.Leaves {
			if n := len(l.Whole); n > 0 {
				list = append(list, r.wholeText(l, names))
			} else {
				list = append(list, amountText(l.Most, l.Coin, names))
			}
		}
		return strings.Join(list, " and ")
	case "own":
		var list []string
		for _, o := range r.Own {
			list = append(list, o.Text())
		}
		return strings.Join(list, " and ")
	}
	if word, coin, ok := strings.Cut(word, ":"); ok {
		n, err := sui.ParseRaw(r.Values[word])
		if err != nil {
			return r.Values[word]
		}
		return amountText(n, sui.CoinType(r.Types[coin].String()), names)
	}
	for _, n := range r.Named {
		if n.Name == word {
			return n.Address.String()
		}
	}
	return r.Values[word]
}

// Text describes an object of the account.
func (o OwnUse) Text() string {
	name := o.Name
	if o.Type == stakedSui {
		name = "stake"
	}
	return "the " + name + " " + o.ID.String()
}

var stakedSui = system.String() + "::staking_pool::StakedSui"

// Sentences describes the effect of the use, and then the known risks of the protocol.
func (r *Reading) Sentences(names sui.CoinNames) []string {
	list := []string{r.Function.protocol.Name + ": " + r.Headline(names)}
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, l := range r.Leaves {
		if !l.Exact && len(l.Whole) == 0 {
			add("At most %s leaves the account; the rest comes back.", amountText(l.Most, l.Coin, names))
		}
	}
	if b := r.Bound; b != nil && b.Least > 0 {
		add("The protocol's own code promises at least %s, and only that code enforces it.",
			amountText(b.Least, b.Coin, names))
	}
	if text := r.fee(); text != "" {
		add("%s", text)
	}
	for _, n := range r.Named {
		if f := r.Function.Fee; !n.System && (f == nil || n.Name != f.To || r.fee() == "") {
			add("It names the address %s as %s.", n.Address, strings.ReplaceAll(n.Name, "_", " "))
		}
	}
	for _, o := range r.Own {
		if o.Ref {
			add("The call uses %s, which stays in the account.", o.Text())
		}
	}
	for _, t := range slices.Concat(r.Gives, r.Function.Gives) {
		short, _, _ := strings.Cut(t, "<")
		_, short, _ = strings.Cut(short, "::")
		add("The account receives an object: %s.", short)
	}
	for i, c := range r.Calls {
		same := func(o Call) bool { return o.Fn == c.Fn && o.Package == c.Package }
		if c.Unread && !slices.ContainsFunc(r.Calls[:i], same) {
			add("It calls %s of the package %s, whose code Say Ur Intent does not know.", c.Fn, c.Package)
		}
	}
	for _, risk := range r.Function.Risks {
		add("%s", RiskText(risk))
	}
	return list
}

// fee describes the fee of a call and its recipient, using the values that the description names.
func (r *Reading) fee() string {
	f := r.Function.Fee
	if f == nil || r.Values[f.PPM] == "0" || r.Values[f.PPM] == "" {
		return ""
	}
	n, err := sui.ParseRaw(r.Values[f.PPM])
	if err != nil {
		return ""
	}
	to := "an address that is not named"
	for _, a := range r.Named {
		if a.Name == f.To {
			to = a.Address.String()
		}
	}
	return "A fee of " + string(n.Decimal(4)) + " % of the result goes to " + to + "."
}

// Abort returns the meaning of an abort of one of the protocol's packages.
func (f *Function) Abort(a sui.MoveAbort) (string, bool) {
	for _, known := range f.protocol.Packages {
		if a.Package == known.Published || a.Package == known.Original {
			text, ok := f.Aborts[fmt.Sprintf("%s:%d", a.Module, a.Code)]
			if !ok {
				text, ok = f.Aborts[fmt.Sprintf("*:%d", a.Code)]
			}
			return text, ok
		}
	}
	return "", false
}
