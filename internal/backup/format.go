package backup

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// The head of a backup. A reader takes versions up to its own.
const (
	format  = "say-ur-intent.local-data"
	version = 2 // 1 had no address book
)

// Bounds of a backup that is imported. One that is exported has none, but is
// weighed against them first.
const (
	MostImport   = 8 << 20   // bytes of the file as it is uploaded
	MostUnpacked = 128 << 20 // bytes of its text: what a small file may unpack to
	MostRows     = 1_000_000
	mostRow      = 1 << 20 // bytes of one row
)

// Head is what a backup says before its lists. A backup holds no transaction
// bytes, no signature, no link, pass or code, and no hash of one.
type Head struct {
	Format    string
	Version   int
	Network   string
	CreatedAt time.Time
	Settings  settings.Stored
	Active    *Active
}

// members are the members of a backup, in the order in which they stand: the
// head, the lists, and how many rows the lists have. Without the last a backup
// is cut off.
func members(of int) []string {
	return append(append([]string{"format", "version", "network", "createdAt", "settings", "activeAccount"}, listsOf(of)...), "rows")
}

// listsOf are the lists of a backup of a version.
func listsOf(v int) []string {
	return slices.DeleteFunc(lists(), func(name string) bool { return v == 1 && (name == "book" || name == "ownNames") })
}

// lists are the members of a backup that have rows.
func lists() []string {
	return []string{"accounts", "identities", "reviews", "coins", "book", "ownNames", "journal"}
}

// Row is one row of a list: an Account, Identity, Review, Coin, Name, OwnName or Entry.
type Row interface {
	list() string // the list it stands in
}

func (Account) list() string  { return "accounts" }
func (Identity) list() string { return "identities" }
func (Review) list() string   { return "reviews" }
func (Coin) list() string     { return "coins" }
func (Name) list() string     { return "book" }
func (OwnName) list() string  { return "ownNames" }
func (Entry) list() string    { return "journal" }

// Active is the account that is in use. Nothing in a backup is proof of it.
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

// Review is one review as it is kept, without what belongs to the page that
// holds it.
type Review struct{ record.Session }

// Coin is what a chain said of a coin. Symbol and Name are text of unknown
// authors. Without Found the chain had no description.
type Coin struct {
	Chain     sui.Digest   `json:"chain"`
	CoinType  sui.CoinType `json:"coinType"`
	Found     bool         `json:"found"`
	Decimals  uint8        `json:"decimals"`
	Symbol    string       `json:"symbol"`
	Name      string       `json:"name"`
	CheckedAt time.Time    `json:"checkedAt"`
}

// Name is one entry of the address book that is not deleted. That somebody paid its
// address is not in a backup: what comes in is unconfirmed.
type Name struct {
	ID        string    `json:"id"`
	Title     string    `json:"title" screen:"name"`
	Address   string    `json:"address"`
	Chain     string    `json:"chain"`
	CreatedAt time.Time `json:"createdAt"`
}

// OwnName is what the person calls an account of their own.
type OwnName struct {
	Address string `json:"address"`
	Title   string `json:"title" screen:"name"`
}

// Entry is one journal row. Its place in the list is its place in time; numbers
// are given anew where it is imported.
type Entry struct {
	Kind     events.Kind `json:"kind"`
	Subject  string      `json:"subject"`
	From     string      `json:"from"`
	To       string      `json:"to"`
	Revision int64       `json:"revision"`
	What     string      `json:"what"`
	At       time.Time   `json:"at"`
}

// bare returns a review without the nonces of its pages: nobody can act on a
// backup with the nonce of the original.
func bare(r Review) Review {
	r.Releases = slices.Clone(r.Releases)
	for i := range r.Releases {
		r.Releases[i].NonceHash = record.Hash{}
	}
	return r
}

// write writes the text of a backup of everything that the store holds.
func (s *Service) write(ctx context.Context, out io.Writer) error {
	w := bufio.NewWriterSize(out, 64<<10)
	// Lists without rows stand in a backup too, so the lists between are written
	// when the next row comes.
	open, rows := -1, 0
	between := ""
	// to ends the open list and begins those up to the one at i.
	to := func(i int) {
		for open < i {
			if open >= 0 {
				_ = w.WriteByte(']')
			}
			open++
			_, _ = fmt.Fprintf(w, ",\n%q:[", lists()[open])
			between = "\n"
		}
	}
	head := func(stored settings.Stored, active *Active) error {
		_, err := fmt.Fprintf(w, "{\"format\":%q,\"version\":%d,\n\"network\":%s,\"createdAt\":%s,\n\"settings\":%s,\n\"activeAccount\":%s",
			format, version, text(s.c.Network), text(s.c.Now().UTC()), text(stored), text(active))
		return err
	}
	err := s.c.Store.Walk(ctx, head, func(row Row) error {
		if r, ok := row.(Review); ok {
			row = bare(r)
		}
		to(slices.Index(lists(), row.list()))
		rows++
		_, err := w.WriteString(between + string(text(row)))
		between = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	to(len(lists()) - 1)
	_, _ = fmt.Fprintf(w, "],\n\"rows\":%d}\n", rows)
	return w.Flush() // an error of any write before too
}

// text returns a value of this package's own shapes in JSON. They all have one.
func text[T any](v T) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}
