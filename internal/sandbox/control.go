package sandbox

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"

	"golang.org/x/crypto/blake2b"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/httpjson"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Account is the genesis account: the Ed25519 test key of 32 bytes 0x11. Its private key does not leave
// this package.
var Account = sui.MustAddress("0x0881c07520943bbf13989b92892093c1b50672156fa5f873c22892701cb2e207")

// genesisKey returns Account's private key. It is public and worthless on real networks.
func genesisKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{0x11}, ed25519.SeedSize))
}

// control serves the endpoints for tests and the demo. It refuses requests with an Origin, so pages
// cannot call them.
func (s *Sandbox) control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sandbox/wallet/sign", s.serveSign)
	mux.HandleFunc("POST /sandbox/faucet", s.serveFaucet)
	mux.HandleFunc("POST /sandbox/fault", s.serveFault)
	mux.HandleFunc("POST /v2/gas", s.serveGas)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" {
			httpjson.Error(w, http.StatusForbidden, "pages may not call this endpoint")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// ControlHandler serves only POST /sandbox/wallet/sign, behind the page server's own guard.
func (s *Sandbox) ControlHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sandbox/wallet/sign", s.serveSign)
	return mux
}

// signRequest contains what to sign. Exactly one field is set.
type signRequest struct {
	Transaction     json.RawMessage `json:"transaction"`     // version-2 JSON, as an object or a string
	PersonalMessage []byte          `json:"personalMessage"` // base64
}

// signAnswer contains the signed bytes and the signature, both in base64, as wallets return them.
type signAnswer struct {
	Bytes     string `json:"bytes"`     // base64 TransactionData, or the message
	Signature string `json:"signature"` // base64 of scheme, signature and public key
}

// maxMessage is the maximum size of a personal message in bytes.
const maxMessage = 4 << 10

// serveSign signs a transaction or personal message with the genesis account's test key.
func (s *Sandbox) serveSign(w http.ResponseWriter, r *http.Request) {
	var req signRequest
	if !httpjson.Read(w, r, &req) {
		return
	}
	var raw, signature []byte
	var err error
	switch {
	case (req.Transaction == nil) == (req.PersonalMessage == nil):
		err = ledger.Refuse("say what to sign: either transaction or personalMessage")
	case req.PersonalMessage != nil:
		raw = req.PersonalMessage
		signature, err = s.SignPersonalMessage(raw)
	default:
		raw, signature, err = s.signJSON(req.Transaction)
	}
	if err != nil {
		httpjson.Error(w, http.StatusBadRequest, status.Convert(err).Message())
		return
	}
	httpjson.Write(w, http.StatusOK, signAnswer{
		Bytes:     base64.StdEncoding.EncodeToString(raw),
		Signature: base64.StdEncoding.EncodeToString(signature),
	})
}

// signJSON signs a transaction in the form that wallets accept.
func (s *Sandbox) signJSON(body []byte) (raw, signature []byte, err error) {
	var text string
	if json.Unmarshal(body, &text) == nil {
		body = []byte(text)
	}
	tx, err := sui.ParseWalletJSON(body)
	if err != nil {
		return nil, nil, ledger.Refuse("%s", fault.As(err).Text)
	}
	return s.Sign(tx)
}

// SignPersonalMessage signs a message as Account, like sui:signPersonalMessage. The signature's
// scope prevents its use for a transaction.
func (s *Sandbox) SignPersonalMessage(message []byte) (signature []byte, err error) {
	if len(message) == 0 || len(message) > maxMessage {
		return nil, ledger.Refuse("a personal message must have 1 to %d bytes", maxMessage)
	}
	signed := []byte{3, 0, 0} // intent: personal message, version 0, Sui
	signed = binary.AppendUvarint(signed, uint64(len(message)))
	return s.seal(append(signed, message...)), nil
}

// seal signs intent and content, and encodes the signature as the chain does.
func (s *Sandbox) seal(content []byte) []byte {
	digest := blake2b.Sum256(content)
	signature := append([]byte{0}, ed25519.Sign(s.key, digest[:])...)
	return append(signature, s.key.Public().(ed25519.PublicKey)...)
}

// Sign encodes and signs a transaction. It refuses senders other than Account.
func (s *Sandbox) Sign(tx *sui.Transaction) (raw, signature []byte, err error) {
	if tx.Sender != Account {
		return nil, nil, ledger.Refuse("the test wallet holds only the key of %s", Account)
	}
	if raw, err = tx.Encode(); err != nil {
		return nil, nil, ledger.Refuse("the transaction cannot be encoded: %v", err)
	}
	return raw, s.seal(append([]byte{0, 0, 0}, raw...)), nil // intent: transaction data, version 0, Sui
}

// faucetRequest names the address to fund.
type faucetRequest struct {
	Address sui.Address `json:"address"`
}

// serveFaucet funds an address.
func (s *Sandbox) serveFaucet(w http.ResponseWriter, r *http.Request) {
	var req faucetRequest
	if !httpjson.Read(w, r, &req) {
		return
	}
	if req.Address.IsZero() {
		httpjson.Error(w, http.StatusBadRequest, "address is missing")
		return
	}
	if err := s.Endow(req.Address); err != nil {
		httpjson.Error(w, http.StatusInternalServerError, err.Error())
		return
	}
	httpjson.Write(w, http.StatusOK, req)
}

// gasRequest is the request that official clients send to a version 2 faucet.
type gasRequest struct {
	FixedAmountRequest struct {
		Recipient sui.Address `json:"recipient"`
	} `json:"FixedAmountRequest"`
}

// gasAnswer is the answer of a version 2 faucet.
type gasAnswer struct {
	Status string    `json:"status"`
	Coins  []gasCoin `json:"coins_sent"`
}

type gasCoin struct {
	Amount uint64       `json:"amount"` // MIST
	ID     sui.ObjectID `json:"id"`
	Digest string       `json:"transferTxDigest"`
}

// serveGas funds an address like the faucets of test networks, and lists the SUI coins that it created.
func (s *Sandbox) serveGas(w http.ResponseWriter, r *http.Request) {
	var req gasRequest
	if !httpjson.Read(w, r, &req) {
		return
	}
	to := req.FixedAmountRequest.Recipient
	if to.IsZero() {
		httpjson.Error(w, http.StatusBadRequest, "FixedAmountRequest.recipient is missing")
		return
	}
	had := map[sui.ObjectID]bool{}
	for _, o := range s.Owned(to) {
		had[o.ID] = true
	}
	if err := s.Endow(to); err != nil {
		httpjson.Error(w, http.StatusInternalServerError, err.Error())
		return
	}
	answer := gasAnswer{Status: "Success", Coins: []gasCoin{}}
	for _, o := range s.Owned(to) {
		if o.Coin == sui.SUI && !had[o.ID] {
			answer.Coins = append(answer.Coins, gasCoin{o.Balance, o.ID, o.Previous.String()})
		}
	}
	httpjson.Write(w, http.StatusOK, answer)
}

// serveFault injects a fault.
func (s *Sandbox) serveFault(w http.ResponseWriter, r *http.Request) {
	var req faults.Fault
	if !httpjson.Read(w, r, &req) {
		return
	}
	if err := s.Inject(req); err != nil {
		httpjson.Error(w, http.StatusBadRequest, status.Convert(err).Message())
		return
	}
	httpjson.Write(w, http.StatusOK, req)
}
