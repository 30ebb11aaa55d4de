package sandbox

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/proto"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// webCall posts one gRPC-web call and returns the message and the trailer lines.
func webCall(t *testing.T, n *served, text bool, method string, req proto.Message,
	header map[string]string) (*http.Response, []byte, string) {
	t.Helper()
	b, err := proto.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	body := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(b))), b...)
	kind := "application/grpc-web+proto"
	if text {
		kind, body = "application/grpc-web-text", []byte(base64.StdEncoding.EncodeToString(body))
	}
	r, err := http.NewRequestWithContext(within(t), http.MethodPost, "http://"+n.addr+"/sui.rpc.v2."+method,
		bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	for k, v := range header {
		if k == "Host" {
			r.Host = v
		}
		r.Header.Set(k, v)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text && answer.StatusCode == http.StatusOK {
		raw = decodeChunks(t, string(raw))
	}
	var message []byte
	trailer := ""
	for answer.StatusCode == http.StatusOK && len(raw) >= 5 {
		size := binary.BigEndian.Uint32(raw[1:5])
		if raw[0]&0x80 != 0 {
			trailer = string(raw[5 : 5+size])
		} else {
			message = raw[5 : 5+size]
		}
		raw = raw[5+size:]
	}
	return answer, message, trailer
}

// decodeChunks decodes concatenated base64 texts.
func decodeChunks(t *testing.T, s string) []byte {
	t.Helper()
	var out []byte
	for len(s) > 0 {
		end := len(s)
		if i := strings.IndexByte(s, '='); i >= 0 {
			for end = i; end < len(s) && s[end] == '='; end++ {
			}
		}
		b, err := base64.StdEncoding.DecodeString(s[:end])
		if err != nil {
			t.Fatal(err)
		}
		out, s = append(out, b...), s[end:]
	}
	return out
}

func TestWeb(t *testing.T) {
	n := start(t, Config{})
	info := &pb.GetServiceInfoRequest{}
	for _, text := range []bool{false, true} {
		name := map[bool]string{false: "binary", true: "text"}[text]
		t.Run(name+" answers and ends with a trailer", func(t *testing.T) {
			_, message, trailer := webCall(t, n, text, "LedgerService/GetServiceInfo", info, nil)
			var got pb.GetServiceInfoResponse
			if err := proto.Unmarshal(message, &got); err != nil || got.GetChainId() != n.Chain().String() {
				t.Errorf("%v, %v", &got, err)
			}
			if !strings.Contains(trailer, "grpc-status: 0\r\n") {
				t.Errorf("trailer %q", trailer)
			}
		})
		t.Run(name+" reports errors", func(t *testing.T) {
			answer, _, trailer := webCall(t, n, text, "StateService/ListDynamicFields", &pb.ListDynamicFieldsRequest{}, nil)
			if !strings.Contains(trailer, "grpc-status: 3\r\n") || !strings.Contains(trailer, "grpc-message: invalid parent") {
				t.Errorf("%v, trailer %q", answer.Header, trailer)
			}
		})
		t.Run(name+" does not know every service", func(t *testing.T) {
			_, _, trailer := webCall(t, n, text, "Nonsense/Call", info, nil)
			if !strings.Contains(trailer, "grpc-status: 12\r\n") || !strings.Contains(trailer, "Nonsense") {
				t.Errorf("trailer %q", trailer)
			}
		})
	}
	t.Run("pages of this machine may call, others may not", func(t *testing.T) {
		answer, _, _ := webCall(t, n, false, "LedgerService/GetServiceInfo", info,
			map[string]string{"Origin": "http://127.0.0.1:5000"})
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Access-Control-Allow-Origin") != "http://127.0.0.1:5000" {
			t.Errorf("%d %v", answer.StatusCode, answer.Header)
		}
		for _, origin := range []string{"https://example.com", "null", "http://127.0.0.1.example.com"} {
			answer, _, _ := webCall(t, n, false, "LedgerService/GetServiceInfo", info, map[string]string{"Origin": origin})
			if answer.StatusCode != http.StatusForbidden || answer.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %d %v", origin, answer.StatusCode, answer.Header)
			}
		}
	})
	t.Run("a foreign Host is refused", func(t *testing.T) {
		for _, host := range []string{"example.com", "127.0.0.1.example.com:9000", "10.0.0.1"} {
			answer, _, _ := webCall(t, n, false, "LedgerService/GetServiceInfo", info, map[string]string{"Host": host})
			if answer.StatusCode != http.StatusMisdirectedRequest {
				t.Errorf("%s: %d", host, answer.StatusCode)
			}
		}
	})
	t.Run("a preflight of this machine is answered", func(t *testing.T) {
		r, err := http.NewRequestWithContext(within(t), http.MethodOptions, "http://"+n.addr+
			"/sui.rpc.v2.LedgerService/GetServiceInfo", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "http://localhost:5000")
		r.Header.Set("Access-Control-Request-Headers", "content-type,x-grpc-web")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusNoContent ||
			answer.Header.Get("Access-Control-Allow-Headers") != "content-type,x-grpc-web" {
			t.Errorf("%d %v", answer.StatusCode, answer.Header)
		}
	})
	t.Run("anything else is told what this is", func(t *testing.T) {
		answer, err := http.Get("http://" + n.addr + "/")
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusUnsupportedMediaType {
			t.Error(answer.StatusCode)
		}
	})
}

