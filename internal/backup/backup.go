// Package backup takes all local data out into one file, puts such a file in its
// place, and erases it: export, import and reset.
//
// It holds the format of the file, what of it may come in, and what a person has
// to agree to. It reaches no file and no page: the store is handed in, and the
// settings page asks.
package backup

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// State is what a change of all data is judged by.
type State struct {
	Settings  settings.Stored
	Active    *Active
	Known     []sui.Address // that wallets gave
	Unsettled []record.ID   // reviews with a release whose result is not known
}

// Replacement is what all data is replaced by. Without WithAccounts the account
// in use, the remembered ones, the connect sessions and their journal stay.
type Replacement struct {
	Settings     settings.Stored
	Active       *Active
	WithAccounts bool
	WithBook     bool // the backup has an address book; without it that of this machine stays
	// Rows hands the rows of the backup to add, one by one, in the order of its
	// lists; an error of add ends them and is returned as it is.
	Rows func(ctx context.Context, add func(Row) error) error
}

// Store holds all local data. The page named by an id is the settings page that
// asks: its right outlives the change, every other link and pass ends with it.
type Store interface {
	// Walk reads one state of all data, and hands it on: the head once, then row by
	// row in the order of the lists. An error of either is returned as it is.
	Walk(ctx context.Context, head func(settings.Stored, *Active) error, row func(Row) error) error
	// BackupState returns what changes are judged by.
	BackupState(ctx context.Context) (State, error)
	// Replace lets transition judge the present state and puts its result in the
	// place of everything, in one write transaction. What was released here within
	// a day of limits goes on counting towards them. An error changes nothing.
	Replace(ctx context.Context, page string, transition func(State) (Replacement, error)) error
	// Erase forgets everything once judge has agreed, in one write transaction: the
	// limits, and with them what counts towards them.
	Erase(ctx context.Context, page string, judge func(State) error) error
}

// Config is what a Service needs.
type Config struct {
	Store    Store
	Settings *settings.Service // which proves a new endpoint
	Now      func() time.Time
	Network  string // of this server, as in sui:mainnet
}

// Service exports, imports and resets the local data of one machine.
type Service struct {
	c Config

	mu     sync.Mutex
	staged *staged // the backup that was looked at last, waiting to be imported
}

// New makes a Service.
func New(c Config) *Service { return &Service{c: c} }

// Unsettled lists the reviews that keep all data from being replaced.
func (s *Service) Unsettled(ctx context.Context) ([]record.ID, error) {
	state, err := s.c.Store.BackupState(ctx)
	return state.Unsettled, err
}

// Export writes a backup of all local data, packed with gzip, row by row. One
// that an error cut off does not unpack to its end, so that nothing takes it for
// whole.
func (s *Service) Export(ctx context.Context, out io.Writer) error {
	z := gzip.NewWriter(out)
	if err := s.write(ctx, z); err != nil {
		return err
	}
	return z.Close()
}

// Weigh exports a backup and reads it as Stage would, and keeps nothing. It
// returns "" where that backup could be imported, else what the person has to
// know before it is taken.
func (s *Service) Weigh(ctx context.Context) (string, error) {
	present, err := s.c.Store.BackupState(ctx)
	if err != nil {
		return "", err
	}
	var file weighed
	if err := s.Export(ctx, &file); err != nil {
		return "", err
	}
	if file.size > MostImport {
		return fmt.Sprintf("This copy has %.1f MiB, and at most %d MiB can be put in. It could be kept and read, but not be put in again.",
			float64(file.size)/(1<<20), MostImport>>20), nil
	}
	err = s.newImporter(present).read(ctx, file.held, func(Row) error { return nil })
	if err == nil || fault.As(err).Detail.Get("import") == "" {
		return "", err
	}
	// Nothing is under way that could have changed anything.
	return "This copy could be kept and read, but not be put in again: " +
		strings.Replace(fault.As(err).Text, " Nothing was changed.", "", 1), nil
}

// weighed counts the bytes of a backup, and holds those that can be imported.
type weighed struct {
	held []byte
	size int
}

// Write implements io.Writer.
func (w *weighed) Write(b []byte) (int, error) {
	w.size += len(b)
	w.held = append(w.held, b[:min(len(b), MostImport-len(w.held))]...)
	return len(b), nil
}

// Count is how many of one thing there are.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"count"`
}

// staged is a backup that was judged, waiting for the person: the file as it was
// uploaded. Its rows are not kept, for they can be 16 times as large: they are
// read again when it is imported.
type staged struct {
	id     string
	page   string
	until  time.Time
	file   []byte
	head   Head
	before State
}

// stagedLife is how long a backup that was looked at can be imported.
const stagedLife = 10 * time.Minute

// Preview is what importing a backup would do.
type Preview struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	Holds     []Count   `json:"holds"`
	// Endpoints, Limits and Accounts are asked for separately.
	Endpoints []policy.Change `json:"endpoints"`
	Limits    []policy.Change `json:"limits"`
	Accounts  []policy.Change `json:"accounts"`
	// Notes say what the person has to know besides.
	Notes []string `json:"notes"`
}

