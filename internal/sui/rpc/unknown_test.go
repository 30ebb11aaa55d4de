package rpc

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/provider"
)

// A simulation that omits the events named in its own effects is rejected.
func TestSimulationWithoutItsEvents(t *testing.T) {
	tx := transaction()
	b := encoded(t, tx)
	told := executed(b)
	told.Effects.EventsDigest = textOf(digestOf(5))
	answer := &pb.SimulateTransactionResponse{Transaction: told, CommandOutputs: []*pb.CommandResult{value(9, 0)}}
	var asked []string
	c := clientOf(t, func(_ context.Context, q any) (any, error) {
		asked = q.(*pb.SimulateTransactionRequest).GetReadMask().GetPaths()
		return answer, nil
	})
	for _, list := range []*pb.TransactionEvents{nil, {}} {
		told.Events = list
		_, err := c.SimulateBytes(t.Context(), b, true)
		wants(t, "no events", err, fault.ProviderMismatch)
		if err != nil && !strings.Contains(err.Error(), "events") {
			t.Error(err)
		}
	}
	if !strings.Contains(strings.Join(asked, " "), "transaction.effects.events_digest") {
		t.Errorf("asked for %v", asked)
	}
	told.Events = &pb.TransactionEvents{Events: []*pb.Event{{PackageId: ptr(alice.String()), Module: ptr("m"),
		Sender:    ptr(alice.String()),
		EventType: ptr("0x2::m::E"), Contents: &pb.Bcs{Value: []byte{1}}}}}
	if s, err := c.SimulateBytes(t.Context(), b, true); err != nil || len(s.Events) != 1 {
		t.Errorf("%+v %v", s.Events, err)
	}
}

// An empty list of balances is compared with the balance of SUI.
func TestBalancesLeftOut(t *testing.T) {
	held := uint64(7)
	c := clientOf(t, func(_ context.Context, q any) (any, error) {
		if _, ok := q.(*pb.ListBalancesRequest); ok {
			return &pb.ListBalancesResponse{}, nil
		}
		return &pb.GetBalanceResponse{Balance: &pb.Balance{CoinType: ptr("0x2::sui::SUI"), Balance: &held}}, nil
	})
	_, _, err := c.Balances(t.Context(), alice, nil, 10)
	wants(t, "a list without the SUI that is held", err, fault.ProviderMismatch)
	held = 0
	if list, next, err := c.Balances(t.Context(), alice, nil, 10); len(list) > 0 || next != nil || err != nil {
		t.Errorf("an account that holds nothing: %v %v", list, err)
	}
}

// answered replaces the HTTP status and content type of every answer.
type answered struct {
	http.ResponseWriter
	code int
	kind string
}

func (s answered) WriteHeader(int) {
	s.Header().Set("Content-Type", s.kind)
	s.ResponseWriter.WriteHeader(s.code)
}

func (s answered) Flush() { s.ResponseWriter.(http.Flusher).Flush() }

func (s answered) Write(b []byte) (int, error) {
	s.Header().Set("Content-Type", s.kind)
	s.ResponseWriter.WriteHeader(s.code)
	return s.ResponseWriter.Write(b)
}

// An HTTP error status does not come from the node itself, so it proves nothing. In particular, it does
// not prove that a transaction was refused.
func TestHTTPStatusInsteadOfAnAnswer(t *testing.T) {
	b := encoded(t, transaction())
	grpcServer := grpc.NewServer()
	n := &node{answer: func(context.Context, any) (any, error) {
		return &pb.ExecuteTransactionResponse{Transaction: executed(b)}, nil
	}}
	pb.RegisterTransactionExecutionServiceServer(grpcServer, n)
	for _, code := range []int{400, 401, 403, 404, 429, 500, 502, 503} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		server := &http.Server{Protocols: &protocols, ReadHeaderTimeout: time.Minute,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				grpcServer.ServeHTTP(answered{w, code, "application/json"}, r)
			})}
		done := make(chan struct{})
		go func() { defer close(done); _ = server.Serve(listener) }()
		t.Cleanup(func() { _ = server.Close(); <-done })
		var heard provider.Outcome
		c := dial(t, Config{URL: "http://" + listener.Addr().String(), Now: func() time.Time { return noon },
			Heard: func(o provider.Outcome) { heard = o }})
		_, err = c.Execute(t.Context(), b, []byte{1})
		wants(t, http.StatusText(code), err, fault.ProviderUnavailable)
		if refused := code == 401 || code == 403; refused != (heard == provider.Unauthorized) {
			t.Errorf("R003-50: %d counts as %d", code, heard)
		}
	}
}
