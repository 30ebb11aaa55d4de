// Package proposal reads proposals that other programs made. A proposal is screened and shown;
// nothing is ever built or signed from it.
package proposal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// The action and the protocol of a review of a proposal. No adapter has them, because a proposal is
// never carried out.
const (
	ActionKind = "external-proposal"
	Protocol   = "external"
)

// The types of a proposal.
const (
	TypePayment   = "payment"
	TypeSuiAction = "sui_action"
)

// Proposal is a proposal by another program or a person, as passed on by the AI client. It is
// untrusted text: nothing in it was read from the chain, and no transaction is built from its
// amounts. It is stored unchanged after no secret was found in it.
type Proposal struct {
	Type            string    `json:"type"`
	ID              string    `json:"id"` // the source's name for it
	Source          Source    `json:"source"`
	Network         string    `json:"network"`
	CreatedAt       time.Time `json:"createdAt"`
	ExpiresAt       time.Time `json:"expiresAt,omitzero"`
	Purpose         string    `json:"purpose"`
	Assumptions     []string  `json:"assumptions,omitempty"`
	RequiredChoices []string  `json:"requiredUserChoices,omitempty"`
	Payment         *Payment  `json:"payment,omitempty"`
	Action          *Action   `json:"action,omitempty"`
}

// Source is the claimed author of a proposal.
type Source struct {
	Kind      string `json:"kind"` // mcp_server, ai_client, user or other
	Name      string `json:"name"`
	Reference string `json:"reference,omitempty"`
}

// Amount is an amount to display: positive plain decimal text.
type Amount struct {
	AmountDisplay sui.Decimal `json:"amountDisplay"`
	AmountKind    string      `json:"amountKind"` // display_proposal
	Symbol        string      `json:"symbol,omitempty"`
	CoinType      string      `json:"coinType,omitempty"`
	Denomination  string      `json:"denomination,omitempty"`
}

// Party is a recipient: an address, a label or both.
type Party struct {
	Address *sui.Address `json:"address,omitempty"`
	Label   string       `json:"label,omitempty"`
}

// Payment is an amount for a recipient. Target describes its purpose.
type Payment struct {
	Amount    Amount `json:"amount"`
	Recipient Party  `json:"recipient"`
	Target    string `json:"target,omitempty"`
}

// Action is any other action on Sui.
type Action struct {
	ActionKind string  `json:"actionKind"`
	Target     Target  `json:"target"`
	Recipient  *Party  `json:"recipient,omitempty"`
	AssetFlow  []Asset `json:"assetFlow,omitempty"`
}

// Target is the code or object that an action would call or change; at least one field is set.
type Target struct {
	PackageID *sui.ObjectID `json:"packageId,omitempty"`
	Module    string        `json:"module,omitempty"`
	Function  string        `json:"function,omitempty"`
	ObjectID  *sui.ObjectID `json:"objectId,omitempty"`
	Label     string        `json:"label,omitempty"`
}

// The directions of an asset of an action.
const (
	FlowOutgoing = "outgoing"
	FlowExpected = "expected_incoming"
	FlowFee      = "fee"
)

// Asset is one amount that would move.
type Asset struct {
	Direction   string `json:"direction"`
	Amount      Amount `json:"amount"`
	Recipient   *Party `json:"recipient,omitempty"`
	Description string `json:"description,omitempty"`
}

// flows returns the amounts of a proposal in their order.
func (p Proposal) flows() []Asset {
	if p.Payment != nil {
		return []Asset{{Direction: FlowOutgoing, Amount: p.Payment.Amount, Recipient: &p.Payment.Recipient,
			Description: p.Payment.Target}}
	}
	if p.Action != nil {
		return p.Action.AssetFlow
	}
	return nil
}

// place returns the path of amount i in the arguments.
func (p Proposal) place(i int) string {
	if p.Payment != nil {
		return "proposal.payment"
	}
	return fmt.Sprintf("proposal.action.assetFlow[%d]", i)
}

// parties returns every recipient, with the field that names it.
func (p Proposal) parties() (all []Party, paths []string) {
	add := func(party *Party, path string) {
		if party != nil {
			all, paths = append(all, *party), append(paths, path)
		}
	}
	if p.Action != nil {
		add(p.Action.Recipient, "proposal.action.recipient")
	}
	for i, f := range p.flows() {
		add(f.Recipient, p.place(i)+".recipient")
	}
	return all, paths
}

// refuse returns the error for a proposal that does not fit its contract.
func refuse(field, format string, args ...any) error {
	return fault.New(fault.InputInvalid, format, args...).With("field", field)
}