// Stage reads and judges a backup, packed with gzip or not, and keeps the file
// for Import; nothing is changed.
func (s *Service) Stage(ctx context.Context, page string, in io.Reader) (Preview, error) {
	s.drop() // the last one makes room before this one is read
	file, err := upload(in)
	if err != nil {
		return Preview{}, err
	}
	present, err := s.c.Store.BackupState(ctx)
	if err != nil {
		return Preview{}, err
	}
	i := s.newImporter(present)
	if err := i.read(ctx, file, func(Row) error { return nil }); err != nil {
		return Preview{}, err
	}
	if err := settled(present); err != nil {
		return Preview{}, err
	}
	sum := sha256.Sum256(file)
	id, err := settings.Confirmation("import "+hex.EncodeToString(sum[:]), present.Settings, present.Active)
	if err != nil {
		return Preview{}, err
	}
	s.mu.Lock()
	s.staged = &staged{id: id, page: page, until: i.now.Add(stagedLife), file: file, head: i.head, before: present}
	s.mu.Unlock()
	return preview(id, i, present), nil
}

func (s *Service) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.staged = nil
}

func preview(id string, i *importer, present State) Preview {
	h := i.head
	p := Preview{ID: id, CreatedAt: h.CreatedAt, Holds: i.counts(), Limits: policy.Differences(present.Settings.Allowance, h.Settings.Allowance)}
	for w := range settings.Count {
		if old, now := present.Settings.Addresses[w], h.Settings.Addresses[w]; old != now {
			p.Endpoints = append(p.Endpoints, policy.Change{Name: w.Info().Label(),
				Old: orDefault(old), New: orDefault(now), Looser: now != ""})
		}
	}
	if old, now := inUse(present.Active), inUse(h.Active); old != now {
		p.Accounts = append(p.Accounts, policy.Change{Name: "Account in use", Old: old, New: now, Looser: now != nobody})
	}
	p.Notes = i.notes()
	if len(present.Settings.Allowance.PerDay)+len(h.Settings.Allowance.PerDay) > 0 {
		p.Notes = append(p.Notes, "Limits of 24 hours go on counting what was handed to a wallet here in the last 24 hours, and count besides what the copy says.")
	}
	return p
}

const nobody = "none"

func inUse(a *Active) string {
	if a == nil {
		return nobody
	}
	return a.Account.String()
}

func orDefault(url string) string {
	if url == "" {
		return "the default"
	}
	return url
}

// Choice is what the person agreed to. What is not agreed to stays as it is.
type Choice struct {
	ID        string `json:"id"`
	Endpoints bool   `json:"endpoints"`
	Limits    bool   `json:"limits"`
	Accounts  bool   `json:"accounts"`
}

// Import puts the staged backup in the place of all local data. It is refused,
// with nothing changed, when the backup was not looked at on this page within
// the last minutes, when settings changed since then, while a release is
// unsettled, and when a chosen address does not prove to be of this network.
func (s *Service) Import(ctx context.Context, page string, c Choice, rights ...settings.Right) (settings.Outcome, error) {
	s.mu.Lock()
	st := s.staged
	s.mu.Unlock()
	if st == nil || st.id != c.ID || st.page != page || !s.c.Now().Before(st.until) {
		return settings.Outcome{}, fault.New(fault.InvalidSessionTransition,
			"The copy that was looked at is not at hand any more. Choose the file again; nothing was changed.")
	}
	if c.Endpoints {
		if err := s.c.Settings.Distinct(settings.Second, st.head.Settings); err != nil {
			return settings.Outcome{}, err
		}
		for w := range settings.Count {
			url := st.head.Settings.Addresses[w]
			if url == "" || url == st.before.Settings.Addresses[w] {
				continue
			}
			if _, _, err := s.c.Settings.Examine(ctx, w, url); err != nil {
				return settings.Outcome{}, err
			}
		}
	}
	err := s.c.Store.Replace(ctx, page, func(present State) (Replacement, error) {
		if err := settings.CheckRights(ctx, rights); err != nil {
			return Replacement{}, err
		}
		return s.replacement(st, present, c)
	})
	if err != nil {
		return settings.Outcome{}, err
	}
	s.drop()
	says := "The copy took the place of all local data. Links and pages that were open have ended."
	if c.Endpoints {
		says += " Addresses take effect when Say Ur Intent is started again."
	}
	return settings.Outcome{Done: true, Says: says}, nil
}

// replacement judges the staged backup by the present state, inside the write
// transaction.
func (s *Service) replacement(st *staged, present State, c Choice) (Replacement, error) {
	if err := settled(present); err != nil {
		return Replacement{}, err
	}
	before, errBefore := settings.Confirmation("", st.before.Settings, st.before.Active)
	now, err := settings.Confirmation("", present.Settings, present.Active)
	if err != nil || errBefore != nil || before != now {
		return Replacement{}, settings.Outdated()
	}
	// What other programs may send, and with whom this machine is shared, is decided on it alone.
	st.head.Settings.Material, st.head.Settings.Sharing = present.Settings.Material, present.Settings.Sharing
	r := Replacement{Settings: st.head.Settings, Active: st.head.Active, WithAccounts: c.Accounts, WithBook: st.head.Version > 1}
	if !c.Endpoints {
		r.Settings.Addresses = present.Settings.Addresses
	}
	if !c.Limits {
		r.Settings.Allowance = present.Settings.Allowance
	}
	if !c.Accounts {
		r.Active = nil
	}
	r.Rows = func(ctx context.Context, add func(Row) error) error {
		i := s.newImporter(present)
		i.again = true
		return i.read(ctx, st.file, func(row Row) error {
			if !c.Accounts && ofAccounts(row) {
				return nil
			}
			return add(row)
		})
	}
	return r, nil
}

// ofAccounts reports whether a row is about accounts and how they were connected.
func ofAccounts(row Row) bool {
	switch v := row.(type) {
	case Account, Identity:
		return true
	case Entry:
		return v.Kind == events.Identity || v.Kind == events.Account
	}
	return false
}
