package managed_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/balancemanager"
	deeporders "github.com/sayurintent/sayurintent/internal/protocol/deepbook/orders"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// adapters returns every action on a manager, over the harness's node.
func adapters(h *testkit.Harness) map[string]plan.Adapter {
	source := deepbook.NewInventory(h.Pools, h.Node)
	all := map[string]plan.Adapter{}
	for _, a := range append(deeporders.New(h.Pools, source), balancemanager.NewCreate(),
		balancemanager.NewDeposit(source),
		balancemanager.NewWithdraw(source), balancemanager.NewWithdrawAll(h.Pools, source)) {
		all[a.Meta().Action] = a
	}
	return all
}

// orderAction returns the adapter of an action on orders.
func orderAction(action string, market deeporders.Market, source deeporders.Source) plan.Adapter {
	for _, a := range deeporders.New(market, source) {
		if a.Meta().Action == action {
			return a
		}
	}
	return nil
}

// open creates a registered manager of the sandbox account with funds.
func open(t *testing.T, h *testkit.Harness, orders ...sandbox.RestingOrder) sui.ObjectID {
	t.Helper()
	id, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true, Orders: orders,
		Deposits: []sandbox.Deposit{
			{Coin: sui.SUI, Amount: 500_000_000_000}, {Coin: coin("USDC").Type, Amount: 900_000_000}, {Coin: coins.DEEP,
				Amount: 100_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func coin(symbol string) coins.Coin {
	c, _ := coins.BySymbol(symbol)
	return c
}

// far is a price at which nothing trades immediately.
const far = "9.5"

func sell(quantity, price string) plan.Intent {
	return plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: price,
		Quantity: quantity}}
}

func order(edit func(*plan.Order)) func(*plan.Intent) {
	return func(i *plan.Intent) {
		o := *i.Order
		edit(&o)
		i.Order = &o
	}
}

func TestConformance(t *testing.T) {
	long.Skip(t, "it takes each action through every fault")
	manager := func(text string) func(*plan.Intent) { return func(i *plan.Intent) { i.Manager = text } }
	badManagers := map[string]func(*plan.Intent){"a short manager": manager("0x5"), "no manager": manager("mine")}
	with := func(t *testing.T, action string, s testkit.Subject) {
		t.Run(action, func(t *testing.T) {
			s.Adapter = func(h *testkit.Harness) plan.Adapter { return adapters(h)[action] }
			testkit.Adapter(t, time.Now, s)
		})
	}
	with(t, "manager-create", testkit.Subject{Good: []plan.Intent{{Type: "manager-create"}}})
	with(t, "manager-deposit", testkit.Subject{Bad: badManagers, Make: func(h *testkit.Harness) []plan.Intent {
		id := open(t, h).String()
		from := func(amount, symbol, manager string) plan.Intent {
			return plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: symbol, Amount: amount},
				Manager: manager}
		}
		return []plan.Intent{from("10", "SUI", ""), from("700", "SUI", id), from("3000", "USDC", id)}
	}})
	with(t, "manager-withdraw", testkit.Subject{Bad: badManagers, Make: func(h *testkit.Harness) []plan.Intent {
		id := open(t, h).String()
		to := func(amount, symbol, manager string) plan.Intent {
			return plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: symbol, Amount: amount}, Manager: manager}
		}
		return []plan.Intent{to("12.5", "USDC", ""), to("500", "SUI", id)}
	}})
	with(t, "limit-order", testkit.Subject{Make: func(h *testkit.Harness) []plan.Intent {
		open(t, h)
		buy := sell("5", "0.5")
		order(func(o *plan.Order) { o.Side, o.PostOnly, o.ExpiresAt = "buy", true, "2199-01-01T00:00:00Z" })(&buy)
		inDeep, crossing := buy, sell("20", "1.2")
		inDeep.FeeMode, crossing.FeeMode = "deep", "deep"
		// the asks at 1.2 trade immediately
		return []plan.Intent{sell("10.1", far), buy, sell("20", "1.2"), inDeep, crossing}
	}, Bad: map[string]func(*plan.Intent){
		"a strange fee mode": func(i *plan.Intent) { i.FeeMode = "usdc" },
		"a short manager":    manager("0x5"), "no order": func(i *plan.Intent) { i.Order = nil },
		"no side":                order(func(o *plan.Order) { o.Side = "" }),
		"a strange one":          order(func(o *plan.Order) { o.Side = "short" }),
		"no pool":                order(func(o *plan.Order) { o.Pool = "SUI_NOPE" }),
		"no price":               order(func(o *plan.Order) { o.Price = "" }),
		"price zero":             order(func(o *plan.Order) { o.Price = "0" }),
		"a price of many digits": order(func(o *plan.Order) { o.Price = "1.0000000001" }),
		"a price beyond numbers": order(func(o *plan.Order) { o.Price = "99999999999999" }),
		"quantity zero":          order(func(o *plan.Order) { o.Quantity = "0" }),
		"an end without a form":  order(func(o *plan.Order) { o.ExpiresAt = "tomorrow" }),
		"an end before 1970":     order(func(o *plan.Order) { o.ExpiresAt = "1960-01-01T00:00:00Z" }),
	}})
	with(t, "cancel-order", testkit.Subject{Make: func(h *testkit.Harness) []plan.Intent {
		id := open(t, h, sandbox.RestingOrder{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000})
		return []plan.Intent{{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"},
			Own: plan.Own{"orderId": orders(t, h, id)[0].ID}}}
	}, Bad: map[string]func(*plan.Intent){
		"no number":              testkit.Own("orderId", ""),
		"a hexadecimal one":      testkit.Own("orderId", "0x12"),
		"beyond 128 bits":        testkit.Own("orderId", "340282366920938463463374607431768211456"),
		"no pool":                func(i *plan.Intent) { i.Order = nil },
		"more of an order":       order(func(o *plan.Order) { o.Side = "sell" }),
		"a manager without form": manager("0x1"),
	}})
}

