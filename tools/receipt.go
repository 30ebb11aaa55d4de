package tools

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// detailLevel states how much detail an answer contains.
type detailLevel string

// Levels of detail.
const (
	detailSummary detailLevel = "summary"
	detailFull    detailLevel = "full"
)

// Values lists the levels.
func (detailLevel) Values() []string { return []string{string(detailSummary), string(detailFull)} }

// shownExecution describes the execution of a signed transaction, like record.Execution.
type shownExecution struct {
	Status     record.Status        `json:"status" description:"signed_pending_result, success or failure"`
	Failure    record.FailureReason `json:"failureReason,omitempty" description:"why it failed"`
	TxDigest   string               `json:"txDigest,omitempty" description:"digest of the transaction"`
	Submission string               `json:"submission,omitempty" description:"whether it was sent"`
	Refusal    string               `json:"refusal,omitempty" description:"why a node refused"`
	Note       string               `json:"note,omitempty" description:"what is not known"`
	Replaced   string               `json:"replacedBy,omitempty" description:"review of the request as the user changed it"`
	SignedAt   *time.Time           `json:"signedAt,omitempty" description:"UTC"`
	FinalAt    *time.Time           `json:"finalAt,omitempty" description:"UTC"`
	Receipt    *shownReceipt        `json:"receipt,omitempty" description:"the chain's report about it"`
	Proof      *shownProof          `json:"proof,omitempty" description:"whether validators signed the result"`
}

// shownProof states whether validators have signed the result, or only a node reported it.
type shownProof struct {
	State      record.ProofState `json:"state" description:"proved, told_pending (being checked), told (a node's word) or mismatch (do not use the result)"`
	Words      string            `json:"words,omitempty" description:"the same for the user; detail full has it of proved results too"`
	Checkpoint *decimalText      `json:"checkpoint,omitempty" description:"checkpoint that they signed"`
	Amounts    string            `json:"amounts,omitempty" description:"told: the node computed the coin changes; the rest is proved"`
	Signers    int               `json:"signers,omitempty" description:"validators who signed"`
	Members    int               `json:"validators,omitempty" description:"total number of validators; signing stops at two thirds of the voting power"`
}

func showProof(p *record.Proof, detail detailLevel) *shownProof {
	if p == nil {
		return nil
	}
	amounts := ""
	if p.State == record.Proved && !p.Amounts {
		amounts = "told"
	}
	if p.State == record.Proved && detail != detailFull {
		return &shownProof{State: p.State, Amounts: amounts}
	}
	out := &shownProof{State: p.State, Amounts: amounts, Words: p.Sentence(), Signers: p.Signers, Members: p.Members}
	if p.State == record.Proved {
		number := decimalText(sui.Raw(p.Checkpoint).String())
		out.Checkpoint = &number
	}
	return out
}

// shownReceipt is a receipt with amounts in display form. With summary detail it omits the raw
// fields of record.Receipt.
type shownReceipt struct {
	OK        bool          `json:"success" description:"it executed without an error"`
	Sender    *sui.Address  `json:"sender,omitempty" description:"the signer, if it is not the review's account; detail full always includes it"`
	Moved     []string      `json:"accountChanges" description:"changes of the account's coins, including gas"`
	Gas       string        `json:"gas" description:"gas that was paid, net"`
	MarketFee string        `json:"marketFee,omitempty" description:"fee of the venue"`
	FeeFrom   string        `json:"marketFeeSource,omitempty" description:"chain: reported or paid on chain; quote: from the review's quote"`
	Unspent   string        `json:"unspent,omitempty" description:"untraded part of the amount, which stayed"`
	Order     string        `json:"orderNumber,omitempty" description:"for cancel-order"`
	Where     string        `json:"whereMoneyLies,omitempty" description:"current location of the coins; with several steps, see each step"`
	Next      string        `json:"nextStep,omitempty" description:"next steps for the user"`
	Total     []string      `json:"totalCost,omitempty" description:"total of gas and venue fees, by coin"`
	Kept      string        `json:"promisesKept" description:"number of promises kept, and their total"`
	Promises  []promiseSeen `json:"promises" description:"promised and actual amounts; a summary omits exact matches"`
	Steps     []stepSeen    `json:"steps,omitempty" description:"for several steps in one transaction: the effect of each"`

	TxDigest   string          `json:"txDigest,omitempty" description:"the same digest"`
	Failure    string          `json:"failureKind,omitempty" description:"the node's name of the error"`
	Epoch      *decimalText    `json:"epoch,omitempty" description:"epoch it executed in"`
	Checkpoint *uint64         `json:"checkpoint,omitempty" description:"its checkpoint"`
	Timestamp  *time.Time      `json:"timestamp,omitempty" description:"the chain's time, UTC"`
	GasCost    *sui.GasCost    `json:"gasCostSummary,omitempty" description:"gas in MIST"`
	GasNet     *sui.Delta      `json:"gasNetRaw,omitempty" description:"net gas in MIST"`
	Changes    []balanceChange `json:"accountBalanceChanges,omitempty" description:"the account's changes in raw units"`
	Outcome    []plan.Term     `json:"outcome,omitempty" description:"what happened, apart from amounts"`
	Result     *plan.Result    `json:"result,omitempty" description:"the result in words"`
	FetchedAt  *time.Time      `json:"fetchedAt,omitempty" description:"when a node was asked, UTC"`
}

