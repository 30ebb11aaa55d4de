package rpc

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/provider"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

func TestEndpoint(t *testing.T) {
	for _, c := range []struct {
		url, target string
		plain       bool
	}{
		{"https://fullnode.mainnet.sui.io", "fullnode.mainnet.sui.io:443", false},
		{"https://fullnode.mainnet.sui.io:8443/", "fullnode.mainnet.sui.io:8443", false},
		{"fullnode.mainnet.sui.io:443", "fullnode.mainnet.sui.io:443", false},
		{"127.0.0.1:9000", "127.0.0.1:9000", false},
		{"https://[2001:db8::1]:9000", "[2001:db8::1]:9000", false},
		{"http://127.0.0.1:9000", "127.0.0.1:9000", true},
		{"http://127.8.9.1:9000", "127.8.9.1:9000", true},
		{"http://[::1]:9000", "[::1]:9000", true},
	} {
		if target, plain, err := endpoint(c.url); err != nil || target != c.target || plain != c.plain {
			t.Errorf("%s: %s, plain %v, %v", c.url, target, plain, err)
		}
	}
	for _, url := range []string{
		"", "http://localhost:9000", "http://example.com:80", "http://10.0.0.1:9000", "http://0.0.0.0:9000",
		"http://127.0.0.1.nip.io:80",
		"https://user:secret@example.com", "https://example.com/path", "https://example.com?key=1", "https://example.com#x",
		"ftp://example.com", "unix:///tmp/x", "https://", "https://example.com:0", "https://example.com:99999",
		"https://exa mple.com",
		"xds:///example", strings.Repeat("a", 400),
	} {
		_, err := New(Config{URL: url, Now: time.Now})
		wants(t, url, err, fault.InputInvalid)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error repeats the password", url)
		}
	}
	if _, err := New(Config{URL: "https://example.com"}); err == nil {
		t.Error("a client without a clock was made")
	}
}

func TestFaults(t *testing.T) {
	long := "no \x1b[31mway\n" + strings.Repeat("x", 5000)
	for code, want := range map[codes.Code]fault.Code{
		codes.Unavailable: fault.ProviderUnavailable, codes.DeadlineExceeded: fault.ProviderUnavailable,
		codes.Internal: fault.ProviderUnavailable, codes.Unknown: fault.ProviderUnavailable,
		codes.Canceled: fault.ProviderUnavailable,
		codes.Aborted:  fault.ProviderUnavailable, codes.DataLoss: fault.ProviderUnavailable,
		codes.ResourceExhausted: fault.ProviderUnavailable,
		codes.InvalidArgument:   fault.ProviderRefused, codes.FailedPrecondition: fault.ProviderRefused,
		codes.NotFound:      fault.ProviderRefused,
		codes.Unimplemented: fault.ProviderRefused, codes.PermissionDenied: fault.ProviderRefused,
		codes.Unauthenticated: fault.ProviderRefused,
		codes.OutOfRange:      fault.ProviderRefused, codes.AlreadyExists: fault.ProviderRefused,
	} {
		_, err := client(t, nil, status.Error(code, long)).Epoch(context.Background())
		wants(t, code.String(), err, want)
		if want == fault.ProviderRefused {
			e := fault.As(err)
			words := e.Detail.Get("nodeText")
			if e.Detail.Get("code") != code.String() || len(words) > 310 || strings.ContainsAny(words, "\x1b\n") {
				t.Errorf("%s: details %v", code, e.Detail)
			}
		}
	}
}

// TestHeard: each call reports the health of the node.
func TestHeard(t *testing.T) {
	for code, want := range map[codes.Code][]provider.Outcome{
		codes.Unavailable: {provider.Unreachable}, codes.Unauthenticated: {provider.Unauthorized},
		codes.PermissionDenied: {provider.Unauthorized}, codes.NotFound: {provider.Answered}, codes.Internal: nil,
		codes.ResourceExhausted: nil,
	} {
		var heard []provider.Outcome
		c := client(t, nil, status.Error(code, "no"))
		c.heard = func(o provider.Outcome) { heard = append(heard, o) }
		_, _ = c.Epoch(t.Context())
		if !slices.Equal(heard, want) {
			t.Errorf("%s counts as %v, want %v", code, heard, want)
		}
	}
	t.Run("a node of another chain", func(t *testing.T) {
		url, _ := serve(t, "127.0.0.1:0", func(context.Context, any) (any, error) {
			return &pb.GetServiceInfoResponse{ChainId: ptr(sui.Digest{1}.String())}, nil
		})
		c := dial(t, Config{URL: url, Now: time.Now, Admit: func(sui.Digest) error { return errors.New("another chain") },
			Heard: func(o provider.Outcome) { t.Errorf("it counts as %d", o) }})
		if _, err := c.Epoch(t.Context()); err == nil {
			t.Error("it was admitted")
		}
	})
}

