// Package instance is how the process that serves the pages proves to other
// processes of the same installation that it does.
//
// The process keeps a [Card] in a file that only the user can read. Whoever can
// read it asks at the card's address for a proof over a nonce of its own; the
// secret of the card never leaves the file. A program that took the port, or
// learned the address, cannot answer. The package opens no file and no
// listener, and decides nothing about who may serve.
package instance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/netip"
	"net/url"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Card is what the process that serves the pages leaves for the others.
type Card struct {
	// Origin is where it serves: http://127.0.0.1:port.
	Origin string `json:"origin"`
	// Instance tells this time of serving from every other.
	Instance string `json:"instance"`
	// Secret is the key of its proofs, new for every time of serving.
	Secret string `json:"secret"`
	// PID is its process id, for a person who wants to end it.
	PID int `json:"pid"`
	// Node is the address of the sandbox chain that lives in it, "" without one.
	Node string `json:"node,omitempty"`
}

// secretBytes is the length of secrets and nonces before they are written out.
const secretBytes = 32

// purpose keeps a proof from being one of anything else.
const purpose = "say-ur-intent/owner/v1"

// encoding writes secrets, nonces and proofs: 43 characters each.
var encoding = base64.RawURLEncoding.Strict()

// New makes the card of a process that serves the pages at origin. rand is a
// cryptographic source.
func New(origin, node string, pid int, rand io.Reader) (Card, error) {
	instance, err := random(rand)
	if err != nil {
		return Card{}, err
	}
	secret, err := random(rand)
	if err != nil {
		return Card{}, err
	}
	c := Card{Origin: origin, Instance: instance, Secret: secret, PID: pid, Node: node}
	return c, c.check()
}

// Parse reads a card. Anything but a whole card of a loopback address is
// fault.InputInvalid.
func Parse(text []byte) (Card, error) {
	c, err := strictjson.Decode[Card](text)
	if err != nil {
		return Card{}, err
	}
	return c, c.check()
}

// Text writes the card as Parse reads it. It holds the secret.
func (c Card) Text() ([]byte, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The proof of who serves the pages could not be written.")
	}
	return append(text, '\n'), nil
}

// check accepts addresses on 127.0.0.1 alone, written in one way.
func (c Card) check() error {
	if !loopback(c.Origin) || (c.Node != "" && !loopback(c.Node)) || c.PID <= 0 || !secretShaped(c.Instance) || !secretShaped(c.Secret) {
		return fault.New(fault.InputInvalid, "The file that says who serves the pages is not one of Say Ur Intent's.")
	}
	return nil
}

// loopback reports whether an address is exactly http://127.0.0.1:port.
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || address != "http://"+u.Host {
		return false
	}
	at, err := netip.ParseAddrPort(u.Host)
	return err == nil && at.Addr() == netip.AddrFrom4([4]byte{127, 0, 0, 1}) && at.Port() != 0 && at.String() == u.Host
}

// secretShaped reports whether a text is a secret, a nonce or a proof as this
// package writes them.
func secretShaped(text string) bool {
	b, err := encoding.DecodeString(text)
	return err == nil && len(b) == secretBytes
}

// Prove answers a challenge: it reports false for what is not a nonce. The proof
// covers origin, instance and nonce, so that it serves nobody at another address
// and never again.
func (c Card) Prove(nonce string) (proof string, ok bool) {
	if !secretShaped(nonce) {
		return "", false
	}
	key, err := encoding.DecodeString(c.Secret)
	if err != nil {
		return "", false
	}
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, strings.Join([]string{purpose, c.Origin, c.Instance, nonce}, "\n"))
	return encoding.EncodeToString(mac.Sum(nil)), true
}

func random(rand io.Reader) (string, error) {
	b := make([]byte, secretBytes)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "This machine gave no random numbers.")
	}
	return encoding.EncodeToString(b), nil
}
