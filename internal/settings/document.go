package settings

import (
	"encoding/json"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// The head of a copy. A reader takes versions up to its own.
const (
	format  = "say-ur-intent.local-data"
	version = 1
)

// Bounds of a copy that is put in. A copy that is taken out has none.
const (
	MostImport = 8 << 20 // bytes
	MostRows   = 200_000
	mostRow    = 1 << 20 // bytes of one row
)

// Document is a copy of all local data. It holds no transaction bytes, no
// signature, no link, pass or code, and no hash of one.
type Document struct {
	Format     string     `json:"format"`
	Version    int        `json:"version"`
	Network    string     `json:"network"`
	CreatedAt  time.Time  `json:"createdAt"`
	Settings   Stored     `json:"settings"`
	Active     *Active    `json:"activeAccount"`
	Accounts   []Account  `json:"accounts"`
	Identities []Identity `json:"identities"`
	Reviews    []Review   `json:"reviews"`
	Coins      []CoinWord `json:"coins"`
	Journal    []Entry    `json:"journal"`
	// Rows counts the members of the lists. It is the last thing that is
	// written: a copy without it is cut off.
	Rows int `json:"rows"`
}

// Active is the account that is in use. Nothing in a copy is proof of it.
type Active struct {
	Account     sui.Address `json:"account"`
	Chain       string      `json:"chain"`
	WalletName  string      `json:"walletName"`
	WalletID    string      `json:"walletId"`
	ConnectedAt time.Time   `json:"connectedAt"`
}

// Account is an account that a wallet gave once.
type Account struct {
	Account          sui.Address `json:"account"`
	Chain            string      `json:"chain"`
	WalletName       string      `json:"walletName"`
	WalletID         string      `json:"walletId"`
	FirstConnectedAt time.Time   `json:"firstConnectedAt"`
	LastConnectedAt  time.Time   `json:"lastConnectedAt"`
}

// Identity is one attempt to connect a wallet.
type Identity struct {
	ID            string       `json:"id"`
	Status        string       `json:"status"`
	Account       *sui.Address `json:"account"`
	Chain         string       `json:"chain"`
	WalletName    string       `json:"walletName"`
	WalletID      string       `json:"walletId"`
	FailureReason string       `json:"failureReason"`
	FailureDetail string       `json:"failureDetail"`
	Replaced      *sui.Address `json:"replaced"` // in use before this one
	CreatedAt     time.Time    `json:"createdAt"`
	UpdatedAt     time.Time    `json:"updatedAt"`
	ExpiresAt     time.Time    `json:"expiresAt"`
}

// Review is one review as it is kept.
type Review = review.Session

// CoinWord is what a chain said of a coin. Symbol and Name are text of unknown
// authors. Without Found the chain had no description.
type CoinWord struct {
	Chain     sui.Digest   `json:"chain"`
	CoinType  sui.CoinType `json:"coinType"`
	Found     bool         `json:"found"`
	Decimals  uint8        `json:"decimals"`
	Symbol    string       `json:"symbol"`
	Name      string       `json:"name"`
	CheckedAt time.Time    `json:"checkedAt"`
}

// Entry is one journal row. Its place in the list is its place in time; numbers
// are given anew where it is put in.
type Entry struct {
	Kind     events.Kind `json:"kind"`
	Subject  string      `json:"subject"`
	From     string      `json:"from"`
	To       string      `json:"to"`
	Revision int64       `json:"revision"`
	What     string      `json:"what"`
	At       time.Time   `json:"at"`
}

// bare gives a review without what belongs to the page that holds it: nobody
// can act on a copy with the nonce of the original.
func bare(s review.Session) review.Session {
	releases := append([]review.Release(nil), s.Releases...)
	for i := range releases {
		releases[i].NonceHash = review.Hash{}
	}
	s.Releases = releases
	return s
}

// counts gives how many of each thing a copy holds, in words of the page.
func (d *Document) counts() []Count {
	return []Count{
		{"Reviews", len(d.Reviews)}, {"Remembered accounts", len(d.Accounts)}, {"Connect sessions", len(d.Identities)},
		{"Journal entries", len(d.Journal)}, {"Descriptions of coins", len(d.Coins)},
	}
}

// Count is how many of one thing there are.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"count"`
}

// writer writes a copy piece by piece.
type writer struct {
	out  func([]byte) error
	err  error
	n    int
	list bool // inside a list with at least one member
}

func (w *writer) raw(text string) {
	if w.err == nil {
		w.err = w.out([]byte(text))
	}
}

func (w *writer) value(v json.Marshaler) {
	b, err := v.MarshalJSON()
	if w.err == nil {
		w.err = err
	}
	w.raw(string(b))
}

// encoded is a value of this package's own shapes, ready to be written.
func encoded[T any](v T) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

func (w *writer) begin(name string) { w.list = false; w.raw(",\n\"" + name + "\":[") }
func (w *writer) end()              { w.raw("]") }

func (w *writer) row(v json.RawMessage) error {
	if w.list {
		w.raw(",\n")
	} else {
		w.raw("\n")
	}
	w.list = true
	w.n++
	w.value(v)
	return w.err
}
