package sandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestSubscription(t *testing.T) {
	subscribe := func(t *testing.T, n *served, paths ...string) pb.SubscriptionService_SubscribeCheckpointsClient {
		t.Helper()
		to, err := pb.NewSubscriptionServiceClient(n.conn).SubscribeCheckpoints(within(t),
			&pb.SubscribeCheckpointsRequest{ReadMask: mask(paths...)})
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	t.Run("the newest checkpoint, and then every one without a gap", func(t *testing.T) {
		n := start(t, Config{})
		to := subscribe(t, n)
		last := uint64(0)
		for i := range 6 {
			got, err := to.Recv()
			if err != nil {
				t.Fatal(err)
			}
			c := got.GetCheckpoint()
			if got.GetCursor() != c.GetSequenceNumber() || c.GetDigest() == "" || c.GetSummary() != nil || i > 0 &&
				got.GetCursor() != last+1 {
				t.Errorf("after %d: %v", last, got)
			}
			last = got.GetCursor()
			n.Hold(Account, sui.SUI, 1, 0)
		}
	})
	t.Run("it ends when the sandbox closes", func(t *testing.T) {
		n := start(t, Config{})
		to := subscribe(t, n)
		if _, err := to.Recv(); err != nil {
			t.Fatal(err)
		}
		n.Close()
		for {
			if _, err := to.Recv(); err != nil {
				break
			}
		}
	})
	t.Run("a mask that names nothing is refused", func(t *testing.T) {
		to := subscribe(t, start(t, Config{}), "no_such_field")
		if _, err := to.Recv(); status.Code(err) != codes.InvalidArgument {
			t.Error(err)
		}
	})
	t.Run("too many are refused, and places come free", func(t *testing.T) {
		n := start(t, Config{})
		ctx, cancel := context.WithCancel(within(t))
		defer cancel()
		var one pb.SubscriptionService_SubscribeCheckpointsClient
		for range 64 {
			to, err := pb.NewSubscriptionServiceClient(n.conn).SubscribeCheckpoints(ctx, &pb.SubscribeCheckpointsRequest{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := to.Recv(); err != nil {
				t.Fatal(err)
			}
			one = to
		}
		if _, err := subscribe(t, n).Recv(); status.Code(err) != codes.ResourceExhausted {
			t.Error(err)
		}
		cancel()
		for {
			if _, err := one.Recv(); err != nil {
				break
			}
		}
		for {
			_, err := subscribe(t, n).Recv()
			if err == nil {
				break
			}
			if status.Code(err) != codes.ResourceExhausted {
				t.Fatal(err)
			}
		}
	})
}

func TestFaucetOfVersionTwo(t *testing.T) {
	n := start(t, Config{})
	ask := func(body, origin string) (int, gasAnswer) {
		t.Helper()
		r, err := http.NewRequestWithContext(within(t), http.MethodPost, "http://"+n.addr+"/v2/gas", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		var got gasAnswer
		_ = json.NewDecoder(answer.Body).Decode(&got)
		return answer.StatusCode, got
	}
	friend := sui.MustAddress("0x77")
	body := `{"FixedAmountRequest":{"recipient":"` + friend.String() + `"}}`
	code, got := ask(body, "")
	if code != http.StatusOK || got.Status != "Success" || len(got.Coins) == 0 || got.Coins[0].Amount == 0 ||
		n.Holding(friend, sui.SUI).Coins == 0 {
		t.Errorf("%d %+v", code, got)
	}
	if code, _ := ask(body, "http://127.0.0.1:1"); code != http.StatusForbidden {
		t.Errorf("a page was answered with %d", code)
	}
	if code, _ := ask(`{"FixedAmountRequest":{}}`, ""); code != http.StatusBadRequest {
		t.Errorf("nobody was funded with %d", code)
	}
}

// TestRefusalsNameNoGoType: errors use the protocol's words, not this program's types.
func TestRefusalsNameNoGoType(t *testing.T) {
	n := start(t, Config{})
	tx := &pb.Transaction{Sender: new(Account.String()),
		Kind: &pb.TransactionKind{Data: &pb.TransactionKind_ProgrammableTransaction{
			ProgrammableTransaction: &pb.ProgrammableTransaction{Commands: []*pb.Command{
				{Command: &pb.Command_Publish{Publish: &pb.Publish{}}}}}}}}
	_, err := n.execution.SimulateTransaction(within(t), &pb.SimulateTransactionRequest{Transaction: tx})
	if text := status.Convert(err).Message(); !strings.Contains(text, "(publish)") || strings.Contains(text, "*") ||
		strings.Contains(text, "pb") {
		t.Error(text)
	}
}

func TestGraphPresent(t *testing.T) {
	n := start(t, Config{})
	with := func(query, variables, want string) {
		t.Helper()
		if _, got := n.graph(t, query, variables, nil); !strings.Contains(got, want) {
			t.Errorf("%s: %s", query, got)
		}
	}
	ask := func(query, want string) { t.Helper(); with(query, "{}", want) }
	owner := Account.String()
	ask(`{ address(address: "`+owner+
		`") { balance(coinType: "0x2::sui::SUI") { totalBalance coinType { repr } addressBalance } } }`,
		`"totalBalance":"1000000000000"`)
	ask(`{ address(address: "`+owner+`") { balance(coinType: "nonsense") { totalBalance } } }`, "Invalid type")
	ask(`{ object(address: "0x6") { version owner { __typename ... on Shared { initialSharedVersion } } asMoveObject { contents { type { repr } } } } }`, `"initialSharedVersion":1`)
	ask(`{ object(address: "0x66") { version } }`, `"object":null`)
	with(`query($k: [ObjectKey!]!) { multiGetObjects(keys: $k) { address } }`,
		`{"k":[{"address":"0x6"},{"address":"0x66"}]}`, `},null]`)
	with(`query($t: JSON!) { simulateTransaction(transaction: $t) { effects { status } } }`, `{"t":{"kind":{}}}`,
		"missing kind.programmable_transaction")
}