func TestConformanceOfEverydayActions(t *testing.T) {
	long.Skip(t, "it takes each action through every fault")
	manager := func(text string) func(*plan.Intent) { return func(i *plan.Intent) { i.Manager = text } }
	with := func(t *testing.T, action string, s testkit.Subject) {
		t.Run(action, func(t *testing.T) {
			s.Adapter = func(h *testkit.Harness) plan.Adapter { return adapters(h)[action] }
			testkit.Adapter(t, time.Now, s)
		})
	}
	rests := []sandbox.RestingOrder{resting(9_500_000, 5_000_000_000), elsewhere}
	with(t, "cancel-all-orders", testkit.Subject{Make: func(h *testkit.Harness) []plan.Intent {
		open(t, h, rests...)
		return []plan.Intent{{Type: "cancel-all-orders", Order: &plan.Order{Pool: "SUI_USDC"}}, {Type: "cancel-all-orders"}}
	}, Bad: map[string]func(*plan.Intent){
		"a short manager": manager("0x5"), "no such pool": order(func(o *plan.Order) { o.Pool = "SUI_NOPE" }),
		"more of an order": order(func(o *plan.Order) { o.Side = "sell" }),
		"one order":        testkit.Own("orderId", "12"),
	}})
	with(t, "manager-withdraw-all", testkit.Subject{Make: func(h *testkit.Harness) []plan.Intent {
		id := earned(t, h)
		h.Use(adapters(h)["manager-withdraw-all"])
		return []plan.Intent{{Type: "manager-withdraw-all", To: plan.IntentTarget{Symbol: "USDC"}, Manager: id.String()},
			{Type: "manager-withdraw-all", To: plan.IntentTarget{Symbol: "SUI"}}, {Type: "manager-withdraw-all"}}
	}, Bad: map[string]func(*plan.Intent){
		"a short manager": manager("0x5"), "an amount": func(i *plan.Intent) { i.To.Amount = "5" },
	}})
	with(t, "market-order", testkit.Subject{Make: func(h *testkit.Harness) []plan.Intent {
		open(t, h)
		sale := plan.Intent{Type: "market-order", MaxSlippageBps: 50, Order: &plan.Order{Pool: "SUI_USDC", Side: "sell",
			Quantity: "10.1"}}
		purchase := sale
		order(func(o *plan.Order) { o.Side = "buy" })(&purchase)
		purchase.FeeMode = "deep"
		return []plan.Intent{sale, purchase}
	}, Bad: map[string]func(*plan.Intent){
		"a short manager": manager("0x5"), "no order": func(i *plan.Intent) { i.Order = nil },
		"no side":            order(func(o *plan.Order) { o.Side = "" }),
		"a price":            order(func(o *plan.Order) { o.Price = "1" }),
		"an end":             order(func(o *plan.Order) { o.ExpiresAt = "2199-01-01T00:00:00Z" }),
		"post only":          order(func(o *plan.Order) { o.PostOnly = true }),
		"quantity zero":      order(func(o *plan.Order) { o.Quantity = "0" }),
		"a strange fee mode": func(i *plan.Intent) { i.FeeMode = "usdc" },
	}})
	with(t, "modify-order", testkit.Subject{Make: func(h *testkit.Harness) []plan.Intent {
		id := open(t, h, rests...)
		in := plan.Intent{Type: "modify-order", Order: &plan.Order{Pool: "SUI_USDC", Price: "9.7"},
			Own: plan.Own{"orderId": orders(t, h,
				id)[0].ID}}
		more := in
		order(func(o *plan.Order) { o.Quantity, o.PostOnly, o.ExpiresAt = "6.1", true, "2199-01-01T00:00:00Z" })(&more)
		more.FeeMode = "deep"
		return []plan.Intent{in, more}
	}, Bad: map[string]func(*plan.Intent){
		"a short manager": manager("0x5"), "no order": func(i *plan.Intent) { i.Order = nil },
		"no number":          testkit.Own("orderId", ""),
		"nothing":            order(func(o *plan.Order) { o.Price = "" }),
		"another side":       order(func(o *plan.Order) { o.Side = "buy" }),
		"price zero":         order(func(o *plan.Order) { o.Price = "0" }),
		"a strange fee mode": func(i *plan.Intent) { i.FeeMode = "usdc" },
	}})
}