// decimalText is a number in decimal notation.
type decimalText string

// balanceChange is a change of the account's balance with its display form.
type balanceChange struct {
	sui.BalanceChange
	Display string `json:"display,omitempty" description:"with symbol, of a pinned coin"`
}

// promiseSeen compares a promise with what happened.
type promiseSeen struct {
	ID       string `json:"id" description:"which promise"`
	Label    string `json:"label,omitempty" description:"in words"`
	Promised string `json:"promised" description:"what was promised"`
	Actual   string `json:"actual" description:"what happened"`
	Kept     bool   `json:"kept" description:"whether it was kept"`
}

// stepSeen is the result of one step of a bundle.
type stepSeen struct {
	What    string   `json:"what" description:"what happened"`
	Amounts []string `json:"amounts" description:"amount, and the source and destination classes"`
	Order   string   `json:"orderNumber,omitempty" description:"for cancel-order"`
	Where   string   `json:"whereMoneyLies,omitempty" description:"where the coins are now"`
	Fees    []string `json:"marketFees,omitempty" description:"fees of the venue"`
}

// showResult converts a review's execution to its form in answers; nil if nothing was signed.
func showResult(s record.Session, detail detailLevel) *shownExecution {
	e := s.Execution
	if e == nil {
		return nil
	}
	out := &shownExecution{Status: e.Status, Failure: e.FailureReason, TxDigest: e.TxDigest, Refusal: e.Refusal,
		Note:  e.Note,
		Proof: showProof(e.Proved, detail), Replaced: string(e.ReplacedBy)}
	if detail == detailFull || e.Receipt == nil {
		out.Submission, out.SignedAt, out.FinalAt = e.Submission, shownTime(e.SignedAt), shownTime(e.FinalAt)
	}
	if r := e.Receipt; r != nil {
		out.Receipt = receiptOf(s, r)
		if detail == detailFull {
			out.Receipt.raw(r)
		} else {
			out.Receipt.shorten()
		}
	}
	return out
}

// receiptOf converts a receipt to its display form.
func receiptOf(s record.Session, r *record.Receipt) *shownReceipt {
	out := &shownReceipt{OK: r.OK, Gas: deltaText(r.GasNet, plan.SUI), Moved: []string{}, Promises: []promiseSeen{}}
	for _, c := range r.BalanceChanges {
		out.Moved = append(out.Moved, changeText(c))
	}
	for _, p := range r.Promises {
		out.Promises = append(out.Promises, promiseSeen{ID: p.ID, Promised: p.Promised, Actual: p.Actual, Kept: p.Kept})
	}
	if r.Sender != s.Account {
		out.Sender = &r.Sender
	}
	if r.Result != nil {
		out.Where, out.Next = r.Result.Where, r.Result.Next
		for _, t := range slices.Concat(r.Result.Holds, r.Outcome) {
			if t.Name == "Order number" && len(s.Intent.Steps) == 0 {
				out.Order = t.Value
			}
		}
	}
	steps, fees := s.Done()
	if fees != nil {
		out.Total = fees.Total
	}
	if len(steps) > 1 {
		out.Where = "" // each step has its own location
		for _, d := range steps {
			out.Steps = append(out.Steps, stepSeen{d.What, d.Amounts, d.Order, d.Where, d.Market})
		}
	}
	out.Kept = kept(out.Promises)
	if r.OK {
		out.fees(s, r)
	}
	return out
}

