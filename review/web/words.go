package web

import (
	"fmt"
	"html/template"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// pageWords are the functions that templates may use.
func pageWords() template.FuncMap {
	return template.FuncMap{
		"groups": func(a string) []string { return groups(a, len("0x1234")) },
		"hexes":  func(s string) []string { return groups(s, 0) },
		"brief":  brief,
		"prose":  prose,
		"fits":   fits,
		"ends":   ends,
	}
}

// groups cuts a long name into pieces of four for the eye; copied, it is whole.
func groups(s string, head int) []string {
	head = min(head, len(s))
	out := []string{}
	if head > 0 {
		out = append(out, s[:head])
	}
	for rest := s[head:]; rest != ""; {
		n := min(4, len(rest))
		out, rest = append(out, rest[:n]), rest[n:]
	}
	return out
}

// shown makes text of an unknown author fit to be read, on one line and cut to
// most characters: nothing in it can turn the line around, hide, paint over
// other lines, or push the rest of the page away.
func shown(s string, most int) string { return screen.Line(s, most) }

// whole is shown without a cut. On a page that can sign nothing is cut: two
// coins or sentences that differ only in their ends would look the same.
func whole(s string) string { return screen.Line(s, 0) }

// fits reports whether a text can stand on a page as it is; a longer one is
// folded to its ends and opens on demand.
func fits(s string) bool { return utf8.RuneCountInString(s) <= mostUnfolded }

// ends is the beginning and the end of a text that is folded.
func ends(s string) string {
	runes := []rune(s)
	return string(runes[:mostUnfolded/2]) + " … " + string(runes[len(runes)-mostUnfolded/4:])
}

const mostUnfolded = 160

// spaced groups the digits before the point by threes. It changes no digit.
func spaced(decimal string) string {
	sign := ""
	if strings.HasPrefix(decimal, "-") {
		sign, decimal = "−", decimal[1:]
	}
	whole, fraction, point := strings.Cut(decimal, ".")
	var b strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if point {
		b.WriteString("." + fraction)
	}
	return sign + b.String()
}

// amount is a number and its unit, for print in different sizes.
type amount struct{ Number, Symbol string }

func (a amount) String() string { return a.Number + " " + a.Symbol }

// Size is the class, after a space, that keeps a long number in one line.
func (a amount) Size() string {
	switch n := len(a.Number); {
	case n > 14:
		return " longest"
	case n > 10:
		return " long"
	}
	return ""
}

func amountOf(a review.Amount) amount {
	return amount{spaced(string(a.Raw.Decimal(a.Decimals))), whole(a.Symbol)}
}

// deltaOf gives a signed change, with a plus sign where something arrives.
func deltaOf(d sui.Delta, a review.Asset) string {
	text := spaced(d.Decimal(a.Decimals)) + " " + whole(a.Symbol)
	if d.Negative || d.Amount == 0 {
		return text
	}
	return "+" + text
}

// suiAsset is what gas is paid in.
var suiAsset = review.Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}

// rate gives how much of one asset there is for one unit of another, rounded
// down at six digits after the point. It is exact integer arithmetic.
func rate(get, give review.Amount) string {
	if give.Raw == 0 {
		return ""
	}
	const digits = 6
	n := new(big.Int).SetUint64(uint64(get.Raw))
	n.Mul(n, power(digits+int(give.Decimals)))
	n.Quo(n, new(big.Int).Mul(new(big.Int).SetUint64(uint64(give.Raw)), power(int(get.Decimals))))
	text := n.String()
	if len(text) <= digits {
		text = strings.Repeat("0", digits-len(text)+1) + text
	}
	units, fraction := text[:len(text)-digits], strings.TrimRight(text[len(text)-digits:], "0")
	if fraction != "" {
		units += "." + fraction
	}
	return spaced(units) + " " + whole(get.Symbol) + " per " + whole(give.Symbol)
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// clock writes a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(max(d, 0) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// moment in words, in UTC so that it can be compared with anything.
func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2 Jan 2006, 15:04:05 UTC")
}

