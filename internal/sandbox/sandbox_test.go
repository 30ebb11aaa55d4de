package sandbox

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// gasPrice is the chain's reference gas price.
const gasPrice = 500

// served is a served sandbox and a native gRPC connection to it.
type served struct {
	*Sandbox
	addr      string
	conn      *grpc.ClientConn
	ledger    pb.LedgerServiceClient
	state     pb.StateServiceClient
	execution pb.TransactionExecutionServiceClient
}

func start(t testing.TB, c Config) *served {
	t.Helper()
	if c.Now == nil {
		c.Now = time.Now
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	conn, err := grpc.NewClient(ln.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		s.Close()
		if err := <-done; err != nil {
			t.Errorf("Serve ended with %v", err)
		}
	})
	return &served{
		Sandbox: s, addr: ln.Addr().String(), conn: conn, ledger: pb.NewLedgerServiceClient(conn),
		state: pb.NewStateServiceClient(conn), execution: pb.NewTransactionExecutionServiceClient(conn),
	}
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), double.Patience)
	t.Cleanup(cancel)
	return ctx
}

func pool(t testing.TB, key string) registry.Pool {
	t.Helper()
	p, ok := registry.PoolByKey(key)
	if !ok {
		t.Fatalf("no pool %s", key)
	}
	return p
}

// readCall returns a transaction with one read of a pool.
func readCall(p registry.Pool, function string, pure ...sui.PureInput) *sui.Transaction {
	tx := &sui.Transaction{
		Inputs:     []sui.Input{sui.SharedInput{ID: p.ID, InitialVersion: p.InitialSharedVersion}},
		Gas:        sui.Gas{Price: gasPrice, Budget: 50_000_000},
		Expiration: sui.NoExpiration{},
	}
	args := []sui.Argument{sui.InputArg(0)}
	for _, in := range pure {
		tx.Inputs = append(tx.Inputs, in)
		args = append(args, sui.InputArg(len(tx.Inputs)-1))
	}
	tx.Inputs = append(tx.Inputs, sui.ClockInput())
	args = append(args, sui.InputArg(len(tx.Inputs)-1))
	tx.Commands = []sui.Command{sui.MoveCall{
		Package: registry.Packages()[0].ID, Module: "pool", Function: function,
		TypeArgs: []sui.TypeTag{p.Base.Type.Tag(), p.Quote.Type.Tag()}, Arguments: args,
	}}
	return tx
}

func encode(t testing.TB, tx *sui.Transaction) []byte {
	t.Helper()
	b, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newTestServer(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// elsewhere is a listener with an address outside loopback.
type elsewhere struct{ net.Listener }

func (elsewhere) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 9000} }

func (elsewhere) Accept() (net.Conn, error) { return nil, net.ErrClosed }

func TestServesLoopbackOnly(t *testing.T) {
	s, err := New(Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Serve(elsewhere{}); err == nil || !strings.Contains(err.Error(), "not a loopback address") {
		t.Errorf("it served: %v", err)
	}
}
