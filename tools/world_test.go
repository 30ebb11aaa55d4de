package tools_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"github.com/sayurintent/sayurintent/internal/bus"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/watch"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// world is the complete back end of the tools: a sandbox chain over its wire protocol, a store in a
// temporary file, and the review and account services.
type world struct {
	*testkit.Harness
	t        *testing.T
	tools    []tool.Tool
	lie      func(*sui.Simulation) // changes the node's answers to reads; nil leaves them
	pages    bool
	broken   bool                       // cache of coin metadata
	liesPast bool                       // reader of past transactions
	retells  func(*sui.PastTransaction) // reader of one past transaction
	prices   *pricesDouble
	router   *routerDouble
	values   map[string]string // values for the names in examples' angle brackets
	editor   *editorDouble     // editor connected for a project
	requests *request.Service
}

func build(t *testing.T, edit func(*review.Config)) *world {
	t.Helper()
	return buildAt(t, double.Patient(time.Now), edit)
}

// buildAt builds a world with the clock now.
func buildAt(t *testing.T, now func() time.Time, edit func(*review.Config)) *world {
	t.Helper()
	t.TempDir() // the first call makes it the last to be removed, after tasks that write there
	w := &world{Harness: testkit.Start(t, now, edit), t: t, pages: true, values: map[string]string{},
		editor: &editorDouble{}}
	w.serve()
	return w
}

func (w *world) serve() {
	w.prices, w.router = &pricesDouble{w.indexerAt(w.URL)}, &routerDouble{w.quoterAt(w.URL)}
	w.tools = tools.All(w.deps())
}

// deps returns the dependencies of this world's tools.
func (w *world) deps() tools.Deps {
	bundles := request.New(request.Config{Store: w.Store, Make: w.Reviews, Active: w.active, Hub: w.Hub, Now: w.Clock.Now,
		Rand: rand.Reader})
	w.requests = bundles
	runner := worker.NewRunner(w.Store, w.Hub, w.Clock.Now)
	w.t.Cleanup(runner.Close)
	held := assets.New(assets.Config{Chain: w.Node, Cache: cache{w.Store, w},
		Pools: deepbook.New(deepbook.Config{Chain: chain{w}, Now: w.Clock.Now}),
		Now:   w.Clock.Now, Watched: w.Store.WatchedTypes})
	watched := watch.NewService(w.Store, held, w.Clock.Now)
	names := book.NewService(w.Store, w.Clock.Now)
	plans := plans.New(plans.Config{Store: w.Store, Requests: bundles, Make: w.Reviews, Book: names,
		Now: w.Clock.Now})
	w.t.Cleanup(plans.Close)
	desk := pagetoken.NewDesk(w.Store, w.Clock.Now, rand.Reader)
	local := workspace.NewLocal(workspace.Config{Registry: w.Store, Changes: w.Store, Chain: codeOf{w.Node},
		Now: w.Clock.Now})
	return tools.Deps{
		Prices: w.prices,
		Router: w.router,
		About: tools.About{Version: "test", Network: testkit.Network, Prompts: []string{"swap-deep"},
			Pages: tools.Pages{Origin: "http://127.0.0.1:1"}, Frozen: w.Store.Frozen},
		Accounts: w.Accounts,
		Reviews:  w.Reviews,
		Book:     deepbook.New(deepbook.Config{Chain: chain{w}, Now: w.Clock.Now}),
		Assets:   held,
		ChainReaders: tools.ChainReaders{Positions: w.positions(),
			Staking: staking.NewReader(rates{w.Node, w}, w.Clock.Now),
			Standing: deepbook.NewInventory(deepbook.New(deepbook.Config{Chain: chain{w}, Now: w.Clock.Now}),
				w.Node).Permissions(w.Node, w.Clock.Now), Resolver: suins.Resolver{Chain: w.Node, Registry: suins.Mainnet,
				Now: w.Clock.Now}, Packages: w.Node},
		Watched: watched,
		Bundles: bundles,
		Plans:   plans,
		Actions: actions.New(actions.Config{Store: w.Store, Book: names, Watch: watched, Now: w.Clock.Now,
			Active: func(ctx context.Context) (sui.Address, bool, error) {
				a, ok, err := w.Accounts.Active(ctx)
				return a.Account, ok, err
			}}),
		History:        w.Store,
		Bus:            w.Store,
		Runner:         runner,
		SourceProjects: tools.SourceProjects{Projects: local, Sources: local, Editor: w.editor},
		PriceBeat:      10 * time.Millisecond,
		Names:          names,
		Activity:       w.activity(),
		Settings:       w.settings(),
		Now:            w.Clock.Now,
		Inventory:      deepbook.NewInventory(deepbook.New(deepbook.Config{Chain: chain{w}, Now: w.Clock.Now}), w.Node),
		PageLinks: tools.PageLinks{Withdraw: tools.Withdraw{Session: w.Store.Withdraw, Link: func(ctx context.Context,
			kind pagetoken.Kind, id, link string) error {
			_, code, _ := strings.Cut(link, "#")
			return desk.Withdraw(ctx, kind, id, code)
		}}, Link: func(ctx context.Context, kind pagetoken.Kind, id string) (string, error) {
			if !w.pages {
				return "", fault.New(fault.HandoffUnavailable, "Another process serves the pages of this installation.")
			}
			code, err := desk.Link(ctx, kind, id, pagetoken.LinkLife)
			return "http://127.0.0.1:1/" + string(kind) + "/" + id + "#" + code.Reveal(), err
		}},
	}
}