// Check checks what no schema can express. It returns fault.NetworkMismatch for another network
// than the server's, and fault.InputInvalid with the field for anything else.
func (p Proposal) Check(network string) error {
	switch {
	case p.Network != network:
		return fault.New(fault.NetworkMismatch,
			"This server works on %s, and the proposal is for another network. Nothing was kept.", network).
			With("field", "proposal.network")
	case p.Type == TypePayment && (p.Payment == nil || p.Action != nil):
		return refuse("proposal.payment", "A proposal of type payment has payment and no action.")
	case p.Type == TypeSuiAction && (p.Action == nil || p.Payment != nil):
		return refuse("proposal.action", "A proposal of type sui_action has action and no payment.")
	case p.Type != TypePayment && p.Type != TypeSuiAction:
		return refuse("proposal.type", "A proposal is of type payment or sui_action.")
	case p.CreatedAt.IsZero():
		return refuse("proposal.createdAt", "proposal.createdAt must be a time such as 2026-11-21T14:05:00Z.")
	case !p.ExpiresAt.IsZero() && !p.ExpiresAt.After(p.CreatedAt):
		return refuse("proposal.expiresAt", "proposal.expiresAt must be later than proposal.createdAt.")
	case p.Action != nil && p.Action.Target == Target{}:
		return refuse("proposal.action.target",
			"proposal.action.target needs packageId, module, function, objectId or label.")
	}
	if err := p.checkTexts(); err != nil {
		return err
	}
	for i, f := range p.flows() {
		if err := f.Amount.check(p.place(i) + ".amount"); err != nil {
			return err
		}
	}
	parties, paths := p.parties()
	for i, party := range parties {
		if party.Address == nil && strings.TrimSpace(party.Label) == "" {
			return refuse(paths[i], "%s needs an address, a label or both.", paths[i])
		}
	}
	return nil
}

// Maximum lengths of a proposal's texts, in characters, and of its lists.
const (
	mostWord     = 64
	mostLabel    = 120
	mostRef      = 256
	mostSentence = 512
	mostEntries  = 20
)

// lengths maps the last part of a text's path to its maximum length.
var lengths = map[string]int{
	"id": mostLabel, "name": mostLabel, "reference": mostRef, "purpose": mostSentence, "assumptions": mostSentence,
	"requiredUserChoices": mostSentence, "actionKind": mostLabel, "module": mostLabel, "function": mostLabel,
	"label":  mostLabel,
	"symbol": mostWord, "denomination": mostWord, "coinType": mostSentence, "target": mostSentence,
	"description": mostSentence,
}

// checkTexts checks that required texts are present, that no text is too long, and that no source
// or label contains this program's name.
func (p Proposal) checkTexts() error {
	lists := map[string]int{"proposal.assumptions": len(p.Assumptions),
		"proposal.requiredUserChoices": len(p.RequiredChoices)}
	if p.Action != nil {
		lists["proposal.action.assetFlow"] = len(p.Action.AssetFlow)
	}
	for path, n := range lists {
		if n > mostEntries {
			return refuse(path, "%s has more than %d entries.", path, mostEntries)
		}
	}
	for _, f := range screen.Fields("proposal", p) {
		name, _, entry := strings.Cut(f.Path[strings.LastIndexByte(f.Path, '.')+1:], "[")
		if f.Joined {
			continue
		}
		most, bounded := lengths[name]
		if bounded && utf8.RuneCountInString(f.Text) > most {
			return refuse(f.Path, "%s has more than %d characters.", f.Path, most)
		}
		//mutant:never ./internal/proposal TestTextsThatNameUs
		if slices.Contains([]string{"id", "name", "reference", "label"}, name) && screen.NamesUs(f.Text) {
			return refuse(f.Path, "%s contains the name of this program, so people could take it for this program's own words.",
				f.Path)
		}
		needed := entry || slices.Contains([]string{"proposal.id", "proposal.source.name", "proposal.purpose",
			"proposal.action.actionKind"}, f.Path)
		if needed && strings.TrimSpace(f.Text) == "" {
			return refuse(f.Path, "%s is empty.", f.Path)
		}
	}
	return nil
}

// plainNumber matches an amount in plain decimal notation.
var plainNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

const mostDigits = 40

// mostDecimals exceeds the decimals of every coin on Sui.
const mostDecimals = 18

func (a Amount) check(path string) error {
	if a.AmountKind != "display_proposal" {
		return refuse(path+".amountKind", "%s.amountKind must be display_proposal.", path)
	}
	if len(a.AmountDisplay) > mostDigits || !plainNumber.MatchString(string(a.AmountDisplay)) {
		return refuse(path+".amountDisplay", "%s.amountDisplay must be a positive plain decimal number, such as 100.25: "+
			"no sign, exponent, comma, unit or words.", path)
	}
	if raw := strings.Trim(string(a.AmountDisplay), "0."); raw == "" {
		return refuse(path+".amountDisplay", "%s.amountDisplay must be more than zero.", path)
	}
	if _, fraction, _ := strings.Cut(string(a.AmountDisplay), "."); len(fraction) > mostDecimals {
		return refuse(path+".amountDisplay", "%s.amountDisplay has more than %d decimal places.", path, mostDecimals)
	}
	if a.CoinType == "" {
		return nil
	}
	if _, err := sui.ParseCoinType(a.CoinType); err != nil {
		return refuse(path+".coinType", "%s.coinType must be a whole coin type, as in 0x2::sui::SUI.", path)
	}
	return nil
}