// stageWords names the stages of a computation for a person.
var stageWords = map[review.StageID]string{
	"intent_normalized":        "Reading what was asked",
	"pool_resolved":            "Finding the market",
	"quote_evidence_fetched":   "Asking for a quote",
	"quote_policy_derived":     "Working out the least that must arrive",
	"recipient_resolved":       "Looking at who shall get it",
	"transfer_policy_derived":  "Fixing what the transaction must say",
	"policy_derived":           "Fixing what the transaction must say",
	"balance_manager_resolved": "Finding your balance manager",
	"market_and_funds_checked": "Checking the market's steps and the manager's coins",
	"open_order_resolved":      "Finding the order in the book",
	review.StageMaterial:       "Building the transaction",
	review.StageDigest:         "Fixing its digest",
	review.StageOwnership:      "Checking who owns what it uses",
	review.StageHumanReview:    "Decoding it back into plain facts",
	review.StageSimulation:     "Trying it out on a node, with every check on",
}

func stageLabel(id review.StageID) string {
	if label, ok := stageWords[id]; ok {
		return label
	}
	return whole(strings.ReplaceAll(string(id), "_", " "))
}

// reasonTitles say in one line why there is nothing to sign.
var reasonTitles = map[review.Reason]string{
	review.AdapterNotImplemented:           "This action cannot be prepared yet",
	review.ProducerStageMissing:            "A check is missing, so nothing can be signed",
	review.WalletReviewContractEmitMissing: "The review is incomplete, so nothing can be signed",
	review.NetworkMismatch:                 "This node is another chain",
	review.InsufficientBalance:             "There is not enough in your account",
	review.InsufficientGas:                 "There is not enough SUI for gas",
	review.AllowlistViolation:              "This transaction is not allowed here",
	review.AssetMismatch:                   "The coins are not the ones you asked for",
	review.AmountMismatch:                  "The amounts are not the ones you asked for",
	review.WalletMismatch:                  "Another account is connected now",
	review.UnsupportedAction:               "This action is not supported",
	review.ObjectResolutionFailed:          "Something the transaction needs was not found",
	review.ProposalReviewOnly:              "This proposal can be read, not signed",
	review.EffectsMismatch:                 "A trial run did something else than promised",
	review.QuoteStale:                      "The figures are too old",
	review.QuoteUnavailable:                "There is no usable price right now",
	review.SimulationTransientFailure:      "The trial run could not be finished",
	review.ProviderUnavailable:             "The Sui node cannot be reached",
}

// failureTitles say in one line how a review ended without success.
var failureTitles = map[review.FailureReason]string{
	review.FailureWalletRejected:      "You declined. Nothing was signed",
	review.FailureWalletProviderError: "The wallet failed",
	review.FailureSigningDisconnected: "The wallet went away",
	review.FailureSubmit:              "The transaction could not be sent",
	review.FailureChainExecution:      "The chain ran it, and it failed",
	review.FailureCannotExecute:       "It was never executed, and never can be",
	review.FailureUnknown:             "It ended without a known reason",
}

// asked is the wish in one line, as its adapter put it; a review of an older
// version has no such line and was a swap.
func asked(in review.Intent) string {
	if in.Asked != "" {
		return whole(in.Asked)
	}
	return fmt.Sprintf("swap %s %s to %s, at most %s below the quote", spaced(whole(in.From.Amount)),
		whole(in.From.Symbol), whole(in.To.Symbol), review.Percent(in.MaxSlippageBps))
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// lowerFirst makes a title the second half of a sentence. A name in capitals
// stays as it is.
func lowerFirst(s string) string {
	if len(s) < 2 || s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// checkWords read a check's outcome aloud.
var checkWords = map[review.CheckStatus]string{
	review.CheckPass: "passed", review.CheckWarning: "warning", review.CheckFail: "failed",
}
