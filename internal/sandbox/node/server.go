// Package node serves the part of gRPC sui.rpc.v2 that the product and the official clients use,
// over gRPC and gRPC-web. It accesses the chain only through package ledger, and applies the faults
// of package faults.
package node

import (
	"net/http"
	"strings"
	"sync"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"

	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// Server serves a ledger over gRPC and gRPC-web, with injected faults.
type Server struct {
	ledger *ledger.Ledger
	faults *faults.Set
	grpc   *grpc.Server

	stop    sync.Once
	stopped chan struct{} // closed by Stop
}

// NewServer registers every service of the node.
func NewServer(l *ledger.Ledger, f *faults.Set) *Server {
	s := &Server{ledger: l, faults: f, stopped: make(chan struct{})}
	s.grpc = grpc.NewServer(f.Options()...)
	s.grpc.RegisterService(ledgerWithEvents(s), ledgerService{server: s})
	pb.RegisterStateServiceServer(s.grpc, stateService{server: s})
	pb.RegisterTransactionExecutionServiceServer(s.grpc, execution{server: s})
	pb.RegisterMovePackageServiceServer(s.grpc, packageService{ledger: l})
	pb.RegisterSubscriptionServiceServer(s.grpc, newSubscriptions(s))
	pb.RegisterNameServiceServer(s.grpc, nameService{})
	return s
}

// Release ends the subscriptions, which otherwise never end.
func (s *Server) Release() { s.stop.Do(func() { close(s.stopped) }) }

// Stop ends running calls.
func (s *Server) Stop() {
	s.Release()
	s.grpc.Stop()
}

// ServeHTTP answers gRPC over HTTP/2, and gRPC-web in its binary and text forms.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := r.Header.Get("Content-Type")
	switch {
	case strings.HasPrefix(kind, "application/grpc-web") || r.Method == http.MethodOptions:
		s.serveWeb(w, r)
	case strings.HasPrefix(kind, "application/grpc") && r.ProtoMajor == 2:
		s.grpc.ServeHTTP(w, r)
	default:
		http.Error(w, "this simulates a Sui node: use gRPC or gRPC-web", http.StatusUnsupportedMediaType)
	}
}