func orders(t *testing.T, h *testkit.Harness, manager sui.ObjectID) []deepbook.OpenOrder {
	t.Helper()
	a, err := deepbook.NewInventory(h.Pools, h.Node).Account(t.Context(), "SUI_USDC", manager)
	if err != nil {
		t.Fatal(err)
	}
	return a.Orders
}

// A manager is created, funded and traded from. Then its orders are canceled, and it is emptied. Every
// step is reviewed, signed and executed.
func TestWholeLife(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	var all []plan.Adapter
	for _, a := range adapters(h) {
		all = append(all, a)
	}
	h.Use(all...)
	do := func(in plan.Intent) record.Session {
		t.Helper()
		s := h.Settle(h.Ready(in))
		if s.Status != record.Success {
			t.Fatalf("%s: %s %+v", in.Type, s.Status, s.Execution)
		}
		for _, p := range s.Execution.Receipt.Promises {
			if !p.Kept {
				t.Errorf("%s: %+v", in.Type, p)
			}
		}
		return s
	}
	free := func(id sui.ObjectID, symbol string) sui.Decimal {
		t.Helper()
		source := deepbook.NewInventory(h.Pools, h.Node)
		holder, err := source.Holder(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		n, err := source.Free(t.Context(), holder, coin(symbol).Type)
		if err != nil {
			t.Fatal(err)
		}
		return n.Decimal(coin(symbol).Decimals)
	}
	do(plan.Intent{Type: "manager-create"})
	found, err := deepbook.NewInventory(h.Pools, h.Node).Discover(t.Context(), sandbox.Account, sui.ObjectID{})
	if err != nil || len(found.Managers) != 1 {
		t.Fatalf("%v %+v", err, found)
	}
	id := found.Managers[0].ID
	do(plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "50"}})
	if got := free(id, "SUI"); got != "50" {
		t.Errorf("%s after the deposit", got)
	}
	do(sell("10", far))
	resting := orders(t, h, id)
	if len(resting) != 1 || resting[0].IsBid || resting[0].Quantity != 10_000_000_000 {
		t.Fatalf("%+v", resting)
	}
	if rest := free(id, "SUI"); rest != "40" && !strings.HasPrefix(string(rest), "39.99") {
		t.Errorf("%s free while the order rests", rest)
	}
	s := do(sell("20", "1.2")) // matches the book
	if text := s.State.HumanReview.Locks[0]; !strings.Contains(text, "may trade immediately") {
		t.Errorf("%s", text)
	}
	if got := free(id, "USDC"); got == "0" {
		t.Error("nothing was sold")
	}
	do(plan.Intent{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"}, Own: plan.Own{"orderId": resting[0].ID}})
	if left := orders(t, h, id); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	do(plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "SUI", Amount: string(free(id, "SUI"))}})
	if got := free(id, "SUI"); got != "0" {
		t.Errorf("%s after the withdrawal", got)
	}
}

