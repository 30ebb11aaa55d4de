package plan

import (
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// earlierFacts is the form in which older versions, which supported only one step, stored facts.
type earlierFacts struct {
	Recipient sui.Address  `json:"recipient"`
	Spends    []Amount     `json:"spends"`
	Minimum   Amount       `json:"minimum"`
	Expected  Amount       `json:"expected"`
	Offers    []Amount     `json:"offers"`
	Terms     []Term       `json:"terms"`
	Package   sui.ObjectID `json:"package"`
	Function  string       `json:"function"`
	TypeArgs  []string     `json:"typeArgs"`
	Route     string       `json:"route"`
	RouteID   sui.ObjectID `json:"routeId"`
	Commands  []string     `json:"commands"`
}

// UnmarshalJSON reads facts in the current or the earlier form.
func (f *Facts) UnmarshalJSON(data []byte) error {
	type present Facts
	var both struct {
		present
		earlierFacts
	}
	if err := json.Unmarshal(data, &both); err != nil {
		return err
	}
	*f = Facts(both.present)
	if e := both.earlierFacts; f.Steps == nil && (e.Function != "" || len(e.Spends)+len(e.Offers) > 0) {
		f.Earlier, f.Steps = true, []StepFacts{e.step(f.Sender)}
	}
	return nil
}

// The names of terms in facts of older versions.
const (
	earlierHolder   = "Balance manager"
	earlierOrder    = "Order"
	earlierCanceled = "Cancelled order"
)

// step converts an earlier build's facts into the current form.
func (e earlierFacts) step(sender sui.Address) StepFacts {
	s := StepFacts{
		Expected: e.Expected, Terms: e.Terms, Package: e.Package, Function: e.Function, TypeArgs: e.TypeArgs,
		Route: e.Route, RouteID: e.RouteID, Commands: e.Commands,
	}
	if len(e.Spends) > 0 || e.Minimum != (Amount{}) {
		s.Sends = e.Recipient
	}
	id, err := sui.ParseAddress(e.term(earlierHolder))
	var part string
	s.Promise, part = e.promise(sender, id)
	if err == nil {
		s.Holder = &Holder{id, part, earlierHolder}
	}
	if order := e.term(earlierOrder); order != "" {
		s.Headline = &Headline{Label: order, What: e.term("Quantity"),
			Price: "at " + e.term("Price limit") + " or better", Amount: true,
			Terms: []string{earlierOrder, "Quantity", "Price limit"}}
	} else if canceled := e.term(earlierCanceled); canceled != "" {
		s.Headline = &Headline{Label: "Takes your order out of the book", What: canceled,
			Price: "at " + e.term("Price limit"),
			Terms: []string{earlierCanceled, "Price limit"}}
	}
	return s
}

// term returns the value of a term, or "" if there is none with that name.
func (e earlierFacts) term(name string) string {
	for _, t := range e.Terms {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// promise returns the promise of earlier facts, and the part that the balance manager holder has in
// it.
func (e earlierFacts) promise(sender sui.Address, holder sui.ObjectID) (Promise, string) {
	part := "What it tied up comes free in your own balance manager"
	asked := Outcome{Name: "done"}
	traded := e.Minimum != (Amount{}) && len(e.Spends) > 0
	switch {
	case traded:
	case len(e.Spends) > 0 && e.Recipient != sender:
		asked.Bounds = append(asked.Bounds, Moves(RoleInput, Party{}, e.Spends[0], true),
			Moves(RolePayment, AddressParty(e.Recipient), e.Spends[0], false))
	case len(e.Spends) > 0:
		part = "into your own balance manager"
		asked.Bounds = append(asked.Bounds, Moves(RoleInput, Party{}, e.Spends[0], true),
			Moves(RoleHolding, ObjectParty(holder), e.Spends[0], false))
	case e.Minimum != (Amount{}):
		part = "out of your own balance manager"
		asked.Bounds = append(asked.Bounds, Moves(RoleOutput, Party{}, e.Minimum, false),
			Moves(RoleHolding, ObjectParty(holder), e.Minimum, true))
	}
	for _, fee := range e.Spends[min(1, len(e.Spends)):] {
		asked.Bounds = append(asked.Bounds, Leaves(RoleFee, fee))
	}
	for _, o := range e.Offers {
		part = "It is paid out of your own balance manager"
		offer := Leaves(RoleOffer, o)
		offer.Party = ObjectParty(holder)
		asked.Bounds = append(asked.Bounds, offer)
	}
	if traded {
		return SwapPromise(e.Spends, e.Minimum), part
	}
	return Promise{[]Outcome{asked}}, part
}
