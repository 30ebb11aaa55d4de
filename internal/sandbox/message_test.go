package sandbox

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestPersonalMessages signs like a wallet and compares with another library's signatures by the
// same key.
func TestPersonalMessages(t *testing.T) {
	s := start(t, Config{})
	b, err := os.ReadFile("../sui/testdata/signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Vectors []struct{ Name, Scheme, Scope, Address, MessageBase64, SignatureBase64 string }
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, v := range f.Vectors {
		message, err := base64.StdEncoding.DecodeString(v.MessageBase64)
		if err != nil {
			t.Fatal(err)
		}
		if v.Scope != "PersonalMessage" || v.Scheme != "ED25519" || v.Address != Account.String() || len(message) == 0 ||
			strings.HasSuffix(v.Name, "_wrong_scope") {
			continue
		}
		compared++
		got, err := s.SignPersonalMessage(message)
		if err != nil || base64.StdEncoding.EncodeToString(got) != v.SignatureBase64 {
			t.Errorf("%s: %x, %v", v.Name, got, err)
		}
	}
	if compared != 4 {
		t.Errorf("%d vectors were compared", compared)
	}
	server := newTestServer(t, s.ControlHandler())
	sign := func(body string) (int, map[string]json.RawMessage) {
		return post(t, server+"/sandbox/wallet/sign", body, nil)
	}
	t.Run("over HTTP", func(t *testing.T) {
		code, got := sign(`{"personalMessage":"aGVsbG8gc3Vp"}`)
		if code != http.StatusOK {
			t.Fatalf("%d %s", code, got)
		}
		message, signature := fromJSON(t, got["bytes"]), fromJSON(t, got["signature"])
		if signer, err := sui.VerifyPersonalMessage(message, signature); err != nil || signer != Account ||
			!bytes.Equal(message, []byte("hello sui")) {
			t.Errorf("%q by %s, %v", message, signer, err)
		}
		if _, err := sui.VerifyTransactionSignature(message, signature); err == nil {
			t.Error("the signature is one over a transaction, too")
		}
	})
	t.Run("one of the two, said clearly", func(t *testing.T) {
		long := base64.StdEncoding.EncodeToString(make([]byte, maxMessage+1))
		for _, body := range []string{`{}`, `{"personalMessage":"aGVsbG8=","transaction":"{}"}`, `{"personalMessage":""}`,
			`{"personalMessage":"!"}`, `{"personalMessage":null}`, fmt.Sprintf(`{"personalMessage":%q}`, long)} {
			if code, got := sign(body); code != http.StatusBadRequest || got["signature"] != nil {
				t.Errorf("%.60s: %d %s", body, code, got)
			}
		}
	})
}
