package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/connect"
)

// demoTimeout limits how long the demo waits for any one thing.
const demoTimeout = 30 * time.Second

// The test wallet that the pages offer on a sandbox.
const (
	demoWalletName = "Sandbox test wallet"
	demoWalletID   = "say-ur-intent-sandbox"
)

func demoCommand(p process) *cobra.Command {
	var once, tour, coinless bool
	cmd := &cobra.Command{Use: "demo", Short: "Try it on a practice chain",
		Long: "Demonstrates a swap on a practice chain inside this program, where nothing is real.\nWith --tour, " +
			"you are the user and the browser shows you the pages.",
		Example: examples("say-ur-intent demo", "say-ur-intent demo --tour"),
		Args:    noArguments, RunE: func(*cobra.Command, []string) error {
			return exitStatus(runDemo(p, once, tour,
				coinless))
		}}
	cmd.Flags().BoolVar(&once, "once", false, "end after the last step")
	cmd.Flags().BoolVar(&tour, "tour", false, "guide you through the pages")
	coinlessFlag(cmd, &coinless)
	cmd.MarkFlagsMutuallyExclusive("once", "tour")
	return cmd
}

// runDemo demonstrates the whole flow on a sandbox chain in this process. It plays an AI client
// over real stdio, and a user over the pages' own API.
func runDemo(p process, once, tour, coinless bool) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	d := &demo{process: p, screen: newScreen(p, demoSteps), coinless: coinless}
	defer d.close()
	defer d.screen.end()
	if tour {
		return d.runTour(ctx)
	}
	if err := d.play(ctx); err != nil {
		d.screen.end()
		if ctx.Err() != nil && !once {
			return exitOK // the user stopped it
		}
		fmt.Fprintf(p.Stderr, "\nThe demo failed: %v\n", err)
		return exitFailed
	}
	link, err := d.second()
	if err != nil {
		fmt.Fprintf(p.Stderr, "\nThe demo failed: %v\n", err)
		return exitFailed
	}
	d.stage("Try it by hand")
	if once {
		d.say("A second review is ready but not opened. Without --once, the server would stay for it.")
		return exitOK
	}
	d.say("Open this link in a browser on this computer. The page has a test wallet. Ctrl-C ends the demo.")
	d.say("  %s", link)
	d.say("demo --tour guides you through everything, with you as the user.")
	<-ctx.Done()
	return exitOK
}

// demoSteps is the number of steps before the last, which the user tries by hand.
const demoSteps = 11

// runTour guides the user through the pages. Afterwards it keeps them open until ctx ends.
func (d *demo) runTour(ctx context.Context) int {
	d.screen.steps = 0 // the user sets the pace, so there is no progress to show
	err := guide{d, d.opener()}.lead(ctx)
	if ctx.Err() != nil {
		return exitOK // the user stopped it
	}
	if err != nil {
		d.screen.end()
		fmt.Fprintf(d.Stderr, "\nThe tour ended: %v\n", err)
		return exitFailed
	}
	<-ctx.Done()
	return exitOK
}

// demo is the state of one run.
type demo struct {
	process
	screen *screen // nil means plain lines on process.Stdout
	client *mcpClient
	dir    string // a temporary directory, removed at the end
	plays  string // name of the AI client that the demo plays; "" means connect.TourClient
	// environ is added to the server's environment.
	environ []string
	undo    []func()
	// coinless keeps all of the account's funds in its address balance instead of coins.
	coinless bool
}

func (d *demo) close() {
	for i := len(d.undo) - 1; i >= 0; i-- {
		d.undo[i]()
	}
}

func (d *demo) stage(title string) {
	d.shown().stage(title)
}

func (d *demo) say(format string, args ...any) {
	d.shown().say(fmt.Sprintf(format, args...))
}

// shown returns the output of this run, which is plain text if no screen is set.
func (d *demo) shown() *screen {
	if d.screen == nil {
		d.screen = &screen{}
	}
	d.screen.out = d.Stdout
	return d.screen
}

