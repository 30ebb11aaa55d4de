// Package backup exports the user's settings, accounts and lists to a file, imports such a file,
// and erases all local data. Backups do not contain reviews.
//
// The package defines the file format, what may be imported, and what the user must confirm. It
// accesses neither files nor pages: callers provide the store, and the settings page asks the user.
package backup

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// Store reads, replaces and erases the local data.
type Store interface {
	// BackupData returns a snapshot of the data that a backup contains.
	BackupData(ctx context.Context) (Data, error)
	// Replace calls transition with the current data and stores the data that it returns. It writes
	// the same journal entries and events as if the user had made the changes. All of this is one
	// write transaction. If transition returns an error, Replace changes nothing and returns that
	// error.
	Replace(ctx context.Context, transition func(Data) (Data, error)) error
	// Unsettled returns the reviews that have a release without a known result.
	Unsettled(ctx context.Context) ([]record.ID, error)
	// Erase deletes all data, including limits and their totals, if judge returns nil. It is one
	// write transaction. Only the access of the settings page with the given ID remains; all other
	// links and access tokens end.
	Erase(ctx context.Context, page string, judge func(unsettled []record.ID) error) error
}

// Config has a Service's dependencies.
type Config struct {
	Store    Store
	Settings *settings.Service // checks new addresses
	Now      func() time.Time
	Network  string // wallet chain of this server, such as sui:mainnet
}

// Service exports, imports and erases the local data of one computer.
type Service struct {
	c Config

	mu     sync.Mutex
	staged *staged // the last staged backup that may still be imported
}

// New returns a Service.
func New(c Config) *Service { return &Service{c: c} }

// Unsettled lists the reviews that prevent erasing all data.
func (s *Service) Unsettled(ctx context.Context) ([]record.ID, error) {
	return s.c.Store.Unsettled(ctx)
}

// Export returns a gzip-compressed backup.
func (s *Service) Export(ctx context.Context) ([]byte, error) {
	present, err := s.c.Store.BackupData(ctx)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := fileOf(present, s.c.Network, s.c.Now().UTC()).write(&out); err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The backup could not be written.")
	}
	if out.Len() > MostImport {
		return nil, fault.New(fault.TooLarge, "The backup would be larger than %d MiB and could not be imported. "+
			"Remove watched coins, or names from the address book.", MostImport>>20)
	}
	return out.Bytes(), nil
}

// Count is the number of items of one kind.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"count"`
}

// staged is a validated backup that waits for the user's decision.
type staged struct {
	id     string
	page   string
	until  time.Time
	file   File
	before Data
}

// stagedLife is how long a staged backup can be imported.
const stagedLife = 10 * time.Minute

// Preview describes the effect of importing a backup.
type Preview struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	Holds     []Count   `json:"holds"`
	// Endpoints, Limits and Accounts are confirmed separately.
	Endpoints []policy.Change `json:"endpoints"`
	Limits    []policy.Change `json:"limits"`
	Accounts  []policy.Change `json:"accounts"`
	// Notes lists other information for the user.
	Notes []string `json:"notes"`
}

// Stage reads and validates a backup, compressed or not, and keeps it for Import. It changes no
// stored data.
func (s *Service) Stage(ctx context.Context, page string, in io.Reader) (Preview, error) {
	s.drop() // free the previous backup before reading this one
	file, err := Decode(in)
	if err != nil {
		return Preview{}, err
	}
	present, err := s.c.Store.BackupData(ctx)
	if err != nil {
		return Preview{}, err
	}
	c := checker{now: s.c.Now().UTC()}
	for _, k := range present.Accounts.Known {
		c.own = append(c.own, k.Account)
	}
	if a := present.Accounts.Active; a != nil {
		c.own = append(c.own, a.Account)
	}
	if err := c.check(&file, s.c.Network); err != nil {
		return Preview{}, err
	}
	st := &staged{id: rand.Text(), page: page, until: c.now.Add(stagedLife), file: file, before: present}
	s.mu.Lock()
	s.staged = st
	s.mu.Unlock()
	return st.preview(), nil
}

func (s *Service) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.staged = nil
}