func (w *world) active(ctx context.Context) (record.Account, bool, error) {
	a, ok, err := w.Accounts.Active(ctx)
	return record.Account{Address: a.Account, WalletName: a.WalletName, WalletID: a.WalletID}, ok, err
}

// chain is the node's client, which may return wrong data to readers of pools.
type chain struct{ w *world }

func (c chain) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	s, err := c.w.Node.Simulate(ctx, tx, checks)
	if c.w.lie != nil && err == nil {
		c.w.lie(&s)
	}
	return s, err
}

func (c chain) Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	return c.w.Node.Objects(ctx, ids)
}

// rates is the node's client, which may return wrong data to readers of exchange rates.
type rates struct {
	*rpc.Client
	w *world
}

func (r rates) PresentContents(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	list, err := r.Client.PresentContents(ctx, ids)
	for i := range list {
		if r.w.lie != nil {
			list[i].Contents = nil
		}
	}
	return list, err
}

func (w *world) tool(name string) tool.Tool {
	w.t.Helper()
	for _, d := range w.tools {
		if d.Name == name {
			return d
		}
	}
	w.t.Fatalf("there is no tool %s", name)
	return tool.Tool{}
}

// call calls a tool and returns the answer's data, or the error.
func (w *world) call(name, args string) (tool.Answer, map[string]any) {
	w.t.Helper()
	answer := w.tool(name).Call(tool.NewCall(context.Background(), nil, tool.Client{}), json.RawMessage(args))
	var v struct{ Data, Error map[string]any }
	if err := json.Unmarshal(answer.Text, &v); err != nil {
		w.t.Fatalf("%s: %v", answer.Text, err)
	}
	if answer.Fault != nil {
		return answer, v.Error
	}
	return answer, v.Data
}

// must calls a tool that has to succeed.
func (w *world) must(name, args string) map[string]any {
	w.t.Helper()
	answer, data := w.call(name, args)
	if answer.Fault != nil {
		w.t.Fatalf("%s %s: %s", name, args, answer.Text)
	}
	return data
}

