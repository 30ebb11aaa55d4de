package backup

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/watch"
)

// The head of a backup. A reader accepts versions up to its own. Version 1 had no address book, and
// version 2 no watch list. Both contained reviews.
const (
	format  = "say-ur-intent.local-data"
	version = 3
)

// Size limits of a backup.
const (
	MostImport   = 8 << 20  // bytes of the uploaded file
	MostUnpacked = 64 << 20 // bytes of the uncompressed text
)

// File is a backup. It contains no transaction bytes, signatures, links, access tokens, codes or
// proofs.
type File struct {
	Format    string           `json:"format"`
	Version   int              `json:"version"`
	Network   string           `json:"network"`
	CreatedAt time.Time        `json:"createdAt"`
	Settings  *settings.Stored `json:"settings"`
	Active    *Active          `json:"activeAccount"`
	Accounts  []Account        `json:"accounts"`
	Book      []book.Entry     `json:"book"`     // nil in version 1
	OwnNames  []OwnName        `json:"ownNames"` // nil in version 1
	Watched   []watch.Coin     `json:"watched"`  // nil before version 3

	// Reviews is the number of reviews in a file of an earlier version. Reviews are not imported.
	Reviews int `json:"-"`
}

// Active is account.Active without its proof.
type Active struct {
	Account     sui.Address `json:"account"`
	Chain       string      `json:"chain"`
	WalletName  string      `json:"walletName"`
	WalletID    string      `json:"walletId"`
	Proven      bool        `json:"-"`
	ProvenAt    time.Time   `json:"-"`
	ConnectedAt time.Time   `json:"connectedAt"`
}

// Account is account.Known without its proof and without the permission to start a browser session.
type Account struct {
	Account          sui.Address `json:"account"`
	Chain            string      `json:"chain"`
	WalletName       string      `json:"walletName"`
	WalletID         string      `json:"walletId"`
	FirstConnectedAt time.Time   `json:"firstConnectedAt"`
	LastConnectedAt  time.Time   `json:"lastConnectedAt"`
	Proven           bool        `json:"-"`
	ProvenAt         time.Time   `json:"-"`
	Chosen           bool        `json:"-"`

	// MultiSig contains the members of a multisig account. It is nil for other accounts and in
	// older files.
	MultiSig *sui.MultiSig `json:"multisig,omitempty"`
}

// OwnName is the user's name for one of their accounts.
type OwnName struct {
	Address string `json:"address"`
	Title   string `json:"title"`
}

// earlier is a file of version 1 or 2. Members that are not declared here are skipped.
type earlier struct {
	File
	Identities skipped `json:"identities"`
	Reviews    skipped `json:"reviews"`
	Coins      skipped `json:"coins"`
	Journal    skipped `json:"journal"`
	Rows       int     `json:"rows"`
}

// skipped counts the items of a list and discards them.
type skipped int

// UnmarshalJSON implements json.Unmarshaler.
func (s *skipped) UnmarshalJSON(text []byte) error {
	var rows []struct{}
	err := json.Unmarshal(text, &rows)
	*s = skipped(len(rows))
	return err
}

// Data is the part of a store that backups contain: settings, accounts and lists, without any
// history.
type Data struct {
	Settings settings.Stored
	Accounts account.Accounts
	Book     []book.Entry      // without deleted entries
	OwnNames map[string]string // by address
	Watched  []watch.Coin      // for all accounts
}

// fileOf returns a backup of d.
func fileOf(d Data, network string, at time.Time) File {
	f := File{Format: format, Version: version, Network: network, CreatedAt: at, Settings: &d.Settings,
		Active: (*Active)(d.Accounts.Active), Accounts: []Account{}, Book: append([]book.Entry{}, d.Book...),
		OwnNames: []OwnName{}, Watched: append([]watch.Coin{}, d.Watched...)}
	for _, k := range d.Accounts.Known {
		f.Accounts = append(f.Accounts, Account(k))
	}
	for _, address := range slices.Sorted(maps.Keys(d.OwnNames)) {
		f.OwnNames = append(f.OwnNames, OwnName{address, d.OwnNames[address]})
	}
	return f
}

// accounts returns the accounts of the backup, without proofs.
func (f File) accounts() account.Accounts {
	a := account.Accounts{Active: (*account.Active)(f.Active)}
	for _, k := range f.Accounts {
		a.Known = append(a.Known, account.Known(k))
	}
	return a
}

// names returns the user's names for their own accounts, by address.
func (f File) names() map[string]string {
	own := map[string]string{}
	for _, n := range f.OwnNames {
		own[n.Address] = n.Title
	}
	return own
}

// write writes a gzip-compressed backup.
func (f File) write(out io.Writer) error {
	z := gzip.NewWriter(out)
	if err := json.NewEncoder(z).Encode(f); err != nil {
		return err
	}
	return z.Close()
}
