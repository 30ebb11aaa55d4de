package activity

import (
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Transaction is one past transaction in an answer. Detail is nil if the provider reported none of
// its lists.
type Transaction struct {
	Digest     sui.Digest     `json:"digest"`
	Status     sui.PastStatus `json:"status"`
	Sender     *sui.Address   `json:"sender,omitempty"`
	Checkpoint *uint64        `json:"checkpoint,omitempty,string"`
	At         *time.Time     `json:"timestamp,omitempty"`
	Detail     *Detail        `json:"details,omitempty"`
}

// Completeness is the degree to which a list is complete.
type Completeness string

// The degrees of completeness. Truncated and Unavailable mean that the rest is unknown, never that
// it is zero.
const (
	Complete    Completeness = "complete"
	Truncated   Completeness = "truncated"
	Unavailable Completeness = "unavailable"
)

// Detail describes a transaction. A list that Lists marks as unavailable is empty because the
// provider did not report it.
type Detail struct {
	Kind     string         `json:"transactionKind,omitempty"`
	Calls    []Call         `json:"moveCalls"`
	Balances []Balance      `json:"balanceChanges"`
	Objects  []Object       `json:"objectChanges"`
	Events   []Event        `json:"events"`
	Shared   []sui.ObjectID `json:"sharedObjects"`
	Gas      *Gas           `json:"gas,omitempty"`
	Failure  *Failure       `json:"executionError,omitempty"`
	Lists    Lists          `json:"truncation"`
	// Report contains the sender's actions, as reported by the protocols' events. It is empty unless
	// all events are known. Paid reports that the account of a stored row paid the gas.
	Report sui.Report `json:"told,omitzero"`
	Paid   bool       `json:"gasPaidByAccount,omitempty"`
}

// Lists states how complete each list of a detail is.
type Lists struct {
	Calls    Completeness `json:"moveCalls"`
	Balances Completeness `json:"balanceChanges"`
	Objects  Completeness `json:"objectChanges"`
	Events   Completeness `json:"events"`
	Shared   Completeness `json:"sharedObjects"`
}

// Whole reports whether every list is complete.
func (l Lists) Whole() bool {
	return l == Lists{Complete, Complete, Complete, Complete, Complete}
}

// Call is one Move call. Index is the position of its command in the transaction.
type Call struct {
	Index    int          `json:"commandIndex"`
	Package  sui.ObjectID `json:"package"`
	Module   string       `json:"module"`
	Function string       `json:"function"`
	Target   string       `json:"target"`
}

// Direction is the direction of a balance change.
type Direction string

// Directions of a balance change.
const (
	Increase Direction = "increase"
	Decrease Direction = "decrease"
	Zero     Direction = "zero"
)

// Balance is one balance change. Owner is nil if it was not reported. In stored rows, it is also
// nil for every owner except the account itself.
type Balance struct {
	Index     int          `json:"index"`
	Owner     *sui.Address `json:"owner,omitempty"`
	Coin      sui.CoinType `json:"coinType"`
	Amount    sui.Delta    `json:"amountRaw"`
	Direction Direction    `json:"direction"`
}

// Object is a change of one object.
type Object struct {
	Index  int          `json:"index"`
	ID     sui.ObjectID `json:"objectId"`
	Change string       `json:"changeKind"`
	Type   string       `json:"type,omitempty"`
}

// Event is one event, without its contents.
type Event struct {
	Index   int          `json:"sequenceNumber"`
	Package sui.ObjectID `json:"package"`
	Module  string       `json:"module"`
	Type    string       `json:"eventType"`
	Sender  *sui.Address `json:"sender,omitempty"`
}

// Gas is the cost of a transaction, in MIST.
type Gas struct {
	Computation   sui.Raw   `json:"computationCostRaw"`
	Storage       sui.Raw   `json:"storageCostRaw"`
	Rebate        sui.Raw   `json:"storageRebateRaw"`
	NonRefundable sui.Raw   `json:"nonRefundableStorageFeeRaw"`
	Net           sui.Delta `json:"netGasCostRaw"`
	Cost          SuiAmount `json:"gasCost"`
}

// SuiAmount is an amount in MIST, with its display form in SUI. One SUI is 10^9 MIST.
type SuiAmount struct {
	Raw     string `json:"raw"`
	Display string `json:"display"`
	Symbol  string `json:"symbol"`
}

// Failure is the reason why a transaction failed. Message comes from the node and is untrusted.
type Failure struct {
	Message  string        `json:"message,omitempty"`
	Code     *uint64       `json:"abortCode,omitempty,string"`
	Package  *sui.ObjectID `json:"package,omitempty"`
	Module   string        `json:"module,omitempty"`
	Function string        `json:"function,omitempty"`
}

// Caps contains the maximum lengths of a detail's lists.
type Caps struct{ Calls, Balances, Objects, Events, Shared int }

// Maximum lengths in scans, and in an inspection.
var (
	scanCaps    = Caps{Calls: 50, Balances: 100, Objects: 100, Events: 50, Shared: 50}
	inspectCaps = Caps{Calls: 512, Balances: 512, Objects: 512, Events: 512, Shared: 512}
)

// normalise converts a past transaction from the provider's form.
func (l labels) normalise(p sui.PastTransaction, caps Caps) Transaction {
	t := Transaction{Digest: p.Digest, Status: p.Status, Sender: p.Sender, Checkpoint: p.Checkpoint}
	if t.Status != sui.PastSuccess && t.Status != sui.PastFailed {
		t.Status = sui.PastUnknown
	}
	if !p.Timestamp.IsZero() {
		at := p.Timestamp.UTC()
		t.At = &at
	}
	if p.Balances.Known || p.Objects.Known || p.Events.Known {
		t.Detail = detailOf(p, caps)
		t.Detail.Report = l.report(p)
	}
	return t
}

func detailOf(p sui.PastTransaction, caps Caps) *Detail {
	d := &Detail{Kind: clip(p.Kind), Calls: []Call{}, Balances: []Balance{}, Objects: []Object{}, Events: []Event{},
		Shared: []sui.ObjectID{}}
	var some []sui.PastCall
	some, d.Lists.Calls = capped(p.Calls, caps.Calls)
	for _, c := range some {
		d.Calls = append(d.Calls, Call{c.Command, c.Package, clip(c.Module), clip(c.Function),
			c.Package.String() + "::" + clip(c.Module) + "::" + clip(c.Function)})
	}
	var balances []sui.PastBalance
	balances, d.Lists.Balances = capped(p.Balances, caps.Balances)
	for i, b := range balances {
		d.Balances = append(d.Balances, balanceOf(i, b))
	}
	var objects []sui.PastObject
	objects, d.Lists.Objects = capped(p.Objects, caps.Objects)
	for i, o := range objects {
		d.Objects = append(d.Objects, Object{i, o.ID, clip(o.Change), clip(o.Type)})
	}
	var events []sui.PastEvent
	events, d.Lists.Events = capped(p.Events, caps.Events)
	for i, e := range events {
		d.Events = append(d.Events, Event{i, e.Package, clip(e.Module), clip(e.Type), e.Sender})
	}
	var shared []sui.ObjectID
	shared, d.Lists.Shared = capped(p.Shared, caps.Shared)
	d.Shared = append(d.Shared, shared...)
	if p.Gas != nil {
		d.Gas = gasOf(*p.Gas)
	}
	if p.Failure != nil {
		d.Failure = failureOf(*p.Failure)
	}
	return d
}

// capped returns the first most items, and the completeness of the returned list.
func capped[T any](l sui.Listed[T], most int) ([]T, Completeness) {
	switch {
	case !l.Known:
		return nil, Unavailable
	case len(l.Items) > most:
		return l.Items[:most], Truncated
	case l.More:
		return l.Items, Truncated
	}
	return l.Items, Complete
}

func balanceOf(index int, b sui.PastBalance) Balance {
	way := Increase
	switch {
	case b.Amount.Amount == 0:
		way = Zero
	case b.Amount.Negative:
		way = Decrease
	}
	return Balance{index, b.Owner, b.Coin, b.Amount, way}
}

func gasOf(g sui.GasCost) *Gas {
	net := g.Net()
	return &Gas{g.Computation, g.Storage, g.Rebate, g.NonRefundable, net, suiAmount(net.Big())}
}

func failureOf(f sui.PastFailure) *Failure {
	out := &Failure{Message: screen.Text(f.Message, mostErrorText).Text}
	if f.Abort != nil {
		code, where := f.Abort.Code, f.Abort.Package
		out.Code, out.Package = &code, &where
		out.Module, out.Function = clip(f.Abort.Module), clip(f.Abort.Function)
	}
	return out
}

// clip limits the length of text from the chain. A truncated text ends with an ellipsis, so that it
// cannot be mistaken for a type.
func clip(s string) string {
	if len(s) > mostTypeText {
		s = s[:mostTypeText] + "…"
	}
	if plain := func(r rune) bool { return r > ' ' && r < 0x7f }; strings.IndexFunc(s,
		func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return screen.Text(s, mostTypeText+1).Text
}
