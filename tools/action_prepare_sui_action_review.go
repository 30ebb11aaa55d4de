package tools

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// actionType is a kind of action that an intent can request.
type actionType string

// revokeAction ends a permission to act without the account's wallet.
const revokeAction actionType = "permission_revoke"

// Values lists the actions of all adapters.
func (actionType) Values() (list []string) {
	for _, m := range adapters.Metas() {
		if !slices.Contains(list, m.Action) {
			list = append(list, m.Action)
		}
	}
	return list
}

// coinSymbol is the symbol of a pinned coin.
type coinSymbol string

// Shape implements tool.Shaped.
func (coinSymbol) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_]+$`, Rule: "a coin symbol such as SUI or USDC", MinLength: 1, MaxLength: 32}
}

// coinName is the symbol of a pinned coin or a full coin type.
type coinName string

// Shape implements tool.Shaped.
func (coinName) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_:<>, ]+$`,
		Rule: "a coin symbol such as SUI, or for a transfer a whole coin type", MinLength: 1, MaxLength: 300}
}

// displayAmount is an amount in whole coins, as users write it.
type displayAmount string

// Shape implements tool.Shaped. The format is a plain decimal number.
func (displayAmount) Shape() tool.Shape {
	return tool.Shape{Pattern: `^(0|[1-9][0-9]*)(\.[0-9]+)?$`, MaxLength: 80, MinLength: 1,
		Rule: "a plain decimal number in a string, such as \"10\" or \"0.25\": no sign, exponent, comma or unit"}
}

// coinShare is a share of the account's balance of a coin.
type coinShare string

// Shape implements tool.Shaped.
func (coinShare) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[0-9a-z./%]+$`, Rule: "all, a fraction such as 1/2, or a percentage such as 25%",
		MinLength: 1, MaxLength: 16}
}

// slippageBps is the maximum slippage in hundredths of a percent.
type slippageBps int64

// Shape implements tool.Shaped.
func (slippageBps) Shape() tool.Shape {
	return tool.Between(plan.LeastSlippageBps, plan.MostSlippageBps)
}

// protocolSlug is the slug of a protocol.
type protocolSlug string

// Shape implements tool.Shaped.
func (protocolSlug) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[a-z0-9-]+$`, Rule: "a protocol slug such as deep", MinLength: 1, MaxLength: 32}
}

// reviewFeeMode is the coin in which a swap pays the protocol's fee.
type reviewFeeMode string

// Values lists the modes.
func (reviewFeeMode) Values() []string { return []string{"input", "deep"} }

type intentFrom struct {
	Symbol coinName      `json:"symbol" description:"coin such as SUI; transfer: also any full type"`
	Amount displayAmount `json:"amount,omitempty" description:"such as 10 or 0.25"`
	Share  coinShare     `json:"share,omitempty" description:"instead of amount: all, 1/2 or 25%"`
	Raw    bool          `json:"raw,omitempty" description:"amount in smallest units"`
}

type intentTo struct {
	Symbol coinSymbol    `json:"symbol" description:"coin that arrives, such as USDC"`
	Amount displayAmount `json:"amount,omitempty" description:"withdrawals: how much"`
}

// orderSide states whether an order buys or sells the base coin.
type orderSide string

// Values lists the sides.
func (orderSide) Values() []string { return []string{"buy", "sell"} }

// chainAddress is a full address or object id.
type chainAddress string