// identity creates a wallet identity session and reports steps of it.
func (w *world) identity(reports ...account.Report) {
	w.t.Helper()
	ctx := context.Background()
	i, err := w.Accounts.Create(ctx)
	if err == nil && len(reports) > 0 {
		err = w.Accounts.Opened(ctx, i.ID)
	}
	for _, r := range reports {
		if err == nil {
			_, err = w.Accounts.Report(ctx, i.ID, r)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.values["walletSessionId"] = i.ID
}

func (w *world) reviewing(s record.Session) {
	w.values["reviewSessionId"] = string(s.ID)
	task, _, err := w.Store.TaskOf(context.Background(), record.Subject(s.ID))
	if err != nil {
		w.t.Fatal(err)
	}
	w.values["taskId"] = task.ID
}

var (
	connecting = account.Report{Status: account.Connecting, WalletName: testkit.WalletName, WalletID: testkit.WalletID}
	connected  = account.Report{Status: account.Connected, Account: sandbox.Account.String(), Chain: testkit.WalletChain,
		WalletName: testkit.WalletName, WalletID: testkit.WalletID}
	refused = account.Report{Status: account.Rejected, FailureReason: account.UserRejected, FailureDetail: "User said no."}
)

// busy starts as many tasks as one conversation may have.
func (w *world) busy() {
	w.t.Helper()
	w.Connect(sandbox.Account)
	for range bus.MostTasks {
		if _, err := w.Store.CreateTask(context.Background(), bus.Task{Session: w.Store.Bus(w.t.Context()),
			Kind: bus.KindScan, Tool: "task.scan_activity",
			DeadlineAt: w.Clock.Now().Add(time.Hour)}); err != nil {
			w.t.Fatal(err)
		}
	}
}

var tenSUI = testkit.Swap("10", "SUI", "USDC")

// situations creates the examples' situations.
var situations = map[string]func(w *world){
	"nothing is connected":                        func(*world) {},
	"the user set limits on the settings page":    func(w *world) { w.limit() },
	"a wallet account is connected":               func(w *world) { w.Connect(sandbox.Account) },
	"a plan was set":                              func(w *world) { w.planned() },
	"sixteen calls for a plan have no answer yet": func(w *world) { w.callsWait() },
	"a connect link was created and not opened": func(w *world) {
		w.identity()
	},
	"the user connected a wallet through the link":           func(w *world) { w.identity(connecting, connected) },
	"the user declined in the wallet":                        func(w *world) { w.identity(connecting, refused) },
	"the user proved the connected account with a signature": func(w *world) { w.provenIdentity() },
	"the user connected another account than before": func(w *world) {
		w.Connect(sui.MustAddress("0xa11ce"))
		w.identity(connecting, connected)
	},
	"the connect link was opened twice": func(w *world) { w.openedTwice() },
	"a review is prepared and not opened": func(w *world) {
		w.Connect(sandbox.Account)
		s, err := w.Reviews.Prepare(context.Background(), tenSUI)
		if err != nil {
			w.t.Fatal(err)
		}
		w.reviewing(s)
	},
	"the review is computed and ready": func(w *world) { w.reviewing(w.Ready(tenSUI)) },
	"the review is blocked: the account holds too little": func(w *world) {
		s := w.Open(testkit.Swap("20000", "DEEP", "USDC"))
		s = w.Compute(s)
		if s.Status != record.Blocked || s.Reason != plan.InsufficientBalance {
			w.t.Fatalf("the review is %s, %s", s.Status, s.Reason)
		}
		w.reviewing(s)
	},
	"the user declined the review": func(w *world) {
		s, err := w.Reviews.Outcome(context.Background(), w.Ready(tenSUI).ID, "", record.OutcomeDeclined)
		if err != nil {
			w.t.Fatal(err)
		}
		w.reviewing(s)
	},
	"the user changed the amount on the page of the review": func(w *world) {
		s := w.Ready(tenSUI)
		five := tenSUI
		five.From.Amount = "5"
		right := func(context.Context) error { return nil }
		if _, err := w.requests.Change(context.Background(), s.ID, request.Answer{Revision: s.Revision, Right: right},
			five); err != nil {
			w.t.Fatal(err)
		}
		s, err := w.Reviews.Get(context.Background(), s.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		w.reviewing(s)
	},
	"the user signed, and the node has not reported the result": func(w *world) {
		s := w.Ready(tenSUI)
		handoff := w.HandOff(s)
		raw, signature := w.Sign(handoff)
		w.Inject(sandbox.Fault{Kind: sandbox.Fail})
		s, err := w.Reviews.Signed(context.Background(), s.ID, handoff.Nonce, raw, signature)
		if err != nil {
			w.t.Fatal(err)
		}
		w.reviewing(w.Until(s.ID, "sending it had no answer", func(s record.Session) bool { return s.Execution.Note != "" }))
	},
	"the user signed, and the transaction failed on chain": func(w *world) {
		s := w.Ready(tenSUI)
		handoff := w.HandOff(s)
		raw, signature := w.Sign(handoff)
		w.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -500})
		if _, err := w.Reviews.Signed(context.Background(), s.ID, handoff.Nonce, raw, signature); err != nil {
			w.t.Fatal(err)
		}
		w.reviewing(w.Until(s.ID, "it failed on chain", func(s record.Session) bool { return s.Status == record.Failure }))
	},
	"the user signed, and the swap is on chain":                   func(w *world) { w.swapped() },
	"the account has a DeepBook balance manager with open orders": func(w *world) { w.manager() },
	"the node cannot be reached": func(w *world) {
		w.Connect(sandbox.Account)
		w.Inject(sandbox.Fault{Kind: sandbox.Fail})
	},
	"the node refuses the simulation": func(w *world) {
		w.Connect(sandbox.Account)
		w.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "SimulateTransaction"})
	},
	"the node answers with values of another shape": func(w *world) {
		w.Connect(sandbox.Account)
		w.lie = func(s *sui.Simulation) { s.Returns = nil }
	},
	"the pool accepts none of the known versions": func(w *world) {
		w.Connect(sandbox.Account)
		for _, p := range registry.Packages() {
			w.Inject(sandbox.Fault{Kind: sandbox.DisableVersion, Version: p.Version})
		}
	},
	"the account holds coins without a description, and some that imitate others": func(w *world) { w.oddCoins() },
	"the node's list of balances does not advance": func(w *world) {
		w.Inject(sandbox.Fault{Kind: sandbox.StuckBalances})
		stuck := w.must("read.summarize_wallet_assets", `{"account":"`+sandbox.Account.String()+`"}`)
		w.values["cursor"] = stuck["cursor"].(string)
	},
	"the node lists one coin twice":                                                            func(w *world) { w.Inject(sandbox.Fault{Kind: sandbox.RepeatBalances}) },
	"the node refuses to describe the epoch":                                                   func(w *world) { w.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "GetEpoch"}) },
	"the node refuses to list balances":                                                        func(w *world) { w.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "ListBalances"}) },
	"the node refuses to return objects":                                                       func(w *world) { w.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "GetObject"}) },
	"the cache of coin metadata cannot be used":                                                func(w *world) { w.broken = true },
	"the account's transactions were scanned":                                                  func(w *world) { w.swapped(); w.scanned() },
	"the account's transactions were scanned while the provider returned no details":           func(w *world) { w.bare(); w.scanned() },
	"the account sent a transaction, and the node does not return the validators' signatures":  func(w *world) { w.swapped(); w.unsigned() },
	"there is a past transaction without the validators' signatures, and nothing is connected": func(w *world) { w.swapped(); w.disconnect(); w.unsigned() },
	"there is a past transaction, and nothing is connected":                                    func(w *world) { w.swapped(); w.disconnect() },
	"the account sent a transaction, and the provider returns no details":                      func(w *world) { w.bare() },
	"the provider refuses to return past transactions":                                         func(w *world) { w.Connect(sandbox.Account); w.refusePast() },
	"the provider returns past transactions without an end":                                    func(w *world) { w.endless() },
	"three questions to the user are open": func(w *world) {
		for range bus.MostQuestions {
			w.must("events.ask_user", `{"question":"Which pool?"}`)
		}
	},
	"a project is registered, and its files are only read":                 func(w *world) { w.project(workspace.ReadOnly) },
	"a project is registered, and its files may be changed without asking": func(w *world) { w.project(workspace.Auto) },
	"an editor is connected for a registered project":                      func(w *world) { w.project(workspace.Auto); w.editor.connected = true },
	"a project is registered, and the node cannot be reached": func(w *world) {
		w.project(workspace.ReadOnly)
		w.Inject(sandbox.Fault{Kind: sandbox.Fail})
	},
	"the folder of a registered project is gone": func(w *world) {
		if err := os.RemoveAll(w.project(workspace.Auto)); err != nil {
			w.t.Fatal(err)
		}
	},
	"sixteen tasks are running, and a project is registered": func(w *world) { w.project(workspace.Auto); w.busy() },
	"sixteen tasks are running":                              func(w *world) { w.busy() },
	"six reviews were prepared": func(w *world) {
		w.Connect(sandbox.Account)
		for range 6 {
			s, err := w.Reviews.Prepare(context.Background(), tenSUI)
			if err != nil {
				w.t.Fatal(err)
			}
			w.reviewing(s)
		}
	},
	"the indexer cannot be reached": func(w *world) { w.prices.Client = w.indexerAt("http://127.0.0.1:1") },
	"the indexer refuses": func(w *world) {
		w.otherIndexer(400, "application/json",
			"{}")
	},
	"the indexer answers with a page": func(w *world) {
		w.otherIndexer(200, "text/html",
			"<html>")
	},
	"the indexer lists no pool": func(w *world) {
		w.otherIndexer(200, "application/json",
			"[]")
	},
	"the indexer knows no trade":           func(w *world) { w.silentIndexer() },
	"moments of the pool's past are known": func(w *world) { w.past() },
	"the FlowX quoter cannot be reached":   func(w *world) { w.router.Client = w.quoterAt("http://127.0.0.1:1") },
	"the FlowX quoter refuses":             func(w *world) { w.otherQuoter(403, nil) },
	"the FlowX quoter names other objects than the pinned ones": func(w *world) {
		w.otherQuoter(200,
			retold("poolRegistryObjectId", "0x2"))
	},
	"the FlowX quoter chooses another venue": func(w *world) {
		w.otherQuoter(200, retold("source",
			"CETUS"))
	},
	"the user hides the address book from AI clients": func(w *world) {
		if err := book.NewService(w.Store, time.Now).LetRead(context.Background(), false); err != nil {
			w.t.Fatal(err)
		}
	},
	"no pages are served": func(w *world) {
		w.Connect(sandbox.Account)
		w.pages = false
	},
}

// positions reads stakes, positions and claims over the world's node.
func (w *world) positions() *positions.Reader {
	r := positions.NewReader(w.Node, staking.NewReader(w.Node, w.Clock.Now))
	r.Supplies = func(ctx context.Context, owner sui.Address) (list []positions.Supply, err error) {
		found, err := floored.Supplies(ctx, w.Node, w.Clock.Now, owner)
		for _, s := range found {
			list = append(list, positions.Supply(s))
		}
		return list, err
	}
	return r
}
