package web_test

import (
	"context"
	"errors"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// pastNode is a node's report about one transaction, as a test sets it. It knows only the names of
// USDC and SUI.
type pastNode struct {
	t     sui.PastTransaction
	none  bool
	err   error
	asked int
}

func (n *pastNode) Transaction(context.Context, sui.Digest) (sui.PastTransaction, bool, error) {
	n.asked++
	return n.t, !n.none && n.err == nil, n.err
}

func (*pastNode) Coin(t sui.CoinType) (string, uint8, bool) {
	for _, a := range []plan.Asset{suiCoin, usdcCoin} {
		if a.CoinType == t {
			return a.Symbol, a.Decimals, true
		}
	}
	return "", 0, false
}

func (*pastNode) Name(id sui.ObjectID) (string, bool) {
	return "Sui’s framework", id == sui.MustAddress("0x2")
}

// pastSample returns the sample transaction after its execution.
func pastSample(t *testing.T) sui.PastTransaction {
	t.Helper()
	b, err := sampleTransaction(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	sender, other, checkpoint, epoch := person, sui.MustAddress("0x"+strings.Repeat("7", 64)), uint64(1_234_567),
		uint64(101)
	return sui.PastTransaction{
		Digest: sui.TransactionDigest(b), Sender: &sender, GasPayer: &sender, Kind: "ProgrammableTransaction",
		Status:     sui.PastSuccess,
		Checkpoint: &checkpoint, Epoch: &epoch, Timestamp: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), Bytes: b,
		Gas: &sui.GasCost{Computation: 750_000, Storage: 7_022_400, Rebate: 4_014_280},
		Balances: sui.Listed[sui.PastBalance]{Known: true, Items: []sui.PastBalance{
			{Owner: &other, Coin: "0x5::meme::MEME", Amount: sui.Delta{Amount: 12}},
			{Owner: &sender, Coin: sui.SUI, Amount: sui.Delta{Negative: true, Amount: 10_003_758_120}},
			{Owner: &sender, Coin: usdcCoin.CoinType, Amount: sui.Delta{Amount: 1_234_975_485}},
			{Coin: sui.SUI, Amount: sui.Delta{Amount: 5}},
		}},
		Calls: sui.Listed[sui.PastCall]{Known: true, More: true, Items: []sui.PastCall{{Package: sui.MustAddress("0x2"),
			Module: "coin", Function: "zero"}}},
		Objects: sui.Listed[sui.PastObject]{Known: true, Items: []sui.PastObject{{ID: other, Change: "created",
			Type: "0x2::coin::Coin<0x2::sui::SUI>"}}},
	}
}

// receipt requests the sample from the receipt page's route.
func (r *rig) receipt() answer {
	r.t.Helper()
	return r.do("POST", "/api/receipt", "", map[string]string{"digest": sampleDigest(r.t)})
}

func TestReceiptPage(t *testing.T) {
	past := &pastNode{t: pastSample(t)}
	r := newRig(t, func(c *config) { c.Receipts = past })
	r.use(person, "Somebody’s wallet")
	shell := r.do("GET", "/receipt/"+sampleDigest(t), "", nil)
	if shell.status != http.StatusOK || strings.Contains(shell.body, sampleDigest(t)) || past.asked > 0 {
		t.Fatalf("the shell: %d, asked %d times, or it holds the digest", shell.status, past.asked)
	}
	says := func(t *testing.T, must, never []string) {
		t.Helper()
		a := r.receipt()
		for _, words := range must {
			if a.status != http.StatusOK || !strings.Contains(html.UnescapeString(a.body), words) {
				t.Errorf("%d, without %q:\n%s", a.status, words, a.body)
			}
		}
		for _, words := range never {
			if strings.Contains(a.body, words) {
				t.Errorf("it says %q", words)
			}
		}
	}
	with := func(name string, edit func(*sui.PastTransaction), must, never []string) {
		t.Run(name, func(t *testing.T) {
			past.t = pastSample(t)
			edit(&past.t)
			says(t, must, never)
		})
	}
	with("what went out and in, calls, gas and the transaction itself", func(*sui.PastTransaction) {}, []string{
		"The chain executed it", "1,234,567", "the sender", "−10.00375812 SUI", "+1,234.975485 USDC", "+12 raw units",
		"0x5::meme::MEME",
		"an owner the node does not name", "coin::zero", "of Sui’s framework", "There are more, which the node did not list",
		"0.00375812 SUI",
		"have exactly this digest", "the gas coin", `role="img"`, "The node reported nothing about it"}, []string{"your gas coin",
		"your account", "Somebody’s wallet"})
	with("a failure", func(p *sui.PastTransaction) {
		p.Status, p.Failure = sui.PastFailed, &sui.PastFailure{Message: "no <b>luck</b>",
			Abort: &sui.MoveAbort{Module: "pool", Function: "swap", Code: 12, Command: 2}}
	}, []string{"it failed", "only gas was spent", "no <b>luck</b>", "pool::swap", "code 12, in step 3"},
		[]string{"executed it", "<b>"})
	with("a node that does not report the outcome", func(p *sui.PastTransaction) { p.Status = sui.PastUnknown },
		[]string{"The node does not report how it ended"}, []string{"executed it"})
	with("changes that are not reported are not none",
		func(p *sui.PastTransaction) { p.Balances = sui.Listed[sui.PastBalance]{} },
		[]string{"The node reported nothing about it"}, []string{"Nobody’s coins changed"})
	with("bytes that are not the transaction's", func(p *sui.PastTransaction) { p.Bytes = append(p.Bytes, 0) },
		[]string{"not those of this digest. Do not rely"}, []string{`role="img"`, "exactly this digest"})
	with("no bytes", func(p *sui.PastTransaction) { p.Bytes = nil }, []string{"nothing of it could be checked"},
		[]string{`role="img"`})
	with("another transaction", func(p *sui.PastTransaction) { p.Digest[0]++ }, []string{"does not have it"},
		[]string{"executed"})
	with("lists without end", func(p *sui.PastTransaction) {
		for range 500 {
			p.Balances.Items = append(p.Balances.Items, p.Balances.Items...)[:min(2*len(p.Balances.Items), 400)]
			p.Calls.Items = append(p.Calls.Items, p.Calls.Items[0])
			p.Objects.Items = append(p.Objects.Items, p.Objects.Items[0])
		}
	}, []string{"more changes", "more calls", "more objects"}, nil)
	t.Run("a transaction that the node does not have", func(t *testing.T) {
		past.none = true
		says(t, []string{"This node does not have it", "no proof that there is no such transaction"}, []string{"The chain"})
	})
	t.Run("a node that does not answer", func(t *testing.T) {
		past.err = fault.Wrap(errors.New("inner"), fault.ProviderUnavailable, "The node <i>sleeps</i>.")
		says(t, []string{"It could not be read", "The node <i>sleeps</i>.", "Nothing follows from this"}, []string{"inner",
			"<i>"})
	})
}

func TestReceiptIsBounded(t *testing.T) {
	past := &pastNode{t: pastSample(t)}
	now := time.Now()
	r := newRig(t, func(c *config) { c.Receipts, c.Now = past, func() time.Time { return now } })
	for _, text := range []string{"", "0x12", "not a digest", strings.Repeat("1", 200)} {
		if a := r.do("POST", "/api/receipt", "", map[string]string{"digest": text}); a.status != http.StatusBadRequest {
			t.Errorf("%q: %d %s", text, a.status, a.body)
		}
	}
	if past.asked > 0 {
		t.Error("the node was asked about what is no digest")
	}
	for i := range 20 {
		if a := r.receipt(); a.status != http.StatusOK {
			t.Fatalf("question %d: %d %s", i, a.status, a.body)
		}
	}
	if a := r.receipt(); a.status != http.StatusTooManyRequests || past.asked != 20 {
		t.Errorf("the 21st question of a minute: %d, the node was asked %d times", a.status, past.asked)
	}
	now = now.Add(time.Minute)
	if a := r.receipt(); a.status != http.StatusOK {
		t.Errorf("a minute later: %d %s", a.status, a.body)
	}
	t.Run("another website cannot make it ask", func(t *testing.T) {
		before := past.asked
		for _, h := range []map[string]string{{"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "cross-site"},
			{"Sec-Fetch-Site": "same-site"},
			{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}} {
			a := r.ask("POST", "/api/receipt", map[string]string{"digest": sampleDigest(t)}, func(to http.Header) {
				for name, value := range h {
					to.Set(name, value)
				}
			})
			if a.status != http.StatusForbidden {
				t.Errorf("%v: %d", h, a.status)
			}
		}
		if past.asked != before {
			t.Error("the node was asked")
		}
	})
}

// TestBrowserReceipt follows a payment from its review to the receipt page, and opens someone
// else's transaction without a token.
func TestBrowserReceipt(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	id, link := j.prepare(pay("1234.5", "USDC", payee))
	b.open(link)
	b.waitStage("ready")
	b.click(`[data-action="sign"]`)
	b.waitStage("success")
	digest := j.session(id).Execution.TxDigest
	b.click(`main a[href^="/receipt/"]`)
	b.waitText("Show what happened")
	t.Run("nothing is asked before the person says so, and no account is shown", func(t *testing.T) {
		b.t = t
		b.says([]string{digest, "Transactions on chain are public"}, []string{"The chain executed it", "Account in use"})
		if got := b.eval(`performance.getEntriesByType('resource').filter(r => r.name.includes('/api/')).length`); got != "0" {
			t.Errorf("%s questions were asked", got)
		}
		b.pictures(dir, "receipt-ask")
	})
	b.t = t
	b.enter(`[data-action="look"]`)
	b.says([]string{"The chain executed it", "the sender", "−1,234.5 USDC", "+1,234.5 USDC", "transfer::public_transfer",
		"of Sui’s framework",
		"Paid in all", "have exactly this digest", "the object 0x", "Ask again"}, []string{"your object",
		"Sandbox test wallet"})
	if got := b.eval(`document.activeElement.dataset.part`); got != "found" {
		t.Errorf("the focus is on %s", got)
	}
	b.pictures(dir, "receipt-page")
	if shown := b.eval(`[...document.querySelectorAll('.mover .address')].map(at => at.textContent).join(' ')`); !strings.Contains(shown, payee) {
		t.Errorf("the addresses shown are %s", shown)
	}
	for path, words := range map[string]string{"/receipt/0x12": "This is not the digest of a transaction", "/receipt/" +
		sampleDigest(t): ""} {
		b.open(j.origin + path)
		if words == "" {
			b.click(`[data-action="look"]`)
			words = "This node does not have it"
		}
		b.waitText(words)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserHostileReceipt lets a node return hostile texts wherever it can.
func TestBrowserHostileReceipt(t *testing.T) {
	inBrowser(t)
	past := &pastNode{t: pastSample(t)}
	now := time.Now()
	r := newRig(t, func(c *config) {
		c.Receipts, c.Now = past, func() time.Time { now = now.Add(time.Minute); return now }
	})
	b := newBrowser(t)
	b.size(320, 640)
	b.open(r.origin + "/receipt/" + sampleDigest(t))
	for _, evil := range hostile {
		p := pastSample(t)
		p.Kind, p.Status, p.Failure = evil, sui.PastFailed, &sui.PastFailure{Message: evil,
			Abort: &sui.MoveAbort{Module: evil, Function: evil}}
		p.Balances.Items[0].Coin, p.Calls.Items[0].Module, p.Calls.Items[0].Function = sui.CoinType(evil), evil, evil
		p.Objects.Items[0].Type, p.Objects.Items[0].Change = evil, evil
		p.Events = sui.Listed[sui.PastEvent]{Known: true, Items: []sui.PastEvent{{Type: evil, Module: evil}}}
		past.t = p
		b.eval(`document.querySelector('[data-part="found"]').firstElementChild?.setAttribute('data-test', 'before')`)
		b.click(`[data-action="look"]`)
		b.wait(`document.querySelector('[data-part="found"] > :not([data-test])')?.innerText.includes('it failed')`)
		b.eval(`[...document.querySelectorAll('details')].map((at) => { at.open = true; })`)
		b.unharmed("a receipt with " + evil[:min(len(evil), 30)])
	}
}
