package plan

import (
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// earlierFacts is the form in which builds before steps stored facts.
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

// UnmarshalJSON reads facts, also those of earlier builds.
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

// step converts an earlier build's facts into the current form.
func (e earlierFacts) step(sender sui.Address) StepFacts {
	s := StepFacts{
		Expected: e.Expected, Terms: e.Terms, Package: e.Package, Function: e.Function, TypeArgs: e.TypeArgs,
		Route: e.Route, RouteID: e.RouteID, Commands: e.Commands,
	}
	if len(e.Spends) > 0 || e.Minimum != (Amount{}) {
		s.Sends = e.Recipient
	}
	term := func(name string) string {
		for _, t := range e.Terms {
			if t.Name == name {
				return t.Value
			}
		}
		return ""
	}
	const holder, order, canceled = "Balance manager", "Order", "Cancelled order"
	id, err := sui.ParseAddress(term(holder))
	part := "What it tied up comes free in your own balance manager"
	asked := Outcome{Name: "done"}
	switch traded := e.Minimum != (Amount{}) && len(e.Spends) > 0; {
	case traded:
		s.Promise = SwapPromise(e.Spends, e.Minimum)
	case len(e.Spends) > 0 && e.Recipient != sender:
		asked.Bounds = append(asked.Bounds, Moves(RoleInput, Party{}, e.Spends[0], true),
			Moves(RolePayment, AddressParty(e.Recipient), e.Spends[0], false))
	case len(e.Spends) > 0:
		part = "into your own balance manager"
		asked.Bounds = append(asked.Bounds, Moves(RoleInput, Party{}, e.Spends[0], true),
			Moves(RoleHolding, ObjectParty(id), e.Spends[0], false))
	case e.Minimum != (Amount{}):
		part = "out of your own balance manager"
		asked.Bounds = append(asked.Bounds, Moves(RoleOutput, Party{}, e.Minimum, false),
			Moves(RoleHolding, ObjectParty(id), e.Minimum, true))
	}
	for _, fee := range e.Spends[min(1, len(e.Spends)):] {
		if s.Promise.Outcomes == nil {
			asked.Bounds = append(asked.Bounds, Leaves(RoleFee, fee))
		}
	}
	for _, o := range e.Offers {
		part = "It is paid out of your own balance manager"
		asked.Bounds = append(asked.Bounds,
			Bound{Role: RoleOffer, Party: ObjectParty(id), Coin: o.Asset, Least: Leaves(RoleOffer, o).Least,
				Most: Leaves(RoleOffer, o).Most})
	}
	if s.Promise.Outcomes == nil {
		s.Promise = Promise{[]Outcome{asked}}
	}
	if err == nil {
		s.Holder = &Holder{id, part, holder}
	}
	if term(order) != "" {
		s.Headline = &Headline{Label: term(order), What: term("Quantity"),
			Price: "at " + term("Price limit") + " or better", Amount: true,
			Terms: []string{order, "Quantity", "Price limit"}}
	} else if term(canceled) != "" {
		s.Headline = &Headline{Label: "Takes your order out of the book", What: term(canceled),
			Price: "at " + term("Price limit"),
			Terms: []string{canceled, "Price limit"}}
	}
	return s
}
