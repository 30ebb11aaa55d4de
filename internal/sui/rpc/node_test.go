package rpc

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var noon = time.Date(2026, 1, 30, 12, 0, 0, 0, time.UTC)

// node answers every request with one function.
type node struct {
	pb.UnimplementedLedgerServiceServer
	pb.UnimplementedStateServiceServer
	pb.UnimplementedTransactionExecutionServiceServer
	answer func(ctx context.Context, question any) (any, error)
}

func ask[A any](n *node, ctx context.Context, q any) (A, error) {
	a, err := n.answer(ctx, q)
	typed, ok := a.(A)
	if err == nil && !ok {
		err = status.Errorf(codes.Unimplemented, "no answer to %T", q)
	}
	return typed, err
}

func (n *node) GetServiceInfo(ctx context.Context, q *pb.GetServiceInfoRequest) (*pb.GetServiceInfoResponse, error) {
	return ask[*pb.GetServiceInfoResponse](n, ctx, q)
}

func (n *node) GetEpoch(ctx context.Context, q *pb.GetEpochRequest) (*pb.GetEpochResponse, error) {
	return ask[*pb.GetEpochResponse](n, ctx, q)
}

func (n *node) BatchGetObjects(ctx context.Context, q *pb.BatchGetObjectsRequest) (*pb.BatchGetObjectsResponse, error) {
	return ask[*pb.BatchGetObjectsResponse](n, ctx, q)
}

func (n *node) GetObject(ctx context.Context, q *pb.GetObjectRequest) (*pb.GetObjectResponse, error) {
	return ask[*pb.GetObjectResponse](n, ctx, q)
}

func (n *node) GetTransaction(ctx context.Context, q *pb.GetTransactionRequest) (*pb.GetTransactionResponse, error) {
	return ask[*pb.GetTransactionResponse](n, ctx, q)
}

func (n *node) ListOwnedObjects(ctx context.Context, q *pb.ListOwnedObjectsRequest) (*pb.ListOwnedObjectsResponse,
	error) {
	return ask[*pb.ListOwnedObjectsResponse](n, ctx, q)
}

func (n *node) GetBalance(ctx context.Context, q *pb.GetBalanceRequest) (*pb.GetBalanceResponse, error) {
	return ask[*pb.GetBalanceResponse](n, ctx, q)
}

func (n *node) GetCoinInfo(ctx context.Context, q *pb.GetCoinInfoRequest) (*pb.GetCoinInfoResponse, error) {
	return ask[*pb.GetCoinInfoResponse](n, ctx, q)
}

func (n *node) SimulateTransaction(ctx context.Context,
	q *pb.SimulateTransactionRequest) (*pb.SimulateTransactionResponse, error) {
	return ask[*pb.SimulateTransactionResponse](n, ctx, q)
}

func (n *node) ExecuteTransaction(ctx context.Context, q *pb.ExecuteTransactionRequest) (*pb.ExecuteTransactionResponse,
	error) {
	return ask[*pb.ExecuteTransactionResponse](n, ctx, q)
}

// serve runs a node on a loopback port until the test ends or stop is called.
func serve(t *testing.T, address string, answer func(ctx context.Context, question any) (any, error)) (url string,
	stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.MaxSendMsgSize(64 << 20))
	n := &node{answer: answer}
	pb.RegisterLedgerServiceServer(server, n)
	pb.RegisterStateServiceServer(server, n)
	pb.RegisterTransactionExecutionServiceServer(server, n)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	stop = func() { server.Stop(); <-done }
	t.Cleanup(stop)
	return "http://" + listener.Addr().String(), stop
}

// client connects to a node with one fixed answer or error.
func client(t *testing.T, answer any, err error) *Client {
	t.Helper()
	return clientOf(t, func(context.Context, any) (any, error) { return answer, err })
}

func clientOf(t *testing.T, answer func(ctx context.Context, question any) (any, error)) *Client {
	t.Helper()
	url, _ := serve(t, "127.0.0.1:0", answer)
	return dial(t, Config{URL: url, Now: func() time.Time { return noon }})
}

func dial(t *testing.T, cfg Config) *Client {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// wants checks an error's code, and that its text can be shown to users.
func wants(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
		return
	}
	if text := fault.As(err).Text; text == "" || len(text) > 400 || strings.ContainsAny(text, "\n\x1b") {
		t.Errorf("%s: the text %q cannot be shown", what, text)
	}
}

func digestOf(b byte) sui.Digest { return sui.Digest{b} }

func textOf(d sui.Digest) *string { return ptr(d.String()) }
