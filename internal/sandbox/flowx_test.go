package sandbox

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// quoterReply holds the fields of an answer that these tests read.
type quoterReply struct {
	Code int
	Data *struct {
		AmountOut string
		Paths     [][]json.RawMessage
	}
}

// quoted queries the quoter of a sandbox.
func quoted(t *testing.T, s *Sandbox, query url.Values) (int, quoterReply) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+"/flowx-ag-routing/api/v1/quote"+"?"+query.Encode(), nil)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	var answer quoterReply
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%s: %v", w.Body.Bytes(), err)
	}
	return w.Code, answer
}

func ask(in, out sui.CoinType, amount string) url.Values {
	return url.Values{"tokenIn": {string(in)}, "tokenOut": {string(out)}, "amountIn": {amount},
		"includeSources": {"FLOWX_CLMM"}, "maxHops": {"1"}}
}

func TestTheQuoterAnswersFromThePools(t *testing.T) {
	s, err := New(Config{Now: func() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	in, out := registry.Coins()[0].Type, registry.Coins()[1].Type
	code, answer := quoted(t, s, ask(in, out, "10000000000"))
	if code != 200 || answer.Code != 0 || answer.Data == nil || len(answer.Data.Paths) != 1 {
		t.Fatalf("%d %+v", code, answer)
	}
	got, err := strconv.ParseUint(answer.Data.AmountOut, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	mid, stopped := bookOf(t, s, "SUI_USDC").MidPrice(uint64(s.Now().UnixMilli()))
	if stopped != nil {
		t.Fatal(stopped)
	}
	if middle := mid * 10; got < middle*99/100 || got > middle*101/100 { // 10 SUI: raw price times ten thousand millionths
		t.Errorf("10 SUI give %d, the order book's middle says %d", got, middle)
	}
	if _, again := quoted(t, s, ask(in, out, "10000000000")); again.Data.AmountOut != answer.Data.AmountOut {
		t.Error("asking changes the pools")
	}
	for _, bad := range []string{"0", "-1", "1.5", "1e9", "", "99999999999999999999"} {
		if code, _ := quoted(t, s, ask(in, out, bad)); code != 400 {
			t.Errorf("amount %q: status %d", bad, code)
		}
	}
	if _, none := quoted(t, s, ask(in, in, "1")); none.Code == 0 || none.Data != nil {
		t.Errorf("a pair of one coin: %+v", none)
	}
	other := ask(in, out, "1000")
	other.Set("includeSources", "CETUS")
	if _, none := quoted(t, s, other); none.Code == 0 || none.Data != nil {
		t.Errorf("another source: %+v", none)
	}
	if _, none := quoted(t, s, ask(in, out, strconv.FormatUint(1<<62, 10))); none.Data != nil {
		t.Error("more than the pools hold is quoted")
	}
	for _, p := range registry.Pools() {
		if err := s.Inject(faults.Fault{Kind: faults.ShiftPrice, Pool: p.Key(), BasisPoints: -500}); err != nil {
			t.Fatal(err)
		}
	}
	_, moved := quoted(t, s, ask(in, out, "10000000000"))
	if after, _ := strconv.ParseUint(moved.Data.AmountOut, 10, 64); after >= got*96/100 || after <= got*94/100 {
		t.Errorf("%d before, %d after the price moved", got, after)
	}
}

func bookOf(t *testing.T, s *Sandbox, key string) *clob.Pool {
	t.Helper()
	return s.Object(pool(t, key).ID).Book
}

func TestPackagesAreReported(t *testing.T) {
	packages := pb.NewMovePackageServiceClient(start(t, Config{}).conn)
	ask := func(id sui.ObjectID) (*pb.GetPackageResponse, error) {
		return packages.GetPackage(t.Context(), &pb.GetPackageRequest{PackageId: new(id.String())})
	}
	answer, err := ask(registry.Package)
	if err != nil || answer.GetPackage().GetVersion() != registry.PackageVersion ||
		answer.GetPackage().GetOriginalId() != registry.OriginalPackage.String() {
		t.Errorf("%v, %v", answer, err)
	}
	if _, err := ask(registry.Object); status.Code(err) != codes.NotFound {
		t.Errorf("an object is a package: %v", err)
	}
}
