package worker_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/worker"
)

// fullNode returns a test's values, and fails for any other request.
type fullNode struct {
	epoch    sui.Epoch
	executed map[sui.Digest]sui.Executed
	balances map[string]sui.Raw // by account and coin
	err      error
}

func (n *fullNode) Epoch(context.Context) (sui.Epoch, error) { return n.epoch, n.err }

func (n *fullNode) Transaction(_ context.Context, d sui.Digest) (sui.Executed, bool, error) {
	tx, ok := n.executed[d]
	return tx, ok, n.err
}

func (n *fullNode) Balance(_ context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error) {
	return sui.Balance{Type: coin, Total: n.balances[fmt.Sprint(owner, " ", coin)]}, n.err
}

func (n *fullNode) Functions(_ context.Context, id sui.ObjectID) (sui.Interface, error) {
	return sui.Interface{Package: id, Version: 3}, n.err
}

var (
	mine, _   = sui.ParseAddress("0xabc")
	theirs, _ = sui.ParseAddress("0xdef")

	packageAt, _ = sui.ParseAddress("0x5")
)

const usdc = sui.CoinType("0x0000000000000000000000000000000000000000000000000000000000000005::usdc::USDC")

// questions are requests of a page that are answered from a fullNode.
type questions struct {
	t     *testing.T
	asked int
	ask   func(bus.UserRequest) (answer string)
	log   func(sees bus.Audience) []string
}

func asking(t *testing.T, n *fullNode) *questions {
	db, _ := openStore(t, time.Now)
	w := worker.NewRequests(db, worker.Kinds(worker.Sources{Node: n, Active: func(context.Context) (record.Account, bool,
		error) {
		return record.Account{Address: mine}, true, nil
	}}))
	t.Cleanup(w.Close)
	q := &questions{t: t, log: func(sees bus.Audience) []string { return seen(t, db, sees) }}
	q.ask = func(r bus.UserRequest) string {
		t.Helper()
		if _, err := w.Ask(t.Context(), "s", r); err != nil {
			t.Fatal(err)
		}
		q.asked++
		return answers(t, db, q.asked)[q.asked-1]
	}
	return q
}

// payload asks, and returns the payload and the error of the answer.
func (q *questions) payload(kind, payload string) (got, refused string) {
	q.t.Helper()
	id := fmt.Sprint("q", q.asked)
	var e struct {
		ID      *string `json:"request_id"`
		Kind    string
		Payload json.RawMessage
		Error   *string
	}
	text := q.ask(request(id, kind, payload))
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.ID == nil || *e.ID != id || e.Kind != kind {
		q.t.Fatalf("%v: %s", err, text)
	}
	if e.Error != nil {
		refused = *e.Error
	}
	return string(e.Payload), refused
}