// Impossible actions are reported before anything is signed, with a helpful text.
func TestRefusals(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	var all []plan.Adapter
	for _, a := range adapters(h) {
		all = append(all, a)
	}
	h.Use(all...)
	deposit := plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "1"}}
	refused := func(name string, in plan.Intent, reason plan.Reason, says string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			s := h.Compute(h.Open(in))
			if s.Reason != reason || !strings.Contains(s.State.Checks[0].Message, says) || s.State.Checks[0].Do == "" {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
	refused("no manager", deposit, plan.ObjectResolutionFailed, "No balance manager of your account")
	id := open(t, h, sandbox.RestingOrder{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000})
	foreign, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sui.MustAddress("0xf0"), Registered: true})
	if err != nil {
		t.Fatal(err)
	}
	named := func(in plan.Intent, manager sui.ObjectID) plan.Intent {
		in.Manager = manager.String()
		return in
	}
	refused("somebody else's manager", named(deposit, foreign), plan.ObjectResolutionFailed, "belongs to another account")
	refused("no manager at all", named(deposit, registry.Pools()[0].ID), plan.ObjectResolutionFailed,
		"is not a DeepBook balance manager")
	refused("more than is free", plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "SUI",
		Amount: "500"}},
		plan.InsufficientBalance, "that no order ties up")
	refused("a price between the steps", sell("10", "9.50001"), plan.AmountMismatch,
		"The nearest are 9.5 USDC per SUI and 9.5001")
	refused("a quantity between the steps", sell("10.05", far), plan.AmountMismatch, "The next smaller is 10 SUI")
	refused("too small", sell("0.5", far), plan.AmountMismatch, "The minimum order in SUI_USDC is 1 SUI")
	refused("more than the manager has", sell("600", far), plan.InsufficientBalance, "The order takes up to 600")
	past := sell("10", far)
	past.Order.ExpiresAt = "2001-01-01T00:00:00Z"
	refused("over already", past, plan.AmountMismatch, "ended already")
	crossing := sell("10", "0.0001")
	crossing.Order.PostOnly = true
	refused("post only that would trade", crossing, plan.QuoteStale, "would trade immediately")
	gone := plan.Intent{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"},
		Own: plan.Own{"orderId": "23058430092136939520000000001"}}
	refused("an order that is not there", gone, plan.ObjectResolutionFailed, "no such open order")
	open(t, h)
	refused("several managers", deposit, plan.ObjectResolutionFailed, "several balance managers")
	if s := h.Compute(h.Open(named(deposit, id))); s.Status != record.Ready {
		t.Errorf("named: %s %s", s.Status, s.Reason)
	}
}

// The transaction equals the one that the official TypeScript package builds.
func TestKindsEqualVectors(t *testing.T) {
	b, err := os.ReadFile("../testdata/deepbook-ptb-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		DeepBook struct {
			Sender  sui.Address
			Manager struct {
				ID      sui.ObjectID `json:"id"`
				Initial uint64       `json:"initial_shared_version"`
			} `json:"balance_manager"`
			Coins map[sui.CoinType][]struct {
				ObjectID sui.ObjectID `json:"objectId"`
				Version  uint64       `json:",string"`
				Digest   sui.Digest
			}
			Vectors []struct {
				Name string
				Kind string `json:"transaction_kind_bcs"`
			}
		}
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	pkg := registry.Packages()[0].ID
	h := deepbook.Holder{ID: f.DeepBook.Manager.ID, Initial: f.DeepBook.Manager.Initial, Owner: f.DeepBook.Sender,
		Package: pkg}
	pool, _ := registry.PoolByKey("SUI_USDC")
	usdc := coin("USDC")
	asset := plan.Asset{Symbol: "USDC", CoinType: usdc.Type, Decimals: usdc.Decimals}
	selected := plan.Selection{Coin: usdc.Type}
	for _, c := range f.DeepBook.Coins[usdc.Type] {
		selected.Coins = append(selected.Coins, sui.ObjectRef{ID: c.ObjectID, Version: c.Version, Digest: c.Digest})
	}
	kind := func(add func(*plan.Builder)) sui.Kind {
		return testkit.Build(t, f.DeepBook.Sender, func(b *plan.Builder) error { add(b); return nil })
	}
	kinds := map[string]sui.Kind{
		"place_limit_order SUI_USDC": kind(func(b *plan.Builder) {
			deeporders.Append(b, pkg, pool.InitialSharedVersion, h, deeporders.Order{Pool: pool, IsBid: true,
				Kind:   deeporders.PostOnly,
				InDeep: true, Price: 1_250_000, Quantity: 10_000_000_000, Expire: 1844674407370955161, ClientID: 42})
		}),
		"cancel_order SUI_USDC": kind(func(b *plan.Builder) {
			deeporders.AppendCancel(b, pkg, pool, pool.InitialSharedVersion, h, deepbook.OrderID{Hi: 1250000000, Lo: 1})
		}),
		"deposit 1 USDC": testkit.Build(t, f.DeepBook.Sender, func(b *plan.Builder) error {
			return balancemanager.AppendDeposit(b, h, asset.Of(1_000_000))
		}, selected),
		"withdraw 1 USDC":  kind(func(b *plan.Builder) { balancemanager.AppendWithdraw(b, h, asset.Of(1_000_000)) }),
		"create and share": kind(func(b *plan.Builder) { balancemanager.AppendCreate(b, pkg) }),
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			for _, v := range f.DeepBook.Vectors {
				if !strings.HasPrefix(v.Name, name) {
					continue
				}
				want, err := base64.StdEncoding.DecodeString(v.Kind)
				if err != nil {
					t.Fatal(err)
				}
				got, err := kind.Encode()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(base64.StdEncoding.EncodeToString(want), base64.StdEncoding.EncodeToString(got)); diff != "" {
					t.Errorf("the kind differs:\n%s", diff)
				}
				return
			}
			t.Fatal("no such vector")
		})
	}
}

