package receipts

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// mostBooked is the maximum number of receipts in one table.
const mostBooked = 5000

// Booked lists the reviews that were executed in a period, earliest first, at most most of them.
// more means that there are further ones. The period includes from and excludes to. A zero time
// means no bound.
type Booked func(ctx context.Context, from, to time.Time, most int) (list []record.Session, more bool, err error)

type receiptsIn struct {
	From string `json:"from,omitempty"` // RFC 3339; "" means no bound
	To   string `json:"to,omitempty"`
}

// receiptsOut is a table of the receipts of a period.
type receiptsOut struct {
	CSV   string `json:"csv"`
	Count int    `json:"receipts"` // number of transactions
	More  bool   `json:"more"`     // some receipts of the period are not included
}

// table responds with the receipts of all accounts in a period.
func (p *page) table(c *web.Call, in receiptsIn) error {
	from, err := readBound("from", in.From)
	if err != nil {
		return err
	}
	to, err := readBound("to", in.To)
	if err != nil {
		return err
	}
	if !to.IsZero() && !from.Before(to) {
		return fault.New(fault.InputInvalid, "The last day is before the first one.").With("field", "to")
	}
	list, more, err := p.Booked(c.Ctx(), from, to, mostBooked)
	if err != nil {
		return err
	}
	text, err := receiptsCSV(list)
	if err != nil {
		return err
	}
	c.Unhurried()
	return web.JSON(c, http.StatusOK, receiptsOut{CSV: text, Count: len(list), More: more})
}

func readBound(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Year() < 1970 || at.Year() > 2200 {
		return at, fault.New(fault.InputInvalid, "This is not a day between 1970 and 2200.").With("field", field)
	}
	return at, nil
}

// receiptColumns is the first line of the table.
var receiptColumns = []string{"time (UTC)", "network", "account", "what", "where", "coin", "amount out", "amount in",
	"fee",
	"gas (SUI)", "status", "digest", "review", "proof"}

// receiptsCSV formats receipts as RFC 4180 CSV, with one line for each coin that moved. Only the
// first line of a transaction contains its gas, and no other amount includes gas, so that columns
// can be added up.
func receiptsCSV(list []record.Session) (string, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	rows := [][]string{receiptColumns}
	for _, s := range list {
		for i, m := range bookedMoves(s) {
			gas := ""
			if i == 0 {
				gas = s.Execution.Receipt.GasNet.Decimal(amounts.SUI.Decimals)
			}
			rows = append(rows, []string{s.ExecutedAt().UTC().Format(time.RFC3339), cell(s.Network), s.Account.String(),
				cell(words.Whole(s.Headline().Title)), cell(m.where), cell(m.coin), m.out, m.in, m.fee, gas, string(s.Status),
				cell(s.Execution.TxDigest), cell(string(s.ID)), string(s.Execution.Proof().State)})
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return "", err
	}
	return b.String(), nil
}

// booked is one line: a coin, and the exact amounts that left and arrived.
type booked struct{ where, coin, out, in, fee string }

// bookedMoves lists the coins that moved, without gas, for the account and for objects that hold
// coins for it. Coins that an order locked or released did not move. A transaction without moves
// has one line, for its gas.
func bookedMoves(s record.Session) []booked {
	known := amounts.Assets(s)
	var fees []sui.CoinType
	if s.Facts != nil {
		for _, b := range s.Facts.Promise().Of(plan.RoleFee) {
			fees = append(fees, b.Coin.CoinType)
		}
	}
	var out []booked
	r := s.Execution.Receipt
	for _, c := range r.BalanceChanges {
		change := c.Amount
		if c.Coin == amounts.SUI.CoinType {
			change = amounts.WithoutGas(c.Amount, r.GasNet)
		}
		asset, ok := known[c.Coin]
		if !ok || asset.Counted() {
			asset = plan.Asset{Symbol: string(c.Coin) + " (smallest units)", CoinType: c.Coin}
		}
		why := plan.ForMove
		for _, fee := range fees {
			if fee == c.Coin {
				why = plan.ForFee
			}
		}
		out = book(out, "account", asset, change, why)
	}
	holder := ""
	if s.Facts != nil {
		holder = strings.TrimPrefix(s.Facts.HolderName(), "your ")
	}
	for _, m := range s.Result().Moved {
		if m.Why != plan.ForRelease {
			out = book(out, holder, m.Asset, m.Change, m.Why)
		}
	}
	if len(out) == 0 {
		return []booked{{where: "account"}}
	}
	return out
}

// book appends a change, unless it is zero.
func book(list []booked, where string, a plan.Asset, change sui.Delta, why plan.Why) []booked {
	if change.Amount == 0 {
		return list
	}
	b := booked{where: where, coin: words.Whole(a.Symbol)}
	amount := string(change.Amount.Decimal(a.Decimals))
	switch {
	case why == plan.ForFee && change.Negative:
		b.fee = amount
	case change.Negative:
		b.out = amount
	default:
		b.in = amount
	}
	return append(list, b)
}

// cell prevents a spreadsheet from interpreting a text as a formula. Numbers do not need it.
func cell(s string) string {
	//mutant:never ./review/web TestReceiptsCSV
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t\r\n") {
		return "'" + s
	}
	return s
}
