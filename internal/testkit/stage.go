package testkit

import (
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Friend is an address that nobody paid before.
var Friend = sui.MustAddress("0x5afe0000000000000000000000000000000000000000000000000000000000aa")

// GemType is a coin that is not pinned.
const GemType = sui.CoinType("0x0000000000000000000000000000000000000000000000000000000000000fed::gem::GEM")

// Act is an action, other than a DeepBook swap, that a harness can carry out.
type Act struct {
	Name   string
	Intent plan.Intent
}

// Stage prepares a harness for every action: two balance managers of the account, the first with
// funds and an order. It returns the actions and the second manager.
func Stage(t testing.TB, h *Harness) (acts []Act, other sui.ObjectID) {
	t.Helper()
	usdc, _ := coins.BySymbol("USDC")
	open := func(orders ...sandbox.RestingOrder) sui.ObjectID {
		id, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true, Orders: orders,
			Deposits: []sandbox.Deposit{
				{Coin: sui.SUI, Amount: 500_000_000_000}, {Coin: usdc.Type, Amount: 900_000_000}, {Coin: coins.DEEP,
					Amount: 50_000_000}}})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	h.Sandbox.Describe(sui.Metadata{Type: GemType, Decimals: 4, Symbol: "GEM", Name: "A gem"})
	for range 2 {
		h.Sandbox.Hold(sandbox.Account, GemType, 150_000, 0)
	}
	id := open(sandbox.RestingOrder{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000})
	other = open()
	resting, err := deepbook.NewInventory(h.Pools, h.Node).Account(t.Context(), "SUI_USDC", id)
	if err != nil || len(resting.Orders) != 1 {
		t.Fatalf("%v %+v", err, resting)
	}
	from := func(amount, symbol string) plan.IntentSource {
		return plan.IntentSource{Symbol: symbol, Amount: amount}
	}
	manager := id.String()
	return []Act{
		{"transfer of SUI", plan.Intent{Type: "transfer", From: from("12.5", "SUI"), Recipient: Friend.String()}},
		{"transfer of SUI from several coins", plan.Intent{Type: "transfer", From: from("700", "SUI"),
			Recipient: Friend.String()}},
		{"transfer from several coins", plan.Intent{Type: "transfer", From: from("3000", "USDC"),
			Recipient: Friend.String()}},
		{"transfer of a coin named by its type", plan.Intent{Type: "transfer", From: from("25", string(GemType)),
			Recipient: Friend.String()}},
		{"making a manager", plan.Intent{Type: "manager-create"}},
		{"deposit of SUI", plan.Intent{Type: "manager-deposit", From: from("10", "SUI"), Manager: manager}},
		{"deposit from several coins", plan.Intent{Type: "manager-deposit", From: from("3000", "USDC"), Manager: manager}},
		{"withdrawal of SUI", plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "SUI", Amount: "1.5"},
			Manager: manager}},
		{"withdrawal", plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "USDC", Amount: "12.5"},
			Manager: manager}},
		{"order to sell", plan.Intent{Type: "limit-order", Manager: manager,
			Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10"}}},
		{"order to buy, post only, with an end", plan.Intent{Type: "limit-order", Manager: manager, Order: &plan.Order{
			Pool: "SUI_USDC", Side: "buy", Price: "0.001", Quantity: "10", ExpiresAt: "2199-01-01T00:00:00Z", PostOnly: true}}},
		{"order whose fee is in DEEP", plan.Intent{Type: "limit-order", Manager: manager, FeeMode: "deep",
			Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10"}}},
		{"order in a pool whose version was read", plan.Intent{Type: "limit-order", Manager: manager,
			Order: &plan.Order{Pool: "SUI_USDSUI", Side: "sell", Price: "9.5", Quantity: "10"}}},
		{"cancellation", plan.Intent{Type: "cancel-order", Manager: manager, Order: &plan.Order{Pool: "SUI_USDC"},
			Own: plan.Own{"orderId": resting.Orders[0].ID}}},
	}, other
}

// Named returns the action with a name. It fails the test if there is none.
func Named(t testing.TB, acts []Act, name string) Act {
	t.Helper()
	i := slices.IndexFunc(acts, func(a Act) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("no action %q", name)
	}
	return acts[i]
}

// Spend uses a SUI coin of the account in another transaction, as a wallet does.
func Spend(t testing.TB, h *Harness, id sui.ObjectID) sui.Digest {
	t.Helper()
	o, ok, err := h.Node.Object(t.Context(), id, 0)
	if err != nil || !ok {
		t.Fatalf("the coin %s: %v %v", id, ok, err)
	}
	tx := &sui.Transaction{
		Inputs: []sui.Input{sui.PureU64(1), sui.PureAddress(sandbox.Account)},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)},
		},
		Sender: sandbox.Account, Expiration: sui.NoExpiration{},
		Gas: sui.Gas{Payment: []sui.ObjectRef{o.Ref}, Owner: sandbox.Account, Price: 500, Budget: 5_000_000},
	}
	raw, signature, err := h.Sandbox.Sign(tx)
	if err != nil {
		t.Fatal(err)
	}
	e, err := h.Node.Execute(t.Context(), raw, signature)
	if err != nil || !e.Status.OK {
		t.Fatalf("%v %+v", err, e.Status)
	}
	return e.Digest
}