// preview describes the effect of importing the backup.
func (st *staged) preview() Preview {
	f, present := st.file, st.before
	p := Preview{ID: st.id, CreatedAt: f.CreatedAt,
		Holds: []Count{{"Remembered accounts", len(f.Accounts)}, {"Names in the address book", len(f.Book)},
			{"Watched coins", len(f.Watched)}},
		Limits: policy.Differences(present.Settings.Allowance, f.Settings.Allowance)}
	for w := range settings.Count {
		if old, now := present.Settings.Addresses[w], f.Settings.Addresses[w]; old != now {
			p.Endpoints = append(p.Endpoints, policy.Change{Name: w.Info().Label(),
				Old: orDefault(old), New: orDefault(now), Looser: now != ""})
		}
	}
	if old, now := inUse(present.Accounts), inUse(f.accounts()); old != now {
		p.Accounts = append(p.Accounts, policy.Change{Name: "Account in use", Old: old, New: now, Looser: now != nobody})
	}
	if f.Active != nil || len(f.Accounts) > 0 {
		p.Notes = append(p.Notes, "Accounts are imported as the backup states them. None counts as proved.")
	}
	const skips = "This backup also contains %s. Reviews are not imported; this computer's reviews remain."
	switch {
	case f.Reviews == 1:
		p.Notes = append(p.Notes, fmt.Sprintf(skips, "1 review"))
	case f.Reviews > 1:
		p.Notes = append(p.Notes, fmt.Sprintf(skips, fmt.Sprintf("%d reviews", f.Reviews)))
	}
	if f.Book == nil {
		p.Notes = append(p.Notes, "This backup has no address book. Yours remains.")
	}
	if f.Watched == nil {
		p.Notes = append(p.Notes, "This backup has no watch list. Yours remains.")
	}
	if len(present.Settings.Allowance.PerDay)+len(f.Settings.Allowance.PerDay) > 0 {
		p.Notes = append(p.Notes, "Limits for 24 hours still count what was released to a wallet here in the last 24 "+
			"hours.")
	}
	return p
}

const nobody = "none"

func inUse(a account.Accounts) string {
	if a.Active == nil {
		return nobody
	}
	return a.Active.Account.String()
}

func orDefault(url string) string {
	if url == "" {
		return "the default"
	}
	return url
}

// Choice selects the parts to replace. Other parts remain unchanged.
type Choice struct {
	ID        string `json:"id"`
	Endpoints bool   `json:"endpoints"`
	Limits    bool   `json:"limits"`
	Accounts  bool   `json:"accounts"`
}

// Import replaces the chosen parts of the current data with those of the staged backup. It returns
// an error and changes nothing if the backup was not recently staged on this page, if settings or
// the active account have changed since, or if a chosen address serves another network.
func (s *Service) Import(ctx context.Context, page string, c Choice, rights ...settings.Right) (settings.Outcome,
	error) {
	s.mu.Lock()
	st := s.staged
	s.mu.Unlock()
	if st == nil || st.id != c.ID || st.page != page || !s.c.Now().Before(st.until) {
		return settings.Outcome{}, fault.New(fault.InvalidSessionTransition,
			"The preview of this backup has expired. Choose the file again; nothing was changed.")
	}
	if c.Endpoints {
		if err := s.examine(ctx, st); err != nil {
			return settings.Outcome{}, err
		}
	}
	err := s.c.Store.Replace(ctx, func(present Data) (Data, error) {
		if err := settings.CheckRights(ctx, rights); err != nil {
			return Data{}, err
		}
		if !reflect.DeepEqual(present.Settings, st.before.Settings) ||
			!reflect.DeepEqual(present.Accounts.Active, st.before.Accounts.Active) {
			return Data{}, settings.Outdated()
		}
		return st.file.over(present, c), nil
	})
	if err != nil {
		return settings.Outcome{}, err
	}
	s.drop()
	says := "The backup was imported. Your reviews are unchanged."
	if c.Endpoints {
		says += " Addresses take effect after a restart of Say Ur Intent."
	}
	return settings.Outcome{Done: true, Says: says}, nil
}

// examine checks the service at each address that the backup would change.
func (s *Service) examine(ctx context.Context, st *staged) error {
	if err := s.c.Settings.Distinct(settings.Second, *st.file.Settings); err != nil {
		return err
	}
	for w, url := range st.file.Settings.Addresses {
		if url == "" || url == st.before.Settings.Addresses[w] {
			continue
		}
		if _, _, err := s.c.Settings.Examine(ctx, settings.Which(w), url); err != nil {
			return err
		}
	}
	return nil
}

// over returns the current data with the chosen parts replaced. A backup cannot change which
// programs may send requests, or which machines have access to this computer.
func (f File) over(present Data, c Choice) Data {
	if c.Endpoints {
		present.Settings.Addresses = f.Settings.Addresses
	}
	if c.Limits {
		present.Settings.Allowance = f.Settings.Allowance
	}
	if c.Accounts {
		present.Accounts = f.accounts()
	}
	// A list that the file's version does not contain remains unchanged.
	if f.Book != nil {
		present.Book, present.OwnNames = f.Book, f.names()
	}
	if f.Watched != nil {
		present.Watched = f.Watched
	}
	return present
}