// play runs the demo from the user's sentence to the receipt.
func (d *demo) play(ctx context.Context) error {
	steps := []func() error{d.start, d.connect}
	for _, step := range steps {
		if err := errors.Join(step(), ctx.Err()); err != nil {
			return err
		}
	}
	id, page, err := d.prepare("10")
	if err != nil {
		return err
	}
	shown, err := d.read(page)
	if err != nil {
		return err
	}
	if err := d.sign(page, shown); err != nil {
		return err
	}
	if err := d.receipt(id); err != nil {
		return err
	}
	for _, step := range []func() error{d.together, d.choose, d.protocols, d.fundManager, d.order, d.payments} {
		if err := errors.Join(step(), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// start starts a chain, and then the server as an AI client would.
func (d *demo) start() error {
	d.stage("Start a chain and a server")
	chain, err := sandbox.New(sandbox.Config{Now: d.Now})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		if err := chain.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(d.Stderr, "the sandbox ended:", err)
		}
	}()
	d.undo = append(d.undo, chain.Close)
	chain.ShowHoldings()
	holds := "holds coins."
	if d.coinless {
		chain.Deposit(sandbox.Account)
		holds = "holds no coin objects, only an address balance."
	}
	if d.dir, err = os.MkdirTemp("", "say-ur-intent-demo-"); err != nil {
		return err
	}
	d.undo = append(d.undo, func() { _ = os.RemoveAll(d.dir) }, func() {
		s := options{network: networks["sandbox"], dataDir: filepath.Join(d.dir, "sandbox")}
		_ = s.askServer(process{Now: time.Now}, door.KindStop, new(serverStatus))
	})
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	d.client, err = startClientAs(cmp.Or(d.plays, connect.TourClient), executable, []string{"--network", "sandbox"},
		append([]string{
			"SUI_GRPC_URL=http://" + ln.Addr().String(), "SAY_UR_INTENT_DATA_DIR=" + filepath.Clean(d.dir),
		}, d.environ...), d.Stderr)
	if err != nil {
		return err
	}
	d.undo = append(d.undo, d.client.stop)
	d.say("A sandbox chain serves Sui's gRPC on this computer, with DeepBook pools and an account that %s", holds)
	d.say("The server runs as it does for an AI client: MCP over standard input and output.")
	return nil
}

// connect plays a user who chooses an account on the connect page.
func (d *demo) connect() error {
	d.stage("The AI asks the user to connect a wallet")
	var session struct {
		ID  string `json:"walletSessionId"`
		URL string `json:"walletUrl"`
	}
	if err := d.client.call("session.create_wallet_identity", map[string]any{}, &session); err != nil {
		return err
	}
	page, err := openLink(session.URL)
	if err != nil {
		return err
	}
	if err := chooseAccount(page); err != nil {
		return err
	}
	var identity struct {
		Status  string `json:"status"`
		Account string `json:"account"`
	}
	err = d.client.call("session.wait_wallet_identity", map[string]any{"walletSessionId": session.ID}, &identity)
	if err != nil {
		return err
	}
	if identity.Status != "connected" {
		return fmt.Errorf("the wallet identity is %s, not connected", identity.Status)
	}
	d.say("Connected: %s", sandbox.Account)
	return nil
}

// chooseAccount sends the requests that the connect page sends when the user chooses the test
// wallet.
func chooseAccount(page *person) error {
	state := "/api/wallet/" + page.id + "/state"
	if err := page.post(state, map[string]any{
		"status": "connecting", "walletName": demoWalletName, "walletId": demoWalletID,
	}, nil); err != nil {
		return err
	}
	return page.post(state, map[string]any{
		"status": "connected", "account": sandbox.Account.String(), "chain": "sui:localnet",
		"walletName": demoWalletName, "walletId": demoWalletID,
	}, nil)
}

// swapRequest returns the arguments with which a model requests a swap of amount SUI to USDC.
func swapRequest(amount string) map[string]any {
	return map[string]any{"intent": map[string]any{
		"type": "swap", "from": map[string]any{"symbol": "SUI", "amount": amount},
		"to": map[string]any{"symbol": "USDC"}, "maxSlippageBps": 50, "protocol": "deep",
	}}
}

// prepare requests a review of a swap, and opens its link like the user.
func (d *demo) prepare(amount string) (id string, page *person, err error) {
	d.stage("“Swap " + amount + " SUI to USDC, at most 0.5 percent worse”")
	var prepared struct {
		ID  string `json:"reviewSessionId"`
		URL string `json:"reviewUrl"`
	}
	if err := d.client.call("action.prepare_sui_action_review", swapRequest(amount), &prepared); err != nil {
		return "", nil, err
	}
	d.say("The AI receives a link to a review and nothing that could be signed.")
	page, err = openLink(prepared.URL)
	return prepared.ID, page, err
}

// shownReview is a review as the page's API returns it.
type shownReview struct {
	Revision    int64             `json:"revision"`
	Status      record.Status     `json:"status"`
	Reason      plan.Reason       `json:"reason"`
	Commitment  string            `json:"commitment"`
	Computing   bool              `json:"computing"`
	ReviewState record.State      `json:"reviewState"`
	Facts       *plan.Facts       `json:"facts"`
	Holdings    []record.Holding  `json:"holdings"`
	Execution   *record.Execution `json:"execution"`
}

// read waits for the review and prints it.
func (d *demo) read(page *person) (shownReview, error) {
	d.stage("The user reads the review")
	shown, err := d.ready(page)
	if err == nil {
		d.tell(shown)
	}
	return shown, err
}

// ready makes the page compute the review, and waits until it can be signed.
func (d *demo) ready(page *person) (shownReview, error) {
	path := "/api/review/" + page.id
	var shown shownReview
	if err := page.get(path+"/state", &shown); err != nil {
		return shown, err
	}
	if err := page.post(path+"/compute", map[string]any{"revision": shown.Revision}, nil); err != nil {
		return shown, err
	}
	for end := d.Now().Add(demoTimeout); ; time.Sleep(20 * time.Millisecond) {
		if err := page.get(path+"/state", &shown); err != nil {
			return shown, err
		}
		if !shown.Computing && shown.Status != record.WalletConnected {
			break
		}
		if d.Now().After(end) {
			return shown, errors.New("the review took too long")
		}
	}
	if shown.Status != record.Ready || shown.Facts == nil {
		for _, c := range shown.ReviewState.Checks {
			d.say("%-8s %s: %s", c.Status, c.Label, c.Message)
		}
		return shown, fmt.Errorf("the review is %s (%s), not ready", shown.Status, shown.Reason)
	}
	return shown, nil
}

// tell prints a review as sentences.
func (d *demo) tell(shown shownReview) {
	f := shown.Facts
	p := f.Promise()
	for _, a := range p.Amounts(plan.RoleInput, plan.RoleFee) {
		d.say("Pays:              %s", a)
	}
	for _, a := range p.Amounts(plan.RoleOutput) {
		d.say("Receives at least: %s", a)
	}
	if h := shown.ReviewState.HumanReview; h != nil {
		d.say("Guaranteed:        %s", h.Guarantee)
	}
	for _, step := range f.Steps {
		d.say("Expected:          %s   (reported by the pool)", step.Expected)
		d.say("To:                %s", step.Sends)
		d.say("Through:           %s in pool %s", step.Function, step.Route)
	}
	d.say("Gas:               at most %s SUI", f.Gas.Budget.Decimal(9))
	d.say("Valid to epoch:    %d", f.LastEpoch)
	for _, h := range shown.Holdings {
		d.say("%-18s %s before, %s after (simulated)", h.Symbol+":", h.Before.Decimal(h.Decimals),
			h.After.Decimal(h.Decimals))
	}
	passed := 0
	for _, c := range shown.ReviewState.Checks {
		if c.Status == plan.CheckPass {
			passed++
			continue
		}
		d.say("%s: %s", c.Label, c.Message)
	}
	d.say("Checks passed:     %d of %d", passed, len(shown.ReviewState.Checks))
	d.say("Commitment:        %s", shown.Commitment)
}

// sign has the wallet sign the review's transaction, and prints the result.
func (d *demo) sign(page *person, shown shownReview) error {
	d.stage("The user signs in their own wallet")
	digest, err := d.handOff(page, shown)
	if err != nil {
		return err
	}
	d.say("The bytes are exactly those displayed. Digest: %s.", digest)
	d.say("The signature verifies, and the signer is the account.")
	return nil
}

// handOff releases the displayed bytes to the wallet, has it sign them, and sends the signature to
// the page. It checks both as the page does.
func (d *demo) handOff(page *person, shown shownReview) (digest sui.Digest, err error) {
	path := "/api/review/" + page.id
	var handed struct {
		TransactionJSON string `json:"transactionJson"`
		Bytes           []byte `json:"bytes"`
		Nonce           string `json:"releaseNonce"`
	}
	err = page.post(path+"/handoff", map[string]any{"revision": shown.Revision, "commitment": shown.Commitment}, &handed)
	if err != nil {
		return digest, err
	}
	digest = sui.TransactionDigest(handed.Bytes)
	if got := sui.Commitment(digest); got != shown.Commitment {
		return digest, fmt.Errorf("the commitment of the bytes is %s, but the page showed %s", got, shown.Commitment)
	}
	var signed struct {
		Bytes     []byte `json:"bytes"`
		Signature []byte `json:"signature"`
	}
	err = page.post("/sandbox/wallet/sign", map[string]any{"transaction": handed.TransactionJSON}, &signed)
	if err != nil {
		return digest, err
	}
	if !bytes.Equal(signed.Bytes, handed.Bytes) {
		return digest, errors.New("the wallet signed other bytes")
	}
	signer, err := sui.VerifyTransactionSignature(signed.Bytes, signed.Signature)
	if err != nil {
		return digest, fmt.Errorf("the signature does not verify: %w", err)
	}
	if signer != shown.Facts.Sender {
		return digest, fmt.Errorf("%s signed, not %s", signer, shown.Facts.Sender)
	}
	return digest, page.post(path+"/signed", map[string]any{
		"releaseNonce": handed.Nonce, "bytes": base64.StdEncoding.EncodeToString(signed.Bytes),
		"signature": base64.StdEncoding.EncodeToString(signed.Signature),
	}, nil)
}

// receipt waits for the review's result on chain and prints its receipt.
func (d *demo) receipt(id string) error {
	d.stage("The AI reads the receipt")
	done, headline, err := d.result(id)
	if err != nil {
		return err
	}
	d.say("Result:            %s: %s", done.Status, headline)
	d.say("Transaction:       %s", done.TxDigest)
	d.restsOn(done)
	for _, promise := range done.Receipt.Promises {
		d.say("%-7s %s: promised %s, got %s", "kept", promise.Label, promise.Promised, promise.Actual)
	}
	for _, c := range done.Receipt.BalanceChanges {
		amount, unit := c.Amount.String(), "raw units of "+string(c.Coin)
		if coin, ok := coins.ByType(c.Coin); ok {
			amount, unit = c.Amount.Decimal(coin.Decimals), coin.Symbol
		}
		d.say("Balance change:    %s %s", amount, unit)
	}
	return nil
}

// result waits for the outcome of a review like an AI client. It returns an error unless the
// transaction succeeded, kept every promise, and is proved.
func (d *demo) result(id string) (done *record.Execution, headline string, err error) {
	var result struct {
		Status   string            `json:"status"`
		Category string            `json:"statusCategory"`
		Headline string            `json:"headline"`
		Result   *record.Execution `json:"executionResult"`
	}
	err = d.client.call("session.wait_execution_result", map[string]any{"reviewSessionId": id, "detail": "full"}, &result)
	if err != nil {
		return nil, "", err
	}
	if result.Status != "success" || result.Result == nil || result.Result.Receipt == nil {
		return nil, "", fmt.Errorf("the result is %s (%s), not success", result.Status, result.Category)
	}
	for _, promise := range result.Result.Receipt.Promises {
		if !promise.Kept {
			return nil, "", fmt.Errorf("a promise of the review was not kept: %s, promised %s, happened %s", promise.Label,
				promise.Promised, promise.Actual)
		}
	}
	if p := result.Result.Proof(); p.State != record.Proved {
		return nil, "", fmt.Errorf("the result is not proved: %s", p.Sentence())
	}
	return result.Result, result.Headline, nil
}

// restsOn prints the evidence for a result.
func (d *demo) restsOn(x *record.Execution) {
	d.say("Proved:            %d validators, with more than two thirds of the voting power, signed checkpoint %d",
		x.Proof().Signers, x.Proof().Checkpoint)
}

// second prepares another review and returns its link, which the user can try.
func (d *demo) second() (link string, err error) {
	var prepared struct {
		URL string `json:"reviewUrl"`
	}
	err = d.client.call("action.prepare_sui_action_review", swapRequest("10"), &prepared)
	return prepared.URL, err
}