// TestKindsOfTheChain asks for each kind that the specification names, and compares whole
// answers with what the node has.
func TestKindsOfTheChain(t *testing.T) {
	done, failed := sui.Digest{1}, sui.Digest{2}
	pending, at := sui.Digest{3}, uint64(77)
	n := &fullNode{epoch: sui.Epoch{Number: 12, GasPrice: 750}, balances: map[string]sui.Raw{
		fmt.Sprint(mine, " ", sui.SUI): 41, fmt.Sprint(mine, " ", usdc): 42, fmt.Sprint(theirs, " ", usdc): 43},
		executed: map[sui.Digest]sui.Executed{done: {Effects: sui.Effects{Status: sui.ExecutionStatus{OK: true}},
			Checkpoint: &at},
			failed: {Checkpoint: &at}, pending: {Effects: sui.Effects{Status: sui.ExecutionStatus{OK: true}}}}}
	q := asking(t, n)
	for _, c := range []struct{ name, kind, payload, want string }{
		{"R003-4 R003-42 R003-44 R003-134 R003-152 gas price", "gas_price", `null`,
			`{"epoch":"12","reference_gas_price":"750"}`},
		{"R003-44 R003-135 success", "tx_status", `{"digest":"` + done.String() + `"}`, `{"digest":"` + done.String() +
			`","status":"success","checkpoint":"77"}`},
		{"R003-135 failure", "tx_status", `{"digest":"` + failed.String() + `"}`, `{"digest":"` + failed.String() +
			`","status":"failure","checkpoint":"77"}`},
		{"R003-135 in no checkpoint yet", "tx_status", `{"digest":"` + pending.String() + `"}`, `{"digest":"` +
			pending.String() + `","status":"success"}`},
		{"R003-135 unknown", "tx_status", `{"digest":"` + sui.Digest{9}.String() + `"}`, `{"digest":"` +
			sui.Digest{9}.String() + `","status":"unknown"}`},
		{"R003-44 R003-137 own SUI", "balance_check", `null`, `{"account":"` + mine.String() + `","coin_type":"` +
			string(sui.SUI) + `","total":"41"}`},
		{"R003-137 another coin", "balance_check", `{"coin_type":"0x5::usdc::USDC"}`, `{"account":"` + mine.String() +
			`","coin_type":"` + string(usdc) + `","total":"42"}`},
		{"R003-137 another account", "balance_check", `{"account":"` + theirs.String() + `","coin_type":"0x5::usdc::USDC"}`,
			`{"account":"` + theirs.String() + `","coin_type":"` + string(usdc) + `","total":"43"}`},
		{"R003-4 the interface of a package", "package_interface", `{"package":"0x5"}`, `{"package":"` + packageAt.String() +
			`","original":"` +
			sui.ObjectID{}.String() + `","version":"3","modules":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			q.t = t
			if got, refused := q.payload(c.kind, c.payload); got != c.want || refused != "" {
				t.Errorf("%s %s\nwant %s", refused, got, c.want)
			}
		})
	}
	t.Run("R003-132 what the node does not answer is an error, not a number", func(t *testing.T) {
		q.t, n.err = t, fault.New(fault.ProviderUnavailable, "Nobody answers.")
		for kind, payload := range map[string]string{"gas_price": `null`, "balance_check": `null`,
			"tx_status": `{"digest":"` + done.String() + `"}`} {
			if got, refused := q.payload(kind, payload); refused != "provider_unavailable" ||
				got != `{"message":"Nobody answers."}` {
				t.Errorf("%s: %q %s", kind, refused, got)
			}
		}
	})
	t.Run("R003-43 R003-75 R003-76 pages see the answers, and the agent sees nothing", func(t *testing.T) {
		if ui, agent := q.log(bus.UI), q.log(bus.Agent); len(ui) != q.asked || len(agent) != 0 {
			t.Errorf("%d answers of %d, agent: %v", len(ui), q.asked, agent)
		}
	})
}

// spending returns a transaction of theirs that pays 7 from its gas coin to mine.
func spending(t *testing.T) []byte {
	tx := sui.Transaction{Inputs: []sui.Input{sui.PureU64(7), sui.PureAddress(mine)},
		Commands: []sui.Command{sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)}},
		Sender: theirs, Gas: sui.Gas{Payment: []sui.ObjectRef{{ID: sui.ObjectID{8}}}, Owner: mine, Price: 750,
			Budget: 5_000_000},
		Expiration: sui.EpochExpiration{Epoch: 12}}
	raw, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestDecodeCalldata(t *testing.T) {
	raw := spending(t)
	d, err := sui.DecodeTransaction(raw)
	if err != nil {
		t.Fatal(err)
	}
	q := asking(t, &fullNode{})
	for name, data := range map[string]string{"R003-44 R003-136 hexadecimal": "0x" + hex.EncodeToString(raw),
		"R003-136 base64": base64.StdEncoding.EncodeToString(raw)} {
		t.Run(name, func(t *testing.T) {
			q.t = t
			got, refused := q.payload("decode_calldata", `{"data":"`+data+`"}`)
			var out struct {
				Sender   string
				GasOwner string `json:"gas_owner"`
				Budget   string `json:"gas_budget"`
				Price    string `json:"gas_price"`
				Words    struct {
					Gas, Expiration            string
					Inputs, Commands, Warnings []string
				}
			}
			if err := json.Unmarshal([]byte(got), &out); err != nil || refused != "" {
				t.Fatal(err, refused, got)
			}
			if out.Sender != theirs.String() || out.GasOwner != mine.String() || out.Budget != "5000000" || out.Price != "750" {
				t.Error(got)
			}
			var inputs, commands []string
			for _, i := range d.Describe().Inputs {
				inputs = append(inputs, i.Text)
			}
			for _, c := range d.Describe().Commands {
				commands = append(commands, c.Text)
			}
			w := out.Words
			if w.Gas != d.Describe().Gas || w.Expiration != d.Describe().Expiration || !slices.Equal(w.Inputs, inputs) ||
				!slices.Equal(w.Commands, commands) ||
				len(w.Commands) != 2 || !strings.Contains(w.Commands[0], "gas coin") {
				t.Error(got)
			}
		})
	}
	t.Run("R003-136 neither the data nor the bytes are in the log", func(t *testing.T) {
		log := strings.Join(slices.Concat(q.log(bus.UI), q.log(bus.Agent)), "\n")
		for _, secret := range []string{hex.EncodeToString(raw), base64.StdEncoding.EncodeToString(raw)} {
			if strings.Contains(log, secret[:40]) {
				t.Error(log)
			}
		}
	})
	for name, payload := range map[string]string{"R003-136 nothing": `null`, "R003-136 half a byte": `{"data":"0x0"}`,
		"R003-136 other text":         `{"data":"?"}`,
		"R003-136 half a transaction": `{"data":"0x` + hex.EncodeToString(raw[:len(raw)/2]) + `"}`} {
		t.Run(name, func(t *testing.T) {
			q.t = t
			if got, refused := q.payload("decode_calldata", payload); refused != "input_invalid" || strings.Contains(got,
				"sender") {
				t.Errorf("%q %s", refused, got)
			}
		})
	}
}

// TestFireAndForget requests a slow kind.
func TestFireAndForget(t *testing.T) {
	db, _ := openStore(t, time.Now)
	begun, goOn := make(chan string, 2), make(chan struct{})
	handler := func(kind string) worker.Handler {
		return func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			begun <- kind
			select {
			case <-goOn:
				return kind, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	w := worker.NewRequests(db, map[string]worker.Handler{"one": handler("one"), "two": handler("two")})
	defer w.Close()
	t.Run("R003-41 R003-93 R003-95 who asks does not wait: the request is stored, and no answer is", func(t *testing.T) {
		if _, err := w.Ask(t.Context(), "s", request("q1", "one", "null")); err != nil {
			t.Fatal(err)
		}
		if kind := <-begun; kind != "one" {
			t.Errorf("the handler of %s runs", kind)
		}
		if asked, told := seen(t, db, bus.System), seen(t, db, bus.UI); len(asked) != 1 || len(told) != 0 {
			t.Errorf("%v %v", asked, told)
		}
	})
	t.Run("R003-128 R003-130 R003-131 R003-151 a request has the handler of its kind, and one answer when that is done",
		func(t *testing.T) {
			if _, err := w.Ask(t.Context(), "s", request("q2", "two", "null")); err != nil {
				t.Fatal(err)
			}
			if kind := <-begun; kind != "two" {
				t.Errorf("the handler of %s runs", kind)
			}
			close(goOn)
			list := answers(t, db, 2)
			for id, kind := range map[string]string{"q1": "one", "q2": "two"} {
				want := fmt.Sprintf(`{"type":"UserResponse","request_id":%q,"kind":%q,"payload":%q,"error":null}`, id, kind, kind)
				if len(list) != 2 || !slices.Contains(list, want) {
					t.Errorf("%s is not among %s", want, list)
				}
			}
		})
}
