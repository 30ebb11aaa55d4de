package lies_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
)

// lastly is the maximum number of false answers about a signed transaction before the node tells the
// truth.
const lastly = 2

// settle signs a payment, lets the node lie about the result and then tell the truth. It returns
// the review during the lies and at the end.
func (w *teller) settle(a action, list ...lies.Lie) (lying, end record.Session, told int, digest sui.Digest,
	err error) {
	w.t.Helper()
	w.liar.Tell()
	s, err := w.run(a, nil)
	if err != nil || s.Status != record.Ready {
		return s, s, 0, digest, fmt.Errorf("the payment is %s %s: %w", s.Status, s.Reason, err)
	}
	handed := w.HandOff(s)
	raw, signature := w.Sign(handed)
	w.liar.Tell(list...)
	if _, err = w.Reviews.Signed(context.Background(), s.ID, handed.Nonce, raw, signature); err != nil {
		return s, s, 0, digest, err
	}
	wait := func(stop func(record.Session) bool) (out record.Session) {
		until := time.Now().Add(patience)
		for out, _, err = w.Reviews.Wait(context.Background(), s.ID, 50*time.Millisecond, stop); err == nil && !stop(out) &&
			time.Now().Before(until); {
			out, _, err = w.Reviews.Wait(context.Background(), s.ID, 50*time.Millisecond, stop)
		}
		return out
	}
	lying = wait(func(s record.Session) bool { return s.Status.Terminal() || w.liar.Changed() >= lastly })
	told = w.liar.Changed()
	w.liar.Tell()
	end = wait(func(s record.Session) bool { return s.Status.Terminal() })
	return lying, end, told, sui.TransactionDigest(raw), err
}

// receiptParts is the number of chains that share the lies about signed payments. Each case waits
// for two polls.
const receiptParts = 4

// receipts tries one part of the lies about the result of a signed payment.
func (w *teller) receipts(a action, part int) {
	w.t.Helper()
	seen := map[string]lies.Seen{}
	w.anew()
	w.liar.Watch(func(s lies.Seen) {
		w.known[lies.Plain(s.Field)] = true
		if strings.Contains(s.Field, ".ExecuteTransaction") || strings.Contains(s.Field, ".GetTransaction") {
			key, _ := keyOf(s)
			seen[elements.ReplaceAllString(key, "$1[]")] = s
		}
	})
	_, honest, _, _, err := w.settle(a)
	w.liar.Watch(nil)
	if err != nil || honest.Status != record.Success {
		w.t.Fatalf("%v %s", err, honest.Status)
	}
	at := 0
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		for _, value := range lies.WordsFor(seen[key].Kind) {
			if at++; at%receiptParts != part || w.skip() {
				continue
			}
			c := lieCase{field: seen[key].Field, value: value, kind: seen[key].Kind}
			lying, end, told, digest, err := w.settle(a, lies.Lie{Field: c.field, Value: value})
			if told == 0 {
				continue
			}
			w.cases++
			if err != nil {
				w.wrong(a.name, fmt.Sprintf("%s: %v", c, err))
				continue
			}
			for _, wrong := range judgeReceipt(c, honest, lying, end, digest) {
				w.wrong(a.name, fmt.Sprintf("%s: %s", c, wrong))
			}
		}
	}
	w.t.Logf("receipts, part %d: %d cases", part+1, w.cases)
}

// judgeReceipt lists what is wrong with a review of an executed payment after the node lied once or
// twice. The rules:
//
//   - A review fails only if the node itself says that the payment failed.
//   - Whatever the lie, the review settles once the node tells the truth.
//   - A receipt belongs to the signed transaction and its sender.
//   - A missing part of the gas cost is not treated as zero.
//   - No promise counts as kept without a reported change.
func judgeReceipt(c lieCase, honest, lying, end record.Session, digest sui.Digest) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if end.Status != record.Success && (end.Status != record.Failure || !strings.Contains(c.field, ".status")) {
		say("it ended as %s", end.Status)
	}
	if lying.Status.Terminal() && lying.Status != end.Status {
		say("%s became %s", lying.Status, end.Status)
	}
	x := end.Execution
	if x == nil || x.Receipt == nil {
		return append(wrong, "there is no receipt")
	}
	r, was := x.Receipt, honest.Execution.Receipt
	if r.TxDigest != digest.String() || x.TxDigest != digest.String() || r.Sender != ours {
		say("the receipt is of %s by %s", r.TxDigest, r.Sender)
	}
	if c.missing() && (r.Gas.Computation == 0 || r.Gas.Storage == 0 && was.Gas.Storage > 0 || r.Gas.Rebate == 0 &&
		was.Gas.Rebate > 0) {
		say("gas that was left out is told as nothing: %+v", r.Gas)
	}
	kept := r.OK
	for _, p := range r.Promises {
		kept = kept && p.Kept
	}
	if kept && strings.Contains(c.field, "balance_changes") && len(r.BalanceChanges) == 0 {
		say("no change is told, and every promise is kept")
	}
	return wrong
}
