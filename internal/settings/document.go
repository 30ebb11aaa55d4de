package settings

import (
	"bufio"
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

// Bounds of a copy that is put in. One that is taken out has none, but is
// weighed against them first.
const (
	MostImport   = 8 << 20   // bytes of the file as it is uploaded
	MostUnpacked = 128 << 20 // bytes of its text: what a small file may unpack to
	MostRows     = 1_000_000
	mostRow      = 1 << 20 // bytes of one row
)

// Head is what a copy says before its lists. A copy holds no transaction bytes,
// no signature, no link, pass or code, and no hash of one.
type Head struct {
	Format    string
	Version   int
	Network   string
	CreatedAt time.Time
	Settings  Stored
	Active    *Active
}

// members are the members of a copy, in the order in which they stand: the head,
// the lists, and how many rows the lists have. Without the last a copy is cut off.
func members() []string {
	return append(append([]string{"format", "version", "network", "createdAt", "settings", "activeAccount"}, lists()...), "rows")
}

// lists are the members of a copy that have rows.
func lists() []string { return []string{"accounts", "identities", "reviews", "coins", "journal"} }

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

// Count is how many of one thing there are.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"count"`
}

// writer writes a copy piece by piece.
type writer struct {
	out  *bufio.Writer
	err  error
	n    int
	list bool // inside a list with at least one member
}

func (w *writer) raw(text string) {
	if w.err == nil {
		_, w.err = w.out.WriteString(text)
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