func TestOutages(t *testing.T) {
	t.Run("nobody listens", func(t *testing.T) {
		url, stop := serve(t, "127.0.0.1:0", nil)
		stop()
		_, err := dial(t, Config{URL: url, Now: time.Now}).Epoch(context.Background())
		wants(t, "down", err, fault.ProviderUnavailable)
	})
	t.Run("a slow node ends at the deadline", func(t *testing.T) {
		const timeout = 50 * time.Millisecond
		url, _ := serve(t, "127.0.0.1:0", func(ctx context.Context, _ any) (any, error) {
			if end, ok := ctx.Deadline(); !ok || time.Until(end) > timeout {
				t.Errorf("the node has %v to answer, %v", time.Until(end), ok)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		_, err := dial(t, Config{URL: url, Now: time.Now, Timeout: timeout}).Epoch(context.Background())
		wants(t, "slow", err, fault.ProviderUnavailable)
	})
	t.Run("a listener that never speaks ends at the deadline", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		c := dial(t, Config{URL: "http://" + listener.Addr().String(), Now: time.Now, Timeout: 60 * time.Millisecond})
		_, err = c.Epoch(context.Background())
		wants(t, "mute", err, fault.ProviderUnavailable)
	})
	t.Run("the caller's cancellation is its own", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		c := clientOf(t, func(ctx context.Context, _ any) (any, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		})
		_, err := c.Epoch(ctx)
		wants(t, "cancelled", err, fault.RequestAborted)
	})
	t.Run("an answer over the limit", func(t *testing.T) {
		huge := &pb.GetCoinInfoResponse{CoinType: ptr(strings.Repeat("x", maxAnswer+1))}
		_, err := client(t, huge, nil).Metadata(context.Background(), sui.SUI)
		wants(t, "huge", err, fault.TooLarge)
	})
	t.Run("a node that comes back is found again", func(t *testing.T) {
		epoch := func(context.Context, any) (any, error) {
			return &pb.GetEpochResponse{Epoch: &pb.Epoch{Epoch: ptr(uint64(7)), ReferenceGasPrice: ptr(uint64(9))}}, nil
		}
		url, stop := serve(t, "127.0.0.1:0", epoch)
		c := dial(t, Config{URL: url, Now: time.Now})
		if e, err := c.Epoch(context.Background()); err != nil || e.Number != 7 || e.GasPrice != 9 {
			t.Fatalf("%+v, %v", e, err)
		}
		stop()
		_, err := c.Epoch(context.Background())
		wants(t, "gone", err, fault.ProviderUnavailable)
		serve(t, strings.TrimPrefix(url, "http://"), epoch)
		double.Until(t, "the node is asked again", func() bool {
			_, err := c.Epoch(context.Background())
			return err == nil
		})
	})
}

func TestChainIdentifier(t *testing.T) {
	var asked atomic.Int32
	var chain atomic.Value
	chain.Store(digestOf(1).String())
	answer := func(context.Context, any) (any, error) {
		asked.Add(1)
		return &pb.GetServiceInfoResponse{ChainId: ptr(chain.Load().(string))}, nil
	}
	url, stop := serve(t, "127.0.0.1:0", answer)
	c := dial(t, Config{URL: url, Now: time.Now})
	for range 3 {
		if d, err := c.ChainIdentifier(context.Background()); err != nil || d != digestOf(1) {
			t.Fatalf("%v, %v", d, err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times on one connection", asked.Load())
	}
	stop()
	chain.Store(digestOf(2).String())
	serve(t, strings.TrimPrefix(url, "http://"), answer)
	double.Until(t, "the chain is asked for again", func() bool {
		ended := c.links.ended.Load() > 0
		d, err := c.ChainIdentifier(context.Background())
		if err == nil && d == digestOf(1) && ended {
			t.Fatal("the identifier of the earlier connection was kept")
		}
		return err == nil && d == digestOf(2)
	})
	if d, err := c.ChainIdentifier(context.Background()); err != nil || d != digestOf(2) {
		t.Errorf("after the restart: %v, %v", d, err)
	}
	for _, bad := range []string{"", "35834a8a", digestOf(0).String()} {
		_, err := client(t, &pb.GetServiceInfoResponse{ChainId: &bad}, nil).ChainIdentifier(context.Background())
		wants(t, bad, err, fault.ProviderMismatch)
	}
}

// TestSelfSigned: a node without a trusted certificate gets no request.
func TestSelfSigned(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	card := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0,
			1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, card, card, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, NextProtos: []string{"h2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	heard := make(chan int, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			n, _ := conn.Read(make([]byte, 1))
			heard <- n
			_ = conn.Close()
		}
	}()
	_, err = dial(t, Config{URL: "https://" + listener.Addr().String(), Now: time.Now}).Epoch(context.Background())
	wants(t, "self-signed", err, fault.ProviderUnavailable)
	if !strings.Contains(err.Error(), "certificate") {
		t.Errorf("the text does not say why: %v", err)
	}
	if n := <-heard; n != 0 {
		t.Error("a question was sent to a node without a trusted certificate")
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	url, stop := serve(t, "127.0.0.1:0", func(context.Context, any) (any, error) {
		return &pb.GetServiceInfoResponse{ChainId: textOf(digestOf(1))}, nil
	})
	defer stop()
	before := runtime.NumGoroutine()
	for range 5 {
		c, err := New(Config{URL: url, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ChainIdentifier(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	double.Until(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
}