// The review shows how far an order's price is from the market's. It stops an order at a far worse
// price, because that could trade immediately.
func TestPriceOfAnOrder(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Use(adapters(h)["limit-order"])
	open(t, h)
	mid, err := h.Pools.MidPrice(t.Context(), "SUI_USDC")
	if err != nil {
		t.Fatal(err)
	}
	tick := sui.Raw(100)
	at := func(percent sui.Raw) sui.Decimal { return (mid.Raw * percent / 100 / tick * tick).Decimal(6) }
	for _, c := range []struct {
		side    string
		percent sui.Raw
		status  plan.CheckStatus
		says    string
	}{
		{"sell", 120, plan.CheckPass, "no worse than"}, {"sell", 95, plan.CheckPass,
			"% worse than the market's mid price, "},
		{"sell", 85, plan.CheckWarning, "The price is 15."}, {"sell", 75, plan.CheckFail, "The price is 25."},
		{"buy", 80, plan.CheckPass, "no worse than"}, {"buy", 105, plan.CheckPass, "The price is "},
		{"buy", 115, plan.CheckWarning, "% worse"}, {"buy", 125, plan.CheckFail, " USDC per SUI."}, {"buy", 10_000,
			plan.CheckFail, "% worse"},
	} {
		in := sell("1", string(at(c.percent)))
		in.Order.Side = c.side
		s := h.Compute(h.Open(in))
		got, ok := testkit.Check(s, "price_second_source")
		if !ok || got.Status != c.status || !strings.Contains(got.Message, c.says) ||
			(s.Status == record.Ready) != (c.status != plan.CheckFail) {
			t.Errorf("%s at %d percent: %s %s %+v", c.side, c.percent, s.Status, s.Reason, got)
		}
		if c.status == plan.CheckFail && (s.Reason != plan.AmountMismatch || s.State.Contract != nil || got.Rule != "C04" ||
			got.Do == "") {
			t.Errorf("%s at %d percent: %s %+v", c.side, c.percent, s.Reason, got)
		}
	}
	h.Inject(sandbox.Fault{Kind: sandbox.ThinBook, Pool: "SUI_USDC", Number: 0})
	if c, ok := testkit.Check(h.Compute(h.Open(sell("1", far))), "price_second_source"); !ok ||
		c.Status != plan.CheckWarning || !strings.HasPrefix(c.Message, "Not compared") {
		t.Errorf("without a market: %+v", c)
	}
}

// An expiry that no calendar date represents is rejected.
func TestEndBeyondEveryCalendar(t *testing.T) {
	pool, _ := registry.PoolByKey("SUI_USDC")
	pkg := registry.Packages()[0].ID
	at := func(expire uint64) error {
		k := testkit.Build(t, sandbox.Account, func(b *plan.Builder) error {
			deeporders.Append(b, pkg, pool.InitialSharedVersion, deepbook.Holder{ID: sui.MustAddress("0xbb"), Initial: 7,
				Package: pkg},
				deeporders.Order{Pool: pool, Price: 1_250_000, Quantity: 10_000_000_000, Expire: expire})
			return nil
		})
		_, err := testkit.Read(orderAction("limit-order", nil, nil), &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands})
		return err
	}
	for _, good := range []uint64{1844674407370955161, 253402300799999} {
		if err := at(good); err != nil {
			t.Errorf("%d: %v", good, err)
		}
	}
	for _, bad := range []uint64{253402300800000, 1 << 63, 1<<64 - 1} {
		if err := at(bad); err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%d: %v", bad, err)
		}
	}
}

// A review of an order ends if no manager is found. Only a preflight continues.
func TestOrderWithoutAManager(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Connect(sandbox.Account)
	s := h.Compute(h.Open(sell("10", far)))
	if l := s.State.AdapterLifecycle; s.Reason != plan.ObjectResolutionFailed || len(l.CompletedStages) != 1 {
		t.Errorf("%s after %v", s.Reason, l.CompletedStages)
	}
}