// shorten removes the promises whose actual value equals the promised one.
func (out *shownReceipt) shorten() {
	out.Promises = slices.DeleteFunc(out.Promises, func(p promiseSeen) bool { return p.Kept && p.Promised == p.Actual })
}

// kept returns how many promises were kept, as in "3 of 4".
func kept(list []promiseSeen) string {
	n := 0
	for _, p := range list {
		if p.Kept {
			n++
		}
	}
	return fmt.Sprintf("%d of %d", n, len(list))
}

// fees sets the venue's fee and the unspent part of the input.
func (out *shownReceipt) fees(s record.Session, r *record.Receipt) {
	if r.Result != nil {
		var fees []string
		for _, fee := range plan.MarketFees(r.Result.Moved, r.Result.Fees) {
			fees = append(fees, fee.String())
		}
		out.MarketFee = strings.Join(fees, ", ")
	}
	q, spent := s.State.Quote, ""
	for _, p := range r.Promises {
		switch p.ID {
		case "fee_at_most":
			out.MarketFee = p.Actual
		case "spent_at_most":
			spent = p.Actual
		}
	}
	if out.MarketFee != "" {
		out.FeeFrom = "chain"
	}
	if q == nil {
		return
	}
	used, err := sui.Decimal(strings.TrimSuffix(spent, " "+q.Input.Symbol)).Raw(q.Input.Decimals)
	if err != nil || used > q.Input.Raw {
		return
	}
	if left := q.Input.Raw - used; left > 0 {
		out.Unspent = q.Input.Of(left).String()
	}
	// A fee taken from the input has no balance change of its own. If exactly the quoted amount was
	// spent, the fee was the quoted one.
	if out.MarketFee == "" && q.Fee.Raw > 0 && used == q.Input.Raw-q.Unspent.Raw {
		out.MarketFee, out.FeeFrom = q.Fee.String(), "quote"
	}
}

// raw sets the fields that a summary omits.
func (out *shownReceipt) raw(r *record.Receipt) {
	epoch := decimalText(sui.Raw(r.Epoch).String())
	out.Sender = &r.Sender
	out.TxDigest, out.Failure, out.Epoch, out.Checkpoint = r.TxDigest, r.FailureKind, &epoch, r.Checkpoint
	out.Timestamp, out.FetchedAt = shownTime(r.Timestamp), shownTime(r.FetchedAt)
	out.GasCost, out.GasNet, out.Outcome = &r.Gas, &r.GasNet, r.Outcome
	if r.Result != nil {
		words := *r.Result
		words.Fees, words.Each = nil, nil // already in the market fee and in the steps
		out.Result = &words
	}
	for i, p := range r.Promises {
		out.Promises[i].Label = p.Label
	}
	for _, c := range r.BalanceChanges {
		shown := balanceChange{BalanceChange: c}
		if _, ok := coins.ByType(c.Coin); ok {
			shown.Display = changeText(c)
		}
		out.Changes = append(out.Changes, shown)
	}
}

// deltaText formats a change of a coin's balance with its symbol, as in "-9.9 SUI".
func deltaText(d sui.Delta, of plan.Asset) string {
	sign := ""
	if d.Negative && d.Amount > 0 {
		sign = "-"
	}
	return sign + of.Of(d.Amount).String()
}

// changeText formats a balance change. The amount of a coin that is not pinned is in the smallest
// unit.
func changeText(c sui.BalanceChange) string {
	of := plan.UnreadCoin(c.Coin)
	if pinned, ok := coins.ByType(c.Coin); ok {
		of = plan.Asset{Symbol: pinned.Symbol, CoinType: pinned.Type, Decimals: pinned.Decimals}
	}
	return deltaText(c.Amount, of)
}