// post sends JSON to a control endpoint.
func post(t *testing.T, url, body string, header map[string]string) (int, map[string]json.RawMessage) {
	t.Helper()
	r, err := http.NewRequestWithContext(within(t), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for k, v := range header {
		if k == "Host" {
			r.Host = v
		}
		r.Header.Set(k, v)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	got := map[string]json.RawMessage{}
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(raw, &got) // text answers leave it empty
	return answer.StatusCode, got
}

func TestControl(t *testing.T) {
	n := start(t, Config{})
	base := "http://" + n.addr + "/sandbox/"
	tx := n.swapTx(t, "SUI_USDC", 10_000_000_000, 1, nil)
	wallet, err := tx.WalletJSON()
	if err != nil {
		t.Fatal(err)
	}
	asText, err := json.Marshal(map[string]string{"transaction": string(wallet)})
	if err != nil {
		t.Fatal(err)
	}
	asObject := `{"transaction":` + string(wallet) + `}`
	t.Run("the wallet signs the exact transaction", func(t *testing.T) {
		for _, body := range []string{string(asText), asObject} {
			code, got := post(t, base+"wallet/sign", body, nil)
			if code != http.StatusOK {
				t.Fatalf("%d %s", code, got)
			}
			raw, signature := fromJSON(t, got["bytes"]), fromJSON(t, got["signature"])
			if !bytes.Equal(raw, encode(t, tx)) {
				t.Error("other bytes were signed")
			}
			if signer, err := sui.VerifyTransactionSignature(raw, signature); err != nil || signer != Account {
				t.Errorf("%s, %v", signer, err)
			}
		}
	})
	t.Run("it signs for nobody else, and no rubbish", func(t *testing.T) {
		other := *tx
		other.Sender = sui.MustAddress("0x77")
		foreign, err := other.WalletJSON()
		if err != nil {
			t.Fatal(err)
		}
		for name, body := range map[string]string{
			"another sender": `{"transaction":` + string(foreign) + `}`,
			"no transaction": `{}`, "no JSON": `hello`, "two values": asObject + asObject,
			"an unknown name": `{"transaction":` + string(wallet) + `,"key":"0x11"}`,
		} {
			if code, got := post(t, base+"wallet/sign", body, nil); code != http.StatusBadRequest || got["signature"] != nil {
				t.Errorf("%s: %d %s", name, code, got)
			}
		}
	})
	t.Run("the faucet funds", func(t *testing.T) {
		if code, got := post(t, base+"faucet", `{"address":"`+sui.MustAddress("0x77").String()+`"}`,
			nil); code != http.StatusOK {
			t.Fatalf("%d %s", code, got)
		}
		if b := n.balance(t, sui.MustAddress("0x77"), sui.SUI); b != 1_050_000_000_000 {
			t.Errorf("balance %d", b)
		}
		for _, body := range []string{`{}`, `{"address":"me"}`} {
			if code, _ := post(t, base+"faucet", body, nil); code != http.StatusBadRequest {
				t.Errorf("%s: %d", body, code)
			}
		}
	})
	t.Run("faults by HTTP", func(t *testing.T) {
		if code, _ := post(t, base+"fault", `{"kind":"fail","method":"GetServiceInfo","times":1}`,
			nil); code != http.StatusOK {
			t.Fatal(code)
		}
		if _, err := n.ledger.GetServiceInfo(within(t), &pb.GetServiceInfoRequest{}); err == nil {
			t.Error("it did not fail")
		}
		if code, _ := post(t, base+"fault", `{"kind":"explode"}`, nil); code != http.StatusBadRequest {
			t.Error(code)
		}
	})
	t.Run("pages, foreign hosts and other media types are refused", func(t *testing.T) {
		for _, c := range []struct {
			header map[string]string
			want   int
		}{
			{map[string]string{"Origin": "http://127.0.0.1:5000"}, http.StatusForbidden},
			{map[string]string{"Origin": "http://" + n.addr}, http.StatusForbidden},
			{map[string]string{"Origin": "null"}, http.StatusForbidden},
			{map[string]string{"Host": "example.com"}, http.StatusMisdirectedRequest},
			{map[string]string{"Content-Type": "text/plain"}, http.StatusUnsupportedMediaType},
		} {
			for _, path := range []string{"wallet/sign", "faucet", "fault"} {
				if code, _ := post(t, base+path, asObject, c.header); code != c.want {
					t.Errorf("%s with %v: %d, want %d", path, c.header, code, c.want)
				}
			}
		}
	})
	t.Run("the mounted handler signs and does nothing else", func(t *testing.T) {
		server := newTestServer(t, n.ControlHandler())
		if code, got := post(t, server+"/sandbox/wallet/sign", asObject, nil); code != http.StatusOK {
			t.Errorf("%d %s", code, got)
		}
		for _, path := range []string{"faucet", "fault"} {
			if code, _ := post(t, server+"/sandbox/"+path, `{"kind":"clear"}`, nil); code != http.StatusNotFound {
				t.Errorf("%s: %d", path, code)
			}
		}
	})
}

func fromJSON(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var b []byte
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	return b
}