// Shape implements tool.Shaped.
func (chainAddress) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[^\s]+$`, Rule: "0x and 64 hexadecimal digits", MinLength: 1, MaxLength: 80}
}

type intentOrder struct {
	Pool      poolKey       `json:"pool" description:"pool key, such as SUI_USDC"`
	Side      orderSide     `json:"side,omitempty" description:"seen from the base coin"`
	Price     displayAmount `json:"price,omitempty" description:"quote coins per base coin"`
	Quantity  displayAmount `json:"quantity,omitempty" description:"base coins"`
	ExpiresAt string        `json:"expiresAt,omitempty" description:"RFC 3339; default: until cancelled"`
	PostOnly  bool          `json:"postOnly,omitempty" description:"never trade at once"`
}

// actionIntent is a requested action. The description of each field lists the actions that use it.
// For any other action, the adapter returns an error that names the field.
type actionIntent struct {
	Type           actionType    `json:"type" description:"action"`
	From           *intentFrom   `json:"from,omitempty" description:"swap, transfer, manager-deposit, stake, supply"`
	To             *intentTo     `json:"to,omitempty" description:"swap, withdrawals; -all: default every coin; supply-withdraw: without amount all"`
	MaxSlippageBps slippageBps   `json:"maxSlippageBps,omitempty" description:"50 is 0.5%"`
	Protocol       protocolSlug  `json:"protocol,omitempty" description:"slug, if several can"`
	FeeMode        reviewFeeMode `json:"feeMode,omitempty" description:"swap: input (default): fee in the coin paid"`
	Recipient      chainAddress  `json:"recipient,omitempty" description:"full address"`
	RecipientEntry bookText      `json:"recipientEntryId,omitempty" description:"or its id in the address book"`
	RecipientName  bookText      `json:"recipientName,omitempty" description:"or SuiNS name or book title"`
	Manager        chainAddress  `json:"manager,omitempty" description:"if several"`
	Permission     string        `json:"permission,omitempty" description:"permissionId to end; cap: with manager"`
	Order          *intentOrder  `json:"order,omitempty" description:"modify-order: what changes"`
	Own            plan.Own      `json:"-"` // fields that adapters declare
}

type prepareIn struct {
	Intent actionIntent `json:"intent" description:"what to do"`
}

type prepareOut struct {
	Session    string           `json:"reviewSessionId" description:"id for the session tools"`
	Task       string           `json:"task_id,omitempty" description:"the review's task: its events and its result name it"`
	URL        string           `json:"reviewUrl" description:"link for the user; works once"`
	Opening    opened           `json:"opening" description:"how the page was opened; client_agreed is the client's claim"`
	OpenTarget string           `json:"openTarget" description:"where to open the link"`
	NextStep   string           `json:"nextStep" description:"what the user does next"`
	Preflight  preflight        `json:"preflight" description:"known obstacles; the page checks everything again"`
	Network    string           `json:"network" description:"network the review is for"`
	Account    sui.Address      `json:"account" description:"account the review is bound to"`
	Recipient  *namedPayee      `json:"recipient,omitempty" description:"recipient, if a name was given"`
	Status     reviewStatus     `json:"status" description:"status of the new review"`
	Plans      []review.Preview `json:"plans" description:"decoded request; display text, not what is signed"`
	Protocol   usedProtocol     `json:"protocol,omitzero" description:"protocol that executes it"`
	ExpiresAt  time.Time        `json:"expiresAt" description:"expiry of the review if unsigned, UTC"`
}

// usedProtocol is the protocol of a review. If the intent did not name one, Others lists the
// protocols that cannot execute it.
type usedProtocol struct {
	Slug   string          `json:"slug" description:"for intent.protocol"`
	Label  string          `json:"label" description:"display name"`
	Others []otherProtocol `json:"others,omitempty" description:"protocols that cannot, with reasons"`
}

type otherProtocol struct {
	Slug  string `json:"slug" description:"for intent.protocol"`
	Label string `json:"label" description:"display name"`
	Why   string `json:"reason" description:"why it cannot"`
}

// protocolOf returns the protocol that executes a review. If the intent did not name one, the
// result includes the protocols that cannot execute it.
func protocolOf(reviews reviews, in plan.Intent, slug string) usedProtocol {
	used, others := reviews.Venues(in, slug)
	out := usedProtocol{Slug: used.Slug, Label: used.Label}
	for _, o := range others {
		if in.Protocol == "" {
			out.Others = append(out.Others, otherProtocol{o.Slug, o.Label, o.Why})
		}
	}
	return out
}

const nextStep = "The user opens reviewUrl on this machine, reads it, and signs or declines there."

// actionPrepareSuiActionReview creates a review of a requested action. It does not build a
// transaction: the review page does, and its bytes never reach a tool.
func actionPrepareSuiActionReview(reviews reviews, names addressBook, page opener, tasks reviewTasks) tool.Tool {
	return tool.Declare(tool.Spec[prepareIn, prepareOut]{
		Name:   toolPrepare,
		Status: tool.BlockedSigning,
		Title:  "Prepare action review",
		Summary: "Creates a review of a swap, payment or order for the connected account and returns its link. Only " +
			"the user can sign.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.OpensSession,
		Card:      "review",
		Errors:    []fault.Code{fault.ActiveAccountNotSet, fault.RegistryMiss, fault.Blocked},
		Cases: []tool.Case[prepareOut]{{
			Name: "prepared",
			Use: evidence.Use{
				Can:    evidence.Claims{evidence.ReviewLink},
				Cannot: notDone().And(evidence.Claims{evidence.RouteRecommendation, evidence.FundingSource}),
				Answer: []string{"reviewUrl", "opening", "nextStep", "protocol", "recipient", "preflight.status",
					"preflight.expected", "preflight.blockers", "plans[].title", "plans[].summary", "plans[].maxSlippageBps",
					"expiresAt"},
				Rules:      []string{"plans[].assetFlowPreview", "openTarget"},
				Diagnostic: []string{"plans[].checks", "status"},
				Next: evidence.Ask(toolWaitResult, "It waits for the result.").
					With("reviewSessionId").Reading("status", "statusCategory", "executionResult"),
			},
		}},
		Examples: prepareExamples(),
		Run: func(c tool.Call, in prepareIn) (prepareOut, error) {
			wish := in.Intent.read()
			if err := byEntry(c.Context(), names, &in.Intent, &wish); err != nil {
				return prepareOut{}, err
			}
			s, looked, err := reviews.PrepareLooking(c.Context(), wish)
			made := prepareOut{Session: string(s.ID)}
			if err != nil {
				return made, err
			}
			url, err := page.link.make(c.Context(), pagetoken.Review, string(s.ID))
			if err != nil {
				return made, err
			}
			plan, err := reviews.Preview(s)
			if err != nil {
				return made, err
			}
			return prepareOut{
				Session: string(s.ID), Task: tasks(c.Context(), string(s.ID)), URL: url, Opening: linkOnly,
				OpenTarget: systemBrowser, NextStep: nextStep, Network: s.Network,
				Account: s.Account, Recipient: payeeOf(c.Context(), names, string(in.Intent.RecipientEntry), s.Intent),
				Status: reviewStatus(s.Status), Plans: []review.Preview{plan},
				Protocol: protocolOf(reviews, wish, s.Protocol), ExpiresAt: s.ExpiresAt.UTC(), Preflight: lookAhead(c.Context(),
					reviews, s, looked),
			}, nil
		},
		Undo:   taking(page, pagetoken.Review, func(out *prepareOut) string { return out.Session }),
		Asking: opening(page, pagetoken.Review, func(out *prepareOut) (string, *opened) { return out.Session, &out.Opening }),
	})
}

// namedPayee is a recipient with the source of its name, because a name in the address book can
// look like a SuiNS name.
type namedPayee struct {
	Name    string       `json:"name" description:"as the source spells it"`
	Source  string       `json:"source" description:"address_book: the user's own; suins: on chain, its holder can change the address"`
	Address chainAddress `json:"address" description:"full address"`
}

// payeeOf returns the recipient with its name, or nil if the payment is to an address. entry is the
// id of an entry in the address book, or "".
func payeeOf(ctx context.Context, names addressBook, entry string, in plan.Intent) *namedPayee {
	if in.RecipientName != "" {
		return &namedPayee{in.RecipientName, "suins", chainAddress(in.Recipient)}
	}
	if entry == "" || names.Readable(ctx) != nil {
		return nil
	}
	if e, err := names.Recipient(ctx, entry); err == nil {
		return &namedPayee{e.Title, "address_book", chainAddress(in.Recipient)}
	}
	return nil
}

// byTitle looks up a name that is not a SuiNS name among the titles in the address book, and
// replaces it with the entry's id.
func byTitle(ctx context.Context, names addressBook, asked *actionIntent) error {
	if _, err := suins.Parse(string(asked.RecipientName)); asked.RecipientName == "" || err == nil ||
		asked.Recipient != "" || asked.RecipientEntry != "" {
		return nil
	}
	e, err := names.Called(ctx, string(asked.RecipientName))
	if err == nil {
		asked.RecipientEntry, asked.RecipientName = bookText(e.ID), ""
	}
	return err
}

// byEntry replaces the id of an address-book entry with the entry's address. The review stores only
// the address, so that later changes of the entry do not change the payment.
func byEntry(ctx context.Context, names addressBook, asked *actionIntent, wish *plan.Intent) error {
	if err := byTitle(ctx, names, asked); err != nil {
		return err
	}
	if asked.RecipientEntry == "" {
		return nil
	}
	//mutant:never ./tools TestAddressBook
	if asked.Type != "transfer" || asked.Recipient != "" || asked.RecipientName != "" {
		return fault.New(fault.InputInvalid,
			"A transfer needs exactly one of recipient, recipientEntryId and recipientName. Other actions take none of them.").With("field",
			"intent.recipientEntryId")
	}
	e, err := names.Recipient(ctx, string(asked.RecipientEntry))
	wish.Recipient, wish.RecipientName = e.Address, ""
	return err
}

func (i actionIntent) read() plan.Intent {
	in := plan.Intent{
		Type: string(i.Type), MaxSlippageBps: int(i.MaxSlippageBps), Protocol: string(i.Protocol), FeeMode: string(i.FeeMode),
		Recipient: string(i.Recipient), RecipientName: string(i.RecipientName), Manager: string(i.Manager),
		Permission: i.Permission, Own: i.Own,
	}
	if i.From != nil {
		in.From = plan.IntentSource{Symbol: string(i.From.Symbol), Amount: string(i.From.Amount), Raw: i.From.Raw,
			Share: string(i.From.Share)}
	}
	if i.To != nil {
		in.To = plan.IntentTarget{Symbol: string(i.To.Symbol), Amount: string(i.To.Amount)}
	}
	if o := i.Order; o != nil {
		in.Order = &plan.Order{Pool: string(o.Pool), Side: string(o.Side), Price: string(o.Price),
			Quantity:  string(o.Quantity),
			ExpiresAt: o.ExpiresAt, PostOnly: o.PostOnly}
	}
	return in
}
